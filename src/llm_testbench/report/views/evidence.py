"""What to show of a comparison when somebody asks why: the cells that failed or dropped most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from llm_testbench.artifact.cells import CellKey, counted
from llm_testbench.artifact.model import Artifact, Row, TestEntry
from llm_testbench.compare.model import JUDGED, ComparedRow, Comparison, Status, Verdict
from llm_testbench.compare.rows import direction
from llm_testbench.evaluators.score import PASS_MARK
from llm_testbench.report.views.cause import badness

MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cell with its worst attempt now and its best one before; None where there is none."""

    row: ComparedRow
    test: TestEntry | None
    test_before: TestEntry | None
    now: Row | None
    before: Row | None
    passed_now: int
    attempts_now: int
    passed_before: int
    attempts_before: int


@dataclass(frozen=True, slots=True)
class _Side:
    entries: dict[str, TestEntry]
    rows: dict[CellKey, list[Row]]


def evidence(comparison: Comparison, current: Artifact, baseline: Artifact | None) -> tuple[tuple[Evidence, ...], int]:
    """At most five, what broke a rule by itself first, then by drop; and how many more there are."""
    chosen = failing(comparison)
    rows = {(row.model or "", row.test_id or ""): row for row in comparison.tests}
    shown = [row for key in chosen[:MOST_SHOWN] if (row := rows.get(key)) is not None]
    keys = set(chosen[:MOST_SHOWN])
    now, before = _side(current, keys), _side(baseline, keys)
    return tuple(_evidence(row, now, before) for row in shown), max(len(chosen) - MOST_SHOWN, 0)


def failing(comparison: Comparison) -> tuple[CellKey, ...]:
    """Every cell that failed or dropped, in the order in which they are shown."""
    return tuple(dict.fromkeys((model or "", test_id or "") for model, test_id in _ranked(comparison)))


def _ranked(comparison: Comparison) -> Iterator[tuple[str | None, str | None]]:
    for reason in comparison.reasons:
        if reason.test_id is not None:
            yield reason.model, reason.test_id
    compared = [row for row in comparison.tests if row.status in JUDGED and row.delta is not None]
    lower = [row for row in compared if row.delta is not None and direction(row.delta) == "lower"]
    for row in sorted(lower, key=lambda row: (row.delta or 0.0, row.model or "", row.test_id or "")):
        yield row.model, row.test_id
    if comparison.verdict is Verdict.FAIL:
        # Below min_score without any drop: what scored least is what keeps the mean down.
        below = {reason.model for reason in comparison.reasons if reason.code == "min_score"}
        weak = [(mean, row) for row in comparison.tests if row.model in below and (mean := _mean(row)) is not None]
        for _, row in sorted(weak, key=lambda pair: (pair[0], pair[1].model or "", pair[1].test_id or "")):
            yield row.model, row.test_id


def _mean(row: ComparedRow) -> float | None:
    """Of a cell that keeps its model's mean down; None of any other."""
    if row.current is None or row.current.mean is None or row.current.mean >= PASS_MARK:
        return None
    quarantined = row.status is Status.QUARANTINED or "quarantined" in row.badges
    return None if quarantined else row.current.mean


def _side(artifact: Artifact | None, keys: set[CellKey]) -> _Side:
    rows: defaultdict[CellKey, list[Row]] = defaultdict(list)
    if artifact is None:
        return _Side({}, rows)
    for row in counted(artifact.results):
        if (row.model, row.test_id) in keys:
            rows[row.model, row.test_id].append(row)
    return _Side({entry.test_id: entry for entry in artifact.tests}, rows)


def _evidence(row: ComparedRow, now: _Side, before: _Side) -> Evidence:
    key = (row.model or "", row.test_id or "")
    attempts, earlier = now.rows.get(key, []), before.rows.get(key, [])
    return Evidence(
        row=row,
        test=now.entries.get(key[1]),
        test_before=before.entries.get(key[1]),
        now=min(attempts, key=badness, default=None),
        before=max(earlier, key=lambda attempt: (attempt.scored, attempt.score), default=None),
        passed_now=sum(attempt.scored and attempt.passed for attempt in attempts),
        attempts_now=len(attempts),
        passed_before=sum(attempt.scored and attempt.passed for attempt in earlier),
        attempts_before=len(earlier),
    )
