"""Means and variances are the same in whatever order attempts came in, so that ties are ties."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.compare.statistics.spread import mean, variance

SCORES = st.lists(st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 0.7, 1.0]) | st.floats(0, 1), min_size=2, max_size=6)


@given(scores=SCORES, data=st.data())
def test_order_changes_nothing(scores: list[float], data: st.DataObject) -> None:
    other = data.draw(st.permutations(scores))
    assert (mean(other), variance(other)) == (mean(scores), variance(scores))


@given(score=st.floats(0, 1), times=st.integers(2, 30))
def test_equal_values_have_that_mean_and_no_variance(score: float, times: int) -> None:
    assert (mean([score] * times), variance([score] * times)) == (score, 0.0)
