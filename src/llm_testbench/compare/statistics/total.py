"""The distribution of a sum over many strata, held as one long integer.

Each possible sum has a slot of that integer, the lowest sum in the lowest bits, and the slot holds in how many ways
it comes about. Adding a stratum is then a few shifts and additions, which Python does in C: a loop over floats would
take a hundred times as long where scores are finely graded.

Slots hold exact numbers for as long as they fit. Then all are divided by the same power of two and rounded down,
keeping at least 56 bits. What the rounding loses is counted and added to both tails: no p is too small by it, none is
0, and the two never add up to less than 1. It is below 1e-11 for every row that is counted at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import gcd
from operator import mul

from llm_testbench.compare.statistics.stratum import Distribution, Draw, Pool, distribution, unpack

PRECISION = 56  # bits


def tails(pools: Mapping[Pool, int], observed: int) -> tuple[Fraction, Fraction]:
    """How often the sum of current scores over all strata is at most, and at least, `observed`.

    `pools`: how many strata there are of each pool, at least one.
    """
    found = {pool: distribution(*pool) for pool in pools}
    # Coarse ones first, then narrow ones: the integers stay short while most strata are added.
    order = sorted(pools, key=lambda pool: (-found[pool].step, len(found[pool].ways), pool))
    strata = [pool for pool in order for _ in range(pools[pool])]
    # Two halves of the strata make two short integers, and coarse strata stay apart from the finest.
    finest = found[strata[-1]].step
    half = max(len(strata) // 2, sum(found[pool].step > finest for pool in strata))
    first, second = _sum(strata[:half], found), _sum(strata[half:], found)
    second = second.finer(first.step)
    counts, below = first.counts, [0, *accumulate(second.counts)]
    steps = (observed - sum(found[pool].start for pool in strata)) // second.step
    steps -= first.first * first.step // second.step + second.first
    every = first.step // second.step
    choices = first.scale * second.scale
    lost = choices - sum(counts) * below[-1]
    at_most, less = _ways(counts, below, steps + 1, every), _ways(counts, below, steps, every)
    return Fraction(at_most + lost, choices), Fraction(choices - less, choices)


def _ways(counts: Sequence[int], below: Sequence[int], index: int, every: int) -> int:
    """The sum of `counts[i] * below[index - i * every]`, with `below` 0 before its begin and constant from its end."""
    last = len(below) - 1
    full = min(len(counts), max(0, -(-(index - last) // every)))
    ways = sum(counts[:full]) * below[last]
    index -= full * every
    return ways + (sum(map(mul, counts[full:], below[index::-every])) if index >= 0 else 0)


def _sum(strata: Sequence[Pool], found: Mapping[Pool, Distribution]) -> _Total:
    largest = max((found[pool].total for pool in strata), default=1).bit_length()
    # Rounding cuts whole bytes, so that up to 7 bits more than the precision stay; one bit is in reserve.
    total = _Total((PRECISION + 7 + min(PRECISION, largest) + 1 + 7) // 8, found[strata[0]].step if strata else 1)
    for pool in strata:
        total = total.plus(pool, found[pool])
    return total


@dataclass(frozen=True, slots=True)
class _Total:
    """`packed`: one slot of `width` bytes for each sum; sums are `step` apart, from `first` steps on.

    `scale`: the number of all choices; that of the choices in `packed` is as large, but for what rounding lost.
    """

    width: int
    step: int
    packed: int = 1
    scale: int = 1
    first: int = 0

    @property
    def slot(self) -> int:
        """Bits of a slot."""
        return 8 * self.width

    @property
    def counts(self) -> Sequence[int]:
        """In how many ways each sum comes about, from the lowest on."""
        return unpack(self.packed, self.width)

    def plus(self, pool: Pool, found: Distribution) -> _Total:
        """With one more stratum, whose lowest sum counts as 0."""
        exact = found.total.bit_length() <= PRECISION
        factor = found.total if exact else 1 << PRECISION
        roomy = self.finer(found.step)._with_room(factor)
        stride = found.step // roomy.step
        draw = Draw.of(*pool)
        ahead = 0
        if exact and 3 * len(found.ways) > 2 * draw.size * (len(draw.shifts) - draw.size + 1):
            packed = draw.count(roomy.packed, roomy.slot * stride)
            ahead = (found.start - draw.start) // roomy.step  # sums below the lowest that can come about
        else:
            ways = found.ways if exact else [count * factor // found.total for count in found.ways]
            packed = sum(roomy.packed * count << (i * stride * roomy.slot) for i, count in enumerate(ways) if count)
        return _Total(roomy.width, roomy.step, packed, roomy.scale * factor, roomy.first - ahead)

    def finer(self, step: int) -> _Total:
        """With slots for sums that are multiples of `step` too."""
        common = gcd(self.step, step)
        times = self.step // common
        if times == 1:
            return self
        raw = self.packed.to_bytes(-(-self.packed.bit_length() // self.slot) * self.width, "little")
        gap = bytes((times - 1) * self.width)
        spaced = gap.join(raw[i : i + self.width] for i in range(0, len(raw), self.width))
        return _Total(self.width, common, int.from_bytes(spaced, "little"), self.scale, self.first * times)

    def _with_room(self, factor: int) -> _Total:
        """Rounded down, if need be, so that no slot can overflow when multiplied by `factor`."""
        if (self.scale * factor).bit_length() < self.slot:
            return self
        cut = (self.scale.bit_length() - PRECISION) // 8  # bytes
        slots = self.packed.bit_length() // self.slot + 1
        # What is cut off from a slot has moved into the upper bytes of the slot below.
        mask = int.from_bytes((b"\xff" * (self.width - cut) + bytes(cut)) * slots, "little")
        packed = self.packed >> 8 * cut & mask
        empty = ((packed & -packed).bit_length() - 1) // self.slot
        scale = -(-self.scale >> 8 * cut)
        return _Total(self.width, self.step, packed >> empty * self.slot, scale, self.first + empty)
