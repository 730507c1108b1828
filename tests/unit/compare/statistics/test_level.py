"""Rows over several tests, however long, and the size of the change."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.compare.statistics.enumeration import convolved, passes

from llm_testbench.compare.statistics.grid import on_grid, unit
from llm_testbench.compare.statistics.level import Effect, Tail, effect, level
from llm_testbench.compare.statistics.stratum import Stratum, p_better, p_worse
from llm_testbench.compare.statistics.total import tails as summed

Cell = tuple[tuple[float, ...], tuple[float, ...]]
scores = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)
strata = st.lists(st.builds(Stratum, scores, scores), min_size=1, max_size=4)


def _strata(cells: list[Cell]) -> list[Stratum]:
    step = unit(score for cell in cells for side in cell for score in side)
    return [Stratum(on_grid(before, step), on_grid(now, step)) for before, now in cells]


def _cell(before: str, now: str) -> Cell:
    return tuple(map(float, before)), tuple(map(float, now))


@given(st.builds(Stratum, scores, scores))
def test_a_row_of_one_test_says_what_the_test_says(stratum: Stratum) -> None:
    found = level([stratum])
    assert (found.p_worse, found.p_better) == (float(p_worse(stratum)), float(p_better(stratum)))


@given(strata, st.randoms())
def test_neither_order_nor_constant_tests_matter(rows: list[Stratum], random: Random) -> None:
    shuffled = [*rows, Stratum((1, 1), (1,))]
    random.shuffle(shuffled)
    assert level(shuffled) == level(rows)


@pytest.mark.parametrize("rows", [[], [Stratum((1, 1, 1), (1, 1, 1))] * 3])
def test_nothing_that_differs_proves_nothing(rows: list[Stratum]) -> None:
    assert level(rows) == Tail(1.0, 1.0, informative=0)


@pytest.mark.parametrize("seed", range(4))
def test_long_rows_of_all_kinds_agree_with_a_plain_convolution(seed: int) -> None:
    """Longer than a slot holds exactly, with whole and graded scores, and more attempts on either side."""
    random = Random(seed)
    rows = [
        Stratum(tuple(_scores(random, top, before)), tuple(_scores(random, top, now)))
        for top in (1, 2, 4, 20)
        for before, now in ((5, 5), (7, 3), (3, 7), (1, 1), (10, 2), (4, 4)) * 2
    ]
    worse, better = convolved(rows)
    found = level(rows)
    assert found.exact
    assert found.p_worse == pytest.approx(float(worse), abs=1e-12)
    assert found.p_better == pytest.approx(float(better), abs=1e-12)
    assert found.p_worse >= worse
    assert found.p_better >= better


def _scores(random: Random, top: int, attempts: int) -> list[int]:
    """On a grid of twentieths, in steps of 1/`top`."""
    return [random.randint(0, top) * 20 // top for _ in range(attempts)]


@pytest.mark.parametrize("tests", [49, 50, 300])
def test_no_p_is_zero_and_rounding_never_makes_one_too_small(tests: int) -> None:
    """The true p of a break of everything is far below what a slot can hold."""
    rows = [passes(5, 5, 0, 5)] * tests
    found = level(rows)
    assert found.exact
    assert 252.0**-tests <= found.p_worse < 1e-11
    assert found.p_better == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_both_tails_together_are_never_less_than_one(seed: int) -> None:
    random = Random(seed)
    rows = [
        Stratum(
            tuple(random.randint(0, top) for _ in range(random.randint(1, 15))),
            tuple(random.randint(0, top) for _ in range(random.randint(1, 6))),
        )
        for top in (1, 4, 12, 20) * 12
    ]
    pools = Counter(stratum.pool for stratum in rows)
    for observed in (0, sum(stratum.observed for stratum in rows), sum(max(*pool[0]) * pool[1] for pool in pools)):
        worse, better = summed(pools, observed)
        assert 1 <= worse + better <= 2
        assert 0 < worse <= 1
        assert 0 < better <= 1


def test_sums_that_cannot_come_about_are_in_one_tail_only() -> None:
    pools = Counter([Stratum((1, 2, 4), (0, 3)).pool, Stratum((5,), (3,)).pool])
    lowest, highest = 0 + 1 + 3, 3 + 4 + 5
    for below, above in ((lowest - 1, highest + 1), (lowest - 2, highest + 2), (lowest - 3, highest + 40)):
        assert summed(pools, below) == (Fraction(0), Fraction(1))
        assert summed(pools, above) == (Fraction(1), Fraction(0))
    assert summed(pools, lowest) == (Fraction(1, 20), Fraction(1))


def test_tests_of_many_attempts_are_counted_exactly_enough() -> None:
    """C(1100, 100) needs more bits than a slot has: the distribution itself is rounded."""
    rows = [passes(1000, 1000, 99, 100)] * 2
    assert level(rows[:1]).p_worse == pytest.approx(float(p_worse(rows[0])), rel=1e-9) == pytest.approx(1 / 11)
    assert level(rows).p_worse == pytest.approx(1 / 121, rel=1e-9)


def _flaky(random: Random, tests: int, grid: int) -> list[Stratum]:
    def side() -> tuple[int, ...]:
        return tuple(random.randint(0, grid) for _ in range(5))

    return [Stratum(side(), side()) for _ in range(tests)]


@pytest.mark.parametrize(
    ("tests", "grid", "exact"),
    [(49, 100, True), (50, 100, False), (300, 1, True), (700, 1, False), (60, 4, True)],
)
def test_the_normal_curve_serves_only_many_tests_that_would_take_long(tests: int, grid: int, *, exact: bool) -> None:
    assert level(_flaky(Random(1), tests, grid)).exact is exact


@pytest.mark.parametrize(("tests", "exact"), [(516, True), (517, False)])
def test_what_takes_long_is_half_of_terms_times_width(tests: int, *, exact: bool) -> None:
    assert (6 * tests * (5 * tests + 1) / 2 <= 4e6) is exact
    assert level([passes(5, 5, 0, 5)] * tests).exact is exact


@pytest.mark.parametrize("shift", [0, 1, 4, 40])
def test_the_normal_curve_is_near_the_exact_one(shift: int) -> None:
    random = Random(shift)
    rows = _flaky(random, 700, 1)
    # A drop: as many of the tests as `shift` says lose what passed.
    rows = [Stratum(row.baseline, (0,) * 5) if i < shift else row for i, row in enumerate(rows)]
    found = level(rows)
    assert not found.exact
    worse, better = summed(Counter(row.pool for row in rows), sum(row.observed for row in rows))
    assert found.p_worse == pytest.approx(float(worse), rel=0.02, abs=1e-6)
    assert found.p_better == pytest.approx(float(better), rel=0.02, abs=1e-6)
    assert found.p_worse + found.p_better > 1  # half a step: the observed sum belongs to both tails


def test_floats_that_differ_only_by_the_order_of_additions_are_equal() -> None:
    cells: list[Cell] = [((0.1 + 0.2, 0.3), (0.3, 0.2 + 0.1)), ((0.3,) * 3, (0.3,) * 3)]
    assert level(_strata(cells)) == Tail(1.0, 1.0, informative=0)
    assert effect(cells).delta == pytest.approx(0, abs=1e-15)
    assert effect([((0.1,) * 3, (0.1,) * 7)]).delta == 0


shares = st.lists(st.floats(0, 1), min_size=2, max_size=5).map(tuple)


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=6), st.randoms())
def test_the_effect_does_not_depend_on_the_order(cells: list[Cell], random: Random) -> None:
    shuffled = [(tuple(random.sample(b, len(b))), tuple(random.sample(c, len(c)))) for b, c in cells]
    random.shuffle(shuffled)
    assert effect(shuffled) == effect(cells)


def test_an_effect_without_noise_is_not_certain() -> None:
    size = effect([_cell("111", "111")] * 10)
    assert size.delta == 0
    assert size.se == pytest.approx((1 / 3) ** 0.5 / 10)  # half an attempt a cell: 6 / (2 * 9)


def test_one_attempt_on_a_side_takes_the_variance_of_both() -> None:
    # 1/4 of (1, 1, 0, 1), times 4/3; and half an attempt: 4/6.
    assert effect([_cell("110", "1")]).se == pytest.approx(1)
    assert effect([_cell("1", "110")]).se == pytest.approx(1)


def test_an_interval_stays_within_what_a_change_can_be() -> None:
    assert Effect(0.9, 0.5, 1).interval(0.95)[1] == 1.0
    assert Effect(-0.9, 0.5, 1).interval(0.95)[0] == -1.0
    low, high = Effect(0.0, 0.1, 1).interval(0.99)
    assert (low, high) == pytest.approx((-0.2575829304, 0.2575829304))


@pytest.mark.parametrize("cells", [[], [((), (1.0,))], [((1.0,), ())]])
def test_an_effect_needs_scores_on_both_sides(cells: list[Cell]) -> None:
    with pytest.raises(ValueError, match="expected at least one"):
        effect(cells)
