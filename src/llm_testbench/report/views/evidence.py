"""What to show of a comparison when somebody asks why: the cells that got worse, broke a rule or are suspected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.copies import effective
from llm_testbench.artifact.model import Artifact, Row, TestEntry
from llm_testbench.compare.model import JUDGED, WORSE, ComparedRow, Comparison, Status, Verdict
from llm_testbench.compare.rows import direction
from llm_testbench.evaluators.score import PASS_MARK
from llm_testbench.report.views.cause import badness

MOST_SHOWN = 5

Why: TypeAlias = Literal["worse", "drift", "rule", "suspected", "drop"]
"""What a cell is shown for: a proven drop, a broken rule, a suspicion, or its part in the drop of a whole model."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cell with its worst attempt now and its best one before; None where there is none.

    `again`: the best attempt of the baseline's side that was asked again. `fresh_now` of the `attempts_now` were
    asked again.
    """

    row: ComparedRow
    test: TestEntry | None
    test_before: TestEntry | None
    now: Row | None
    before: Row | None
    again: Row | None
    passed_now: int
    attempts_now: int
    fresh_now: int
    passed_before: int
    attempts_before: int


@dataclass(frozen=True, slots=True)
class _Attempts:
    entries: dict[str, TestEntry]
    rows: dict[CellKey, list[Row]]
    fresh: dict[CellKey, list[Row]]
    again: dict[CellKey, list[Row]]


def evidence(
    comparison: Comparison, current: Artifact, baseline: Artifact | None, keys: Collection[CellKey]
) -> tuple[Evidence, ...]:
    """Of these cells, in this order."""
    # What kept all of them from being asked again is said once, for all of them.
    said = comparison.confirmation.why_not
    rows = {
        key_of(row): replace(row, settle="") if said and row.settle.endswith(said) else row for row in comparison.tests
    }
    now, before = _attempts(current, keys), _attempts(baseline, keys)
    return tuple(_evidence(rows[key], now, before) for key in keys if key in rows)


def failing(comparison: Comparison) -> dict[CellKey, Why]:
    """Every cell that explains the verdict, in the order in which they are shown: what is proven comes first.

    Suspected ones and mere drops are among them only where nothing is proven about the tests of a model that got worse.
    """
    found: dict[CellKey, Why] = {}
    for key, why in _ranked(comparison):
        found.setdefault(key, why)
    return found


def suspects(comparison: Comparison) -> tuple[ComparedRow, ...]:
    """Suspected tests, the largest drop first."""
    return tuple(_by_drop(row for row in comparison.tests if row.status is Status.SUSPECTED))


def in_question(comparison: Comparison) -> tuple[CellKey, ...]:
    """All that failed, and all that is suspected."""
    return tuple(dict.fromkeys([*failing(comparison), *map(key_of, suspects(comparison))]))


def spread(comparison: Comparison) -> tuple[ComparedRow, ...]:
    """Tests of the models that got worse as a whole without any test that is proven to be."""
    models = _diffuse(comparison)
    return tuple(row for row in comparison.tests if row.model in models and _compared(row))


def _ranked(comparison: Comparison) -> Iterator[tuple[CellKey, Why]]:
    for row in _by_drop(row for row in comparison.tests if row.status in WORSE):
        yield key_of(row), "drift" if row.status is Status.DRIFT else "worse"
    for reason in comparison.reasons:
        if reason.test_id is not None:
            yield (reason.model or "", reason.test_id), "suspected" if reason.code == "suspected" else "rule"
    explained = _diffuse(comparison) | _broken(comparison, "max_drop", "min_score")
    dropped = [row for row in comparison.tests if row.model in explained and _compared(row)]
    yield from ((key_of(row), "suspected") for row in suspects(comparison) if row.model in explained)
    yield from ((key_of(row), "drop") for row in _by_drop(row for row in dropped if _lower(row)))
    if comparison.verdict is Verdict.FAIL:
        # Below min_score without any drop: what scored least is what keeps the mean down.
        below = _broken(comparison, "min_score")
        weak = [(mean, row) for row in comparison.tests if row.model in below and (mean := _mean(row)) is not None]
        for _, row in sorted(weak, key=lambda pair: (pair[0], key_of(pair[1]))):
            yield key_of(row), "rule"


def _diffuse(comparison: Comparison) -> frozenset[str | None]:
    """Models that got worse, by themselves, in a category or as part of the whole, without a test that is named."""
    every = {row.model for row in comparison.models}
    worse = {row.model for row in (*comparison.models, *comparison.categories) if row.status in WORSE}
    if not worse and comparison.overall.status in WORSE:
        worse = every
    return frozenset(worse - {row.model for row in comparison.tests if row.status in WORSE})


def _broken(comparison: Comparison, *codes: str) -> frozenset[str | None]:
    return frozenset(reason.model for reason in comparison.reasons if reason.code in codes)


def _by_drop(rows: Iterable[ComparedRow]) -> list[ComparedRow]:
    return sorted(rows, key=lambda row: (row.delta or 0.0, *key_of(row)))


def _compared(row: ComparedRow) -> bool:
    return row.status in JUDGED and row.delta is not None


def _lower(row: ComparedRow) -> bool:
    return row.delta is not None and direction(row.delta) == "lower"


def key_of(row: ComparedRow) -> CellKey:
    """Of a row of one test."""
    return row.model or "", row.test_id or ""


def _mean(row: ComparedRow) -> float | None:
    """Of a cell that keeps its model's mean down; None of any other."""
    if row.current is None or row.current.mean is None or row.current.mean >= PASS_MARK:
        return None
    quarantined = row.status is Status.QUARANTINED or "quarantined" in row.badges
    return None if quarantined else row.current.mean


def _attempts(artifact: Artifact | None, keys: Collection[CellKey]) -> _Attempts:
    rows: defaultdict[CellKey, list[Row]] = defaultdict(list)
    fresh: defaultdict[CellKey, list[Row]] = defaultdict(list)
    again: defaultdict[CellKey, list[Row]] = defaultdict(list)
    sides = {("main", "current"): rows, ("confirm", "current"): fresh, ("confirm", "baseline"): again}
    for row in artifact.results if artifact is not None else ():
        key = (row.model, row.test_id)
        if key in keys and (row.phase, row.side) in sides:
            sides[row.phase, row.side][key].append(row)
    entries = {entry.test_id: entry for entry in artifact.tests} if artifact is not None else {}
    return _Attempts(entries, rows, fresh, again)


def _evidence(row: ComparedRow, now: _Attempts, before: _Attempts) -> Evidence:
    key = key_of(row)
    main, earlier = now.rows.get(key, []), before.rows.get(key, [])
    # Of the fresh ones those that tell something new.
    fresh = [row for row in effective([*main, *now.fresh.get(key, [])]) if row.phase == "confirm" and row.scored]
    attempts = [*main, *fresh]
    return Evidence(
        row=row,
        test=now.entries.get(key[1]),
        test_before=before.entries.get(key[1]),
        now=min(attempts, key=badness, default=None),
        before=max(earlier, key=_goodness, default=None),
        again=max(now.again.get(key, []), key=_goodness, default=None),
        passed_now=sum(attempt.scored and attempt.passed for attempt in attempts),
        attempts_now=len(attempts),
        fresh_now=len(fresh),
        passed_before=sum(attempt.scored and attempt.passed for attempt in earlier),
        attempts_before=len(earlier),
    )


def _goodness(row: Row) -> tuple[bool, float]:
    return row.scored, row.score
