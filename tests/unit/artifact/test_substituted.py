"""Answers by another model than most attempts of a name and side got."""

from __future__ import annotations

import pytest
from tests.unit.artifact.samples import error_row, row

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.build import marked
from llm_testbench.artifact.stats import stats


def outcomes_of(*served: str | None) -> list[str]:
    rows = [row(attempt=n, served_model=name) for n, name in enumerate(served)]
    return [found.outcome.value for found in marked(rows)]


def test_an_attempt_by_another_model_than_most_is_an_error() -> None:
    found = marked([row(attempt=n, served_model=name) for n, name in enumerate("aab")])[2]

    assert found.outcome is Outcome.SUBSTITUTED
    assert found.error == "answered by 'b'; most attempts were by 'a'"
    assert (found.scored, found.score, found.passed) == (False, 0.0, False)


@pytest.mark.parametrize(
    ("served", "outcomes"),
    [
        pytest.param("aaa", "aaa", id="all the same"),
        pytest.param("ab", "ab", id="no majority of two"),
        pytest.param("aabc", "aabc", id="half is no majority"),
        pytest.param("aaabc", "aaa--", id="two others"),
    ],
)
def test_only_a_majority_tells_who_is_the_other(served: str, outcomes: str) -> None:
    found = outcomes_of(*served)

    assert found == ["substituted" if sign == "-" else "answered" for sign in outcomes]


def test_attempts_that_do_not_say_who_answered_are_left_alone() -> None:
    assert outcomes_of("a", "a", "b", None, "") == ["answered"] * 2 + ["substituted"] + ["answered"] * 2


def test_it_is_decided_over_all_tests_of_a_model() -> None:
    rows = [row("t1", served_model="a"), row("t2", served_model="a"), row("t3", served_model="b")]

    assert [found.outcome.value for found in marked(rows)] == ["answered", "answered", "substituted"]


def test_each_model_and_side_has_its_own_majority() -> None:
    rows = [
        *(row(attempt=n, served_model="a") for n in range(2)),
        *(row(attempt=n, side="baseline", served_model="b") for n in range(2)),
        *(row(model="other", attempt=n, served_model="c") for n in range(2)),
    ]

    assert {found.outcome.value for found in marked(rows)} == {"answered"}


def test_failed_calls_have_no_vote_and_stay_as_they_are() -> None:
    rows = [*(error_row(attempt=n, served_model="b") for n in range(3)), row(attempt=3, served_model="a")]

    assert [found.outcome.value for found in marked(rows)] == ["server"] * 3 + ["answered"]


def test_a_long_name_does_not_make_a_long_message() -> None:
    rows = [*(row(attempt=n, served_model="a") for n in range(2)), row(attempt=2, served_model="b" * 10_000)]

    error = marked(rows)[2].error

    assert error is not None
    assert len(error) < 300


def test_it_counts_in_statistics_no_more() -> None:
    rows = [*(row(attempt=n, served_model="a") for n in range(2)), row(attempt=2, served_model="b", score=0.0)]

    assert stats(marked(rows))[0].mean == 1.0


class TestAskedAgain:
    def served(self, main: str, confirm: str) -> list[bool]:
        """Which rows stay scored, the planned ones first."""
        rows = [row(attempt=n, served_model=name) for n, name in enumerate(main)]
        rows += [row(attempt=len(main) + n, phase="confirm", served_model=name) for n, name in enumerate(confirm)]
        return [found.scored for found in marked(rows)]

    def test_the_planned_attempts_say_who_is_usual(self) -> None:
        assert self.served("aa", "bbbb") == [True] * 2 + [False] * 4

    def test_where_nobody_was_nobody_is(self) -> None:
        assert self.served("ab", "aaaab") == [True] * 7

    def test_a_side_that_was_not_planned_has_its_own_majority(self) -> None:
        rows = [row(attempt=n, side="baseline", phase="confirm", served_model=name) for n, name in enumerate("aab")]
        rows += [row(attempt=n, served_model="b") for n in range(3)]

        assert [found.scored for found in marked(rows)] == [True, True, False] + [True] * 3


def test_a_long_served_name_is_cut_with_a_mark_that_the_redaction_knows() -> None:
    usual, other = "u" * 200, "o" * 120
    rows = tuple(row(attempt=n, served_model=name) for n, name in enumerate([usual, usual, other]))

    error = marked(rows)[2].error

    assert error == f"answered by '{'o' * 120}'; most attempts were by '{'u' * 119}…'"
