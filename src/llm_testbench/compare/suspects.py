"""One suspect and its fresh attempts: what they tell, and what is still missing (stats.md, step 7). Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Side
from llm_testbench.compare.model import Variant
from llm_testbench.compare.statistics.stratum import Stratum, p_worse
from llm_testbench.compare.variants import within

Grid: TypeAlias = tuple[int, ...]
"""Scores on the grid of the comparison, in the order of their attempts."""

PER_SLOT: Final = 2
"""Attempts that may be made for each one that is needed: errors and copies are replaced, once each on average."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A test that stood out in stage 1, with its main attempts, `p` and `drop` (0..1) there.

    `needed`: fresh attempts a side that decide; of `both` it depends on the number of suspects, see `begin`.
    """

    key: CellKey
    variant: Variant
    needed: int
    baseline: Grid
    current: Grid
    p: float
    drop: float


@dataclass(frozen=True, slots=True)
class Fresh:
    """What fresh attempts of a cell gave so far, in attempt order: scores 0..1, and which of the current ones passed.

    `spent_current`, `spent_baseline`: attempts made, those included that ended in an error or were copies of an earlier
    answer. `copies`: how many of these, on both sides, were copies.
    """

    current: tuple[float, ...] = ()
    baseline: tuple[float, ...] = ()
    passed: tuple[bool, ...] = ()
    spent_current: int = 0
    spent_baseline: int = 0
    copies: int = 0

    @property
    def spent(self) -> int:
        """Requests made for the cell, retries of one attempt not counted."""
        return self.spent_current + self.spent_baseline


Outcome: TypeAlias = Literal["open", "hopeless", "cleared", "shared", "complete"]
"""Of the fresh attempts.

`open`: too few to tell. `hopeless`: no fresh attempts could prove it. `cleared`: the current side did too well to be
proven worse. `shared`: the baseline did too badly for that. `complete`: all are there, and their p decides.
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the fresh attempts tell. `current`, `baseline`: those of them that it rests on.

    `p`, `drop` (0..1): of the test that decides; None unless `complete`.
    """

    outcome: Outcome
    current: Grid
    baseline: Grid = ()
    p: float | None = None
    drop: float | None = None


def standing(suspect: Suspect, current: Grid, baseline: Grid, *, limit: float, unit: int) -> Standing:
    """Where the suspect stands with these fresh attempts.

    It stands as soon as the best possible finish has p > `limit`, so early stopping loses no regression. Attempts are
    looked at in one fixed order, however they came in: asking more of them at a time changes nothing.
    """
    if suspect.variant == "current":
        return _of_current(suspect, current[: suspect.needed], limit, unit)
    return _of_both(suspect.needed, current[: suspect.needed], baseline[: suspect.needed], limit, unit)


@dataclass(frozen=True, slots=True)
class Wish:
    """Attempts that a cell wants, by side: `now`, and `rest`, which decide it at the latest."""

    now: Mapping[Side, int]
    rest: Mapping[Side, int]


def wish(suspect: Suspect, fresh: Fresh) -> Wish | None:
    """What an open suspect wants; None: so many errors and copies came back that it cannot be decided.

    1, 1, 2, 4, 8 … attempts a round. The current side leads by one: most suspects are cleared by its first, and then
    nothing is spent on the baseline. Both sides in one round alternate in time.
    """
    needed = suspect.needed
    current, baseline = min(len(fresh.current), needed), min(len(fresh.baseline), needed)
    done = current if suspect.variant == "current" else min(current, baseline + 1)
    goal = min(needed, max(1, 2 * done))
    now: dict[Side, int] = {"current": max(0, goal - current)}
    rest: dict[Side, int] = {"current": needed - current}
    if suspect.variant == "both":
        behind = needed if goal == needed else goal - 1
        now["baseline"] = max(0, behind - baseline)
        rest["baseline"] = needed - baseline
    spent: dict[Side, int] = {"current": fresh.spent_current, "baseline": fresh.spent_baseline}
    if any(more and spent[side] + more > PER_SLOT * needed for side, more in rest.items()):
        return None
    return Wish(now, rest)


def _of_current(suspect: Suspect, fresh: Grid, limit: float, unit: int) -> Standing:
    def p(count: int) -> float:
        worst = fresh[:count] + (0,) * (suspect.needed - count)
        return float(p_worse(Stratum(suspect.baseline, suspect.current + worst)))

    seen = _first(len(fresh), lambda count: not within(p(count), limit))
    if len(fresh) == suspect.needed <= seen:
        drop = _mean(suspect.baseline, unit) - _mean(suspect.current + fresh, unit)
        return Standing("complete", fresh, p=p(len(fresh)), drop=drop)
    if seen > len(fresh):
        return Standing("open", fresh)
    return Standing("cleared" if seen else "hopeless", fresh[:seen])


def _of_both(needed: int, current: Grid, baseline: Grid, limit: float, unit: int) -> Standing:
    def p(now: int, before: int) -> float:
        best = baseline[:before] + (unit,) * (needed - before)
        worst = current[:now] + (0,) * (needed - now)
        return float(p_worse(Stratum(best, worst)))

    # One fixed path through the attempts, the current side ahead by one: (1, 0), (2, 0), (2, 1) … (k, k − 1), (k, k).
    path = [(now := min(step, needed, step // 2 + 1), step - now) for step in range(2 * needed + 1)]
    path = [(now, before) for now, before in path if now <= len(current) and before <= len(baseline)]
    seen = _first(len(path) - 1, lambda step: not within(p(*path[step]), limit))
    if seen == len(path):
        if len(path) <= 2 * needed:
            return Standing("open", current, baseline)
        drop = _mean(baseline, unit) - _mean(current, unit)
        return Standing("complete", current, baseline, p=p(needed, needed), drop=drop)
    now, before = path[seen]
    # A perfect baseline could not have proven it either: the current side alone cleared it.
    outcome: Outcome = "shared" if within(p(now, 0), limit) else "cleared"
    return Standing(outcome, current[:now], baseline[:before])


def _first(count: int, holds: Callable[[int], bool]) -> int:
    """The first of 0 … count for which `holds`, which stays true once it is; count + 1 if none."""
    return bisect_left(range(count + 1), 1, key=lambda step: int(holds(step)))


def _mean(scores: Sequence[int], unit: int) -> float:
    return sum(scores) / (unit * len(scores))
