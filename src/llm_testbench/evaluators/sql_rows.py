"""Rows of a query: comparing them, and what to say where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from llm_testbench.evaluators.quote import quote

REL_TOL = 1e-9
ABS_TOL = 1e-12
_DIGITS = 10  # that many significant ones alike are within REL_TOL
_MOST_COMPARED = 200
"""Rows that are compared each with each: more of them than that differ by more than the last digit."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes, as hexadecimal digits."""

    digits: str


Cell: TypeAlias = int | float | str | Blob | None
Row: TypeAlias = tuple[Cell, ...]


def difference(found: Sequence[Row], expected: Sequence[Row], columns: int, *, ordered: bool) -> str | None:
    """How the rows differ, one line; None when they are the same, as a multiset unless `ordered`.

    1 is 1.0, numbers may differ by REL_TOL or ABS_TOL, whole ones by nothing; a text is never a number, and NULL is
    NULL. `columns`: how many each row of `found` has, 0 where nothing says so.
    """
    if expected and columns not in (0, len(expected[0])):
        return f"{_count(columns, 'column')}, expected {len(expected[0])}{_first(found)}"
    if len(found) != len(expected):
        return f"{_count(len(found), 'row')}, expected {len(expected)}{_odd_one(found, expected)}"
    if ordered:
        for number, (one, other) in enumerate(zip(found, expected, strict=True), start=1):
            if not _same(one, other):
                order = "" if _unmatched(found, expected) else "the rows are right, but not their order: "
                return f"{order}row {number} is {shown(one)}, expected {shown(other)}"
        return None
    left = _unmatched(found, expected)
    return None if left is None else f"row {shown(left[0])} is not expected; {shown(left[1])} is missing"


def shown(row: Row) -> str:
    """The row as a reason quotes it."""
    return quote("(" + ", ".join(map(_literal, row)) + ")")[1:-1]


def _literal(cell: Cell) -> str:
    if isinstance(cell, Blob):
        return f"x'{cell.digits[:40]}'"
    return "NULL" if cell is None else repr(cell[:80] if isinstance(cell, str) else cell)


def _first(found: Sequence[Row]) -> str:
    return f": the first row is {shown(found[0])}" if found else ""


def _odd_one(found: Sequence[Row], expected: Sequence[Row]) -> str:
    """A row that one side has too many or too few."""
    has, wants = Counter(map(_key, found)), Counter(map(_key, expected))
    for row in found:
        if has[_key(row)] > wants[_key(row)]:
            return f": row {shown(row)} is not expected" + (" so often" if _key(row) in wants else "")
    for row in expected:
        if wants[_key(row)] > has[_key(row)]:
            return f": row {shown(row)} is missing"
    return ""


def _unmatched(found: Sequence[Row], expected: Sequence[Row]) -> tuple[Row, Row] | None:
    """A row of each, of equally many, that has no counterpart; None when all have."""
    extra, lacking = list(found), list(expected)
    for alike in (tuple, _key):  # 1e12 is a whole number exactly, and has another key
        extra, lacking = _less(extra, lacking, alike), _less(lacking, extra, alike)
    if len(extra) > _MOST_COMPARED:
        return extra[0], lacking[0]
    for row in extra:
        for index, other in enumerate(lacking):
            if _same(row, other):
                del lacking[index]
                break
        else:
            return row, lacking[0]
    return None


def _less(rows: Sequence[Row], others: Sequence[Row], alike: Callable[[Row], Row]) -> list[Row]:
    """The rows without as many that have the same key by `alike` among the others."""
    left = Counter(map(alike, others))
    kept: list[Row] = []
    for row in rows:
        key = alike(row)
        if left[key] > 0:
            left[key] -= 1
        else:
            kept.append(row)
    return kept


def _key(row: Row) -> Row:
    """Equal only for rows that are the same; rows that differ in a last digit may have two."""
    return tuple(float(f"{cell:.{_DIGITS - 1}e}") if isinstance(cell, float) else cell for cell in row)


def _same(one: Row, other: Row) -> bool:
    return len(one) == len(other) and all(map(_same_cell, one, other))


def _same_cell(one: Cell, other: Cell) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            return False
        try:
            return one == other or abs(one - other) <= max(ABS_TOL, REL_TOL * max(abs(one), abs(other))) < float("inf")
        except OverflowError:  # a suite may write a whole number that no float can hold
            return False
    return one == other


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
