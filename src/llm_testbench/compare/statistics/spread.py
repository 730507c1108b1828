"""Means and variances that do not depend on the order of additions."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value; of equal values, exactly that value."""
    low = min(values)
    return low + fsum(value - low for value in values) / len(values)


def variance(values: Sequence[float]) -> float:
    """The sample variance of at least two values; of equal values, exactly 0."""
    middle = mean(values)
    return fsum((value - middle) ** 2 for value in values) / (len(values) - 1)
