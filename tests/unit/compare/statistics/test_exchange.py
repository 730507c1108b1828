"""Whether runs, not attempts, are the unit of chance."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from llm_testbench.compare.statistics.exchange import FLOOR, as_runs, clumping


def test_f_is_the_variance_of_run_means_over_that_within_runs() -> None:
    # Run means 0.5, 1.0 and 0.0: variance 1/4, times 2 attempts. Within: 1/2, 0, 0: mean 1/6.
    assert clumping([[[1, 0], [1, 1], [0, 0]]]) == pytest.approx(3.0)
    # A second test, of equal attempts, halves both.
    assert clumping([[[1, 0], [1, 1], [0, 0]], [[1, 1], [1, 1]]]) == pytest.approx(3.0)


def test_runs_of_unequal_length_count_by_their_harmonic_mean() -> None:
    # 2 and 4 attempts: 1 / mean(1/2, 1/4) = 8/3; means 1/2 and 1/4: variance 1/32; within 1/2 and 1/4.
    assert clumping([[[1, 0], [1, 0, 0, 0]]]) == pytest.approx((8 / 3 / 32) / (3 / 8))


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [[]],
        [[[1, 0, 1]]],  # one run
        [[[1], [0], [1]]],  # one attempt a run
        [[[1, 0], [1]]],
        [[[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]]],  # nothing ever varies
    ],
)
def test_too_little_to_tell(cells: list[list[list[float]]]) -> None:
    assert clumping(cells) is None


def test_runs_that_agree_within_and_differ_between_are_the_unit() -> None:
    assert clumping([[[0.1, 0.1, 0.1], [0.3, 0.3, 0.3]]]) == inf


@pytest.mark.parametrize("copied", [False, True])
def test_independent_attempts_stay_below_the_floor_and_copied_ones_above(*, copied: bool) -> None:
    random = Random(4)

    def run(rate: float) -> list[float]:
        first = float(random.random() < rate)
        return [first if copied and random.random() < 0.5 else float(random.random() < rate) for _ in range(5)]

    cells = [[run(rate) for _ in range(5)] for rate in (random.uniform(0.2, 0.9) for _ in range(60))]
    f = clumping(cells)
    assert f is not None
    assert (f > FLOOR) is copied


def test_a_run_counts_as_its_mean() -> None:
    assert as_runs([[1, 1], [1, 0], [], [0.1, 0.1, 0.1]]) == (1.0, 0.5, 0.1)
