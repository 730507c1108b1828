"""What the main attempts of both sides say, and who is a suspect: all that is decided before anybody is asked again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from llm_testbench.artifact.cells import CellKey, mean
from llm_testbench.artifact.copies import effective
from llm_testbench.artifact.model import Artifact, Meta, Row, TestEntry
from llm_testbench.compare.accepted import References, references
from llm_testbench.compare.align import PROMPT_CHANGED, Pair, align
from llm_testbench.compare.cells import Cell, cells_of, never_asked
from llm_testbench.compare.confirm import State, begin
from llm_testbench.compare.drift import same_way
from llm_testbench.compare.model import Status, Variant
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.proofs import Proof
from llm_testbench.compare.scope import Scope
from llm_testbench.compare.stage import Scored, Stage, stage
from llm_testbench.compare.statistics.exchange import FLOOR, clumping
from llm_testbench.compare.suspects import Fresh, Suspect
from llm_testbench.compare.variants import Chosen, Tested, Variants, variants
from llm_testbench.evaluators.score import PASS_MARK
from llm_testbench.json_value import digest

_ASKED: Mapping[Chosen, Variant] = {"current": "current", "both": "both"}
SELECTION = 0.5
"""Share of its alpha that a row over several tests has where runs were pooled.

Only runs that look like the newest join it, so the pool leans towards that one's luck. Simulated (200,000 draws, runs
that differ at p <= 0.2 left out), 4 % becomes 6.0 %, and 1.33 % becomes 2.4 %: half of each pays for it.
"""
MOST_NAMED = 5
"""Suspects that are asked again although a model's row decides the verdict already: to name them, as many as are shown.

