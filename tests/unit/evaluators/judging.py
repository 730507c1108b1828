"""Short ways to build checks, answers and faults in the tests of this room."""

from __future__ import annotations

import pytest

from llm_testbench.answer.model import Answer, Completion, ToolCall
from llm_testbench.answer.normalise import normalise
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.json_value import JSON, JSONObject, canonical


def answer(text: str = "", *calls: ToolCall) -> Answer:
    """The normal form of a text with calls."""
    return normalise(Completion(text=text, tool_calls=calls))


def call(name: str, **arguments: JSON) -> ToolCall:
    """A call with sound arguments."""
    return ToolCall(name, arguments, canonical(arguments))


def malformed_call(name: str, arguments_text: str) -> ToolCall:
    """A call whose arguments are no JSON object."""
    return ToolCall(name, None, arguments_text)


def judge(check: JSONObject, text: str = "", *calls: ToolCall) -> Score:
    """The score that a check gives to an answer; its reason is held to the promise of one line."""
    score = build(check).evaluate(answer(text, *calls))
    assert 0 <= score.value <= 1
    assert score.reason
    assert score.reason.splitlines() == [score.reason]
    assert len(score.reason) < 700
    return score


def fault_of(check: JSON) -> SpecError:
    """The error that building the check ends with."""
    with pytest.raises(SpecError) as caught:
        build(check)
    return caught.value
