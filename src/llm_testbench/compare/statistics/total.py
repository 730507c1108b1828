"""The distribution of a sum over many strata, held as one long integer.

Each possible sum has a slot of that integer, the lowest sum in the lowest bits, and the slot holds in how many ways
it comes about. Adding a stratum is then a few shifts and additions, which Python does in C: a loop over floats would
take a hundred times as long where scores are finely graded.

Slots hold exact numbers for as long as they fit. Then all are divided by the same power of two and rounded down,
keeping at least 64 bits. What the rounding loses is counted and added to both tails: no p is too small by it, none is
0, and the two never add up to less than 1. It is below 1e-12 for every row that is counted at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import TypeAlias

from llm_testbench.compare.statistics.stratum import Distribution, Draw, distribution

PRECISION = 64  # bits
Pool: TypeAlias = tuple[tuple[int, ...], int]
"""Scores of both sides, ascending, and how many of them are current."""


def tails(pools: Mapping[Pool, int], observed: int) -> tuple[Fraction, Fraction]:
    """How often the sum of current scores over all strata is at most, and at least, `observed`.

    `pools`: how many strata there are of each pool, at least one.
    """
    found = {pool: distribution(*pool) for pool in pools}
    # Coarse ones first, then narrow ones: the integer stays short while most of them are added.
    order = sorted(pools, key=lambda pool: (-found[pool].step, len(found[pool].ways), pool))
    largest = max(d.total for d in found.values()).bit_length()
    # A total is cut to whole bytes, so that up to 7 bits more than the precision stay; one bit is in reserve.
    total = _Total((PRECISION + 7 + min(PRECISION, largest) + 1 + 7) // 8, found[order[0]].step)
    for pool in order:
        total = total.finer(found[pool].step)
        for _ in range(pools[pool]):
            total = total.plus(pool, found[pool])
    return total.tails(observed - sum(times * found[pool].start for pool, times in pools.items()))


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

    def finer(self, step: int) -> _Total:
        """With room for sums that are multiples of `step` too."""
        common = gcd(self.step, step)
        times = self.step // common
        if times == 1:
            return self
        raw = self.packed.to_bytes(-(-self.packed.bit_length() // self.slot) * self.width, "little")
        gap = bytes((times - 1) * self.width)
        spaced = gap.join(raw[i : i + self.width] for i in range(0, len(raw), self.width))
        return replace(self, step=common, packed=int.from_bytes(spaced, "little"), first=self.first * times)

    def plus(self, pool: Pool, found: Distribution) -> _Total:
        """With one more stratum, whose lowest sum counts as 0."""
        stride = found.step // self.step
        if found.total.bit_length() > PRECISION:
            roomy = self._with_room(1 << PRECISION)
            ways = [(count << PRECISION) // found.total for count in found.ways]
            return replace(roomy, packed=roomy._each(ways, stride), scale=roomy.scale << PRECISION)
        roomy = self._with_room(found.total)
        draw = Draw.of(*pool)
        if 3 * len(found.ways) <= 2 * draw.size * (len(draw.shifts) - draw.size + 1):
            return replace(roomy, packed=roomy._each(found.ways, stride), scale=roomy.scale * found.total)
        # `draw` counts from a start that may lie below the lowest sum that can come about.
        ahead = (found.start - draw.start) // self.step
        packed = draw.count(roomy.packed, self.slot * stride)
        return replace(roomy, packed=packed, scale=roomy.scale * found.total, first=roomy.first - ahead)

    def _each(self, ways: tuple[int, ...] | list[int], stride: int) -> int:
        return sum(self.packed * count << (i * stride * self.slot) for i, count in enumerate(ways) if count)

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
        return replace(self, packed=packed >> empty * self.slot, scale=scale, first=self.first + empty)

    def tails(self, observed: int) -> tuple[Fraction, Fraction]:
        """How often the sum is at most, and at least, `observed`."""
        index = observed // self.step - self.first
        whole, below, at_most = self._sum(self.packed), self._below(index), self._below(index + 1)
        lost = self.scale - whole
        return Fraction(at_most + lost, self.scale), Fraction(whole - below + lost, self.scale)

    def _below(self, index: int) -> int:
        return self._sum(self.packed & ((1 << max(0, index) * self.slot) - 1))

    def _sum(self, packed: int) -> int:
        # As the digit sum of a number is its remainder by nine: every slot counts as one in 2^slot - 1.
        return packed % ((1 << self.slot) - 1)
