"""Many rows at once: how surprising the most surprising of them is (stats.md 3, step 5)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import fsum
from typing import TypeVar

from llm_testbench.compare.statistics.stratum import Pool, Stratum, distribution, p_worse

K = TypeVar("K", bound=Hashable)
LIKELY = 0.5
"""A p value from here on never stands out."""


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Each p adjusted for their number, in the order given: at most a holds the whole family's error at a (Holm)."""
    adjusted = [0.0] * len(ps)
    reached = 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        reached = max(reached, min(1.0, (len(ps) - rank) * ps[i]))
        adjusted[i] = reached
    return tuple(adjusted)


def benjamini_hochberg(ps: Mapping[K, float], m: int) -> dict[K, float]:
    """Each p adjusted in a family of `m` tests, of which the absent ones count as p = 1.

    At most a: the expected share of false ones among those kept is at most a. Raises ValueError where `m` is smaller
    than the number of `ps`.
    """
    if m < len(ps):
        raise ValueError(f"a family of {m} tests cannot hold {len(ps)} p values")
    adjusted: dict[K, float] = {}
    reached = 1.0
    for rank, key in zip(range(len(ps), 0, -1), sorted(ps, key=ps.__getitem__, reverse=True), strict=True):
        reached = min(reached, m * ps[key] / rank)
        adjusted[key] = reached
    return {key: adjusted[key] for key in ps}


@dataclass(frozen=True, slots=True)
class Standing:
    """How much a test stands out among all. `p`: its own, one-sided.

    `expected`: how many tests chance alone would give with a p as small; None from 0.5 on.
    `q`: the share of such among all tests with a p as small, at its best; 1 from 0.5 on.
    """

    p: float
    q: float
    expected: float | None


def discrete_bh(strata: Sequence[Stratum]) -> tuple[Standing, ...]:
    """Of each stratum, whether its drop stands out among all of them (Heyse's discrete Benjamini-Hochberg).

    With few attempts most tests cannot reach a small p at all; counting for each only what it can reach is what gives
    this power. For rises pass the strata `swapped`. Strata of equal distribution are counted once.
    """
    alike = Counter(strata)
    p_of = {stratum: float(p_worse(stratum)) for stratum in alike}
    ps = [p_of[stratum] for stratum in strata]
    ordered = sorted(ps)
    seen = sorted({p for p in ps if p < LIKELY})
    expected = _expected(alike, seen)
    smallest = [1.0] * len(seen)
    reached = 1.0
    for i in reversed(range(len(seen))):
        reached = min(reached, expected[i] / bisect_right(ordered, seen[i]))
        smallest[i] = reached
    standing = {p: Standing(p, q, e) for p, q, e in zip(seen, smallest, expected, strict=True)}
    return tuple(standing.get(p) or Standing(p, 1.0, None) for p in ps)


def _expected(strata: Mapping[Stratum, int], seen: Sequence[float]) -> list[float]:
    """E0 of each ascending p in `seen`: the sum over strata of the largest attainable p that does not exceed it.

    `strata`: how many there are of each.
    Attainable p values are running sums of `ways` / `total`, so what a stratum adds at each of them is that `ways`.
    Dividing integers rounds correctly, so equal fractions are equal floats, and `bisect` never misses by a rounding.
    """
    added: defaultdict[int, Counter[int]] = defaultdict(Counter)  # by total, by running sum
    pools: Counter[Pool] = Counter()
    for stratum, times in strata.items():
        pools[stratum.pool] += times
    for pool, times in pools.items():
        found = distribution(*pool)
        at_total = added[found.total]
        for ways, below in zip(found.ways, accumulate(found.ways), strict=True):
            if 2 * below >= found.total:
                break
            at_total[below] += times * ways
    sums = []
    for total, counts in added.items():
        first = [0] * (len(seen) + 1)
        for below, ways in counts.items():
            first[bisect_left(seen, below / total)] += ways
        sums.append([reached / total for reached in accumulate(first[:-1])])
    return [fsum(column) for column in zip(*sums, strict=True)]
