"""Rows of a query: comparing them, and what to say where they differ."""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import TypeAlias, cast

from llm_testbench.evaluators.quote import quote

REL_TOL = 1e-9
ABS_TOL = 1e-12
_CUT = float(2**20 + 1)
"""Times this and back, a number keeps 33 of its 53 bits: those alike in them are within REL_TOL."""
_TINY = ABS_TOL / 2
_BY_VALUE = 2
"""A version of marshal that writes equal values as equal bytes; later ones look at identities too."""
_MOST_COMPARED = 200
"""Rows that are compared each with each: more of them than that differ by more than the last digit."""
_MOST_COMPARED_CELLS = 400_000
"""The same for wide rows: pairs of rows times columns."""
_MOST_SHOWN = 50  # cells, of which a reason has room for fewer still


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes, as hexadecimal digits."""

    digits: str


Cell: TypeAlias = int | float | str | Blob | None
Row: TypeAlias = tuple[Cell, ...]
_Even: TypeAlias = Callable[[Sequence[float]], Sequence[int | float]]
_UNEVEN = frozenset({float, Blob})


def difference(found: Sequence[Row], expected: Sequence[Row], columns: int, *, ordered: bool) -> str | None:
    """How the rows differ, one line; None when they are the same, as a multiset unless `ordered`.

    1 is 1.0, numbers may differ by REL_TOL or ABS_TOL, whole ones by nothing; a text is never a number, and NULL is
    NULL. `columns`: how many each row of `found` has, 0 where nothing says so.
    """
    if expected and columns not in (0, len(expected[0])):
        return f"{_count(columns, 'column')}, expected {len(expected[0])}{_first(found)}"
    if len(found) != len(expected):
        return f"{_count(len(found), 'row')}, expected {len(expected)}{_odd_one(found, expected)}"
    if list(found) == list(expected):
        return None
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
    return quote("(" + ", ".join(map(_literal, row[:_MOST_SHOWN])) + ")")[1:-1]


def _literal(cell: Cell) -> str:
    if isinstance(cell, Blob):
        return f"x'{cell.digits[:40]}'"
    return "NULL" if cell is None else repr(cell[:80] if isinstance(cell, str) else cell)


def _first(found: Sequence[Row]) -> str:
    return f": the first row is {shown(found[0])}" if found else ""


def _odd_one(found: Sequence[Row], expected: Sequence[Row]) -> str:
    """A row that one side has too many or too few."""
    keys, wanted = _nearly(found), _nearly(expected)
    has, wants = Counter(keys), Counter(wanted)
    for row, key in zip(found, keys, strict=True):
        if has[key] > wants[key]:
            return f": row {shown(row)} is not expected" + (" so often" if key in wants else "")
    for row, key in zip(expected, wanted, strict=True):
        if wants[key] > has[key]:
            return f": row {shown(row)} is missing"
    return ""


def _unmatched(found: Sequence[Row], expected: Sequence[Row]) -> tuple[Row, Row] | None:
    """A row of each, of equally many, that has no counterpart; None when all have."""
    extra, lacking = found, expected
    for alike in (_exactly, _nearly):  # 1e12 is a whole number exactly, but not nearly
        extra, lacking = _apart(extra, lacking, alike)
        if not any(float in map(type, row) for row in chain(extra, lacking)):
            break
    if not extra:
        return None
    lacking = list(lacking)
    if len(extra) > _MOST_COMPARED or len(extra) ** 2 * len(extra[0]) > _MOST_COMPARED_CELLS:
        return extra[0], lacking[0]
    for row in extra:
        for index, other in enumerate(lacking):
            if _same(row, other):
                del lacking[index]
                break
        else:
            return row, lacking[0]
    return None


def _apart(
    found: Sequence[Row], expected: Sequence[Row], alike: Callable[[Sequence[Row]], Sequence[bytes]]
) -> tuple[Sequence[Row], Sequence[Row]]:
    """The rows of each that are left when those alike are taken off in pairs."""
    ones, others = alike(found), alike(expected)
    return _less(found, ones, Counter(others)), _less(expected, others, Counter(ones))


def _less(rows: Sequence[Row], keys: Sequence[bytes], taken: Counter[bytes]) -> Sequence[Row]:
    kept: list[Row] = []
    for row, key in zip(rows, keys, strict=True):
        if taken[key] > 0:
            taken[key] -= 1
        else:
            kept.append(row)
    return kept


def _exactly(rows: Sequence[Row]) -> Sequence[bytes]:
    """A key of each row, the same for rows that are equal."""
    return _keys(rows, _whole)


def _nearly(rows: Sequence[Row]) -> Sequence[bytes]:
    """The same only for rows that are the same; those that differ in a last digit may yet have two."""
    return _keys(rows, _cut)


def _whole(numbers: Sequence[float]) -> Sequence[int | float]:
    if not any(map(float.is_integer, numbers)):
        return numbers
    return [int(number) if number.is_integer() else number for number in numbers]


def _cut(numbers: Sequence[float]) -> Sequence[int | float]:
    by, tiny = _CUT, _TINY
    # What is next to nothing is left of a difference.
    kept = [one * by - (one * by - one) if one > tiny or one < -tiny else 0.0 for one in numbers]
    if not all(map(isfinite, kept)):  # some are infinite, or too large to be cut
        kept = [cut if isfinite(cut) else one for cut, one in zip(kept, numbers, strict=True)]
    return _whole(kept)


def _keys(rows: Sequence[Row], even: _Even) -> Sequence[bytes]:
    """Bytes, since their hash has a secret: of tuples of numbers, anyone can write thousands with the same one."""
    columns = [_evened(column, even) for column in zip(*rows, strict=True)]
    return [marshal.dumps(row, _BY_VALUE) for row in zip(*columns, strict=True)]


def _evened(column: Sequence[Cell], even: _Even) -> Sequence[Cell | tuple[str]]:
    types = set(map(type, column))
    if types.isdisjoint(_UNEVEN):
        return column
    if types == {float}:
        return even(cast("Sequence[float]", column))
    evened = iter(even([cell for cell in column if isinstance(cell, float)]))
    return [
        next(evened) if isinstance(cell, float) else (cell.digits,) if isinstance(cell, Blob) else cell
        for cell in column
    ]


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
