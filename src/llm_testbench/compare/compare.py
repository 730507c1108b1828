"""Two artifacts → a comparison with its verdict. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare import confirm, power, rules
from llm_testbench.compare.accepted import offered, stale
from llm_testbench.compare.align import COMPARABLE, Pair, align
from llm_testbench.compare.cells import cells_of, never_asked
from llm_testbench.compare.confinement import confinement
from llm_testbench.compare.drift import unchanged
from llm_testbench.compare.examine import Examined, examine, fresh
from llm_testbench.compare.explained import to_accept
from llm_testbench.compare.headline import SELF_REPORTED, headline
from llm_testbench.compare.judged_rows import judged_rows
from llm_testbench.compare.lacking import lacking
from llm_testbench.compare.model import (
    WORSE,
    BaselineRun,
    ComparedRow,
    Comparison,
    Confirmation,
    Finding,
    Quoted,
    Status,
    Verdict,
)
from llm_testbench.compare.numbers import percent
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.proofs import ProofFound
from llm_testbench.compare.regressions import drifted, proven, suspected
from llm_testbench.compare.rows import counts, rollup
from llm_testbench.compare.scope import NOTHING_KNOWN, Scope
from llm_testbench.compare.shares import latency, truncated
from llm_testbench.compare.since_release import dropped, since_release
from llm_testbench.compare.suspects import Fresh
from llm_testbench.compare.warnings import model_badges, old, warnings

NO_BASELINE = Finding("no_baseline", ("there is no baseline",))
NOTHING_ALIGNED = Finding("no_baseline", ("the baseline holds none of these tests of these models",))
NOTHING_SCORED = Finding("no_baseline", ("the baseline holds no score of these tests of these models",))
MADE_UP = Finding(
    SELF_REPORTED,
    ("These numbers come from the pull request's own run: whoever wrote it could have made them up.",),
)
BASELINE_REQUIRED = Finding("baseline_missing", ("there is no baseline, and baseline_missing is fail",))


def compare(
    baseline: Artifact | None, current: Artifact, options: GateOptions, scope: Scope = NOTHING_KNOWN
) -> Comparison:
    """Aligns, judges, takes what was asked again into account, and decides.

    Everything stands in the two artifacts, the options and the scope: a stored comparison can be made again from them.
    """
    return conclude(examine(baseline, current, options, scope), baseline, current, options, scope)


def conclude(
    examined: Examined, baseline: Artifact | None, current: Artifact, options: GateOptions, scope: Scope
) -> Comparison:
    """The comparison where `examine` has been asked about these already."""
    again = fresh(current.results)
    proofs, found = confirm.proofs(examined.state, again), confirm.findings(examined.state, again)
    since = since_release(
        scope.release,
        {pair.key: pair.now for pair in examined.pairs if pair.current is not None},
        options,
        examined.exchange,
        examined.references.scores.keys(),
    )
    said = (
        *((MADE_UP,) if scope.self_reported else ()),
        *confinement(current.meta.sandbox),
        *lacking(current.results),
        *dropped(since),
        *scope.noted,
        *old(scope.baselines),
        *(
            warnings(baseline, current, examined.pairs, parts=scope.parts, further=scope.further)
            if baseline is not None
            else ()
        ),
        *_unsteady(proofs, options),
    )
    rows = judged_rows(examined, found, options, model_badges(said))
    # What such a run says of its settings is no proof that the server alone has changed.
    known = baseline is not None and not examined.live and not scope.self_reported
    if baseline is not None and known and unchanged(baseline, current, examined.pairs, scope.parts):
        rows = rows.drifted()
    slower = latency(examined.pairs)
    gated = rows.gated(options.gate_levels)
    broken = rules.breaches(examined.pairs, rows.models, options, proofs=proofs, latency=slower)
    if options.role == "gate":
        broken = (*_worse(gated, options), *broken)
        said = (*said, *(drifted(gated) if not options.fail_on_drift else ()))
    unsure = rules.doubts(examined.pairs, options, interrupted=current.meta.interrupted)
    if scope.unusable is not None and options.role == "gate":
        unsure = (*unsure, scope.unusable)
    verdict, reasons = _judge(broken, unsure, _no_baseline(baseline, examined.pairs), options)
    scores = _scores(examined, again)
    failing = WORSE | {Status.SUSPECTED} if options.fail_on == "suspected" else WORSE
    return _with_headline(
        Comparison(
            verdict=verdict,
            headline="",
            reasons=reasons,
            warnings=(*said, *_can_go(scope, examined, current, scores)),
            overall=rows.overall,
            models=rows.models,
            categories=rows.categories,
            tests=rows.tests,
            counts=counts(rows.tests),
            role=options.role,
            baselines=tuple(scope.baselines),
            exchange=examined.exchange,
            mde=_mde(rows.models, rows.overall),
            blind=power.blind(examined.stage, examined.variants, options, examined.exchange)
            if options.role == "gate"
            else "",
            confirmation=_confirmation(examined, again, found),
            accept=offered(to_accept(gated, rows.tests, examined, options), rows.tests, scores, failing)
            if verdict is Verdict.FAIL and not scope.self_reported  # nobody's own numbers become what he is held to
            else (),
            gate_levels=options.gate_levels,
            truncated=truncated(examined.pairs),
            latency=slower,
            since_release=since,
        )
    )


def not_compared(reason: Finding, options: GateOptions, baselines: Sequence[BaselineRun]) -> Comparison:
    """The comparison of a run that was not made, since what it is to be compared with cannot be used."""
    return _with_headline(
        Comparison(
            verdict=Verdict.INCONCLUSIVE,
            headline="",
            reasons=(reason,),
            warnings=(),
            overall=rollup([]),
            models=(),
            categories=(),
            tests=(),
            role=options.role,
            baselines=tuple(baselines),
        )
    )


def doubted(comparison: Comparison, reasons: Sequence[Finding]) -> Comparison:
    """The comparison of a run of which something is lost, by what was noticed after it was made."""
    if not reasons:
        return comparison
    verdict = Verdict.FAIL if comparison.verdict is Verdict.FAIL else Verdict.INCONCLUSIVE
    before = comparison.reasons if comparison.verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE) else ()
    return _with_headline(replace(comparison, verdict=verdict, reasons=(*before, *reasons)))


def skipped(comparison: Comparison, *reasons: Finding) -> Comparison:
    """The comparison of a run that was given no key, and is told nothing for it."""
    return _with_headline(replace(comparison, verdict=Verdict.SKIPPED, reasons=reasons))


def doubts(current: Artifact, options: GateOptions, *, planned: Collection[CellKey] = ()) -> tuple[Finding, ...]:
    """What keeps a run from being relied on, whatever it is compared with: too little scored, too many errors."""
    pairs = align({}, cells_of(current, planned or never_asked(current)), suite_ids=(), unscored=(), edited=())
    return rules.doubts(pairs, options, interrupted=current.meta.interrupted)


def _with_headline(comparison: Comparison) -> Comparison:
    return replace(comparison, headline=headline(comparison))


def _worse(gated: Sequence[ComparedRow], options: GateOptions) -> tuple[Finding, ...]:
    """What the statistics hold against this run."""
    worse = (*proven(gated), *(drifted(gated) if options.fail_on_drift else ()))
    return (*worse, *suspected(gated)) if options.fail_on == "suspected" else worse


def _judge(
    broken: tuple[Finding, ...], unsure: tuple[Finding, ...], missing: Finding | None, options: GateOptions
) -> tuple[Verdict, tuple[Finding, ...]]:
    """The order of design 5.6: a broken rule wins over missing data, that over a missing baseline."""
    if missing is not None and options.baseline_missing == "fail" and options.role == "gate":
        unsure = (*unsure, BASELINE_REQUIRED)
    if broken:
        return Verdict.FAIL, (*broken, *unsure)
    if unsure:
        return Verdict.INCONCLUSIVE, unsure
    if missing is not None:
        return Verdict.NO_BASELINE, (missing,)
    return Verdict.PASS, ()


def _no_baseline(baseline: Artifact | None, pairs: Sequence[Pair]) -> Finding | None:
    if baseline is None:
        return NO_BASELINE
    # A baseline that shares no cell with this run is none: a pass would claim a comparison.
    aligned = [pair.before for pair in pairs if pair.status in COMPARABLE]
    if not aligned:
        return NOTHING_ALIGNED
    return None if any(cell.scores for cell in aligned) else NOTHING_SCORED


def _mde(models: Sequence[ComparedRow], overall: ComparedRow) -> dict[str, float]:
    """The smallest drop of each mean that 4 of 5 runs would have seen."""
    found = {row.model: row.mde for row in models if row.model is not None and row.mde is not None}
    return found | ({"overall": overall.mde} if len(models) > 1 and overall.mde is not None else {})


def _confirmation(
    examined: Examined, again: Mapping[CellKey, Fresh], found: Mapping[CellKey, confirm.Found]
) -> Confirmation:
    return Confirmation(
        requests=confirm.spent(again),
        budget=examined.state.budget,
        # Whom no answer could have proven was cleared by that, and nobody's budget had to carry it.
        suspects=sum(one.status is Status.SUSPECTED or _asked_at_all(one) for one in found.values())
        + len(examined.left_out),
        left_out=sum(one.status is Status.SUSPECTED and not _asked_at_all(one) for one in found.values())
        + len(examined.left_out),
        why_not=power.MODEL_PROVEN if examined.left_out else "",
    )


def _asked_at_all(found: confirm.Found) -> bool:
    before = found.asked.baseline
    return found.asked.current.n > 0 or (before is not None and before.n > 0)


def _scores(examined: Examined, again: Mapping[CellKey, Fresh]) -> dict[CellKey, tuple[float, ...]]:
    """All that this run knows about each compared cell: what accepting it would keep."""
    return {
        pair.key: pair.now.scores + (again[pair.key].current if pair.key in again else ())
        for pair in examined.pairs
        if pair.judged
    }


def _can_go(
    scope: Scope, examined: Examined, current: Artifact, scores: Mapping[CellKey, tuple[float, ...]]
) -> tuple[Finding, ...]:
    return stale(
        scope.accepted,
        examined.references,
        baseline={key: cell.scores for key, cell in examined.before.items()},
        current=scores,
        tests={*scope.suite_ids, *(pair.key[1] for pair in examined.pairs if pair.current is not None)},
        models=current.meta.models,
    )


def _unsteady(proofs: Mapping[CellKey, ProofFound], options: GateOptions) -> tuple[Finding, ...]:
    """Tests that must pass, and do so often enough, but not always."""
    return tuple(
        Finding(
            "must_pass_unsteady",
            (
                Quoted(test_id),
                " on ",
                Quoted(model),
                f" must pass and passes in {percent(proof.rate)} of its attempts:"
                f" enough for must_pass_rate {options.must_pass_rate:g}",
            ),
            model,
            test_id,
        )
        for (model, test_id), proof in proofs.items()
        if not proof.breached
    )
