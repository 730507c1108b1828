"""The exact tests against every way of shuffling labels, and against scipy's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from llm_testbench.compare.statistics.families import benjamini_hochberg, discrete_bh, holm
from llm_testbench.compare.statistics.grid import UNITS, on_grid, unit
from llm_testbench.compare.statistics.level import level
from llm_testbench.compare.statistics.stratum import Stratum, attainable, distribution, floor, p_better, p_worse

scores = st.integers(0, 4)
sides = st.lists(scores, min_size=1, max_size=4).map(tuple)
strata = st.builds(Stratum, sides, sides)
binary = st.lists(st.integers(0, 1), min_size=1, max_size=8).map(tuple)


def sums(stratum: Stratum) -> Counter[int]:
    """How often each sum of current scores comes about, over all choices of the current attempts."""
    pool = stratum.baseline + stratum.current
    return Counter(sum(pool[i] for i in chosen) for chosen in combinations(range(len(pool)), stratum.n_c))


def by_force(cells: Sequence[Stratum]) -> tuple[Fraction, Fraction]:
    observed = sum(sum(one.current) for one in cells)
    worse = better = total = 0
    for picked in product(*(sums(one).items() for one in cells)):
        ways = 1
        for _, count in picked:
            ways *= count
        total += ways
        value = sum(one for one, _ in picked)
        worse += ways * (value <= observed)
        better += ways * (value >= observed)
    return Fraction(worse, total), Fraction(better, total)


@given(strata)
def test_one_test_counts_every_shuffle(stratum: Stratum) -> None:
    worse, better = by_force([stratum])
    assert (p_worse(stratum), p_better(stratum)) == (worse, better)
    assert p_better(stratum) == p_worse(stratum.swapped)
    found, forced = distribution(*stratum.pool), sums(stratum)
    assert {found.start + i * found.step: ways for i, ways in enumerate(found.ways) if ways} == dict(forced)
    assert found.total == comb(stratum.n_b + stratum.n_c, stratum.n_c)


@given(strata)
def test_the_attainable_p_values_are_those_of_all_outcomes(stratum: Stratum) -> None:
    forced = sums(stratum)
    total = sum(forced.values())
    wanted = {Fraction(sum(n for value, n in forced.items() if value <= one), total) for one in forced}
    assert attainable(stratum) == tuple(sorted(wanted))
    assert p_worse(stratum) in wanted
    assert min(wanted) >= floor(stratum.n_b, stratum.n_c)


@given(st.lists(strata, min_size=1, max_size=4))
def test_a_row_counts_every_shuffle_of_all_its_tests(cells: list[Stratum]) -> None:
    worse, better = by_force(cells)
    tail = level(cells)
    assert tail.p_worse == pytest.approx(float(worse), abs=1e-12)
    assert tail.p_better == pytest.approx(float(better), abs=1e-12)
    assert tail.informative == sum(not one.constant for one in cells)
    assert level(cells[::-1]) == tail


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_single_attempts_are_scipys_mcnemar(pairs: list[tuple[int, int]]) -> None:
    down, up = sum(b > c for b, c in pairs), sum(b < c for b, c in pairs)
    tail = level([Stratum((b,), (c,)) for b, c in pairs])
    wanted = 1.0 if not down + up else float(stats.binomtest(down, down + up, 0.5, alternative="greater").pvalue)
    assert tail.p_worse == pytest.approx(wanted, abs=1e-12)


@given(binary, binary)
def test_one_test_of_passes_is_scipys_fisher(before: tuple[int, ...], now: tuple[int, ...]) -> None:
    table = [[sum(before), len(before) - sum(before)], [sum(now), len(now) - sum(now)]]
    wanted = float(stats.fisher_exact(table, alternative="greater").pvalue)
    assert float(p_worse(Stratum(before, now))) == pytest.approx(wanted, abs=1e-9)


@given(sides, sides)
def test_partial_credit_is_scipys_permutation_test(before: tuple[int, ...], now: tuple[int, ...]) -> None:
    if min(len(before), len(now)) < 2:
        return
    found = stats.permutation_test(
        (now, before), lambda x, y, axis: x.sum(axis=axis), vectorized=True, alternative="less", n_resamples=10_000
    )
    assert float(p_worse(Stratum(before, now))) == pytest.approx(float(found.pvalue), abs=1e-9)


def test_a_long_row_is_counted_exactly_and_a_longer_one_nearly() -> None:
    flips = [Stratum((1,), (0,))] * 260 + [Stratum((0,), (1,))] * 240
    wanted = float(stats.binomtest(260, 500, 0.5, alternative="greater").pvalue)
    assert level(flips).exact
    assert level(flips).p_worse == pytest.approx(wanted, abs=1e-10)
    graded = [Stratum(tuple(range(i, i + 60, 7)), tuple(range(i + 3, i + 60, 11))) for i in range(1, 40)] * 60
    tail = level(graded)
    assert not tail.exact
    assert 0 < tail.p_worse <= 1
    assert tail.p_worse + tail.p_better >= 1


def test_rows_without_information_say_nothing() -> None:
    assert (level([]).p_worse, level([]).p_better, level([]).informative) == (1.0, 1.0, 0)
    assert level([Stratum((1, 1), (1,))]).p_worse == 1.0


@pytest.mark.parametrize("empty", [((), (1,)), ((1,), ())])
def test_a_stratum_has_attempts_on_both_sides(empty: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="no attempt on its"):
        Stratum(*empty)


@pytest.mark.parametrize(
    ("values", "steps"),
    [
        ([0, 1], 1), ([0.5], 2), ([1 / 3, 2 / 3], 3), ([0.25], 4), ([0.2], 5), ([1 / 6], 6), ([0.125], 8), ([0.1], 10),
        ([1 / 12], 12), ([0.05], 20), ([0.01], 100), ([0.123], 100), ([], 1), ([1 / 3, 0.25], 12), ([1.5, -1], 1),
    ],
)  # fmt: skip
def test_scores_lie_on_the_coarsest_grid_that_holds_them(values: list[float], steps: int) -> None:
    assert unit(values) == steps
    assert all(0 <= one <= steps for one in on_grid(values, steps))


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_grid_moves_no_score_further_than_half_a_step(values: list[float]) -> None:
    steps = unit(values)
    assert steps in UNITS
    assert all(
        abs(one / steps - value) <= 0.5 / steps + 1e-9
        for one, value in zip(on_grid(values, steps), values, strict=True)
    )


def naive_bh(cells: Sequence[Stratum]) -> Iterator[tuple[float, float]]:
    """Step 5 as it is written: (E0, q) of each stratum with p < 0.5."""
    ps = [p_worse(one) for one in cells]

    def expected(t: Fraction) -> Fraction:
        return sum((max((p for p in attainable(one) if p <= t), default=Fraction(0)) for one in cells), Fraction(0))

    for p in ps:
        reached = [expected(t) / sum(one <= t for one in ps) for t in ps if p <= t < Fraction(1, 2)]
        yield float(expected(p)), float(min(reached)) if reached else 1.0


@given(st.lists(strata, max_size=8))
def test_discrete_bh_is_what_its_definition_says(cells: list[Stratum]) -> None:
    for found, (expected, q), one in zip(discrete_bh(cells), naive_bh(cells), cells, strict=True):
        if p_worse(one) < Fraction(1, 2):
            assert found.expected == pytest.approx(expected, abs=1e-12)
            assert found.q == pytest.approx(min(1.0, q), abs=1e-12)
        else:
            assert (found.q, found.expected) == (1.0, None)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_never_below_p_and_keeps_their_order(ps: list[float]) -> None:
    adjusted = holm(ps)
    assert all(p <= found <= 1 for p, found in zip(ps, adjusted, strict=True))
    assert [adjusted[i] for i in sorted(range(len(ps)), key=ps.__getitem__)] == sorted(adjusted)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_benjamini_hochberg_is_scipys(ps: list[float]) -> None:
    found = benjamini_hochberg(dict(enumerate(ps)), len(ps))
    assert list(found.values()) == pytest.approx(list(stats.false_discovery_control(ps)), abs=1e-12)


def test_a_family_holds_all_its_members() -> None:
    with pytest.raises(ValueError, match="family of 1 tests cannot hold 2"):
        benjamini_hochberg({"a": 0.1, "b": 0.2}, 1)
