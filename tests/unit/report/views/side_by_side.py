"""Comparisons by hand: two artifacts give the sides, and a test says what became of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from llm_testbench.artifact.cells import CellKey, cells
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.model import JUDGED, ComparedRow, Comparison, Side, Status, Verdict
from llm_testbench.compare.rows import counts


def side_by_side(
    before: Artifact | None,
    now: Artifact,
    rows: Mapping[Any, Mapping[str, Any]] | None = None,
    *,
    verdict: Verdict = Verdict.PASS,
    model: Mapping[str, Any] | None = None,
    **more: Any,
) -> Comparison:
    """`rows`: fields of test rows by (model, test id), or a test id of the model `chat`; `model`: of all model rows.

    Without any a row is stable, new or removed by the sides that it has. Further keywords are fields of the comparison.
    """
    fields = {(("chat", key) if isinstance(key, str) else key): changes for key, changes in (rows or {}).items()}
    old = cells(before.results) if before is not None else {}
    new = cells(now.results)
    categories = {row.test_id: row.category for run in (before, now) if run is not None for row in run.results}
    tests = tuple(
        _test(key, categories[key[1]], _side(old.get(key)), _side(new.get(key)), fields.get(key, {}))
        for key in sorted(old.keys() | new.keys())
    )
    models = tuple(replace(_mean(tests, name), model=name, **(model or {})) for name in sorted({key[0] for key in new}))
    made: dict[str, Any] = {
        "verdict": verdict,
        "headline": "The first line",
        "reasons": (),
        "warnings": (),
        "overall": _mean(tests, None),
        "models": models,
        "categories": (),
        "tests": tests,
        "counts": counts(tests),
    }
    return Comparison(**made | more)


def _side(cell: Any) -> Side | None:
    return None if cell is None else Side(cell.mean, cell.n)


def _test(
    key: CellKey, category: str, before: Side | None, now: Side | None, changes: Mapping[str, Any]
) -> ComparedRow:
    status = Status.NEW if before is None else Status.REMOVED if now is None else Status.STABLE
    row = ComparedRow(status, before, now, None, key[0], category, key[1])
    row = replace(row, **changes)
    if row.delta is None and row.status in JUDGED | {Status.QUARANTINED}:
        row = replace(row, delta=_delta(row.baseline, row.current))
    return row


def _mean(tests: tuple[ComparedRow, ...], model: str | None) -> ComparedRow:
    mine = [row for row in tests if row.delta is not None and (model is None or row.model == model)]
    if not mine:
        return ComparedRow(Status.NEW, None, Side(None, 0), None)
    sides = [
        Side(sum(side.mean for row in mine if (side := getattr(row, name)) is not None) / len(mine), len(mine))
        for name in ("baseline", "current")
    ]
    return ComparedRow(Status.STABLE, sides[0], sides[1], _delta(sides[0], sides[1]))


def _delta(before: Side | None, now: Side | None) -> float | None:
    if before is None or now is None or before.mean is None or now.mean is None:
        return None
    return now.mean - before.mean
