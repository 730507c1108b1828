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
from typing import TypeAlias

Pool: TypeAlias = tuple[tuple[int, ...], int]
"""Scores of both sides, ascending, and how many of them are current: all that the null distribution depends on."""
WORK = 1_000_000_000
"""Bits moved to count one stratum, about 20 ms; only some fifty finely graded attempts a side exceed it."""
FEW = 40  # attempts of both sides, with which counting never takes long
LEAST_BLOCKS = 10


@dataclass(frozen=True, slots=True)
class Stratum:
    """Scores of the attempts of both sides, on the grid. Raises ValueError where a side has no attempt.

    With so many attempts that counting would exceed `WORK`, sums of a few successive attempts are what is shuffled,
    at least ten on the smaller side; a last one that is not full is left out. The test stays exact.
    """

    baseline: tuple[int, ...]
    current: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.baseline or not self.current:
            side = "current" if self.baseline else "baseline"
            raise ValueError(f"a stratum has no attempt on its {side} side; expected at least one on each")

    @property
    def n_b(self) -> int:
        """Attempts of the baseline."""
        return len(self.baseline)

    @property
    def n_c(self) -> int:
        """Attempts of the current run."""
        return len(self.current)

    @property
    def pool(self) -> Pool:
        """What is shuffled."""
        baseline, current = self._blocks()
        return tuple(sorted(baseline + current)), len(current)

    @property
    def observed(self) -> int:
        """The sum of the current scores."""
        return sum(self._blocks()[1])

    @property
    def constant(self) -> bool:
        """All scores are equal, so that the labels say nothing."""
        return len({*self.baseline, *self.current}) == 1

    @property
    def swapped(self) -> Stratum:
        """The sides exchanged: what was better is worse."""
        return Stratum(self.current, self.baseline)

    def _blocks(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        if self.n_b + self.n_c <= FEW or len(values := {*self.baseline, *self.current}) <= 2:
            return self.baseline, self.current
        each = _block(self.n_b, self.n_c, max(values) - min(values))
        return _sums(self.baseline, each), _sums(self.current, each)


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
                moved = chosen[j - 1] << (shift * bits)
                chosen[j] = chosen[j] + moved if chosen[j] else moved
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
    found = distribution(*stratum.pool)
    return Fraction(sum(found.ways[: _observed(stratum, found) + 1]), found.total)


def p_better(stratum: Stratum) -> Fraction:
    """How often shuffled labels give a current sum as high as the observed one, or higher."""
    found = distribution(*stratum.pool)
    return Fraction(sum(found.ways[_observed(stratum, found) :]), found.total)


def attainable(stratum: Stratum) -> tuple[Fraction, ...]:
    """All values, ascending, that `p_worse` can have with these scores and numbers of attempts."""
    found = distribution(*stratum.pool)
    sums = accumulate(found.ways)
    return tuple(Fraction(below, found.total) for below, ways in zip(sums, found.ways, strict=True) if ways)


def floor(n_b: int, n_c: int) -> Fraction:
    """The smallest p that one test can reach with these numbers of attempts: a total break (stats.md 2)."""
    return Fraction(1, comb(n_b + n_c, n_c))


def _observed(stratum: Stratum, found: Distribution) -> int:
    return (stratum.observed - found.start) // found.step


def _block(n_b: int, n_c: int, span: int) -> int:
    """How many attempts, as few as possible, to take as one, so that counting stays within `WORK`."""
    most = max(1, min(n_b, n_c) // LEAST_BLOCKS)
    return next((each for each in range(1, most) if _work(n_b // each, n_c // each, span * each) <= WORK), most)


def _work(n_b: int, n_c: int, span: int) -> int:
    """Bits moved by `Draw.count`: shifts and additions, times slots, times bits of a slot."""
    size = min(n_b, n_c)
    return size * (n_b + n_c - size + 1) * (size * span) * comb(n_b + n_c, size).bit_length()


def _sums(scores: tuple[int, ...], each: int) -> tuple[int, ...]:
    if each == 1:
        return scores
    return tuple(sum(scores[i : i + each]) for i in range(0, len(scores) - each + 1, each))
