"""What holds for every evaluator and every answer."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.unit.evaluators.checks import COMPOSED, OF_CALLS
from tests.unit.evaluators.workshops import printing

from llm_testbench.answer.model import Answer, Completion, ToolCall
from llm_testbench.answer.normalise import normalise
from llm_testbench.evaluators.registry import build, names
from llm_testbench.evaluators.running import evaluate_in
from llm_testbench.evaluators.score import Evaluator
from llm_testbench.json_value import JSON, JSONObject, parse

# CPU seconds: twenty times what it takes, so that only another order of growth breaks it.
LIMIT = 2

CHECKS: tuple[JSONObject, ...] = (
    {"equals": {"expected": "42", "collapse_space": True}},
    {"one_of": ["42", "yes"]},
    {"exact_token": "42"},
    {"contains_all": ["42", "yes"]},
    {"contains_any": ["42", "yes"]},
    {"not_contains": ["no"]},
    {"no_unnegated_mention": {"pattern": "use", "exempt": "ful"}},
    {"regex": {"pattern": r"(\d+)|(x)", "group": 1, "expected": "42"}},
    {"numeric": {"expected": 42, "rel_tol": 0.1}},
    {"numeric": {"expected": 0.42, "unit": "percent", "pick": "first"}},
    {"numeric": {"expected": "3/4", "pick": "only"}},
    {"numeric": "12:30"},
    {"json_field": {"path": "a[0]", "expected": 42, "abs_tol": 1}},
    {"json_fields": {"a": 42, "b.c": "x"}},
    {"json_array": {"expected": [42, "x", None], "ordered": False}},
    {"json_schema": {"type": "object", "patternProperties": {"^a": {"uniqueItems": True}}, "multipleOf": 0.3}},
    {"code": {"language": "python", "stdout": "42"}},
    {"code": {"language": "go", "stdout": "42", "harness": 'import "fmt"\n{{code}}\nfunc main() {}'}},
    {"sql": {"setup": "CREATE TABLE t (a)", "expected": [[42]]}},
    *OF_CALLS,
    *COMPOSED,
)
EVALUATORS: tuple[Evaluator, ...] = tuple(build(check) for check in CHECKS)
WORKSHOP = printing("41")

_PIECES = st.sampled_from(
    [
        *("42", "0.42", "42%", "3/4", "12:30", "yes", "no", "use", "useful", "never", "instead of", ". ", "; ", "\n\n"),
        *('{"a": [42], "b": {"c": "x"}}', "[42, ", '{"a":', "```json\n", "```", "**", "`", '"', "\\boxed{", "}", "$"),
        *(
            "Answer:",
            "1. ",
            "- ",
            "e9",
            "^",
            "×",
            "10^",
            "４２",
            "٤٢",
            "1.234.567",
            "¾",
            "❌",
            "~~",
            "’",
            "\ud800",
            "\u200b",
            "\x00",
            "\\",
            "f(",
            "<tool_call>",
        ),
        *('{"name": "f", "arguments": {}}', "1e999", "9" * 500, "-", "\u2212", " ", "\t", "é", "答"),
    ]
)
_TEXTS = st.lists(_PIECES, max_size=12).map("".join) | st.text(max_size=80)
_JSON: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "y", "any_of"]), inner, max_size=2)
    ),
    max_leaves=5,
)
_CALLS = st.builds(
    ToolCall,
    name=st.sampled_from(["f", "g", "F"]) | st.text(max_size=5),
    arguments=st.none() | st.dictionaries(st.sampled_from(["x", "y"]), _JSON, max_size=2),
    arguments_text=st.text(max_size=9),
)
_ANSWERS = st.builds(
    Answer, text=_TEXTS, reasoning=st.text(max_size=5), tool_calls=st.lists(_CALLS, max_size=3).map(tuple)
)


def test_every_evaluator_is_held_to_this() -> None:
    assert {evaluator.name for evaluator in EVALUATORS} == set(names())


@given(_ANSWERS)
@settings(max_examples=300)
def test_a_score_is_a_value_from_0_to_1_and_a_line_to_read(answer: Answer) -> None:
    for evaluator in EVALUATORS:
        score = evaluate_in(evaluator, answer, WORKSHOP)
        assert 0 <= score.value <= 1
        assert score.skipped is None
        assert score.reason.strip()
        assert len(score.reason) < 800
        assert score.reason.splitlines() == [score.reason]
        score.reason.encode()
        assert evaluate_in(evaluator, answer, WORKSHOP) == score


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=lambda evaluator: evaluator.name)
def test_an_empty_answer_never_passes(evaluator: Evaluator) -> None:
    assert not evaluate_in(evaluator, Answer(""), printing("42")).passed


UNTOUCHED_BY_A_PREAMBLE: tuple[JSONObject, ...] = (
    {"contains_all": ["42", "yes"]},
    {"contains_any": ["42", "yes"]},
    {"not_contains": ["no"]},
    {"no_unnegated_mention": {"pattern": "use", "exempt": "ful"}},
    {"regex": {"pattern": r"(\d+)|(x)", "group": 1, "expected": "42"}},
    {"numeric": {"expected": 42, "rel_tol": 0.1}},
    {"numeric": {"expected": 0.42, "unit": "percent"}},
    {"numeric": {"expected": 42, "pick": "first"}},
    {"numeric": {"expected": 42, "pick": "only"}},
    {"numeric": "3/4"},
    {"numeric": "12:30"},
    {"json_field": {"path": "a[0]", "expected": 42, "abs_tol": 1}},
    {"json_fields": {"a": [42], "b.c": "x"}},
    {"json_array": {"expected": [42, "x", None], "ordered": False}},
    {"json_schema": {"type": "object", "required": ["a"]}},
)


@given(_TEXTS, st.text(alphabet=" \t\n\r\u00a0\u3000\ufeff\u200b", max_size=6))
@settings(max_examples=150)
def test_white_space_around_an_answer_changes_nothing(text: str, space: str) -> None:
    bare, spaced = normalise(Completion(text)), normalise(Completion(space + text + space))
    for evaluator in EVALUATORS:
        assert evaluate_in(evaluator, spaced, WORKSHOP) == evaluate_in(evaluator, bare, WORKSHOP)


@given(
    _TEXTS,
    st.sampled_from(["Sure!", "Here it is:", "Let me see. That is:", "**Result**", "# Result", "Voilà :", "当然："]),
)
@settings(max_examples=300)
def test_a_sentence_before_an_answer_that_holds_nothing_of_it_changes_nothing(text: str, sentence: str) -> None:
    bare, introduced = normalise(Completion(text)), normalise(Completion(f"{sentence}\n\n{text}"))
    assume(bare.text)
    for check in UNTOUCHED_BY_A_PREAMBLE:
        # A scalar is JSON only as the whole answer.
        if not next(iter(check)).startswith("json_") or not _is_scalar(bare.text):
            evaluator = build(check)
            assert evaluator.evaluate(introduced).value == evaluator.evaluate(bare).value, check


def _is_scalar(text: str) -> bool:
    try:
        return not isinstance(parse(text), dict | list)
    except ValueError:
        return False


_UNITS = (
    *(
        " ",
        "\n",
        '"',
        "`",
        "$$\n",
        "**",
        "\\boxed{",
        "- ",
        "| 1 ",
        "1",
        "1 ",
        "1,",
        "1.1.",
        "1/2 ",
        "9.",
        "a",
        "答",
        "４",
    ),
    *('["a",', "{", "[1,", '{"', "[{", "{}[", '{"a":1},', "```\n", "```json\n", '```json\n{"a":1}\n```\n'),
    *("never use ", "use. ", "instead of use ", "<think>", "<think></think>", "<tool_call>", "\ud800", "\r\n", "\x00"),
)
_SHAPES = {
    **{ascii(unit): unit * (1024 * 1024 // len(unit)) for unit in _UNITS},
    "JSON nested as deep as the text is long": "[" * (512 * 1024) + "]" * (512 * 1024),
    "JSON of 100,000 keys": json.dumps({f"a{number}": number for number in range(100_000)}),
    "JSON of numbers that no double holds": "[" + ",".join(["9" * 4000] * 250) + "]",
    "JSON of empty arrays": "[" + ",".join(["[]"] * 349_000) + "]",
    "JSON behind a sentence": "So: " + json.dumps({f"a{number}": [number] for number in range(50_000)}) + ".",
}


@pytest.mark.parametrize("text", _SHAPES.values(), ids=_SHAPES)
def test_a_megabyte_of_anything_is_scored_in_bounded_time(text: str) -> None:
    begun = time.process_time()
    answer = normalise(Completion(text))
    assert time.process_time() - begun < LIMIT
    for evaluator in EVALUATORS:
        begun = time.process_time()
        score = evaluate_in(evaluator, answer, WORKSHOP)
        assert time.process_time() - begun < LIMIT, evaluator.name
        assert len(score.reason) < 800


def test_a_thousand_calls_with_large_arguments_are_scored_in_bounded_time() -> None:
    call = ToolCall("f", {"x": ["a" * 50] * 200, **{f"k{number}": number for number in range(200)}}, "{}")
    answer = Answer("", tool_calls=(call,) * 1000)
    for evaluator in EVALUATORS:
        begun = time.process_time()
        evaluate_in(evaluator, answer, WORKSHOP)
        assert time.process_time() - begun < LIMIT, evaluator.name
