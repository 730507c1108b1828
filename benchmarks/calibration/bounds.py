"""What a number of runs proves about a rate: exact, by the binomial distribution."""

from __future__ import annotations

from math import sqrt

SURE = 0.99
"""Of the one-sided bound in the table."""
_STEPS = 60  # halvings: past the precision of a float


def upper(hits: int, runs: int, sure: float = SURE) -> float:
    """The highest rate that `hits` or fewer in `runs` are not too unlikely for (Clopper and Pearson 1934)."""
    low, high = hits / runs, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(hits, runs, middle) > 1 - sure else (low, middle)
    return high


def standard_error(hits: int, runs: int) -> float:
    """Of the rate, with half a run added to each side, so that 0 of n does not claim to be certain."""
    rate = (hits + 0.5) / (runs + 1)
    return sqrt(rate * (1 - rate) / runs)


def at_most(hits: int, runs: int, rate: float) -> float:
    """How likely `hits` or fewer in `runs` are at this rate."""
    if rate >= 1:
        return float(hits >= runs)
    # Ratios of neighbours: the terms themselves would leave the range of floats.
    most = min(int(rate * (runs + 1)), runs)
    weights = {most: 1.0}
    for count in range(most, runs):
        weights[count + 1] = weights[count] * (runs - count) / (count + 1) * rate / (1 - rate)
    for count in range(most, 0, -1):
        weights[count - 1] = weights[count] * count / (runs - count + 1) * (1 - rate) / rate
    return sum(weight for count, weight in weights.items() if count <= hits) / sum(weights.values())
