"""How sure a row is, in words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.compare.artifacts import artifact

from llm_testbench.compare.model import AskedAgain, ComparedRow, Side, Status
from llm_testbench.report.views.certainty import (
    before_and_now,
    by_shuffling,
    change,
    graded,
    of_test,
    often,
    sentence,
)


def of(before: Side | None, now: Side | None, **fields: Any) -> ComparedRow:
    both = before is not None and now is not None and before.mean is not None and now.mean is not None
    delta = now.mean - before.mean if both else None  # type: ignore[union-attr, operator]
    status = fields.pop("status", Status.STABLE)
    return ComparedRow(status, before, now, delta, "chat", test_id="t", **fields)


def wide(delta: float, **fields: Any) -> ComparedRow:
    return ComparedRow(Status.STABLE, Side(0.9, 250), Side(0.9 + delta, 250), delta, "chat", **fields)


@pytest.mark.parametrize(
    ("before", "now", "shown"),
    [
        (Side(1.0, 3), Side(0.0, 3), "3 of 3 → 0 of 3"),
        (Side(0.7, 10), Side(1 / 3, 3), "7 of 10 → 1 of 3"),
        (Side(0.8333, 3), Side(0.5, 3), "0.83 over 3 → 0.50 over 3"),
        (Side(1.0, 3), Side(0.5, 3), "1.00 over 3 → 0.50 over 3"),
        (None, Side(1.0, 3), "3 of 3"),
        (Side(1.0, 3), Side(None, 0), "3 of 3 → –"),
        (Side(1.0, 3), None, "3 of 3 → –"),
    ],
)
def test_zeros_and_ones_are_counted_and_grades_averaged(before: Side | None, now: Side | None, shown: str) -> None:
    assert before_and_now(of(before, now), frozenset()) == shown


def test_grades_whose_sum_is_whole_are_no_count() -> None:
    halves = of(Side(1.0, 2), Side(0.5, 2))
    assert before_and_now(halves, graded(None, artifact({"t": [0.5, 0.5]}))) == "1.00 over 2 → 0.50 over 2"
    assert before_and_now(halves, graded(artifact({"t": [1.0, 0.0], "u": [0.5]}), None)) == "2 of 2 → 1 of 2"


def test_accepted_scores_are_averaged_and_called_accepted() -> None:
    row = of(Side(0.5, 4), Side(0.0, 3), badges=("accepted",))
    assert before_and_now(row, frozenset()) == "accepted 0.50 over 4 → 0.00 over 3"


def test_a_change_stands_with_its_interval() -> None:
    assert change(wide(-0.042, ci=(-0.07, -0.014)), " points") == "−4.2 points, between −7.0 and −1.4"
    assert change(wide(0.01, ci=(-1.0, 0.1))) == "+1.0, between −100 and +10.0"
    assert change(wide(-0.5)) == "−50.0"
    assert change(of(None, Side(1.0, 1), ci=(0, 1))) == "–"


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (1 / 252, "in 1 of 252 cases"),
        (1 / 10_000, "in 1 of 10,000 cases"),
        (1 / 10_001, "in less than 1 of 10,000 cases"),
        (0.0, "in less than 1 of 10,000 cases"),
        (0.019, "in 1.9 % of cases"),
        (13 / 126, "in 10 % of cases"),
        (0.34, "in 34 % of cases"),
        (0.5, "in 50 % of cases"),
        (1.0, "in 100 % of cases"),
    ],
)
def test_how_often(p: float, words: str) -> None:
    assert often(p) == words


@given(st.floats(0, 1))
def test_every_probability_has_words(p: float) -> None:
    assert often(p).startswith("in ")
    assert often(p).endswith(" cases")


@pytest.mark.parametrize(
    ("row", "looked_at", "words"),
    [
        (wide(-0.02, p_worse=0.019), 1, "shuffling before and after gives a drop this large in 1.9 % of cases"),
        (
            wide(-0.02, p_worse=0.019, p_adj=0.057),
            3,
            "shuffling before and after gives a drop this large in 1.9 % of cases, "
            "and in 5.7 % of cases with 3 rows looked at",
        ),
        (
            wide(-0.02, p_worse=0.00001, p_adj=0.00001),
            3,
            "shuffling before and after gives a drop this large in less than 1 of 10,000 cases",
        ),
        (
            wide(0.02, p_worse=0.99, p_better=0.03, p_adj=1.0),
            3,
            "shuffling before and after gives a rise this large in 3 % of cases",
        ),
        (wide(0.0, p_worse=0.6), 1, ""),
        (wide(-0.02), 1, ""),
    ],
)
def test_a_row_over_several_tests_is_explained_by_shuffling(row: ComparedRow, looked_at: int, words: str) -> None:
    assert by_shuffling(row, looked_at) == words


BROKEN = (Side(1.0, 10), Side(0.0, 3))


def asked(now: Side, before: Side | None = None, *, needed: int = 5, **fields: Any) -> AskedAgain:
    return AskedAgain("both" if before else "current", needed, now, before, **fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"expected": 0.0412}, "chance alone would give 0.04 such tests"),
        ({"expected": 0.00001}, "chance alone would give less than 0.0001 such tests"),
        ({"expected": 12.4}, "chance alone would give 12 such tests"),
        (
            {"asked": asked(Side(0.0, 5), Side(1.0, 5), p=1 / 252), "badges": ("prompt changed",), "expected": 1.0},
            "asked again: 0 of 5 passed now, 5 of 5 with the old prompt; chance alone would do that in 1 of 252 cases",
        ),
        (
            {"asked": asked(Side(0.0, 5), Side(1.0, 5), p=1 / 252)},
            "asked again: 0 of 5 passed now, 5 of 5 with the baseline's model; "
            "chance alone would do that in 1 of 252 cases",
        ),
        (
            {"asked": asked(Side(0.0, 5), p=1 / 43758)},
            "asked again: 0 of 5 passed; "
            "with all answers counted, chance alone would do that in less than 1 of 10,000 cases",
        ),
        ({"asked": asked(Side(1.0, 1))}, "asked again: 1 of 1 passed; no more than chance does"),
        (
            {"asked": asked(Side(0.0, 2)), "status": Status.SUSPECTED},
            "asked again: 0 of 2 passed; it takes 5 answers to decide",
        ),
        (
            {"asked": asked(Side(0.5, 2), Side(0.0, 1), note="the old prompt fails, too"), "status": Status.SUSPECTED},
            "asked again: 1 of 2 passed now, 0 of 1 with the baseline's model; the old prompt fails, too",
        ),
        (
            {"asked": asked(Side(0.0, 1), Side(None, 0)), "status": Status.SUSPECTED},
            "asked again: 0 of 1 passed; it takes 5 answers to decide",
        ),
        (
            {"asked": asked(Side(0.31, 3), Side(1.0, 3), p=0.05)},
            "asked again: 0.31 over 3 now, 1.00 over 3 with the baseline's model; "
            "chance alone would do that in 1 of 20 cases",
        ),
        (
            {"asked": asked(Side(None, 0)), "status": Status.SUSPECTED},
            "asked again: no answer could be scored; it takes 5 answers to decide",
        ),
        (
            {"asked": asked(Side(None, 0), note="it was not asked again, for a reason"), "status": Status.SUSPECTED},
            "it was not asked again, for a reason",
        ),
    ],
)
def test_a_test_is_explained_by_asking_again_or_by_what_chance_would_give(fields: dict[str, Any], words: str) -> None:
    assert of_test(of(*BROKEN, **fields), frozenset()) == words


def test_words_become_a_sentence() -> None:
    assert sentence("record with repeat 10") == "Record with repeat 10."
    assert sentence("Done.") == "Done."
