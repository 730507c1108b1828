"""Whose fresh attempts settle a suspect, and how many it takes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.variants import (
    Tested,
    Variants,
    most_suspects,
    needed_after_a_miss,
    needed_both,
    needed_current,
    variants,
    within,
)

A_TEST = GateOptions().level_alpha("test")
FEW, ENOUGH = (3, 3), (10, 3)


def cells(count: int, attempts: tuple[int, int] = ENOUGH, *, both: bool = False, name: str = "t") -> list[Tested]:
    return [Tested(("chat", f"{name}{i}"), *attempts, both_sides=both) for i in range(count)]


def choose(tests: list[Tested], *, asks: bool = True, exchange: Any = "attempt", **options: Any) -> Variants:
    return variants(tests, GateOptions(**options), asks=asks, exchange=exchange)


@pytest.mark.parametrize(
    ("suspects", "needed"),
    [(1, 5), (2, 5), (3, 6), (9, 6), (10, 7), (34, 7), (35, 8), (128, 8), (129, 9), (1847, 10), (1848, None)],
)
def test_golden_attempts_of_both_sides(suspects: int, needed: int | None) -> None:
    assert needed_both(suspects, 0.01) == needed
    assert (suspects <= most_suspects(0.01)) == (needed is not None)


@pytest.mark.parametrize(
    ("n_baseline", "n_current", "tests", "needed"),
    [
        (15, 3, 250, 3),
        (15, 3, 750, 4),
        (10, 3, 250, 5),
        (25, 5, 250, 1),
        (5, 5, 250, 12),
        (5, 1, 250, 16),
        (3, 3, 250, None),
    ],
)
def test_golden_attempts_of_this_run(n_baseline: int, n_current: int, tests: int, needed: int | None) -> None:
    assert needed_current(n_baseline, n_current, tests, 0.01) == needed


def test_four_attempts_a_side_are_the_least_and_24_of_this_run_the_most() -> None:
    assert needed_both(1, 0.99) == 4
    assert needed_current(1, 1, 1, 1 / 26) == 24
    assert needed_current(1, 1, 1, 1 / 26.1) is None


def test_a_limit_that_is_met_exactly_is_met() -> None:
    assert within(Fraction(3, 10), 0.1 * 3)
    assert within(0.1 * 3, 0.3)
    assert not within(0.3001, 0.3)


DEFAULT = [*cells(2, both=True, name="prompt"), *cells(248)]


@pytest.mark.parametrize(
    ("why", "tests", "how", "groups"),
    [
        ("a baseline that can be asked again is", DEFAULT, {}, {"both": 2, "current": 248}),
        ("told to use this run alone", DEFAULT, {"confirm": "current"}, {"current": 250}),
        ("told to use both sides alone", DEFAULT, {"confirm": "both"}, {"both": 2, "off": 248}),
        ("told not to ask", DEFAULT, {"confirm": "off"}, {"off": 250}),
        ("a run that only measures", DEFAULT, {"asks": False}, {"off": 250}),
        ("tests are not gated", DEFAULT, {"gate_levels": ("model",)}, {"off": 250}),
        ("runs are the unit", DEFAULT, {"exchange": "run"}, {"both": 2, "off": 248}),
        ("all can be asked on both sides", cells(9, both=True), {}, {"both": 9}),
        ("too few attempts everywhere", cells(250, FEW), {}, {"off": 250}),
        ("too few in some", [*cells(240), *cells(10, FEW, name="few")], {}, {"current": 240, "none": 10}),
        ("no test", [], {}, {}),
    ],
)
def test_groups(why: str, tests: list[Tested], how: dict[str, Any], groups: dict[str, int]) -> None:
    found = choose(tests, **how)
    chosen = list(found.chosen.values())
    assert {name: chosen.count(name) for name in sorted(set(chosen))} == groups, why
    assert found.chosen.keys() == {one.key for one in tests}
    assert found.needed.keys() == {key for key, one in found.chosen.items() if one == "current"}


def test_alpha_is_split_over_the_groups_that_are_there() -> None:
    found = choose(DEFAULT)
    assert found.alpha == {"both": A_TEST / 2, "current": A_TEST / 2}
    assert found.size == {"both": 2, "current": 248}
    assert choose(cells(250)).alpha == {"current": A_TEST}
    assert choose(cells(9, both=True)).alpha == {"both": A_TEST}


def test_tests_that_cannot_be_settled_count_in_the_family_of_those_that_can() -> None:
    found = choose([*cells(250), *cells(500, FEW, name="few")])
    assert found.size == {"current": 750}
    assert set(found.needed.values()) == {needed_after_a_miss(10, 3, 750, A_TEST)}


def test_each_cell_needs_as_many_as_its_own_counts_ask_for() -> None:
    found = choose([*cells(249), *cells(1, (25, 5), name="much")])
    assert found.needed["chat", "t0"] == 8, "one miss of the baseline is provided for"
    assert found.needed["chat", "much0"] == 1


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 10), st.booleans()), min_size=1, max_size=30),
    st.sampled_from(["auto", "off", "current", "both"]),
    st.sampled_from(["attempt", "run"]),
)
def test_the_shares_of_alpha_add_up_and_every_test_stands_in_one_group(
    counts: list[tuple[int, int, bool]], confirm: str, exchange: str
) -> None:
    tests = [Tested(("chat", str(i)), *one) for i, one in enumerate(counts)]
    found = choose(tests, confirm=confirm, exchange=exchange)
    assert sum(found.alpha.values()) == pytest.approx(A_TEST)
    assert sum(found.size.values()) == len(tests)
    assert found.alpha.keys() == found.size.keys()
    for key, needed in found.needed.items():
        assert 1 <= needed <= 24
        assert found.chosen[key] == "current"
