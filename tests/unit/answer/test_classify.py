from __future__ import annotations

import pytest

from llm_testbench.answer.classify import classify, offered
from llm_testbench.answer.model import Completion, ToolCall, Usage
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.outcome import SCORED, Outcome
from llm_testbench.json_value import JSON

PRINTED = '<tool_call>{"name": "look_up", "arguments": {"q": "x"}}</tool_call>'
CALL = ToolCall("look_up", {}, "{}")


@pytest.mark.parametrize(
    ("completion", "tools", "outcome"),
    [
        pytest.param(Completion("42", finish_reason="stop"), (), Outcome.ANSWERED, id="text"),
        pytest.param(Completion("42"), (), Outcome.ANSWERED, id="no finish reason"),
        pytest.param(Completion("", tool_calls=(CALL,)), ("look_up",), Outcome.ANSWERED, id="a call without text"),
        pytest.param(Completion("No.", refused=True), (), Outcome.REFUSED, id="refused"),
        pytest.param(Completion("", finish_reason="content_filter"), (), Outcome.REFUSED, id="filtered"),
        pytest.param(Completion("", finish_reason="stop"), (), Outcome.EMPTY, id="nothing"),
        pytest.param(Completion("", reasoning="hm", finish_reason="stop"), (), Outcome.EMPTY, id="reasoning alone"),
        pytest.param(Completion("<think>hm</think>"), (), Outcome.EMPTY, id="nothing after a closed block"),
        pytest.param(Completion("<think>hm"), (), Outcome.TRUNCATED, id="an unclosed block, no finish reason"),
        pytest.param(Completion("4", finish_reason="length"), (), Outcome.TRUNCATED, id="cut"),
        pytest.param(Completion("", finish_reason="length"), (), Outcome.TRUNCATED, id="cut before the first word"),
        pytest.param(
            Completion("", reasoning="hm", finish_reason="length"), (), Outcome.BUDGET_EXHAUSTED, id="reasoning field"
        ),
        pytest.param(
            Completion("<think>hm", finish_reason="length"), (), Outcome.BUDGET_EXHAUSTED, id="unclosed block, cut"
        ),
        pytest.param(
            Completion("", finish_reason="length", usage=Usage(reasoning_tokens=9)),
            (),
            Outcome.BUDGET_EXHAUSTED,
            id="hidden reasoning that was counted",
        ),
        pytest.param(
            Completion("4", reasoning="hm", finish_reason="length"), (), Outcome.TRUNCATED, id="some text got out"
        ),
        pytest.param(
            Completion("", reasoning="hm", tool_calls=(CALL,), finish_reason="length"),
            ("look_up",),
            Outcome.TRUNCATED,
            id="a call got out",
        ),
        pytest.param(Completion(PRINTED), ("look_up",), Outcome.TOOL_CALL_IN_TEXT, id="printed call"),
        pytest.param(
            Completion(PRINTED, finish_reason="length"), ("look_up",), Outcome.TOOL_CALL_IN_TEXT, id="printed, then cut"
        ),
        pytest.param(Completion(PRINTED), (), Outcome.ANSWERED, id="printed, but no tool was offered"),
        pytest.param(
            Completion(PRINTED, tool_calls=(CALL,)), ("look_up",), Outcome.ANSWERED, id="printed and made as well"
        ),
    ],
)
def test_what_became_of_an_attempt(completion: Completion, tools: tuple[str, ...], outcome: Outcome) -> None:
    found = classify(completion, normalise(completion), tools)
    assert found is outcome
    assert found in SCORED


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        pytest.param([{"type": "function", "function": {"name": "look_up"}}], ("look_up",), id="a definition"),
        pytest.param([{"function": {"name": 3}}, {"function": "look_up"}, "look_up", {}], (), id="no definitions"),
        pytest.param("look_up", (), id="text"),
        pytest.param(None, (), id="nothing"),
    ],
)
def test_the_tools_that_a_request_offers(tools: JSON, names: tuple[str, ...]) -> None:
    assert offered(tools) == names
