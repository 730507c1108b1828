import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.artifact.samples import error_row, row

from llm_testbench.artifact.model import Row, Stat
from llm_testbench.artifact.stats import discriminates, spread, stats


def one(*rows: Row) -> Stat:
    (found,) = stats(rows)
    return found


def test_a_stat_is_a_test_over_models() -> None:
    found = one(row(model="a", score=1.0), row(model="b", score=0.5), row(model="c", score=0.0))

    assert found == Stat("greeting", "language", "politeness", mean=0.5, spread=1.0, unstable=False, truncated=0)


def test_models_weigh_the_same_whatever_their_attempts() -> None:
    many = [row(model="a", attempt=n, score=0.0) for n in range(9)]

    assert one(*many, row(model="b", score=1.0)).mean == 0.5


def test_the_spread_is_between_means_of_models_and_not_of_attempts() -> None:
    rows = [row(model=model, attempt=n, score=score) for model in "ab" for n, score in enumerate((0.0, 1.0))]

    found = one(*rows)

    assert (found.spread, found.unstable) == (0.0, True)


def test_one_model_has_no_spread() -> None:
    assert one(row(), error_row(model="b")).spread is None


def test_a_test_that_nobody_was_scored_on_has_no_mean() -> None:
    found = one(error_row(), error_row(model="b"))

    assert (found.mean, found.spread) == (None, None)


def test_confirm_rows_and_the_other_side_do_not_change_statistics() -> None:
    rows = [row(), row(attempt=1, phase="confirm", score=0.0), row(attempt=2, side="baseline", score=0.0)]

    assert stats(rows) == stats(rows[:1])


def test_truncated_attempts_are_summed_over_models() -> None:
    assert one(row(truncated=True), row(model="b", truncated=True), row(model="c")).truncated == 2


def test_tests_are_sorted_by_id() -> None:
    assert [stat.test_id for stat in stats([row("b"), row("a"), row("c")])] == ["a", "b", "c"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_statistics_stay_within_0_and_1(scores: list[float]) -> None:
    found = one(*(row(model=f"m{n}", score=score) for n, score in enumerate(scores)))

    assert found.mean is not None
    assert min(scores) - 1e-12 <= found.mean <= max(scores) + 1e-12
    assert 0 <= found.mean <= 1
    assert found.spread is None or 0 <= found.spread <= 1


@pytest.mark.parametrize(
    ("means", "told_apart"),
    [
        pytest.param([0.9, 0.9], False, id="equal"),
        pytest.param([0.95, 0.91], False, id="below"),
        pytest.param([0.95, 0.9], True, id="0.05, which floats make 0.04999…"),
        pytest.param([0.0, 1.0], True, id="far apart"),
        pytest.param([0.5], False, id="one model"),
        pytest.param([], False, id="none"),
    ],
)
def test_a_test_discriminates_from_a_spread_of_0_05(means: list[float], *, told_apart: bool) -> None:
    assert discriminates(spread(means)) == told_apart
