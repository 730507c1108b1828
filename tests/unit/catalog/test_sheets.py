"""Sheets for blind solvers hold what a model sees and nothing of what is expected; their answers are marked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.catalog.sheets import marks, sheet

from llm_testbench.sandbox.programs import CLOSED
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test

SUITE = """
category: a
subcategory: b
defaults:
  tools: [{type: function, function: {name: look_up, parameters: {type: object, properties: {term: {type: string}}}}}]
tests:
  - id: sum
    description: A sum of two numbers
    system: You add.
    prompt: What is forty plus two?
    evaluate: {numeric: 42}
    ground_truth: print(6 * 7)
    examples:
      - {response: "the answer of the example, 42", score: 1}
  - id: call
    messages:
      - {role: user, content: "Look it up."}
      - role: assistant
        content: ""
        tool_calls: [{id: c1, type: function, function: {name: look_up, arguments: '{"term": "first"}'}}]
      - {role: tool, tool_call_id: c1, content: "see second"}
    evaluate: {tool_call_args: {name: look_up, args: {term: second-term}}}
  - id: program
    prompt: Print six.
    evaluate: {code: {language: python, stdout: "6"}}
"""


@pytest.fixture
def tests(tmp_path: Path) -> tuple[Test, ...]:
    tmp_path.joinpath("suite.yaml").write_text(SUITE)
    return load(["suite.yaml"], tmp_path)


def test_a_sheet_shows_messages_and_tools_in_their_order(tests: tuple[Test, ...]) -> None:
    text = sheet(tests)
    shown = ("# sum", "look_up", "You add.", "forty plus two", "# call", "Look it up.", "first", "see second", "six")
    places = [text.index(part) for part in shown]
    assert places == sorted(places)


@pytest.mark.parametrize("hidden", ["42", "answer of the example", "6 * 7", "second-term", "numeric", "A sum of"])
def test_a_sheet_tells_nothing_of_what_is_expected(tests: tuple[Test, ...], hidden: str) -> None:
    assert hidden not in sheet(tests)


def test_answers_are_scored_as_a_models_are(tests: tuple[Test, ...], tmp_path: Path) -> None:
    given = [
        {"id": "sum", "response": "no idea"},
        {"id": "sum", "response": "<think>41?</think>It is **42**."},
        {"id": "call", "tool_calls": [{"name": "look_up", "arguments": '{"term": "second-term"}'}]},
        {"id": "program", "response": "print(6)"},
    ]
    path = tmp_path / "anna.jsonl"
    path.write_text("\n".join(map(json.dumps, given)))
    found = marks(tests, path, CLOSED)
    assert [(mark.solver, mark.test.id, mark.passed) for mark in found] == [
        ("anna", "sum", True),
        ("anna", "call", True),
        ("anna", "program", False),
    ]
    assert found[2].value is None


def test_a_test_without_an_answer_gets_nothing(tests: tuple[Test, ...], tmp_path: Path) -> None:
    path = tmp_path / "nobody.jsonl"
    path.write_text("\n")
    assert [mark.value for mark in marks(tests, path, CLOSED)] == [0.0, 0.0, 0.0]


def test_a_line_that_is_no_json_is_named(tests: tuple[Test, ...], tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_text('{"id": "sum", "response": "42"}\n{"id": ')
    with pytest.raises(SystemExit, match=r"torn\.jsonl:2: no JSON"):
        marks(tests, path, CLOSED)
