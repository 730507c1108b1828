"""The report of `llmtest list`."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.report.views.shown import shown

from llm_testbench.errors import Place
from llm_testbench.evaluators import registry
from llm_testbench.report.views import tests_list
from llm_testbench.suite.model import Test


def suite_test(test_id: str, **changes: Any) -> Test:
    check = {"equals": "yes"}
    fields: dict[str, Any] = {
        "id": test_id,
        "category": "cat",
        "subcategory": "sub",
        "description": "what it asks",
        "tags": (),
        "models": None,
        "messages": ({"role": "user", "content": "x"},),
        "tools": (),
        "parameters": {},
        "max_tokens": None,
        "rev": 1,
        "must_pass": False,
        "quarantine": False,
        "check": check,
        "evaluator": registry.build(check),
        "check_hash": "x",
        "ground_truth": None,
        "examples": (),
        "suite_file": "evals/x.yaml",
        "place": Place("evals/x.yaml", 7, 3),
        "check_place": Place("evals/x.yaml", 9, 3),
    }
    return Test(**(fields | changes))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "t  cat/sub  evals/x.yaml:7  what it asks"),
        ({"tags": ("smoke", "slow")}, "t  cat/sub  smoke slow  evals/x.yaml:7  what it asks"),
        ({"tags": ("smoke",), "must_pass": True}, "t  cat/sub  smoke must pass  evals/x.yaml:7  what it asks"),
        (
            {"must_pass": True, "quarantine": True},
            "t  cat/sub  must pass, quarantined  evals/x.yaml:7  what it asks",
        ),
        ({"subcategory": "", "place": Place("x"), "description": ""}, "t  cat  evals/x.yaml"),
    ],
)
def test_a_line_a_test(changes: dict[str, Any], line: str) -> None:
    assert line in shown(tests_list.tests_report([suite_test("t", **changes)])).splitlines()


def test_the_last_line_counts() -> None:
    tests = [suite_test("a"), suite_test("b", category="other")]
    assert shown(tests_list.tests_report(tests)).endswith("2 tests in 2 categories")
