"""Examples become the answers that a check would see, with the score it must give."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.suite.suites import HEAD, faults_of, load_one

from llm_testbench.answer.model import ToolCall
from llm_testbench.errors import Place

BODY = "id: a\n    prompt: x\n    evaluate: {equals: x}\n"


def test_an_example_is_normalised_as_an_answer_is(tmp_path: Path) -> None:
    test = load_one(tmp_path, BODY + '    examples:\n      - {response: "<think>hm</think> x ", score: 1}\n')
    (example,) = test.examples
    assert (example.answer.text, example.score, example.place) == ("x", 1.0, Place("s.yaml", 8, 9))


def test_an_example_may_be_an_empty_answer_or_tool_calls(tmp_path: Path) -> None:
    test = load_one(
        tmp_path,
        BODY
        + """    examples:
      - {response: "", score: 0}
      - {tool_calls: [{name: f, arguments: {x: 1}}, {name: g}], score: 0.5}
      - score: 0
        tool_calls: [{name: f, arguments: '{"x": 1}'}, {name: f, arguments: '{"x'}, {name: f, arguments: '[]'}]
""",
    )
    empty, calls, texts = (example.answer for example in test.examples)
    assert (empty.text, empty.tool_calls) == ("", ())
    assert calls.tool_calls == (ToolCall("f", {"x": 1}, '{"x": 1}'), ToolCall("g", {}, "{}"))
    assert [call.arguments for call in texts.tool_calls] == [{"x": 1}, None, None]
    assert test.examples[1].score == 0.5


FAULTS: dict[str, tuple[str, list[str]]] = {
    "no list": ("x", ["s.yaml:7:5: tests[0].examples: expected a list, got 'x'"]),
    "empty": (
        "[{}]",
        ["s.yaml:7:16: tests[0].examples[0]: the key 'score' is missing"],
    ),
    "score alone": ("[{score: 1}]", ["s.yaml:7:16: tests[0].examples[0]: expected a response or tool_calls"]),
    "scores": (
        "[{response: x, score: 2}, {response: x, score: true}, {response: x, score: '1'}]",
        [
            "s.yaml:7:30: tests[0].examples[0].score: expected a number from 0 to 1, got 2",
            "s.yaml:7:55: tests[0].examples[1].score: expected a number from 0 to 1, got true",
            "s.yaml:7:83: tests[0].examples[2].score: expected a number from 0 to 1, got '1'",
        ],
    ),
    "response": (
        "[{response: 3, score: 1}]",
        ["s.yaml:7:17: tests[0].examples[0].response: expected text, got 3; quote"],
    ),
    "calls": (
        "[{tool_calls: [{}, {name: f, arguments: [1]}], score: 1}]",
        [
            "s.yaml:7:30: tests[0].examples[0].tool_calls[0]: the key 'name' is missing",
            "s.yaml:7:44: tests[0].examples[0].tool_calls[1].arguments: expected a mapping or the text of one",
        ],
    ),
    "many": (
        f"[{'{response: x, score: 1},' * 101}]",
        ["s.yaml:7:5: tests[0].examples: expected at most 100 items, got 101"],
    ),
}


@pytest.mark.parametrize(("body", "expected"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_examples_are_told(tmp_path: Path, body: str, expected: list[str]) -> None:
    lines = faults_of(tmp_path, f"{HEAD}tests:\n  - {BODY}    examples: {body}\n")
    assert len(lines) == len(expected), lines
    for line, start in zip(lines, expected, strict=True):
        assert line.startswith(start)
