"""The golden numbers of stats.md 6: fractions exactly, the rest to 1e-9."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from llm_testbench.compare.statistics.exchange import as_runs
from llm_testbench.compare.statistics.families import benjamini_hochberg, discrete_bh, holm
from llm_testbench.compare.statistics.grid import on_grid, unit
from llm_testbench.compare.statistics.level import effect, level
from llm_testbench.compare.statistics.reliability import pass_at, pass_hat, wilson
from llm_testbench.compare.statistics.stratum import Stratum, p_better, p_worse

Sides = tuple[Sequence[float], Sequence[float]]


def nearly(value: float | Sequence[float]) -> Any:
    return pytest.approx(value, abs=1e-9, rel=0)


def passes(before: tuple[int, int], now: tuple[int, int]) -> Stratum:
    """Of (passed, attempts) on each side."""
    (b, n_b), (c, n_c) = before, now
    return Stratum((1,) * b + (0,) * (n_b - b), (1,) * c + (0,) * (n_c - c))


def strata(cells: Sequence[Sides]) -> list[Stratum]:
    step = unit(score for sides in cells for side in sides for score in side)
    return [Stratum(on_grid(before, step), on_grid(now, step)) for before, now in cells]


def raw(cells: Sequence[Sides]) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    return [(tuple(before), tuple(now)) for before, now in cells]


def test_1_mcnemar() -> None:
    cells: Sequence[Sides] = [([1], [0])] * 8 + [([0], [1])] + [([1], [1])] * 91
    tail, size = level(strata(cells)), effect(raw(cells))
    assert (tail.p_worse, tail.p_better) == (5 / 256, 511 / 512)
    assert size.delta == nearly(-0.07)
    assert size.se == nearly(0.0316227766)
    assert size.interval(0.95) == nearly((-0.1319795032, -0.0080204968))
    assert size.mde(0.04) == nearly(0.0819759548)


@pytest.mark.parametrize(
    ("before", "now", "p"),
    [
        ((1, 1), (0, 1), "1/2"),
        ((2, 2), (0, 2), "1/6"),
        ((3, 3), (0, 3), "1/20"),
        ((3, 3), (1, 3), "1/5"),
        ((3, 3), (2, 3), "1/2"),
        ((5, 5), (0, 5), "1/252"),
        ((5, 5), (1, 5), "1/42"),
        ((5, 5), (2, 5), "1/12"),
        ((4, 5), (1, 5), "13/126"),
        ((15, 15), (0, 1), "1/16"),
        ((15, 15), (0, 3), "1/816"),
        ((15, 15), (1, 3), "1/51"),
        ((12, 15), (0, 3), "5/204"),
        ((6, 6), (0, 6), "1/924"),
    ],
)
def test_2_one_test(before: tuple[int, int], now: tuple[int, int], p: str) -> None:
    assert p_worse(passes(before, now)) == Fraction(p)


def test_3_two_broken_tests_and_ten_of_fifteen() -> None:
    assert level([passes((3, 3), (0, 3))] * 2).p_worse == nearly(1 / 400)
    cells: Sequence[Sides] = [([1] * 15, [1, 0, 0])] * 2 + [([1] * 15, [1] * 3)] * 8
    size = effect(raw(cells))
    assert level(strata(cells)).p_worse == nearly(1 / 2601)
    assert size.delta == nearly(-2 / 15)
    assert size.se == nearly(0.0649786290)
    # The page has -0.2606890711 below, which is not as far from delta as its upper end: a slip of the pen.
    assert size.interval(0.95) == nearly((-0.2606891059, -0.0059775608))


def test_4_three_mixed_tests() -> None:
    cells: Sequence[Sides] = [([1, 1, 1], [1, 0, 0]), ([1, 1, 0], [1, 1, 0]), ([0, 1, 1], [0, 0, 0])]
    tail, size = level(strata(cells)), effect(raw(cells))
    assert (tail.p_worse, tail.p_better) == nearly((2 / 25, 124 / 125))
    assert size.delta == nearly(-4 / 9)
    assert size.se == nearly(0.2939723679)
    # The page has 0.1317309081, which is not delta + 1.959963985 se.
    assert size.interval(0.95) == nearly((-1, 0.1317308091))


def test_5_partial_credit() -> None:
    before, now = [1, 1, 0.5], [0.5, 0.5, 0]
    (stratum,) = strata([(before, now)])
    assert unit([*before, *now]) == 2
    assert (p_worse(stratum), p_better(stratum)) == (Fraction(3, 20), Fraction(1))


def test_6_attempts_and_runs_as_the_unit() -> None:
    cells: Sequence[Sides] = [([1, 1], [0, 0]), ([1, 1], [0, 0]), ([1, 0], [0, 0]), ([0, 0], [1, 0]), ([1, 1], [1, 1])]
    by_run = [(as_runs([before]), as_runs([now])) for before, now in cells]
    assert level(strata(cells)).p_worse == nearly(11 / 144)
    assert level(strata(by_run)).p_worse == nearly(3 / 16)
    assert effect(raw(cells)).delta == nearly(-0.4)


def test_7_holm_and_benjamini_hochberg() -> None:
    assert holm([0.01, 0.02, 0.04]) == nearly((0.03, 0.04, 0.04))
    four = benjamini_hochberg({"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.5}, 4)
    assert tuple(four.values()) == nearly((0.04, 0.04, 0.04, 0.5))
    again = benjamini_hochberg({"a": 0.00004, "b": 0.00007, "c": 0.001}, 250)
    assert [adjusted <= 0.01 for adjusted in again.values()] == [True, True, False]


def test_8_discrete_benjamini_hochberg() -> None:
    # The page calls the third test 3->3; its p and E0 are those of 2->3.
    four = [passes((5, 5), (0, 5)), passes((3, 5), (2, 5)), passes((2, 5), (3, 5)), passes((5, 5), (5, 5))]
    found = discrete_bh(four)
    assert [p_worse(one) for one in four] == [Fraction(1, 252), Fraction(1, 2), Fraction(113, 126), 1]
    assert found[0].expected == nearly(3 / 252)
    assert found[0].q == nearly(3 / 252)
    six = discrete_bh([passes((5, 5), (0, 5))] * 3 + [passes((3, 5), (2, 5))] * 3)
    assert six[0].expected == nearly(6 / 252)
    assert six[0].q == nearly(1 / 126)
    long = discrete_bh([passes((15, 15), (0, 3)), passes((15, 15), (2, 3)), passes((9, 15), (1, 3))])
    assert [one.q for one in long] == nearly([0.0012254902, 0.1458333333, 0.2116013072])


def test_10_reliability_of_one_test() -> None:
    assert wilson(9, 10) == nearly((0.5958499732, 0.9821237869))
    assert wilson(3, 3) == nearly((0.4385029682, 1))
    assert wilson(0, 5) == nearly((0, 0.4344824648))
    assert (pass_at(5, 3, 2), pass_hat(5, 3, 2)) == (Fraction(9, 10), Fraction(3, 10))
