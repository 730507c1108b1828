"""Rows of a comparison: tests, categories, models and the whole, over aligned cells only (design 5.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from llm_testbench.artifact.cells import EXACT, mean
from llm_testbench.compare.align import COMPARABLE, Pair
from llm_testbench.compare.cells import Cell
from llm_testbench.compare.confirm import Found
from llm_testbench.compare.model import JUDGED, ComparedRow, Side, Status
from llm_testbench.compare.stage import Judged

_Key = TypeVar("_Key", bound=Hashable)


def test_row(pair: Pair, judged: Judged | None, found: Found | None) -> ComparedRow:
    """One cell. `delta` only where the two sides may be compared; `found`: where it was asked again."""
    before, now = _side(pair.baseline), _side(pair.current)
    status = pair.status
    if judged is not None:
        status = found.status if found is not None else judged.status
        if pair.accepted and status in (Status.STABLE, Status.IMPROVEMENT):
            status = Status.ACCEPTED
    return ComparedRow(
        status=status,
        baseline=before,
        current=now,
        delta=_delta(before, now) if pair.status in COMPARABLE else None,
        model=pair.key[0],
        category=pair.test.category,
        test_id=pair.key[1],
        badges=_badges(pair),
        ci=judged.ci if judged is not None else None,
        p_worse=judged.p_worse if judged is not None else None,
        p_better=judged.p_better if judged is not None else None,
        q=judged.q if judged is not None else None,
        expected=judged.expected if judged is not None else None,
        confirmed=found.confirmed if found is not None else None,
        asked=found.asked if found is not None else None,
    )


def category_rows(pairs: Iterable[Pair], judged: Mapping[tuple[str, str], Judged]) -> tuple[ComparedRow, ...]:
    """One row per model and category of the current run, sorted."""
    groups = _grouped(pairs, lambda pair: (pair.key[0], pair.test.category))
    return tuple(
        rollup(group, judged.get((model, category)), model=model, category=category)
        for (model, category), group in sorted(groups.items())
    )


def model_rows(
    pairs: Iterable[Pair], judged: Mapping[str, Judged], badges: Mapping[str, tuple[str, ...]]
) -> tuple[ComparedRow, ...]:
    """One row per model of the current run, sorted by name."""
    groups = _grouped(pairs, lambda pair: pair.key[0])
    return tuple(
        rollup(group, judged.get(model), model=model, badges=badges.get(model, ()))
        for model, group in sorted(groups.items())
    )


def rollup(
    pairs: Sequence[Pair],
    judged: Judged | None = None,
    *,
    model: str | None = None,
    category: str | None = None,
    badges: tuple[str, ...] = (),
) -> ComparedRow:
    """Means over the cells scored on both sides, each cell with equal weight; quarantined ones stand outside.

    Where no cell is scored on both sides: `new`, with the mean of what was scored now.
    """
    aligned = [
        (pair.baseline.mean, pair.current.mean)
        for pair in pairs
        if pair.gated and pair.status in COMPARABLE and pair.baseline and pair.current
    ]
    both = [(before, now) for before, now in aligned if before is not None and now is not None]
    if both:
        before = Side(mean([pair[0] for pair in both]), len(both))
        now = Side(mean([pair[1] for pair in both]), len(both))
        row = ComparedRow(Status.STABLE, before, now, _delta(before, now), model, category, badges=badges)
        return row if judged is None else _judged(row, judged)
    scored = scored_means(pairs)
    return ComparedRow(Status.NEW, None, Side(mean(scored), len(scored)), None, model, category, badges=badges)


def _judged(row: ComparedRow, judged: Judged) -> ComparedRow:
    return replace(
        row,
        status=judged.status,
        ci=judged.ci,
        p_worse=judged.p_worse,
        p_better=judged.p_better,
        p_adj=judged.p_adj,
        mde=judged.mde,
    )


def scored_means(pairs: Iterable[Pair]) -> list[float]:
    """The means of all scored, not quarantined cells of the current run."""
    means = (pair.current.mean for pair in pairs if pair.gated and pair.current)
    return [value for value in means if value is not None]


def counts(tests: Iterable[ComparedRow]) -> dict[str, int]:
    """Test rows by status, and how many compared ones scored lower, higher or equal."""
    found = Counter[str]({status.value: 0 for status in Status} | {"lower": 0, "higher": 0, "equal": 0})
    for row in tests:
        found[row.status.value] += 1
        if row.status in JUDGED and row.delta is not None:
            found[direction(row.delta)] += 1
    return dict(found)


def direction(delta: float) -> str:
    """`lower`, `higher` or `equal`."""
    if abs(delta) < EXACT:
        return "equal"
    return "lower" if delta < 0 else "higher"


def _grouped(pairs: Iterable[Pair], key: Callable[[Pair], _Key]) -> dict[_Key, list[Pair]]:
    groups: dict[_Key, list[Pair]] = {}
    for pair in pairs:
        if pair.current is not None:
            groups.setdefault(key(pair), []).append(pair)
    return groups


def _side(cell: Cell | None) -> Side | None:
    return None if cell is None else Side(cell.mean, len(cell.scores))


def _delta(before: Side | None, now: Side | None) -> float | None:
    if before is None or now is None or before.mean is None or now.mean is None:
        return None
    return now.mean - before.mean


def _badges(pair: Pair) -> tuple[str, ...]:
    marks = list(pair.badges)
    if pair.test.must_pass:
        marks.append("must pass")
    # A quarantined test that is new or changed keeps that status; the badge says the rest.
    if pair.test.quarantine and pair.status is not Status.QUARANTINED:
        marks.append("quarantined")
    if pair.current is not None and pair.current.errors:
        marks.append("errors")
    return tuple(marks)
