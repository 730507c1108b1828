"""The request as it goes out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from llm_testbench.gateway.model import ChatRequest, ModelOptions
from llm_testbench.gateway.wire import headers_of, outgoing

KEY = "sk-secret-canary"
MODEL = ModelOptions("chat", "org/b-fp8", "http://host/v1", api_key=KEY)
QUESTION = ChatRequest(({"role": "user", "content": "2 + 2?"},))

TOOL = {"type": "function", "function": {"name": "f"}}
OTHER_TOOL = {"type": "function", "function": {"name": "g"}}
NAMED = {"type": "function", "function": {"name": "g"}}


def body(model: ModelOptions = MODEL, request: ChatRequest = QUESTION, attempt: int = 0) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(outgoing(model, request, attempt).body)
    return value


def test_a_plain_request_sends_the_id_the_messages_and_the_defaults() -> None:
    assert body() == {
        "model": "org/b-fp8",
        "messages": [{"role": "user", "content": "2 + 2?"}],
        "temperature": 0.0,
        "max_tokens": 4096,
    }


@pytest.mark.parametrize(
    ("model", "request_", "attempt", "part"),
    [
        pytest.param({"seed": 7}, {}, 3, {"seed": 10}, id="the seed grows with the attempt"),
        pytest.param({"seed": 7}, {"parameters": {"seed": 100}}, 3, {"seed": 103}, id="the suite's own seed too"),
        pytest.param({}, {"max_tokens": 8000}, 0, {"max_tokens": 8000}, id="a test raises the limit"),
        pytest.param({}, {"max_tokens": 10}, 0, {"max_tokens": 4096}, id="a test does not lower the limit"),
        pytest.param({}, {"parameters": {"max_tokens": 9000}}, 0, {"max_tokens": 9000}, id="as a parameter too"),
        pytest.param(
            {"max_tokens_key": "max_completion_tokens"},
            {"parameters": {"max_tokens": 9000}},
            0,
            {"max_completion_tokens": 9000},
            id="the limit goes under the model's key",
        ),
        pytest.param(
            {}, {"parameters": {"temperature": 0.7}}, 0, {"temperature": 0.7}, id="the suite's temperature wins"
        ),
        pytest.param({}, {"tools": ({"type": "function"},)}, 0, {"tools": [{"type": "function"}]}, id="tools"),
        pytest.param({}, {"parameters": {"stop": ["."]}}, 0, {"stop": ["."]}, id="other parameters"),
        pytest.param(
            {"stream": True},
            {},
            0,
            {"stream": True, "stream_options": {"include_usage": True}},
            id="a stream with usage",
        ),
        pytest.param(
            {"extra_body": {"temperature": 1, "top_k": 5}}, {}, 0, {"temperature": 1, "top_k": 5}, id="extra_body last"
        ),
        pytest.param(
            {"token_limit": 9000},
            {"max_tokens": 10_000},
            0,
            {"max_tokens": 9000},
            id="a limit by hand bounds a test's own",
        ),
        pytest.param({"token_limit": 9000}, {}, 0, {"max_tokens": 4096}, id="and raises nothing"),
        pytest.param(
            {"tool_choice_required": True},
            {"tools": (TOOL, OTHER_TOOL), "parameters": {"tool_choice": NAMED}},
            0,
            {"tools": [OTHER_TOOL], "tool_choice": "required"},
            id="a named tool alone",
        ),
        pytest.param(
            {"tool_choice_required": True},
            {"tools": (TOOL, OTHER_TOOL), "parameters": {"tool_choice": "auto"}},
            0,
            {"tools": [TOOL, OTHER_TOOL], "tool_choice": "auto"},
            id="no tool is named",
        ),
        pytest.param(
            {"tool_choice_required": True},
            {"tools": (TOOL,), "parameters": {"tool_choice": NAMED}},
            0,
            {"tools": [TOOL], "tool_choice": NAMED},
            id="the named tool is not offered",
        ),
    ],
)
def test_the_body_is_merged(
    model: dict[str, Any], request_: dict[str, Any], attempt: int, part: dict[str, Any]
) -> None:
    sent = body(replace(MODEL, **model), replace(QUESTION, **request_), attempt)

    assert sent == {**sent, **part}


@pytest.mark.parametrize(
    ("model", "request_", "absent"),
    [
        ({"temperature": None}, {}, "temperature"),
        ({"max_tokens": None}, {"max_tokens": 8000, "parameters": {"max_tokens": 9}}, "max_tokens"),
        ({"max_tokens_key": "max_completion_tokens"}, {}, "max_tokens"),
        ({}, {"parameters": {"stream": True}}, "stream"),
        ({}, {}, "seed"),
        ({}, {}, "tools"),
        ({}, {}, "stream_options"),
        ({"stream": True, "omitted": frozenset({"stream_options"})}, {}, "stream_options"),
        (
            {"omitted": frozenset({"temperature"}), "temperature": None},
            {"parameters": {"temperature": 1}},
            "temperature",
        ),
        ({"omitted": frozenset({"seed"}), "seed": 7}, {}, "seed"),
    ],
)
def test_what_nobody_asked_for_is_not_sent(model: dict[str, Any], request_: dict[str, Any], absent: str) -> None:
    assert absent not in body(replace(MODEL, **model), replace(QUESTION, **request_))


def test_any_prompt_can_be_sent_a_lone_surrogate_too() -> None:
    request = ChatRequest(({"role": "user", "content": "\ud800 ä 🙂"},))

    assert body(request=request)["messages"] == list(request.messages)


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        outgoing(replace(MODEL, extra_body={"top_p": float("nan")}), QUESTION, 0)


def test_the_key_stands_in_one_header_only() -> None:
    headers = headers_of(MODEL)

    assert headers["Authorization"] == f"Bearer {KEY}"
    assert [name for name, value in headers.items() if KEY in value] == ["Authorization"]
    assert KEY not in repr(MODEL)


def test_no_answer_may_come_from_a_cache_or_be_compressed() -> None:
    headers = headers_of(MODEL)

    assert (headers["Cache-Control"], headers["Accept-Encoding"]) == ("no-cache", "identity")


def test_without_a_key_no_authorization_is_sent() -> None:
    assert "Authorization" not in headers_of(replace(MODEL, api_key=None))


def test_an_extra_header_replaces_ours_in_any_case() -> None:
    headers = headers_of(replace(MODEL, extra_headers={"authorization": "Basic x", "X-Team": "a"}))

    assert (headers["authorization"], headers["X-Team"]) == ("Basic x", "a")
    assert "Authorization" not in headers


def test_the_line_break_at_the_end_of_a_pasted_key_is_no_part_of_it() -> None:
    assert headers_of(replace(MODEL, api_key=f"{KEY}\n"))["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "model",
    [
        replace(MODEL, api_key=f"{KEY}\r\nX-Evil: 1"),
        replace(MODEL, api_key=f"{KEY}ä"),
        replace(MODEL, extra_headers={"X-A": f"{KEY}\n1"}),
        replace(MODEL, extra_headers={"X-A\n": KEY}),
    ],
    ids=["line break in the key", "letter that no header carries", "line break in a value", "line break in a name"],
)
def test_a_header_that_would_break_the_request_is_refused_without_quoting_it(model: ModelOptions) -> None:
    with pytest.raises(ValueError, match="header") as refusal:
        headers_of(model)

    assert KEY not in str(refusal.value)
