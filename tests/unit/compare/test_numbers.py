"""Figures in sentences."""

from __future__ import annotations

import pytest

from llm_testbench.compare.numbers import apart, count, percent, score


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        (0.5, 0.8, ("0.50", "0.80")),
        (0.7999, 0.8, ("0.7999", "0.8000")),
        (0.8, 0.8, ("0.800000", "0.800000")),
    ],
)
def test_two_scores_are_told_apart(first: float, second: float, shown: tuple[str, str]) -> None:
    assert apart(first, second) == shown


@pytest.mark.parametrize(
    ("rate", "shown"), [(0, "0 %"), (1, "100 %"), (0.614, "61 %"), (0.999, "99.9 %"), (0.0004, "0.0 %"), (0.9, "90 %")]
)
def test_percent_does_not_round_what_is_missing_away(rate: float, shown: str) -> None:
    assert percent(rate) == shown


def test_count_knows_its_plural() -> None:
    assert [count(1, "test"), count(2, "test"), count(0, "match", "matches")] == ["1 test", "2 tests", "0 matches"]


def test_only_a_full_score_shows_as_one() -> None:
    assert [score(0.853), score(0.997), score(1 - 1e-12), score(1.0)] == ["0.85", "0.99", "1.00", "1.00"]
