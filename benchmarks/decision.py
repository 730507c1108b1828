"""How long the decision takes, apart from reading files: all of stage 1, from strata to statuses."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.stage import Scored, stage
from llm_testbench.compare.statistics.stratum import distribution
from llm_testbench.compare.variants import Tested, variants

TESTS, MODELS, CATEGORIES, ATTEMPTS = 1000, 3, 25, 5
OPTIONS = GateOptions()


def seconds(score: Callable[[random.Random, float], float]) -> float:
    """The best of three decisions on 1,000 tests × 3 models × 5 attempts a side, nothing cached."""
    return min(_timed(_cells(score, seed)) for seed in range(3))


def usual() -> float:
    """Right or wrong: most tests always right, some flaky, as in stats.md 5."""
    return seconds(lambda chance, rate: float(chance.random() < rate))


def worst() -> float:
    """Graded to a hundredth, every test informative."""
    return seconds(lambda chance, _: chance.randrange(101) / 100)


def _cells(score: Callable[[random.Random, float], float], seed: int) -> list[Scored]:
    chance = random.Random(seed)
    cells = []
    for number in range(TESTS):
        rate = chance.uniform(0.2, 0.9) if chance.random() < 0.15 else chance.choice([1.0] * 16 + [0.0])
        for model in range(MODELS):
            before, now = (tuple(score(chance, rate) for _ in range(ATTEMPTS)) for _ in "bc")
            cells.append(Scored((f"m{model}", f"t{number}"), f"c{number % CATEGORIES}", before, now))
    return cells


def _timed(cells: Sequence[Scored]) -> float:
    distribution.cache_clear()
    started = time.perf_counter()
    tested = [Tested(cell.key, len(cell.before), len(cell.now), both_sides=False) for cell in cells]
    stage(cells, OPTIONS, variants(tested, OPTIONS, asks=True, exchange="attempt"))
    return time.perf_counter() - started
