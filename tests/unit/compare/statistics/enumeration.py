"""Labellings, one by one: what the fast ways must equal. For tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from llm_testbench.compare.statistics.stratum import Stratum


def passes(before: int, of_before: int, now: int, of_now: int) -> Stratum:
    """`before` of `of_before` attempts passed, and `now` of `of_now`."""
    return Stratum((1,) * before + (0,) * (of_before - before), (1,) * now + (0,) * (of_now - now))


def sums(stratum: Stratum) -> Counter[int]:
    """How many labellings give each current sum."""
    return Counter(sum(chosen) for chosen in combinations(stratum.baseline + stratum.current, stratum.n_c))


def convolved(strata: Sequence[Stratum]) -> tuple[Fraction, Fraction]:
    """How often the labellings of all strata give a sum as low, and as high, as the observed one."""
    ways = Counter({0: 1})
    for stratum in strata:
        longer: Counter[int] = Counter()
        for one, count in sums(stratum).items():
            for total, before in ways.items():
                longer[total + one] += before * count
        ways = longer
    observed, every = sum(sum(stratum.current) for stratum in strata), sum(ways.values())
    at_most = sum(count for total, count in ways.items() if total <= observed)
    at_least = sum(count for total, count in ways.items() if total >= observed)
    return Fraction(at_most, every), Fraction(at_least, every)
