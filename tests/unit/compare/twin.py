"""Step 7 as one would write it down without a thought for cost: asks everything, counts all labellings. For tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

from llm_testbench.artifact.cells import CellKey
from llm_testbench.compare.suspects import Suspect


@cache
def p(baseline: tuple[int, ...], current: tuple[int, ...]) -> Fraction:
    """How often a relabelling gives the current side a sum as low as it has."""
    sums = [sum(choice) for choice in combinations(baseline + current, len(current))]
    return Fraction(sum(one <= sum(current) for one in sums), len(sums))


def regressions_of_current(
    suspects: Sequence[Suspect],
    streams: Mapping[CellKey, Sequence[int]],
    *,
    tests: int,
    alpha: Fraction,
    unit: int,
    least: Fraction,
) -> set[CellKey]:
    """Benjamini-Hochberg over all tests with everything that `needed` fresh attempts gave."""
    sides = {one.key: (one.baseline, one.current + tuple(streams[one.key][: one.needed])) for one in suspects}
    ordered = sorted((p(*both), key) for key, both in sides.items())
    kept = max((rank for rank, (value, _) in enumerate(ordered, 1) if value <= alpha * rank / tests), default=0)
    return {key for _, key in ordered[:kept] if drop(*sides[key], unit) >= least}


def regressions_of_both(
    suspects: Sequence[Suspect],
    streams: Mapping[CellKey, tuple[Sequence[int], Sequence[int]]],
    *,
    needed: int,
    alpha: Fraction,
    unit: int,
    least: Fraction,
) -> set[CellKey]:
    """Fresh attempts alone, each suspect at its share of alpha. `streams`: current, baseline."""
    found = set()
    for one in suspects:
        current, baseline = (tuple(side[:needed]) for side in streams[one.key])
        proven = p(baseline, current) <= alpha / len(suspects)
        if proven and drop(baseline, current, unit) >= least:
            found.add(one.key)
    return found


def drop(baseline: Sequence[int], current: Sequence[int], unit: int) -> Fraction:
    """Difference of the means, 0..1."""
    return Fraction(sum(baseline), unit * len(baseline)) - Fraction(sum(current), unit * len(current))
