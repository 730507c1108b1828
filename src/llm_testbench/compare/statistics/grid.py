"""Scores as integers, so that sums of them are exact (stats.md 3, step 2)."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan

UNITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 100)
"""Steps from 0 to 1 that a check's scores may have; the finest also takes what fits none."""
TOLERANCE = 1e-6  # of a step: 1/3 as a float is still a third


def unit(scores: Iterable[float]) -> int:
    """The smallest number of steps from 0 to 1 on which all `scores` lie, else the finest.

    Raises ValueError for a score that is not a number.
    """
    distinct = {_clamped(score) for score in set(scores)}
    return next((steps for steps in UNITS if all(_fits(score, steps) for score in distinct)), UNITS[-1])


def on_grid(scores: Iterable[float], unit: int) -> tuple[int, ...]:
    """`scores` in steps of 1/`unit`, each the nearest one, never outside 0..`unit`.

    Raises ValueError for a score that is not a number.
    """
    return tuple(round(_clamped(score) * unit) for score in scores)


def _clamped(score: float) -> float:
    if isnan(score):
        raise ValueError("a score is not a number")
    return min(max(score, 0.0), 1.0)


def _fits(score: float, steps: int) -> bool:
    return abs(score * steps - round(score * steps)) <= TOLERANCE
