"""All attempts of one (model, test) of an artifact, as the comparison sees them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import CellKey, counted, mean
from llm_testbench.artifact.copies import effective
from llm_testbench.artifact.model import Artifact, Row, TestEntry

_NOT_TAKEN = frozenset({Outcome.REJECTED, Outcome.CONTEXT_LENGTH})


@dataclass(frozen=True, slots=True)
class Cell:
    """Counts of attempts; `refusal` is the server's words when it took none of them (design 5.5).

    `runs`: the scores by run, where several runs were pooled; their sequence is `scores`.
    `truncated`: share of its own run's scored attempts that were cut at the token limit. `latency`: their median,
    in milliseconds; None where none tells it. Evident copies are neither scores nor in these two.
    """

    test: TestEntry
    attempts: int
    errors: int
    scores: tuple[float, ...]
    refusal: str | None
    runs: tuple[tuple[float, ...], ...] = ()
    truncated: float = 0.0
    latency: float | None = None

    @property
    def mean(self) -> float | None:
        """Over the scored attempts; None when there is none."""
        return mean(self.scores)


def cells_of(artifact: Artifact, planned: Collection[CellKey] = ()) -> dict[CellKey, Cell]:
    """From the rows that means are made of: phase main, side current (design 5.4).

    A planned cell that was never asked is there too, without attempts.
    """
    entries = {entry.test_id: entry for entry in artifact.tests}
    rows: dict[CellKey, list[Row]] = {}
    for row in counted(artifact.results):
        rows.setdefault((row.model, row.test_id), []).append(row)
    cells = {key: _cell(entries.get(key[1]) or _entry_of(found[0]), found) for key, found in rows.items()}
    for key in planned:
        if key not in cells:
            entry = entries.get(key[1]) or TestEntry(test_id=key[1], category="", subcategory="")
            cells[key] = Cell(entry, attempts=0, errors=0, scores=(), refusal=None)
    return cells


def never_asked(artifact: Artifact) -> frozenset[CellKey]:
    """Cells of listed tests that no model has a row of: an artifact without its rows must not look complete.

    A test that some model was asked may have been chosen for that model alone (`models:` of its suite).
    """
    asked = {row.test_id for row in counted(artifact.results)}
    return frozenset(
        (model, test.test_id) for test in artifact.tests if test.test_id not in asked for model in artifact.meta.models
    )


def _cell(entry: TestEntry, rows: list[Row]) -> Cell:
    refused = all(row.outcome in _NOT_TAKEN for row in rows)
    scored = [row for row in effective(rows) if row.scored]
    # Other tools' artifacts may lack the time, which then reads 0.
    latencies = [row.latency_ms for row in scored if row.latency_ms > 0]
    return Cell(
        test=entry,
        attempts=len(rows),
        errors=sum(row.error is not None for row in rows),
        scores=tuple(row.score for row in scored),
        refusal=next((row.error for row in rows if row.error), "") if refused else None,
        truncated=mean([float(row.truncated) for row in scored]) or 0.0,
        latency=median(latencies) if latencies else None,
    )


def _entry_of(row: Row) -> TestEntry:
    # Foreign artifacts have rows only; their tests are known by what each row repeats.
    return TestEntry(test_id=row.test_id, category=row.category, subcategory=row.subcategory)
