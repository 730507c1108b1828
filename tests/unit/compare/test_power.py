"""What a run could have seen, and what it would take."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact

from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import WORSE, ComparedRow, Side, Status
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.power import attempts_needed, settle_rows


def blind(before: int, now: int, tests: int, options: GateOptions | None = None, **meta: Any) -> str:
    base = artifact({f"t{number}": [1.0] * before for number in range(tests)})
    current = artifact({f"t{number}": [1.0] * now for number in range(tests)}, **meta)
    return compare(base, current, options or GateOptions()).blind


@pytest.mark.parametrize(
    ("before", "now", "tests", "words"),
    [
        (10, 3, 250, ""),  # the others are constant: one test that breaks has nobody beside it
        (
            3,
            3,
            250,
            "3 attempts before and 3 now cannot prove one broken test (9 a side can, or asking again with 4 before)",
        ),
        (3, 3, 1, "3 attempts before and 3 now cannot prove one broken test (5 a side can, or asking again)"),
        (
            1,
            1,
            10,
            "1 attempt before and 1 now cannot prove one broken test (7 a side can, or asking again with 3 before)",
        ),
        (5, 5, 250, ""),
    ],
)
def test_a_run_that_nobody_could_ask_again(before: int, now: int, tests: int, words: str) -> None:
    assert blind(before, now, tests) == words


def test_where_runs_are_compared_no_number_of_attempts_would_do() -> None:
    said = blind(10, 3, 20, GateOptions(exchange="run"), role="gate")
    assert said == "1 run before and 1 now cannot prove one broken test (runs are compared, see exchange)"


def test_a_gate_that_may_spend_nothing_decides_by_what_it_has() -> None:
    base = artifact({f"t{number}": [1.0] * 10 for number in range(250)})
    broken: dict[tuple[str, str] | str, list[float]] = {
        f"t{number}": [1.0 if number else 0.0] * 5 for number in range(250)
    }

    found = compare(base, artifact(broken, role="gate"), GateOptions(confirm_budget=0))

    assert next(row.status for row in found.tests if row.test_id == "t0") in WORSE


@pytest.mark.parametrize(("before", "seen"), [(10, True), (3, False)])
def test_asking_again_sees_what_stage_1_cannot(before: int, seen: bool) -> None:
    assert (blind(before, 3, 250, role="gate") == "") == seen


def test_where_tests_do_not_gate_none_is_missed() -> None:
    assert blind(1, 1, 10, GateOptions(gate_levels=("model",))) == ""


@pytest.mark.parametrize(("before", "tests", "needed"), [(1, 250, 9), (12, 250, 12), (1, 1, 5), (1, 10**60, None)])
def test_attempts_that_prove_a_broken_test(before: int, tests: int, needed: int | None) -> None:
    assert attempts_needed(before, tests, 0.01) == needed


@pytest.mark.parametrize(
    ("mde", "delta", "words"),
    [
        (0.04, -0.02, "about 12 attempts of each test on both sides would see a drop of this size in 4 of 5 runs"),
        (0.04, -0.05, "run it again: a drop of this size is seen in 4 of 5 runs"),
        (0.9, -0.01, "more tests: 100 attempts each would not be enough"),
    ],
)
def test_what_would_settle_a_suspected_row(mde: float, delta: float, words: str) -> None:
    row = ComparedRow(Status.SUSPECTED, Side(1.0, 9), Side(1.0 + delta, 9), delta, "chat", mde=mde)
    assert settle_rows(row, repeat=3) == words
