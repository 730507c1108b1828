"""One test: what holds for every stratum, and hundreds of attempts."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.compare.statistics.enumeration import passes

from llm_testbench.compare.statistics.stratum import Stratum, attainable, distribution, floor, p_better, p_worse

scores = st.lists(st.integers(0, 6), min_size=1, max_size=5).map(tuple)
strata = st.builds(Stratum, scores, scores)


@pytest.mark.parametrize(
    ("n_b", "n_c", "p"),
    [(1, 1, 0.5), (2, 2, 1 / 6), (3, 3, 0.05), (5, 5, 1 / 252), (15, 1, 0.0625), (15, 3, 1 / 816), (25, 5, 1 / 142506)],
)
def test_the_floor_is_the_p_of_a_total_break(n_b: int, n_c: int, p: float) -> None:
    assert float(floor(n_b, n_c)) == p
    assert floor(n_b, n_c) == p_worse(passes(n_b, n_b, 0, n_c))


@given(strata)
def test_a_distribution_begins_and_ends_with_sums_that_can_come_about(stratum: Stratum) -> None:
    ways = distribution(*stratum.pool).ways
    assert min(ways[0], ways[-1]) > 0


@given(strata, st.integers(-3, 3), st.integers(1, 5))
def test_moving_or_stretching_all_scores_changes_no_p(stratum: Stratum, offset: int, factor: int) -> None:
    moved = Stratum(
        tuple(offset + factor * score for score in stratum.baseline),
        tuple(offset + factor * score for score in stratum.current),
    )
    assert (p_worse(moved), p_better(moved)) == (p_worse(stratum), p_better(stratum))
    assert attainable(moved) == attainable(stratum)


@pytest.mark.parametrize(
    ("baseline", "current", "constant"),
    [((1,), (1,), True), ((0, 0), (0,), True), ((1, 1), (1, 0), False), ((0,), (1,), False)],
)
def test_equal_scores_are_constant_and_prove_nothing(
    baseline: tuple[int, ...], current: tuple[int, ...], *, constant: bool
) -> None:
    stratum = Stratum(baseline, current)
    assert stratum.constant is constant
    if constant:
        assert p_worse(stratum) == p_better(stratum) == 1


def test_ten_recordings_of_a_hundred_attempts_are_counted_exactly() -> None:
    stratum = passes(1000, 1000, 0, 100)
    assert p_worse(stratum) == floor(1000, 100)
    graded = Stratum((4,) * 999 + (3,), (3, 1, 0))
    assert p_worse(graded) == Fraction(1, comb(1003, 3)) * 2  # the other 3 in place of this one gives the same sum


@pytest.mark.parametrize(("n_b", "n_c"), [(1000, 100), (100, 1000), (100, 100), (300, 300)])
def test_hundreds_of_finely_graded_attempts_a_side_are_shuffled_in_blocks(n_b: int, n_c: int) -> None:
    baseline = tuple(60 + i * 37 % 41 for i in range(n_b))
    pool, blocks = Stratum(baseline, (50,) * n_c).pool
    assert 10 <= min(blocks, len(pool) - blocks) < min(n_b, n_c)
    assert p_worse(Stratum(baseline, (50,) * n_c)) == Fraction(1, comb(len(pool), blocks))
    same = Stratum(baseline, tuple(60 + i * 37 % 41 for i in range(n_c)))
    assert 0.2 < p_worse(same) < 0.8


def test_a_side_of_fewer_than_twenty_attempts_is_never_cut_into_blocks() -> None:
    pool, now = Stratum(tuple(i % 101 for i in range(3000)), tuple(range(19))).pool
    assert (len(pool), now) == (3019, 19)


@settings(max_examples=20)
@given(st.integers(0, 40), st.integers(21, 60))
def test_blocks_lose_no_score_but_those_of_one_that_is_not_full(score: int, n: int) -> None:
    stratum = Stratum((score, 100, *((0,) * (n - 2))), (score, *((100,) * (n - 1))))
    each = n // stratum.pool[1]
    assert stratum.observed == sum(stratum.current[: n // each * each])
    assert sum(stratum.pool[0]) == stratum.observed + sum(stratum.baseline[: n // each * each])
