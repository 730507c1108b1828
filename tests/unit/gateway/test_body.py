"""One response body: what it is decides how it is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.gateway import as_stream, chunk, completion, sse, tool_message

from llm_testbench.answer.model import Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.body import MAX_BODY, MAX_ERROR_BODY, Body
from llm_testbench.gateway.model import Failure

STREAM = b"".join(sse(event) for event in as_stream(completion("Zwölf 🙂")).events) + sse("[DONE]")
WHOLE = json.dumps(completion("Zwölf 🙂"), ensure_ascii=False).encode()
BOM = b"\xef\xbb\xbf"


def read(data: bytes, status: int = 200, size: int | None = None) -> Completion | Failure:
    body = Body(status)
    for start in range(0, len(data), size or max(len(data), 1)):
        if not body.ended:
            body.feed(data[start : start + (size or len(data))])
    return body.result()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(WHOLE, id="JSON"),
        pytest.param(STREAM, id="events"),
        pytest.param(b": warming up\n\n" + STREAM, id="events after a comment"),
        pytest.param(BOM + WHOLE, id="JSON after a byte order mark"),
        pytest.param(BOM + STREAM, id="events after a byte order mark"),
        pytest.param(b" \r\n\t" + WHOLE, id="JSON after white space"),
        pytest.param(b"\n\n" + STREAM, id="events after blank lines"),
        pytest.param(WHOLE + b"\n\ndata: [DONE]\n\n", id="JSON with [DONE] behind it"),
        pytest.param(b"event: message\n" + STREAM, id="events that begin with their kind"),
        pytest.param(b"[" + json.dumps(completion("Zwölf 🙂")).encode() + b"]", id="JSON in a list"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 7, None])
def test_the_body_decides_and_any_split_reads_the_same(data: bytes, size: int | None) -> None:
    said = read(data, size=size)

    assert isinstance(said, Completion), said
    assert said.text == "Zwölf 🙂"


QUIRKS = st.lists(
    st.sampled_from(
        [
            b": ping\n\n",
            b"data:\n\n",
            b"data: : keepalive\r\n\r\n",
            b"id: 1\n\n",
            sse(chunk("a")),
            sse(chunk("ü🙂", finish="")),
            sse(chunk(delta={"reasoning": "hm"})),
            sse(chunk(choices=[], usage={"prompt_tokens": 3})),
            sse(
                chunk(delta={"tool_calls": [{"index": 0, "id": "1", "function": {"name": "f", "arguments": '{"a":'}}]})
            ),
            sse(chunk(delta={"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]})),
            sse(chunk(finish="stop")),
            sse({"error": {"message": "boom", "code": 503}}),
            sse("[DONE]"),
            b"data: {\r\rdata: x\r",
        ]
    ),
    max_size=12,
)


@given(quirks=QUIRKS, sizes=st.lists(st.integers(1, 50), min_size=1, max_size=5))
def test_any_mix_of_quirks_reads_the_same_in_any_split(quirks: list[bytes], sizes: list[int]) -> None:
    data = b"data: {}\n\n" + b"".join(quirks)
    body, at, turn = Body(200), 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        body.feed(data[at : at + size])
        at, turn = at + size, turn + 1

    assert body.result() == read(data) == read(data, size=1)


@pytest.mark.parametrize(
    ("data", "outcome", "words"),
    [
        pytest.param(b"", Outcome.EMPTY_STREAM, "empty body", id="nothing"),
        pytest.param(b" \n", Outcome.EMPTY_STREAM, "empty body", id="white space"),
        pytest.param(b": ping\n\n: ping\n\n", Outcome.EMPTY_STREAM, "nothing in it", id="comments"),
        pytest.param(b'{"choices": []}', Outcome.EMPTY_STREAM, "no choices", id="empty choices"),
        pytest.param(b'{"choices": null}', Outcome.EMPTY_STREAM, "no choices", id="null choices"),
        pytest.param(b'{"object": "chat.completion"}', Outcome.EMPTY_STREAM, "no choices", id="no choices"),
        pytest.param(b"<html><title>Log in</title>", Outcome.PROTOCOL, "titled 'Log in'", id="a page"),
        pytest.param(b"It works!", Outcome.PROTOCOL, "'It works!'", id="plain text"),
        pytest.param(b"dat", Outcome.PROTOCOL, "'dat'", id="the beginning of an event"),
        pytest.param(b'"hello"', Outcome.PROTOCOL, "hello", id="a JSON string"),
        pytest.param(b"[]", Outcome.PROTOCOL, "[]", id="a JSON list"),
        pytest.param(b'{"status": "ok"}', Outcome.PROTOCOL, "status", id="another API"),
        pytest.param(b'{"detail": "Not Found"}', Outcome.PROTOCOL, "Not Found", id="FastAPI's detail"),
        pytest.param(b'{"choices": [{"a": "b', Outcome.NETWORK, "in mid-JSON", id="JSON that is cut in a string"),
        pytest.param(b'{"choices": nul', Outcome.NETWORK, "in mid-JSON", id="JSON that is cut in a word"),
        pytest.param(b'{"choices": "\\u00', Outcome.NETWORK, "in mid-JSON", id="JSON that is cut in an escape"),
        pytest.param(b'{"choices": "\\u00zz and so on"}', Outcome.PROTOCOL, "and so on", id="JSON that is broken"),
        pytest.param(b"{'choices': []}", Outcome.PROTOCOL, "choices", id="something like JSON"),
        pytest.param(b'{"choices": [', Outcome.NETWORK, "after 13 characters", id="JSON that is cut"),
        pytest.param(b"[" * 100_000, Outcome.PROTOCOL, "[[[", id="nested without end"),
        pytest.param(b'{"choices": []} x', Outcome.PROTOCOL, "choices", id="JSON with rubbish behind it"),
        pytest.param(b"\x1f\x8b\x08\x00", Outcome.PROTOCOL, "chat completion was expected", id="compressed"),
        pytest.param(b'{"error": "overloaded"}', Outcome.SERVER, "overloaded", id="an error"),
        pytest.param(
            b'[{"error": {"code": 429, "message": "slow"}}]', Outcome.RATE_LIMITED, "slow", id="a list of one"
        ),
    ],
)
def test_what_is_no_completion_says_so(data: bytes, outcome: Outcome, words: str) -> None:
    failure = read(data)

    assert isinstance(failure, Failure), failure
    assert failure.outcome is outcome
    assert words in failure.message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"error": {"message": "boom"}}', "HTTP 500: boom"),
        (b'data: {"error": {"message": "boom"}}\n\n', "HTTP 500: boom"),
        (b': ping\n\nevent: error\ndata: {"error": {"message": "boom"}}\n\n', "HTTP 500: boom"),
        (b": ping\n\n", "HTTP 500: : ping"),
        (b'{"choices": [{"message": {"content": "4"}}], "error": {"message": "boom"}}', "HTTP 500: boom"),
        (b"<title>Oh</title>", "HTTP 500: an HTML page titled 'Oh'"),
        (b"no JSON", "HTTP 500: no JSON"),
        (b"", "HTTP 500: no message"),
    ],
)
def test_an_error_status_is_explained_by_any_body(data: bytes, message: str) -> None:
    assert read(data, 500) == Failure(Outcome.SERVER, message, 500)


@pytest.mark.parametrize(
    ("extra", "text"),
    [({}, ""), (completion("Well"), "Well"), ({"choices": []}, "")],
    ids=["an error alone", "with a completion", "with empty choices"],
)
def test_a_prompt_that_a_content_filter_stopped_is_a_refusal(extra: dict[str, Any], text: str) -> None:
    said = read(json.dumps({**extra, "error": {"code": "content_filter", "message": "no"}}).encode(), 400)

    assert isinstance(said, Completion)
    assert (said.refused, said.finish_reason, said.text) == (True, "content_filter", text)


def test_a_completion_with_the_status_of_an_error_is_a_refusal_only_where_the_filter_ended_it() -> None:
    filtered, other = (json.dumps(completion("Well", finish)).encode() for finish in ("content_filter", "stop"))

    assert isinstance(read(filtered, 400), Completion)
    assert isinstance(read(other, 400), Failure)


@pytest.mark.parametrize(("data", "streamed"), [(WHOLE, False), (STREAM, True)])
@pytest.mark.parametrize("streams", [None, True, False])
def test_an_answer_in_the_other_form_is_noted(data: bytes, *, streamed: bool, streams: bool | None) -> None:
    body = Body(200, streams=streams)
    body.feed(data)
    said = body.result()

    assert isinstance(said, Completion)
    assert said.quirks == (() if streams in (None, streamed) else ("stream-flag-ignored",))


@pytest.mark.parametrize("start", [b"data: ", b"{", b": "], ids=["events", "JSON", "comments"])
def test_a_body_without_end_is_refused_and_forgotten(start: bytes) -> None:
    body = Body(200)
    body.feed(start)
    line = b"x" * (1 << 20) + b"\n\n: "
    fed = 0
    while not body.ended:
        body.feed(line)
        fed += len(line)

    assert fed <= MAX_BODY + len(line)
    result = body.result()
    assert isinstance(result, Failure)
    assert result.outcome is Outcome.PROTOCOL


def test_an_event_without_end_is_refused() -> None:
    body = Body(200)
    body.feed(b"data: ")
    for _ in range(9):
        body.feed(b"x" * (1 << 20))

    assert body.ended
    assert body.result() == Failure(Outcome.PROTOCOL, "HTTP 200 with a line over 8388608 bytes: refused", 200)


def test_no_more_of_an_error_body_is_read_than_its_words_need() -> None:
    body = Body(500)
    body.feed(b"x" * MAX_ERROR_BODY)
    body.feed(b"x")

    assert body.ended


def test_calls_survive_the_way_through_bytes() -> None:
    said = read(json.dumps(completion(tool_message("f", {"ä": 1}))).encode())

    assert isinstance(said, Completion)
    assert said.tool_calls[0].arguments == {"ä": 1}
