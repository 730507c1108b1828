"""Whose fresh attempts may settle a suspect, and how many it takes (stats.md, step 7).

Everything here follows from counts and settings alone. The choice is made before any score is looked at, so it cannot
favour a result; alpha is split over the groups that it makes, so their chances of a false alarm add up to alpha.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from llm_testbench.artifact.cells import EXACT, CellKey
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.statistics.stratum import floor

Chosen: TypeAlias = Literal["current", "both", "off", "none"]
"""How a test that stands out is settled.

`current`, `both`: by fresh attempts of this run, or of both sides. `off`: stage 1 is final. `none`: it can be suspected
at most, and nothing is spent on it: too few attempts, beside others of its group that have enough.
"""

MOST_CURRENT: Final = 24
LEAST_BOTH: Final = 4
MOST_BOTH: Final = 10


@dataclass(frozen=True, slots=True)
class Tested:
    """One test row of stage 1: gated, and scored on both sides. `both_sides`: its baseline side can be asked again."""

    __test__ = False  # pytest must not collect it

    key: CellKey
    n_baseline: int
    n_current: int
    both_sides: bool


@dataclass(frozen=True, slots=True)
class Variants:
    """What was chosen. `needed`: fresh attempts of each cell that is `current`.

    `alpha`, `size`: by group, its share of alpha and its number of tests, those of `none` included: they are of the
    group `current`. Groups without a test are absent.
    """

    chosen: Mapping[CellKey, Chosen]
    needed: Mapping[CellKey, int]
    alpha: Mapping[Chosen, float]
    size: Mapping[Chosen, int]


def variants(
    tested: Sequence[Tested], options: GateOptions, *, asks: bool, exchange: Literal["attempt", "run"]
) -> Variants:
    """Chooses for every test.

    `asks`: whether this run may ask again. `exchange`: the unit of chance; where it is the run, fresh attempts of one
    more run are no independent draws, unless both sides are drawn afresh in it.
    """
    alpha = options.level_alpha("test")
    # Where nothing may be spent nobody is asked: stage 1 has to decide then, or no test could ever be proven.
    asks = asks and alpha > 0 and options.confirm != "off" and options.confirm_budget > 0
    both = [one for one in tested if asks and one.both_sides and options.confirm in ("auto", "both")]
    taken = {one.key for one in both}
    others = [one for one in tested if one.key not in taken]
    share = alpha / max((len(both) > 0) + (len(others) > 0), 1)
    needed: dict[CellKey, int] = {}
    if asks and exchange == "attempt" and options.confirm in ("auto", "current"):
        for one in others:
            counts = (one.n_baseline, one.n_current, len(others), share)
            attempts = needed_after_a_miss(*counts) or needed_current(*counts)
            if attempts is not None:
                needed[one.key] = attempts
    group: Chosen = "current" if needed else "off"
    beside: Chosen = "none" if needed else "off"
    groups: dict[Chosen, int] = {"both": len(both), group: len(others)}
    size = {name: count for name, count in groups.items() if count}
    return Variants(
        chosen={one.key: "both" if one.key in taken else "current" if one.key in needed else beside for one in tested},
        needed=needed,
        alpha=dict.fromkeys(size, share),
        size=size,
    )


@lru_cache(maxsize=1024)
def needed_current(n_baseline: int, n_current: int, tests: int, alpha: float) -> int | None:
    """Fresh attempts (1 to 24) with which a test that broke for good is proven among `tests`; None: not even 24."""
    for attempts in range(1, MOST_CURRENT + 1):
        if within(tests * floor(n_baseline, n_current + attempts), alpha):
            return attempts
    return None


@lru_cache(maxsize=1024)
def needed_after_a_miss(n_baseline: int, n_current: int, tests: int, alpha: float) -> int | None:
    """The same for a test that the baseline failed once.

    With the fewest attempts a test that passed 9 times of 10 and broke for good could never be proven. More of them
    follow from counts alone, too, so nothing changes about the promise; they cost what a suspect costs that goes on.
    """
    for attempts in range(1, MOST_CURRENT + 1):
        # One failure among the baseline's: the current attempts are any but those of the passes.
        ways = n_current + attempts + 1
        if within(tests * ways * floor(n_baseline, n_current + attempts), alpha):
            return attempts
    return None


def needed_both(suspects: int, alpha: float) -> int | None:
    """Fresh attempts on each side (4 to 10) with which one of `suspects` is proven; None: not even 10."""
    for attempts in range(LEAST_BOTH, MOST_BOTH + 1):
        if within(suspects * floor(attempts, attempts), alpha):
            return attempts
    return None


def most_suspects(alpha: float) -> int:
    """How many suspects ten fresh attempts a side can tell apart from chance."""
    return int(alpha * (1 + EXACT) / floor(MOST_BOTH, MOST_BOTH))


def within(p: Fraction | float, limit: float) -> bool:
    """p <= limit; a p that is the limit but for the last digit of a float is within."""
    return float(p) <= limit * (1 + EXACT)
