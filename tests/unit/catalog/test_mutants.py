"""The check of the catalog that changes expected values: what it changes, and that it sees what validate sees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.catalog.mutants import caught, mutants
from tests.sandbox.toolchains import toolchain_path

from llm_testbench.json_value import JSON
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.sandbox.workshop import Mode, opened
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test

SUITE = """
category: a
subcategory: b
tests:
  - id: sum
    prompt: What is 40 + 2?
    evaluate: {evaluate}
    {ground_truth}
    examples:
      - {{response: "42", score: 1}}
      - {{response: "41", score: 0}}
"""


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with opened(Mode.REQUIRE, toolchain_path()) as found:
        assert found.refusal == ""
        yield found.workshop


def suite(folder: Path, evaluate: str, ground_truth: str = "") -> Test:
    folder.joinpath("suite.yaml").write_text(SUITE.format(evaluate=evaluate, ground_truth=ground_truth))
    (test,) = load(["suite.yaml"], folder)
    return test


@pytest.mark.parametrize(
    ("evaluate", "changes"),
    [
        ("{numeric: 42}", [(42, 43)]),
        ("{numeric: {expected: 42, abs_tol: 0.2, pick: first}}", [(42, 42.5)]),
        ("{numeric: {expected: 42, rel_tol: 0.01}}", [(42, 43.05)]),
        ('{numeric: "12:30"}', [("12:30", "12:31")]),
        ('{numeric: "2024-05-29"}', [("2024-05-29", "2024-05-20")]),
        ("{equals: {expected: word, collapse_space: true}}", [("word", "wordq")]),
        ("{one_of: [yes, yes1]}", [("yes", "yesq"), ("yes1", "yes2")]),
        ("{regex: {pattern: '^a', flags: i}}", [("^a", "^aq")]),
        ("{json_fields: {a.b: true, path: null}}", [(True, False), (None, "q")]),
        ("{json_field: {path: a1, expected: {x: 1}}}", [(1, 2)]),
        ("{json_array: {expected: [1, x], ordered: false}}", [(1, 2), ("x", "xq")]),
        ("{json_schema: {type: object, required: [a1], maxProperties: 1}}", [("a1", "a2")]),
        ("{tool_call_args: {name: f, args: {n: {any_of: [1, 2]}}, exact: true}}", [("f", "fq"), (1, 2), (2, 3)]),
        ("{mean: [{numeric: 42, weight: 2}, {all: [{contains_all: [x]}]}]}", [(42, 43), ("x", "xq")]),
        ("{code: {language: python, stdin: '1', stdout: \"a\\n2\"}}", [("a\n2", "a\n3")]),
        (
            "{sql: {setup: 'CREATE TABLE t (a)', query_check: 'SELECT a FROM t LIMIT 1;'}}",
            [("SELECT a FROM t LIMIT 1;", "SELECT * FROM (SELECT a FROM t LIMIT 1) LIMIT -1 OFFSET 1")],
        ),
        ("{no_tool_called: true}", []),
    ],
)
def test_each_expected_value_is_changed_once_and_nothing_else(
    tmp_path: Path, evaluate: str, changes: list[tuple[JSON, JSON]]
) -> None:
    assert [(mutant.was, mutant.now) for mutant in mutants(suite(tmp_path, evaluate))] == changes


@pytest.mark.parametrize(
    ("evaluate", "ground_truth", "examples", "truth", "noticed"),
    [
        pytest.param("{numeric: 42}", "ground_truth: print(6 * 7)", False, True, True, id="by the ground truth"),
        pytest.param("{numeric: 42}", "ground_truth: print(6 * 7)", True, False, True, id="by the examples"),
        pytest.param("{numeric: 42}", "ground_truth: print(6 * 7)", False, False, False, id="by neither"),
        pytest.param("{numeric: 42}", "", False, True, False, id="without a ground truth"),
        pytest.param("{mean: [{numeric: 42}, {not_contains: [43]}]}", "", True, False, False, id="a value in reserve"),
    ],
)
def test_a_change_counts_as_noticed_when_validate_tells_more_than_before(
    tmp_path: Path, workshop: Workshop, evaluate: str, ground_truth: str, examples: bool, truth: bool, noticed: bool
) -> None:
    found = list(mutants(suite(tmp_path, evaluate, ground_truth)))
    assert caught(found, workshop, examples=examples, ground_truth=truth)[-1] == noticed
