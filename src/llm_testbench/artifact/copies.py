"""Answers that are copies of another answer, and so tell nothing new (stats.md, head)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from llm_testbench.artifact.model import Row


def with_copies(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Marks a row whose response id an earlier attempt of its cell and side had already; `rows` sorted by row_key."""
    constants = {
        "main": _constants(row for row in rows if row.phase == "main"),
        "confirm": _constants(rows),
    }
    seen: set[tuple[str, str, str, str]] = set()
    marked: list[Row] = []
    for row in rows:
        kept = row
        if row.response_id and (row.model, row.response_id) not in constants[row.phase]:
            key = (row.model, row.test_id, row.side, row.response_id)
            if key in seen and row.copy is None:
                kept = replace(row, copy="id")
            seen.add(key)
        marked.append(kept)
    return tuple(marked)


def effective(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The attempts that count, of the rows of one cell and side in order, main before confirm.

    A row marked `id` repeats another one. Of the answers that a cache says to have given, one stays where nothing
    else is scored, and none otherwise. Rows of phase confirm change nothing about those of phase main.
    Of rows with the same number the first counts: a file that was joined with itself holds no more draws.
    """
    numbered: dict[tuple[str, int], Row] = {}
    for row in rows:
        numbered.setdefault((row.phase, row.attempt), row)
    rows = tuple(numbered.values())
    if all(row.copy is None for row in rows):
        return tuple(row for phase in ("main", "confirm") for row in rows if row.phase == phase)
    kept: list[Row] = []
    for phase in ("main", "confirm"):
        mine = [row for row in rows if row.phase == phase]
        kept += [row for row in mine if row.copy is None]
        if not any(row.scored for row in kept):
            kept += [row for row in mine if row.copy == "header" and row.scored][:1]
    return tuple(kept)


def copied_from(baseline: Iterable[Row], current: Iterable[Row]) -> int:
    """How many rows of `current` are copies of an answer that `baseline` holds for the same cell: a cache outlived it.

    A server that counts its answers from 1 at each start repeats ids too, so texts that are stored must agree.
    """
    before, now = tuple(baseline), tuple(current)
    constants = _constants(before) | _constants(now)
    known: defaultdict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in before:
        if row.response_id and (row.model, row.response_id) not in constants:
            known[row.model, row.test_id][row.response_id] = row
    return sum(
        row.response_id in (cell := known.get((row.model, row.test_id), {})) and _agree(cell[row.response_id], row)
        for row in now
        if row.response_id
    )


def _agree(one: Row, other: Row) -> bool:
    return None in (one.response_text, other.response_text) or one.response_text == other.response_text


def _constants(rows: Iterable[Row]) -> frozenset[tuple[str, str]]:
    """Model names with the response ids that answer several tests of a side: constants of a server, which say nothing.

    Not over both sides together: two servers that count their answers give the same ids to different tests.
    """
    tests: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row.response_id:
            tests[row.model, row.side, row.response_id].add(row.test_id)
    return frozenset((model, answer) for (model, _, answer), ids in tests.items() if len(ids) > 1)
