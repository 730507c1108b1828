"""What a server could send to cost memory or time: bounded, and told in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.servers.gateway import chunk, completion, sse

from llm_testbench.answer.model import Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.assemble import MOST_CHOICES
from llm_testbench.gateway.body import Body
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.tool_calls import MOST_CALLS


def read(*pieces: bytes) -> Completion | Failure:
    body = Body(200)
    for piece in pieces:
        if not body.ended:
            body.feed(piece)
    return body.result()


def refused(*pieces: bytes) -> str:
    result = read(*pieces)
    assert isinstance(result, Failure), result
    assert result.outcome is Outcome.PROTOCOL
    assert len(result.message) < 200_000
    return result.message


def call(number: int) -> dict[str, object]:
    return {"index": number, "id": f"c{number}", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize("whole", [True, False], ids=["in one message", "one after the other"])
def test_more_calls_than_any_answer_has_are_refused(whole: bool) -> None:
    calls = [call(number) for number in range(100_000)]
    if whole:
        data = json.dumps(completion({"role": "assistant", "content": None, "tool_calls": calls})).encode()
    else:
        data = b"".join(sse(chunk(delta={"tool_calls": [one]})) for one in calls[:5000])

    assert f"more than {MOST_CALLS} tool calls" in refused(data)


def test_as_many_calls_as_are_allowed_are_read() -> None:
    result = read(*(sse(chunk(delta={"tool_calls": [call(number)]})) for number in range(MOST_CALLS)), sse("[DONE]"))

    assert isinstance(result, Completion)
    assert len(result.tool_calls) == MOST_CALLS


def test_more_choices_than_one_answer_could_mean_are_refused() -> None:
    choices = [{"index": number, "delta": {"content": "x"}} for number in range(MOST_CHOICES + 1)]

    assert f"more than {MOST_CHOICES} choices" in refused(sse({"choices": choices}))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'data: {"choices":' + b"[" * 100_000 + b"\n\n", id="lists in an event"),
        pytest.param(b'data: {"choices":' + b'{"a":' * 100_000 + b"\n\n", id="objects in an event"),
        pytest.param(b'{"choices":' + b"[" * 100_000, id="lists"),
        pytest.param(b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}", id="lists that end"),
        pytest.param(b'data: {"created":' + b"9" * 100_000 + b"}\n\n", id="a number of 100,000 digits"),
    ],
)
def test_what_no_parser_takes_is_refused(data: bytes) -> None:
    refused(data)


DEEP = "x"
for _ in range(300):
    DEEP = [DEEP]  # type: ignore[assignment]


@pytest.mark.parametrize(
    "delta",
    [
        pytest.param({"content": [DEEP]}, id="content"),
        pytest.param({"reasoning_details": DEEP}, id="reasoning"),
        pytest.param({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": DEEP}}]}, id="arguments"),
        pytest.param({"tool_calls": DEEP}, id="calls"),
        pytest.param({"content": {"type": {"a": DEEP}}}, id="a type"),
        pytest.param({"role": DEEP, "refusal": DEEP, "function_call": {"arguments": DEEP}}, id="all the rest"),
    ],
)
def test_nesting_that_a_parser_takes_breaks_nothing(delta: dict[str, object]) -> None:
    result = read(sse(chunk(delta=delta, id=DEEP, model=DEEP, usage={"prompt_tokens": DEEP})), sse("[DONE]"))

    assert isinstance(result, Completion)


def test_arguments_that_cannot_be_written_are_no_arguments() -> None:
    result = read(
        sse(chunk(delta={"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": {"a": float("nan")}}}]})),
        sse("[DONE]"),
    )

    assert isinstance(result, Completion)
    assert result.tool_calls[0].arguments is None


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1e308", "NaN", "9" * 4000, "-5", '"7"', "true", "[]"])
def test_absurd_numbers_are_no_counts_and_break_nothing(number: str) -> None:
    usage = f'"usage":{{"prompt_tokens":{number},"completion_tokens":{number}}}'
    data = f'{{"created":{number},"choices":[{{"index":0,"delta":{{"content":"x"}}}}],{usage}}}'
    result = read(f"data: {data}\n\n".encode(), sse("[DONE]"))

    assert isinstance(result, Completion)
    assert (result.text, result.usage.prompt_tokens) == ("x", None)


def tiny(body: bytes) -> Iterator[bytes]:
    return (body[at : at + 1] for at in range(len(body)))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(sse(chunk("x" * 1_000_000)) + sse("[DONE]"), id="one event"),
        pytest.param(b'{"choices":[{"message":{"content":"' + b"x" * 1_000_000 + b'"}}]}', id="one body"),
        pytest.param(b"\n" * 1_000_000 + json.dumps(completion("x")).encode(), id="blank lines before a body"),
        pytest.param(b": \n" * 300_000 + sse(chunk("x")) + sse("[DONE]"), id="comments"),
        pytest.param(b"data: \n" * 150_000 + b"\n" + sse(chunk("x")) + sse("[DONE]"), id="data lines of nothing"),
    ],
)
def test_a_million_pieces_of_one_byte_take_linear_time(data: bytes) -> None:
    # In quadratic time this would take hours.
    assert isinstance(read(*tiny(data)), Completion)


def test_a_call_in_fragments_that_name_it_again_and_again_takes_linear_time() -> None:
    # Without id and index each of them may begin another call, which is decided by what came before.
    fragment = {"function": {"name": "f", "arguments": "}" * 50}}
    first = {"function": {"name": "f", "arguments": '{"a": "'}}
    events = [sse(chunk(delta={"tool_calls": [one]})) for one in [first, *[fragment] * 40_000]]
    result = read(*events, sse("[DONE]"))

    assert isinstance(result, Completion)
    assert len(result.tool_calls) == 1
