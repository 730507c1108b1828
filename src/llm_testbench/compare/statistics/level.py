"""Many tests as one row: a model, a category, the whole (stats.md 3, step 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, fsum, gcd, sqrt
from statistics import NormalDist

from llm_testbench.compare.statistics.spread import mean, variance
from llm_testbench.compare.statistics.stratum import Pool, Stratum, distribution
from llm_testbench.compare.statistics.total import tails

EXACT_WORK = 4_000_000
"""Terms times width, halved, up to which a row of any number of strata is counted exactly."""
MANY = 50
"""Strata that differ within themselves, from which on the normal curve is near enough to the exact one."""
POWER = 0.8
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Tail:
    """How often shuffled labels give a sum of current scores as low, or as high, as the observed one.

    `informative`: strata whose scores are not all equal. `exact`: counted, not taken from the normal curve.
    """

    p_worse: float
    p_better: float
    informative: int
    exact: bool = True


def level(strata: Sequence[Stratum]) -> Tail:
    """The exact stratified permutation test of one row; both p are 1 where no stratum is informative.

    The result does not depend on the order of the strata.
    """
    telling = [stratum for stratum in strata if not stratum.constant]
    if not telling:
        return Tail(1.0, 1.0, 0)
    pools = Counter(stratum.pool for stratum in telling)
    observed = sum(stratum.observed for stratum in telling)
    if len(telling) >= MANY and _work(pools) > EXACT_WORK:
        worse, better = _normal(pools, observed)
        return Tail(worse, better, len(telling), exact=False)
    exact_worse, exact_better = tails(pools, observed)
    return Tail(float(exact_worse), float(exact_better), len(telling))


def _work(pools: Counter[Pool]) -> float:
    """Terms of all distributions times the width of their sum, halved."""
    found = [(distribution(*pool), times) for pool, times in pools.items()]
    step = gcd(*(d.step for d, _ in found))
    terms = sum(times * (len(d.ways) - d.ways.count(0)) for d, times in found)
    width = sum(times * (len(d.ways) - 1) * d.step // step for d, times in found) + 1
    return terms * width / 2


def _normal(pools: Counter[Pool], observed: int) -> tuple[float, float]:
    """Both tails from the normal curve, with half a step for the sum being discrete."""
    step = gcd(*(distribution(*pool).step for pool in pools))
    expected = fsum(times * n_c * sum(pool) / len(pool) for (pool, n_c), times in pools.items())
    spread = sqrt(fsum(times * _variance(pool, n_c) for (pool, n_c), times in pools.items()))
    above = (observed - expected) / spread
    half = step / 2 / spread
    return erfc(-(above + half) / sqrt(2)) / 2, erfc((above - half) / sqrt(2)) / 2


def _variance(pool: Sequence[int], n_c: int) -> float:
    """Of the sum of `n_c` of `pool` drawn without replacement."""
    n = len(pool)
    squares = n * sum(score * score for score in pool) - sum(pool) ** 2
    return n_c * (n - n_c) * squares / (n * n * (n - 1))


@dataclass(frozen=True, slots=True)
class Effect:
    """The mean change of a row, each test weighing the same; negative is worse. `se`: its standard error."""

    delta: float
    se: float
    strata: int

    def interval(self, ci_level: float) -> tuple[float, float]:
        """In which the true change lies in a share of `ci_level` of all runs, within -1..1."""
        reach = _NORMAL.inv_cdf((1 + ci_level) / 2) * self.se
        return max(-1.0, self.delta - reach), min(1.0, self.delta + reach)

    def mde(self, alpha: float) -> float:
        """The smallest true drop that a test at `alpha` sees in 80 % of runs."""
        return (_NORMAL.inv_cdf(1 - alpha) + _NORMAL.inv_cdf(POWER)) * self.se


def effect(cells: Sequence[tuple[tuple[float, ...], tuple[float, ...]]]) -> Effect:
    """The mean change over `cells` of (baseline scores, current scores), 0..1.

    Half an attempt per cell is added to the variance, so that a run without any noise does not claim to be certain
    (Agresti and Min 2005). Raises ValueError without a cell, or for one with an empty side.
    """
    if not cells:
        raise ValueError("no cell to compare; expected at least one")
    each = [_change(*cell) for cell in cells]
    n = len(cells)
    delta = fsum(change for change, _, _ in each) / n
    prior = fsum(unsure for _, _, unsure in each) / n
    return Effect(delta, sqrt(fsum(spread for _, spread, _ in each) + prior) / n, n)


@lru_cache(maxsize=8192)
def _change(baseline: tuple[float, ...], current: tuple[float, ...]) -> tuple[float, float, float]:
    """The change of one cell, its variance, and the variance that half an attempt a cell stands for."""
    n_b, n_c = len(baseline), len(current)
    if not n_b or not n_c:
        raise ValueError("a cell has no score on one side; expected at least one on each")
    share = (n_b + n_c) / (n_b * n_c)
    if n_b >= 2 and n_c >= 2:
        spread = variance(baseline) / n_b + variance(current) / n_c
    else:
        spread = variance(baseline + current) * share
    return mean(current) - mean(baseline), spread, share / 2
