"""Scores become integers: what floats can do to that."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.compare.statistics.grid import UNITS, on_grid, unit


@pytest.mark.parametrize(
    ("score", "steps"),
    [
        (0.1 + 0.2, 10),  # 0.30000000000000004
        (0.5 + 2e-7, 2),
        (0.5 + 2e-5, 100),
        (1 / 7, 100),  # on no grid: the finest, and rounded
        (inf, 1),
        (-0.3, 1),
    ],
)
def test_a_score_within_a_millionth_of_a_step_lies_on_the_grid(score: float, steps: int) -> None:
    assert unit([score]) == steps


@pytest.mark.parametrize(
    ("scores", "steps", "integers"),
    [
        ([1 / 7, 0.999], 100, (14, 100)),
        ([-0.5, 1.5, inf, -inf], 4, (0, 4, 4, 0)),
        ([0.1 + 0.2, 0.3, 0.2 + 0.1], 10, (3, 3, 3)),
    ],
)
def test_each_score_is_its_nearest_step_within_the_grid(
    scores: list[float], steps: int, integers: tuple[int, ...]
) -> None:
    assert on_grid(scores, steps) == integers


@pytest.mark.parametrize("use", [lambda: unit([0.5, nan]), lambda: on_grid([nan], 2)], ids=["unit", "on_grid"])
def test_what_is_not_a_number_is_no_score(use: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="not a number"):
        use()


@given(st.sampled_from(UNITS), st.lists(st.integers(0, 100), min_size=1))
def test_a_score_on_a_grid_comes_back(steps: int, numbers: list[int]) -> None:
    scores = [min(number, steps) / steps for number in numbers]
    found = unit(scores)
    assert found <= steps
    assert [value / found for value in on_grid(scores, found)] == pytest.approx(scores, abs=1e-9)
