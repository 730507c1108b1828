"""Intervals of a rate, pass@k and pass^k."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.compare.statistics.reliability import pass_at, pass_hat, wilson


@given(st.integers(1, 7), st.data())
def test_they_are_shares_of_all_choices(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    chosen = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at(n, c, k) == Fraction(sum(map(any, chosen)), len(chosen))
    assert pass_hat(n, c, k) == Fraction(sum(map(all, chosen)), len(chosen))


def test_nothing_seen_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 40), st.data(), st.floats(0.5, 0.99))
def test_the_interval_holds_the_rate_and_mirrors(n: int, data: st.DataObject, level: float) -> None:
    k = data.draw(st.integers(0, n))
    low, high = wilson(k, n, level)
    assert 0 <= low <= k / n <= high <= 1
    assert (low == 0, high == 1) == (k == 0, k == n)
    assert wilson(n - k, n, level) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize(
    "use",
    [
        lambda: wilson(4, 3),
        lambda: wilson(-1, 3),
        lambda: pass_at(3, 4, 1),
        lambda: pass_hat(3, -1, 1),
        lambda: pass_at(3, 2, 4),
        lambda: pass_hat(3, 2, 0),
    ],
)
def test_impossible_counts(use: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="attempts cannot"):
        use()
