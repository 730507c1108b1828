"""Simulated models: how likely each answers each test right, and what a change does to that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

Change: TypeAlias = Literal["nothing", "1 broken", "3 broken", "10 drop by .3", "all drop by .02"]
Server: TypeAlias = Literal["independent", "deterministic", "copies with ids", "copies without ids"]
"""How the attempts of one test within a run hang together.

`independent`: not at all. `deterministic`: the same request always gets the same answer. `copies`: a cache gives all
attempts of a run its first answer, with or without that answer's id.
"""
Chances: TypeAlias = tuple[tuple[float, ...], ...]
"""By model and test: how likely an answer, or each quarter of one, is right."""

_BROKEN = {"1 broken": 1, "3 broken": 3}
_QUARTERED = 0.1


@dataclass(frozen=True)
class World:
    """What the two sides of a comparison are drawn from.

    `quartered`: the tests that score in quarters. `changed`: (model, test) that the change makes worse by itself.
    """

    before: Chances
    after: Chances
    quartered: tuple[bool, ...]
    changed: frozenset[tuple[int, int]]


def world(random: Random, *, tests: int, models: int, change: Change, affected: int) -> World:
    """A suite of mostly easy tests, some that flicker and a few that always fail; the first models are `affected`."""
    kinds = [random.random() for _ in range(tests)]
    before = tuple(tuple(_chance(random, kind) for kind in kinds) for _ in range(models))
    quartered = tuple(random.random() < _QUARTERED for _ in range(tests))
    hit = _hit(random, before[0], change)
    after = tuple(
        tuple(_changed(chance, change, hit=test in hit) for test, chance in enumerate(row)) if model < affected else row
        for model, row in enumerate(before)
    )
    return World(before, after, quartered, frozenset((model, test) for model in range(affected) for test in hit))


def score(random: Random, chance: float, *, quarters: bool) -> int:
    """One attempt, in quarters of a point."""
    if not quarters:
        return 4 if random.random() < chance else 0
    return sum(random.random() < chance for _ in range(4))


def _chance(random: Random, kind: float) -> float:
    if kind < 0.8:
        return random.uniform(0.995, 1)
    return random.uniform(0.2, 0.9) if kind < 0.95 else random.uniform(0, 0.005)


def _hit(random: Random, chances: Sequence[float], change: Change) -> frozenset[int]:
    """Tests that break are those that were passed nearly always; those that drop could drop by as much."""
    if change in _BROKEN:
        steady = [test for test, chance in enumerate(chances) if chance >= 0.995]
        return frozenset(random.sample(steady, min(_BROKEN[change], len(steady))))
    if change == "10 drop by .3":
        able = [test for test, chance in enumerate(chances) if chance >= 0.3]
        return frozenset(random.sample(able, min(10, len(able))))
    return frozenset()


def _changed(chance: float, change: Change, *, hit: bool) -> float:
    if change == "all drop by .02":
        return max(0.0, chance - 0.02)
    if not hit:
        return chance
    return 0.0 if change in _BROKEN else max(0.0, chance - 0.3)
