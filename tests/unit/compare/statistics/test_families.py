"""Families of rows reject what the procedures reject as their authors state them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.compare.statistics.enumeration import passes

from llm_testbench.compare.statistics.families import Standing, benjamini_hochberg, discrete_bh, holm
from llm_testbench.compare.statistics.stratum import Stratum

probabilities = st.floats(1e-6, 1)


def test_a_p_of_one_half_never_stands_out() -> None:
    assert discrete_bh([passes(1, 1, 0, 1)] * 3) == (Standing(0.5, 1.0, None),) * 3


def test_families_of_nothing() -> None:
    assert holm([]) == ()
    assert benjamini_hochberg({}, 0) == {}
    assert discrete_bh([]) == ()


def test_no_adjusted_p_exceeds_1() -> None:
    assert holm([0.9, 0.6]) == (1.0, 1.0)
    assert benjamini_hochberg({"a": 0.5}, 10) == {"a": 1.0}


@given(st.lists(probabilities, min_size=1, max_size=8), st.floats(0.001, 0.2))
def test_holm_rejects_what_stepping_down_rejects(ps: Sequence[float], alpha: float) -> None:
    ordered = sorted(ps)
    kept = next((rank for rank, p in enumerate(ordered) if (len(ps) - rank) * p > alpha), len(ps))
    limit = ordered[kept] if kept < len(ps) else 2.0
    assert [p <= alpha for p in holm(ps)] == [p < limit for p in ps]


@given(st.lists(probabilities, min_size=1, max_size=8), st.integers(0, 50), st.floats(0.001, 0.2))
def test_benjamini_hochberg_rejects_what_stepping_up_rejects(ps: Sequence[float], more: int, alpha: float) -> None:
    m = len(ps) + more
    kept = max((rank for rank, p in enumerate(sorted(ps), 1) if m * p / rank <= alpha), default=0)
    limit = sorted(ps)[kept - 1] if kept else 0.0
    adjusted = benjamini_hochberg(dict(enumerate(ps)), m)
    assert [adjusted[i] <= alpha for i in range(len(ps))] == [p <= limit for p in ps]


scores = st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple)


@given(st.lists(st.builds(Stratum, scores, scores), min_size=1, max_size=6), st.randoms())
def test_the_order_of_tests_changes_nothing(strata: list[Stratum], random: Random) -> None:
    before = dict(zip(map(id, strata), discrete_bh(strata), strict=True))
    shuffled = list(strata)
    random.shuffle(shuffled)
    assert discrete_bh(shuffled) == tuple(before[id(one)] for one in shuffled)
