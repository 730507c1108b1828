"""Two artifacts → a comparison with its verdict. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare import rules
from llm_testbench.compare.align import COMPARABLE, Pair, align
from llm_testbench.compare.cells import cells_of, never_asked
from llm_testbench.compare.headline import headline
from llm_testbench.compare.model import BaselineRun, Comparison, Finding, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.rows import category_rows, counts, model_rows, rollup, test_row
from llm_testbench.compare.warnings import model_badges, old, warnings

NO_BASELINE = Finding("no_baseline", ("there is no baseline",))
NOTHING_ALIGNED = Finding("no_baseline", ("the baseline holds none of these tests of these models",))
BASELINE_REQUIRED = Finding("baseline_missing", ("there is no baseline, and baseline_missing is fail",))


def compare(
    baseline: Artifact | None,
    current: Artifact,
    options: GateOptions,
    *,
    suite_ids: Collection[str] = (),
    planned: Collection[CellKey] = (),
    unscored: Collection[CellKey] = (),
    edited: Collection[str] = (),
    baselines: Sequence[BaselineRun] = (),
    noted: Sequence[Finding] = (),
    unusable: Finding | None = None,
) -> Comparison:
    """Aligns, averages and judges.

    `suite_ids`: all test ids that exist today, whatever the filters chose: a test of the baseline that is
    not run now is `not_selected` if it is among them, else `removed`.
    `planned`: the cells (model name, test id) that this run was to ask; empty: those that have rows,
    and those of tests that nobody was asked.
    `unscored`: cells of the baseline whose check was edited and whose answers could not be scored again.
    `edited`: tests of the baseline that an edited check scored again.
    `baselines`: the runs that `baseline` was made of, and those passed over; `noted`: what finding them brought up.
    `unusable`: a baseline exists, or may exist, and cannot be compared with.
    """
    before = cells_of(baseline) if baseline is not None else {}
    pairs = align(
        before,
        cells_of(current, planned or never_asked(current)),
        suite_ids=frozenset(suite_ids),
        unscored=frozenset(unscored),
        edited=frozenset(edited),
    )
    found = (*noted, *old(baselines), *(warnings(baseline, current, pairs) if baseline is not None else ()))
    models = model_rows(pairs, model_badges(found))
    overall = rollup([pair for pair in pairs if pair.current is not None])
    tests = tuple(test_row(pair) for pair in pairs)
    counted = counts(tests)
    broken = rules.breaches(pairs, models, options)
    unsure = rules.doubts(pairs, options, interrupted=current.meta.interrupted)
    if unusable is not None and options.role == "gate":
        unsure = (*unsure, unusable)
    verdict, reasons = _judge(broken, unsure, _no_baseline(baseline, pairs), options)
    rules_set = options.min_score is not None or options.max_drop is not None or _any_must_pass(pairs)
    return Comparison(
        verdict=verdict,
        headline=headline(verdict, reasons, overall, counted, options, models=len(models), rules_set=rules_set),
        reasons=reasons,
        warnings=found,
        overall=overall,
        models=models,
        categories=category_rows(pairs),
        tests=tests,
        counts=counted,
        role=options.role,
        baselines=tuple(baselines),
    )


def not_compared(reason: Finding, options: GateOptions, baselines: Sequence[BaselineRun]) -> Comparison:
    """The comparison of a run that was not made, since what it is to be compared with cannot be used."""
    overall = rollup([])
    reasons = (reason,)
    return Comparison(
        verdict=Verdict.INCONCLUSIVE,
        headline=headline(Verdict.INCONCLUSIVE, reasons, overall, {}, options, models=0, rules_set=False),
        reasons=reasons,
        warnings=(),
        overall=overall,
        models=(),
        categories=(),
        tests=(),
        role=options.role,
        baselines=tuple(baselines),
    )


def doubted(comparison: Comparison, reasons: Sequence[Finding], options: GateOptions) -> Comparison:
    """The comparison of a run of which something is lost, by what was noticed after it was made."""
    if not reasons:
        return comparison
    verdict = Verdict.FAIL if comparison.verdict is Verdict.FAIL else Verdict.INCONCLUSIVE
    before = comparison.reasons if comparison.verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE) else ()
    every = (*before, *reasons)
    first_line = headline(
        verdict, every, comparison.overall, comparison.counts, options, models=len(comparison.models), rules_set=True
    )
    return replace(comparison, verdict=verdict, reasons=every, headline=first_line)


def skipped(comparison: Comparison, reason: Finding) -> Comparison:
    """The comparison of a run that was given no key, and is told nothing for it."""
    reasons = (reason,)
    first_line = headline(
        Verdict.SKIPPED, reasons, comparison.overall, comparison.counts, GateOptions(), models=0, rules_set=False
    )
    return replace(comparison, verdict=Verdict.SKIPPED, reasons=reasons, headline=first_line)


def doubts(current: Artifact, options: GateOptions, *, planned: Collection[CellKey] = ()) -> tuple[Finding, ...]:
    """What keeps a run from being relied on, whatever it is compared with: too little scored, too many errors."""
    pairs = align({}, cells_of(current, planned or never_asked(current)), suite_ids=(), unscored=(), edited=())
    return rules.doubts(pairs, options, interrupted=current.meta.interrupted)


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
    return None if any(pair.status in COMPARABLE for pair in pairs) else NOTHING_ALIGNED


def _any_must_pass(pairs: Sequence[Pair]) -> bool:
    return any(pair.test.must_pass and pair.gated and pair.current is not None for pair in pairs)