stats.md asks none then. But one broken test of a few moves its model's mean beyond doubt, and who reads that wants to
know which test it was. The tests' share of alpha is spent on them either way.
"""


@dataclass(frozen=True, slots=True)
class Examined:
    """`before`: the baseline's own cells, also where accepted scores stand in their place. `scored`: the cells that
    stand in the families. `suspects`: those that are asked again; `left_out`: those that are not, since a model's row
    is proven already. `asks`: whether this run asks again; `state`: where that begins.
    `live`: both sides were asked in this run.
    """

    pairs: tuple[Pair, ...]
    before: Mapping[CellKey, Cell]
    references: References
    exchange: Literal["attempt", "run"]
    scored: tuple[Scored, ...]
    variants: Variants
    stage: Stage
    suspects: tuple[Suspect, ...]
    left_out: frozenset[CellKey]
    asks: bool
    live: bool
    state: State


def examine(baseline: Artifact | None, current: Artifact, options: GateOptions, scope: Scope) -> Examined:
    """Aligns both sides and judges by their main attempts. Whoever gated could ask again; any other run is final."""
    taken = references(scope.accepted, current.meta.finished_at[:10])
    before = cells_of(baseline) if baseline is not None else {}
    pairs = align(
        {key: _reference(key, cell, scope, taken) for key, cell in before.items()},
        cells_of(current, scope.planned or never_asked(current)),
        suite_ids=frozenset(scope.suite_ids),
        unscored=frozenset(scope.unscored),
        edited=frozenset(scope.edited),
        accepted=taken.scores.keys(),
    )
    both = [pair for pair in pairs if pair.judged]
    exchange = _exchange(both, options)
    scored = tuple(scored_cell(pair, exchange) for pair in both)
    asks = options.role == "gate" and current.meta.role == "gate"
    live = _beside(baseline, current)
    twice = _both_sides(both, baseline, current, {*scope.against, *live})
    chosen = variants(
        [Tested(cell.key, len(cell.before), len(cell.now), cell.key in twice) for cell in scored],
        options,
        asks=asks,
        exchange=exchange,
    )
    staged = stage(scored, _paid(options) if scope.further else options, chosen)
    suspects, left_out = _suspects(staged, chosen)
    asked = [pair for pair in pairs if pair.gated and pair.current is not None and pair.test.must_pass]
    return Examined(
        pairs=pairs,
        before=before,
        references=taken,
        exchange=exchange,
        scored=scored,
        variants=chosen,
        stage=staged,
        suspects=suspects,
        left_out=left_out,
        asks=asks,
        live=bool(live),
        state=begin(
            suspects,
            tuple(_proofs(asked)),
            chosen,
            options,
            unit=staged.unit,
            requests=sum(row.phase == "main" for row in current.results),
            room=scope.room,
        ),
    )


def fresh(rows: Sequence[Row]) -> dict[CellKey, Fresh]:
    """What asking again gave so far, from all rows of a run: copies of an earlier answer are spent and say nothing."""
    asked = {(row.model, row.test_id) for row in rows if row.phase == "confirm"}
    if not asked:
        return {}
    of_cell: dict[CellKey, dict[str, list[Row]]] = {key: {"current": [], "baseline": []} for key in asked}
    for row in rows:
        if (row.model, row.test_id) in asked:
            of_cell[row.model, row.test_id][row.side].append(row)
    return {key: _fresh(sides["current"], sides["baseline"]) for key, sides in of_cell.items()}


def _fresh(current: Sequence[Row], baseline: Sequence[Row]) -> Fresh:
    now, before = _usable(current), _usable(baseline)
    again = [row for row in (*current, *baseline) if row.phase == "confirm"]
    return Fresh(
        current=tuple(row.score for row in now),
        baseline=tuple(row.score for row in before),
        passed=tuple(row.passed for row in now),
        spent_current=sum(row.phase == "confirm" for row in current),
        spent_baseline=sum(row.phase == "confirm" for row in baseline),
        copies=sum(row.scored for row in again) - len(now) - len(before),
    )


def _usable(rows: Sequence[Row]) -> list[Row]:
    # The main attempts stand before the fresh ones, so that a fresh copy of one of them drops out.
    ordered = sorted(rows, key=lambda row: (row.phase != "main", row.attempt))
    return [row for row in effective(ordered) if row.phase == "confirm" and row.scored]


def _reference(key: CellKey, cell: Cell, scope: Scope, taken: References) -> Cell:
    """The cell with the attempts that the current ones are compared with."""
    accepted = taken.scores.get(key)
    if accepted is not None:
        return replace(cell, scores=accepted, runs=(accepted,))
    more = scope.further.get(key, ())
    if not cell.scores:
        return cell
    return replace(cell, scores=(*cell.scores, *chain(*more)), runs=(cell.scores, *more))


def _paid(options: GateOptions) -> GateOptions:
    """The options with what choosing alike runs costs taken off; tests are not chosen by, and keep theirs."""
    shares = {level: options.level_alpha(level) / options.alpha for level in options.gate_levels}
    return replace(
        options,
        alpha_split={level: share * (1 if level == "test" else SELECTION) for level, share in shares.items()},
    )


def _exchange(both: Sequence[Pair], options: GateOptions) -> Literal["attempt", "run"]:
    """What may be shuffled: attempts, unless runs of the baseline differ more than attempts do (stats.md, step 1)."""
    if options.exchange != "auto":
        return options.exchange
    clumped = clumping([pair.baseline.runs for pair in both if pair.baseline is not None])
    return "run" if clumped is not None and clumped > FLOOR else "attempt"


def scored_cell(pair: Pair, exchange: Literal["attempt", "run"]) -> Scored:
    """What is shuffled of a cell that both sides have scored."""
    before, now = pair.before, pair.now
    if exchange == "run":
        # A mean of three attempts spreads more than one of ten: only means of equally many may be shuffled.
        alike = min(len(run) for run in (*before.runs, now.scores))
        runs = tuple(_mean(run[:alike]) for run in before.runs)
        delta = _mean(now.scores) - _mean(before.scores)
        return Scored(pair.key, pair.test.category, runs, (_mean(now.scores[:alike]),), delta)
    return Scored(pair.key, pair.test.category, before.scores, now.scores)


def _mean(scores: Sequence[float]) -> float:
    return mean(scores) or 0.0


def _both_sides(
    both: Sequence[Pair], baseline: Artifact | None, current: Artifact, against: Collection[str]
) -> frozenset[CellKey]:
    """Cells whose baseline side can be asked again as it was: the other model where one is named, else the old request.

    Without the other model the old request alone would not bring back what was compared with.
    """
    if baseline is None:
        return frozenset()
    edited = {pair.key[1] for pair in both if PROMPT_CHANGED in pair.badges}
    old_requests = {test.test_id for test in baseline.tests if test.test_id in edited and _stored(test)}
    return frozenset(
        pair.key
        for pair in both
        if not pair.accepted
        and (PROMPT_CHANGED not in pair.badges or pair.key[1] in old_requests)
        and (
            pair.key[0] in against
            or (PROMPT_CHANGED in pair.badges and _same_model(pair.key[0], baseline.meta, current.meta))
        )
    )


def _beside(baseline: Artifact | None, current: Artifact) -> frozenset[str]:
    """Models whose other side this run asked from its start, where that is the baseline: the rows themselves tell it.

    Else a stored run, judged without the settings that it was made with, would come to another verdict.
    """
    began = current.meta.started_at
    if baseline is None or not began or baseline.meta.started_at != began:
        return frozenset()
    return frozenset(row.model for row in current.results if row.side == "baseline" and row.phase == "main")


def _stored(test: TestEntry) -> bool:
    """Whether the request stands in the artifact as it was sent: what was redacted or cut cannot be asked again."""
    messages = test.request.get("messages")
    whole = isinstance(messages, list) and bool(messages) and all(isinstance(one, dict) for one in messages)
    return whole and digest(test.request) == test.request_hash


def _same_model(name: str, before: Meta, now: Meta) -> bool:
    return same_way(name, before, now) and before.models.get(name) == now.models.get(name)


def _suspects(staged: Stage, chosen: Variants) -> tuple[tuple[Suspect, ...], frozenset[CellKey]]:
    """Who is asked again, worst first, and who is not."""
    found: list[Suspect] = []
    for key, judged in staged.tests.items():
        variant = _ASKED.get(chosen.chosen[key])
        if judged.status is Status.SUSPECTED and variant is not None:
            stratum = staged.strata[key]
            needed = chosen.needed.get(key, 0)
            found.append(
                Suspect(key, variant, needed, stratum.baseline, stratum.current, p=judged.p_worse, drop=-judged.delta)
            )
    found.sort(key=lambda one: (one.p, -one.drop, one.key))
    rows = (*staged.models.values(), staged.overall)
    proven = any(row is not None and row.status is Status.REGRESSION for row in rows)
    asked = found[:MOST_NAMED] if proven else found
    return tuple(asked), frozenset(one.key for one in found[len(asked) :])


def _proofs(pairs: Sequence[Pair]) -> Sequence[Proof]:
    """Tests that must pass and did not pass always."""
    cells = [(pair.key, pair.now.scores) for pair in pairs if pair.now.scores]
    return [
        Proof(key, passed=sum(score >= PASS_MARK for score in scores), scored=len(scores))
        for key, scores in cells
        if _mean(scores) < PASS_MARK
    ]
