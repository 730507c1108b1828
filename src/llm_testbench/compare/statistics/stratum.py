"""One test of one model: all ways in which its scores could have fallen to the two sides (stats.md 3, step 3).

If nothing changed, the labels baseline and current on its attempts are interchangeable. The statistic is the sum of
the current scores; each of the C(N, n_c) choices of the current attempts out of all N is equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb, gcd

GRAINS = (1, 2, 5, 10, 20, 25, 50, 100)
WORK = 2_000_000_000
"""Bits moved to count one stratum, about 50 ms; only hundreds of attempts with finely graded scores exceed it."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Scores of the attempts of both sides, on the grid.

    With so many attempts that counting would exceed `WORK`, scores are rounded to a coarser grid, the same for both
    sides, which leaves the test exact. Raises ValueError where a side has no attempt.
    """

    baseline: tuple[int, ...]
    current: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.baseline or not self.current:
            side = "current" if self.baseline else "baseline"
            raise ValueError(f"a stratum has no attempt on its {side} side; expected at least one on each")
        grain = _grain(self.baseline, self.current)
        if grain > 1:
            object.__setattr__(self, "baseline", tuple(round(score / grain) * grain for score in self.baseline))
            object.__setattr__(self, "current", tuple(round(score / grain) * grain for score in self.current))

    @property
    def n_b(self) -> int:
        """Attempts of the baseline."""
        return len(self.baseline)

    @property
    def n_c(self) -> int:
        """Attempts of the current run."""
        return len(self.current)

    @property
    def pool(self) -> tuple[int, ...]:
        """The scores of both sides, ascending: all that the null distribution depends on, beside `n_c`."""
        return tuple(sorted(self.baseline + self.current))

    @property
    def constant(self) -> bool:
        """All scores are equal, so that the labels say nothing."""
        return len({*self.baseline, *self.current}) == 1

    @property
    def swapped(self) -> Stratum:
        """The sides exchanged: what was better is worse."""
        return Stratum(self.current, self.baseline)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Of the sum of the current scores under shuffled labels.

    `ways[i]`: in how many of the `total` choices the sum is `start + i * step`; the first and the last are not 0.
    """

    start: int
    step: int
    ways: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Draw:
    """A count of choices: `size` out of `shifts`, each of which moves the sum by its shift times `step` from `start`.

    It draws the smaller of the two sides; where that is the baseline, what it leaves in the current sum is counted.
    """

    start: int
    step: int
    shifts: tuple[int, ...]
    size: int

    @classmethod
    def of(cls, pool: Sequence[int], n_c: int) -> Draw:
        """The draw for `n_c` of the ascending `pool`."""
        low, high, n_b = pool[0], pool[-1], len(pool) - n_c
        step = gcd(*(score - low for score in pool)) or 1
        if n_c <= n_b:
            return cls(n_c * low, step, tuple((score - low) // step for score in pool), n_c)
        return cls(sum(pool) - n_b * high, step, tuple((high - score) // step for score in pool), n_b)

    def count(self, packed: int, bits: int) -> int:
        """`packed`, which holds a number of ways for each sum, after this draw; `bits` apart is one step.

        Costs size × (N − size + 1) shifts and additions of a number as long as the result.
        """
        chosen = [packed] + [0] * self.size
        for taken, shift in enumerate(self.shifts):
            # Fewer than `least` taken by now could not reach `size` with the rest.
            least = max(1, self.size - (len(self.shifts) - taken - 1))
            for j in range(min(taken + 1, self.size), least - 1, -1):
                chosen[j] += chosen[j - 1] << (shift * bits)
        return chosen[self.size]


@lru_cache(maxsize=8192)
def distribution(pool: tuple[int, ...], n_c: int) -> Distribution:
    """The exact distribution for `n_c` current ones of the ascending `pool`."""
    total = comb(len(pool), n_c)
    low, high = pool[0], pool[-1]
    if low == high:
        return Distribution(n_c * low, 1, (total,), total)
    highs = pool.count(high)
    if highs + pool.count(low) == len(pool):
        fewest, most = max(0, n_c - (len(pool) - highs)), min(highs, n_c)
        ways = tuple(comb(highs, k) * comb(len(pool) - highs, n_c - k) for k in range(fewest, most + 1))
        return Distribution(n_c * low + fewest * (high - low), high - low, ways, total)
    draw = Draw.of(pool, n_c)
    width = (total.bit_length() + 7) // 8
    packed = draw.count(1, 8 * width)
    counts = unpack(packed, width)
    first = next(i for i, count in enumerate(counts) if count)
    return Distribution(draw.start + first * draw.step, draw.step, tuple(counts[first:]), total)


def unpack(packed: int, width: int) -> Sequence[int]:
    """The numbers of `width` bytes each that `packed` holds, lowest first, up to the last that is not 0."""
    slots = -(-packed.bit_length() // (8 * width))
    raw = packed.to_bytes(slots * width, "little")
    if width == 1:
        return raw
    return [int.from_bytes(raw[i : i + width], "little") for i in range(0, len(raw), width)]


def p_worse(stratum: Stratum) -> Fraction:
    """How often shuffled labels give a current sum as low as the observed one, or lower."""
    found = distribution(stratum.pool, stratum.n_c)
    return Fraction(sum(found.ways[: _observed(stratum, found) + 1]), found.total)


def p_better(stratum: Stratum) -> Fraction:
    """How often shuffled labels give a current sum as high as the observed one, or higher."""
    found = distribution(stratum.pool, stratum.n_c)
    return Fraction(sum(found.ways[_observed(stratum, found) :]), found.total)


def attainable(stratum: Stratum) -> tuple[Fraction, ...]:
    """All values, ascending, that `p_worse` can have with these scores and numbers of attempts."""
    found = distribution(stratum.pool, stratum.n_c)
    sums = accumulate(found.ways)
    return tuple(Fraction(below, found.total) for below, ways in zip(sums, found.ways, strict=True) if ways)


def floor(n_b: int, n_c: int) -> Fraction:
    """The smallest p that one test can reach with these numbers of attempts: a total break (stats.md 2)."""
    return Fraction(1, comb(n_b + n_c, n_c))


def _observed(stratum: Stratum, found: Distribution) -> int:
    return (sum(stratum.current) - found.start) // found.step


def _grain(baseline: tuple[int, ...], current: tuple[int, ...]) -> int:
    """The finest grain with which counting stays within `WORK`, else the coarsest."""
    size, n = min(len(baseline), len(current)), len(baseline) + len(current)
    if n <= 40:
        return 1
    values = {*baseline, *current}
    if len(values) <= 2:
        return 1
    work = size * (n - size + 1) * size * (max(values) - min(values)) * comb(n, size).bit_length()
    return next((grain for grain in GRAINS if work <= WORK * grain), GRAINS[-1])
