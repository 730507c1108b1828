"""All attempts of one (model, test) as one value (design 5.5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import Literal, TypeAlias

from llm_testbench.artifact.copies import effective
from llm_testbench.artifact.model import Row

CellKey: TypeAlias = tuple[str, str]
"""Model name, test id."""

EXACT = 1e-9
"""Scores nearer than this are equal: they differ by the order of additions only."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Scores 0..1; None where no attempt was scored.

    `state`: scored when any attempt was, else errored when any failed, else skipped.
    `n`: scored attempts. `completion_tokens`: mean over the scored attempts that tell them.
    """

    model: str
    test_id: str
    state: Literal["scored", "errored", "skipped"]
    mean: float | None
    low: float | None
    high: float | None
    n: int
    attempts: int
    truncated: int
    completion_tokens: float | None

    @property
    def unstable(self) -> bool:
        """The attempts got different scores."""
        return self.low is not None and self.high is not None and self.high - self.low > EXACT


def mean(values: Collection[float]) -> float | None:
    """The same for every order of the values; None of nothing."""
    return fsum(values) / len(values) if values else None


def counted(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows that means and later baselines are made of: phase main, side current."""
    return tuple(row for row in rows if row.phase == "main" and row.side == "current")


def cells(rows: Iterable[Row]) -> Mapping[CellKey, Cell]:
    """The cells of rows of phase main and side current, in the order of their first row. Absent: not run."""
    grouped: defaultdict[CellKey, list[Row]] = defaultdict(list)
    for row in counted(rows):
        grouped[row.model, row.test_id].append(row)
    return {key: _cell(key, group) for key, group in grouped.items()}


def _cell(key: CellKey, rows: list[Row]) -> Cell:
    scored = [row for row in effective(rows) if row.scored]
    scores = [row.score for row in scored]
    tokens = [row.completion_tokens for row in scored if row.completion_tokens is not None]
    state: Literal["scored", "errored", "skipped"] = "skipped"
    if scored:
        state = "scored"
    elif any(row.error is not None for row in rows):
        state = "errored"
    return Cell(
        model=key[0],
        test_id=key[1],
        state=state,
        mean=mean(scores),
        low=min(scores, default=None),
        high=max(scores, default=None),
        n=len(scored),
        attempts=len(rows),
        truncated=sum(row.truncated for row in scored),
        completion_tokens=mean(tokens),
    )
