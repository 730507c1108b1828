"""Whether attempts of one run are independent draws, or whether the run is the unit of chance (stats.md 3, step 1)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from llm_testbench.compare.statistics.spread import mean, variance

FLOOR = 1.5
"""`clumping` above which runs are exchanged, not attempts: independent ones never got there, copied ones always."""


def clumping(cells: Sequence[Sequence[Sequence[float]]]) -> float | None:
    """F: how much more the means of runs differ than the attempts within them would explain; about 1 if independent.

    `cells`: of each cell, its baseline runs, each with the scores of its attempts. It takes cells with at least two
    runs of at least two attempts; None where there is none, or where nothing ever varies.
    """
    between, within = [], []
    for cell in cells:
        runs = [run for run in cell if len(run) >= 2]
        if len(runs) < 2:
            continue
        attempts = len(runs) / sum(1 / len(run) for run in runs)
        between.append(attempts * variance([mean(run) for run in runs]))
        within.append(mean([variance(run) for run in runs]))
    if not between or not any(between + within):
        return None
    return mean(between) / mean(within) if any(within) else inf


def as_runs(runs: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Each run's attempts as one: their mean. Runs without an attempt are left out."""
    return tuple(mean(run) for run in runs if run)
