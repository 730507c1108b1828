"""What the client sends, keeps, and brings back, over real connections."""

from __future__ import annotations

import gzip
import json
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.integration.gateway.asking import KEY, QUESTION, client, model
from tests.servers.certificate import authority_file, server_context
from tests.servers.gateway import (
    Gateway,
    Raw,
    Reply,
    Scripted,
    Stream,
    chunk,
    completion,
    tool_message,
    whole_answer,
)

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.body import MAX_BODY
from llm_testbench.gateway.model import ChatRequest, Failure
from llm_testbench.gateway.model import Reply as Asked


def asked(answer: Scripted, **options: Any) -> Asked:
    with Gateway(lambda body: answer) as server, client() as asking:
        return asking.ask(model(server.url, **options), QUESTION, 0)


def failure_of(answer: Scripted, **options: Any) -> Failure:
    failure = asked(answer, **options).failure
    assert failure is not None
    return failure


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_an_answer_comes_back_with_everything_measured(stream: bool) -> None:
    with Gateway(lambda body: "Paris", latency=0.05) as server, client() as asking:
        reply = asking.ask(model(server.url, stream=stream, seed=5), QUESTION, 2)

    said = reply.completion
    assert said is not None
    assert (said.text, said.finish_reason, said.served_model, said.fingerprint) == (
        "Paris",
        "stop",
        "model-a",
        "fp_test",
    )
    assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (7, 1)
    assert (said.response_id or "").startswith("chatcmpl-")
    assert reply.latency_ms == reply.tries[0].latency_ms >= 50
    assert (reply.tries[0].status, reply.tries[0].outcome, reply.tries[0].wait_ms) == (200, Outcome.ANSWERED, 0)
    assert (reply.ttft_ms is not None) is stream
    assert server.requests[0].body["seed"] == 7
    assert server.requests[0].path == "/v1/chat/completions"


def test_the_first_token_is_timed_apart_from_comments_and_the_last() -> None:
    events = [b": ping\n\n", chunk(delta={"role": "assistant"}), 0.1, chunk("4"), 0.2, chunk(finish="stop")]
    reply = asked(Stream(events), stream=True)

    assert reply.ttft_ms is not None
    # The server keeps its times by the clock: a first event that is late comes nearer to the second.
    assert 100 <= reply.ttft_ms <= reply.latency_ms - 100


def test_tool_calls_come_back_from_a_stream() -> None:
    reply = asked(tool_message("f", {"x": 1}), stream=True)

    assert reply.completion is not None
    assert reply.completion.tool_calls[0].arguments == {"x": 1}


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_connections_are_kept_alive(stream: bool) -> None:
    with Gateway() as server, client() as asking:
        for attempt in range(5):
            assert asking.ask(model(server.url, stream=stream), QUESTION, attempt).failure is None

    assert server.connections == 1


@pytest.mark.parametrize(
    "end",
    [b"data: [DONE]\n\n", b"data: [DONE]\n\n: bye\n\n"],
    ids=["with the last word", "with a comment behind it"],
)
def test_a_stream_that_ends_late_keeps_its_connection_or_costs_only_it(end: bytes) -> None:
    with Gateway(lambda body: Stream([chunk("4", finish="stop"), end, 0.01], done=False)) as server, client() as asking:
        replies = [asking.ask(model(server.url, stream=True), QUESTION, attempt) for attempt in range(3)]

    assert all(reply.completion for reply in replies)
    assert server.connections <= 3


def test_the_pool_holds_as_many_connections_as_calls_are_in_flight() -> None:
    with Gateway(latency=0.05) as server, client(concurrency=6) as asking, ThreadPoolExecutor(6) as threads:
        replies = list(threads.map(lambda attempt: asking.ask(model(server.url), QUESTION, attempt), range(60)))

    assert not [reply for reply in replies if reply.failure]
    assert 1 < server.peak_in_flight <= 6
    assert server.connections == server.peak_in_flight


def test_a_connection_that_the_server_closed_is_replaced() -> None:
    with Gateway(lambda body: Reply(completion("4"), close=True)) as server, client() as asking:
        replies = [asking.ask(model(server.url, max_retries=2), QUESTION, attempt) for attempt in range(3)]

    assert all(reply.completion for reply in replies)


def test_models_behind_one_endpoint_keep_their_keys_apart() -> None:
    with Gateway() as server, client() as asking:
        for key in ("key-of-alpha", "key-of-beta", None):
            asking.ask(model(server.url, api_key=key), QUESTION, 0)

    sent = [request.headers.get("authorization") for request in server.requests]
    assert sent == ["Bearer key-of-alpha", "Bearer key-of-beta", None]
    assert server.connections == 1


def test_the_key_stands_in_the_header_and_nowhere_else() -> None:
    with Gateway() as server, client() as asking:
        asking.ask(model(server.url), QUESTION, 0)

    request = server.requests[0]
    assert request.headers.pop("authorization") == f"Bearer {KEY}"
    assert KEY not in request.path
    assert KEY.encode() not in request.raw
    assert KEY not in str(request.headers)
    assert (request.headers["cache-control"], request.headers["accept-encoding"]) == ("no-cache", "identity")


def test_a_query_of_the_endpoint_stays_behind_the_path() -> None:
    with Gateway() as server, client() as asking:
        asking.ask(model(f"{server.url}/?api-version=1"), QUESTION, 0)

    assert server.requests[0].path == "/v1/chat/completions?api-version=1"


@pytest.mark.parametrize("location", ["{other}/chat/completions", "//127.0.0.2/x", "http://[bad/"])
def test_no_redirect_is_followed_since_the_key_would_go_along(location: str) -> None:
    with Gateway() as other, Gateway() as server, client() as asking:
        server.answer = lambda body: Reply("", 307, {"Location": location.format(other=other.url)})
        failure = asking.ask(model(server.url, max_retries=2), QUESTION, 0).failure

    assert failure is not None
    assert failure.outcome is Outcome.PROTOCOL
    assert "redirects to" in failure.message
    assert (len(server.requests), len(other.requests)) == (1, 0)


def test_cookies_do_not_travel_from_one_request_to_the_next() -> None:
    with Gateway(lambda body: Reply(completion("4"), headers={"Set-Cookie": "a=b"})) as server, client() as asking:
        for attempt in range(2):
            asking.ask(model(server.url), QUESTION, attempt)

    assert "cookie" not in server.requests[1].headers


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        pytest.param(Reply({"error": {"message": f"Incorrect key: {KEY}"}}, 401), Outcome.AUTH, "key: ***", id="401"),
        pytest.param(Reply("nope", 404), Outcome.PROTOCOL, "HTTP 404: nope", id="404"),
        pytest.param(Reply("<title>Hi</title>"), Outcome.PROTOCOL, "titled 'Hi'", id="a page"),
        pytest.param(Raw([b"SSH-2.0-OpenSSH_9.6\r\n"]), Outcome.PROTOCOL, "does not speak HTTP", id="another protocol"),
        pytest.param(Raw([]), Outcome.NETWORK, "closed connection", id="a connection that closes"),
        pytest.param(
            Raw([b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"]),
            Outcome.NETWORK,
            "ended in the middle of the answer, 49 bytes before its Content-Length",
            id="a body that is cut",
        ),
        pytest.param(
            Raw([b"HTTP/1.1 200 OK\r\nContent-Length: 408\r\n\r\n{"]),
            Outcome.NETWORK,
            "407 bytes before its Content-Length",
            id="a body that lacks 407 bytes",
        ),
        pytest.param(
            Stream([chunk("4")], end="cut"),
            Outcome.NETWORK,
            "the connection ended in the middle of the answer",
            id="chunks that are cut",
        ),
        pytest.param(
            Reply(zlib.compress(json.dumps(completion("4")).encode()), headers={"Content-Encoding": "Deflate"}),
            Outcome.PROTOCOL,
            "its Content-Encoding is deflate, which was not asked for: turn compression off: HTTP 200 with",
            id="a coding that nobody asked for",
        ),
        pytest.param(
            Reply(b"\x0b\x02\x80{}\x03", 429, {"Content-Encoding": "br"}),
            Outcome.RATE_LIMITED,
            "its Content-Encoding is br, which was not asked for: turn compression off: HTTP 429: ",
            id="an error in a coding that nobody asked for",
        ),
        pytest.param(
            Raw([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n"]),
            Outcome.NETWORK,
            "no size",
            id="no chunks",
        ),
        pytest.param(
            Stream([chunk("4")], done=False), Outcome.NETWORK, "without finish_reason", id="a stream without end"
        ),
        pytest.param(Stream([], done=False), Outcome.EMPTY_STREAM, "empty body", id="an empty stream"),
        pytest.param(Reply("", 204), Outcome.EMPTY_STREAM, "204", id="no content"),
        pytest.param(Reply(completion(choices=[])), Outcome.EMPTY_STREAM, "no choices", id="no choices"),
        pytest.param(
            Raw([b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 200 + b"\r\n"]),
            Outcome.NETWORK,
            "100 headers",
            id="too many headers",
        ),
    ],
)
def test_what_goes_wrong_is_named(answer: Scripted, outcome: Outcome, words: str) -> None:
    failure = failure_of(answer)

    assert failure.outcome is outcome
    assert words in failure.message
    assert KEY not in repr(failure)


@pytest.mark.parametrize("then", ["close", "hang"])
def test_after_finish_reason_the_answer_is_whole_however_the_stream_ends(then: Any) -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    body = f"data: {json.dumps(chunk('4', finish='stop'))}\n\n".encode()
    reply = asked(Raw([head, body], then=then), stream=True, idle_timeout=0.3)

    assert reply.completion is not None
    assert reply.completion.text == "4"


SAID = f"data: {json.dumps(chunk('4', finish='stop'))}\n\n".encode()
PINGS: list[bytes | float] = [b": ping\n\n", 0.05] * 200


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Stream([chunk("4", finish="stop")], done=False, end="hang"), id="kept alive"),
        pytest.param(Stream([chunk("4", finish="stop"), b"data: [DONE]\n\n"], done=False, end="hang"), id="done"),
        pytest.param(Stream([chunk("4", finish="stop"), *PINGS], done=False, end="hang"), id="kept alive with pings"),
        pytest.param(Raw([b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", SAID], then="hang"), id="to be closed"),
        pytest.param(Raw([b"HTTP/1.0 200 OK\r\n\r\n", SAID], then="hang"), id="HTTP/1.0"),
        pytest.param(Raw([b"HTTP/1.0 200 OK\r\n\r\n", SAID, *PINGS], then="hang"), id="HTTP/1.0 with pings"),
    ],
)
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_a_socket_that_stays_open_after_the_answer_is_not_waited_for(answer: Scripted, tls: bool) -> None:
    with (
        Gateway(lambda body: answer, tls=server_context() if tls else None) as server,
        client(verify=str(authority_file()) if tls else True) as asking,
    ):
        began = time.monotonic()
        reply = asking.ask(model(server.url, stream=True, request_timeout=9.0, idle_timeout=9.0), QUESTION, 0)
        took = time.monotonic() - began

    assert reply.completion is not None
    assert reply.latency_ms < 1000  # the grace for a usage report is not the model's time
    assert took < 5


def test_usage_that_follows_finish_reason_is_waited_for() -> None:
    events = [chunk("4", finish="stop"), 0.1, chunk(choices=[], usage={"prompt_tokens": 9})]
    reply = asked(Stream(events, done=False), stream=True)

    assert reply.completion is not None
    assert reply.completion.usage.prompt_tokens == 9


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_the_body_decides_not_what_was_asked_for(stream: bool) -> None:
    said = Reply(completion("4")) if stream else Stream([chunk("4", finish="stop")])
    reply = asked(said, stream=stream)

    assert reply.completion is not None
    assert reply.completion.text == "4"


def big() -> dict[str, Scripted]:
    block = b"x" * (1 << 20)
    head = b"HTTP/1.1 200 OK\r\n"
    blocks = MAX_BODY // len(block) + 8
    return {
        "by its length": Raw([head + b"Content-Length: %d\r\n\r\n{" % (MAX_BODY + 1)], then="hang"),
        "by its bytes": Raw([head + b"\r\n{", *[block] * blocks], then="hang"),
        "by its chunks": Stream([block] * blocks, end="hang"),
    }


@pytest.mark.parametrize("name", ["by its length", "by its bytes", "by its chunks"])
def test_an_answer_over_32_mib_is_refused(name: str) -> None:
    failure = failure_of(big()[name])

    assert (failure.outcome, failure.message) == (Outcome.PROTOCOL, "HTTP 200 with more than 32 MiB: refused")


def test_an_endpoint_where_nothing_listens_is_named_so() -> None:
    with Gateway() as server:
        url = server.url
    with client() as asking:
        failure = asking.ask(model(url), QUESTION, 0).failure

    assert failure == Failure(Outcome.NETWORK, "Connection refused")


def test_a_proxy_where_nothing_listens_is_named_so() -> None:
    with Gateway() as server:
        url = server.url
    with client(proxies={"https": url, "http": url}) as asking:
        failure = asking.ask(model("https://gateway.invalid/v1"), QUESTION, 0).failure

    assert failure == Failure(Outcome.NETWORK, "the proxy: Connection refused")


def test_a_host_is_found_by_its_name() -> None:
    with Gateway() as server, client() as asking:
        reply = asking.ask(model(server.url.replace("127.0.0.1", "localhost")), QUESTION, 0)

    assert reply.completion is not None


def test_a_host_that_has_no_address_is_named_so() -> None:
    with client() as asking:  # an empty label is refused before any name server is asked
        failure = asking.ask(model("http://a..b/v1"), QUESTION, 0).failure

    assert failure is not None
    assert failure.outcome is Outcome.NETWORK
    assert "label" in failure.message


@pytest.mark.parametrize("endpoint", ["ftp://host/v1", "no url", "http://[bad/v1", "http://a b/v1"])
def test_an_endpoint_that_is_no_url_is_a_failure_not_a_crash(endpoint: str) -> None:
    with client() as asking:
        assert asking.ask(model(endpoint), QUESTION, 0).failure is not None


@pytest.mark.parametrize(
    "options",
    [{"api_key": f"{KEY}\n\nX: y"}, {"extra_headers": {"X": f"{KEY}\n1"}}, {"extra_body": {"a": float("inf")}}],
    ids=["key", "header", "body"],
)
def test_a_request_that_cannot_be_built_is_a_failure_that_tells_no_secret(options: dict[str, Any]) -> None:
    with client() as asking:
        failure = asking.ask(model("http://127.0.0.1:1/v1", **options), QUESTION, 0).failure

    assert failure is not None
    assert "cannot be built" in failure.message
    assert KEY not in failure.message


def test_a_bug_in_the_client_costs_one_attempt_and_tells_no_secret() -> None:
    request = ChatRequest(({"role": "user", "content": {KEY}},))  # type: ignore[dict-item]  # a set is no JSON
    with client() as asking:
        failure = asking.ask(model("http://127.0.0.1:1/v1"), request, 0).failure

    assert failure == Failure(Outcome.NETWORK, "unexpected TypeError in the client")


@pytest.mark.parametrize(
    ("header", "copy"),
    [
        ({"X-Cache": "HIT from edge"}, "header"),
        ({"x-litellm-cache-hit": "True"}, "header"),
        ({"X-Cache": "MISS"}, None),
    ],
)
def test_a_cache_that_says_so_is_noticed(header: dict[str, str], copy: str | None) -> None:
    assert asked(Reply(completion("4"), headers=header)).copy == copy


@pytest.mark.parametrize("headers", [{}, {"Content-Encoding": "gzip"}], ids=["unsaid", "said"])
def test_a_body_that_is_compressed_though_nobody_asked_is_read_and_noted(headers: dict[str, str]) -> None:
    reply = asked(Reply(gzip.compress(json.dumps(completion("4")).encode()), headers=headers))

    assert reply.completion is not None
    assert (reply.completion.text, reply.quirks) == ("4", ("wrong-content-encoding",))


class TestLiteLLM:
    """Its cache heeds a field of the body alone, which strict servers reject."""

    HEADER = {"x-litellm-version": "1.80.0"}

    def caches(self, *said: Scripted, **options: Any) -> list[object]:
        """The field `cache` of each request, while these answers come one after the other."""
        with Gateway(script=said) as server, client() as asking:
            while server.script:
                asking.ask(model(server.url, **options), QUESTION, 0)
        return [request.body.get("cache", "none") for request in server.requests]

    @pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
    def test_is_told_not_to_answer_from_its_cache_once_it_is_known(self, stream: bool) -> None:
        first = Stream([chunk("4", finish="stop")], headers=self.HEADER | {"Content-Type": "text/event-stream"})

        assert self.caches(first, "4", "4", stream=stream) == ["none", {"no-cache": True}, {"no-cache": True}]

    def test_is_known_by_an_error_too_and_the_next_try_tells_it(self) -> None:
        error = Reply({"error": {"message": "busy"}}, 503, {"X-LiteLLM-Call-Id": "1", "Retry-After": "0"})

        assert self.caches(error, "4", max_retries=1) == ["none", {"no-cache": True}]

    @pytest.mark.parametrize(
        ("headers", "served"),
        [
            ({}, "model-b"),
            ({"x-litellm-model-group": "group-b"}, "group-b"),
            ({"x-litellm-model-group": f"group {KEY}"}, "group ***"),
        ],
    )
    def test_who_answered_instead_is_named(self, headers: dict[str, str], served: str) -> None:
        said = Reply(completion("4", model="model-b"), headers={"x-litellm-attempted-fallbacks": "1", **headers})
        reply = asked(said)

        assert reply.failure == Failure(Outcome.SUBSTITUTED, f"the gateway fell back to another model: {served}")
        assert reply.completion is not None
        assert reply.tries[0].reason == reply.failure.message

    def test_a_models_own_field_wins(self) -> None:
        first = Reply(completion("4"), headers=self.HEADER)

        assert self.caches(first, "4", extra_body={"cache": {"ttl": 9}}) == [{"ttl": 9}, {"ttl": 9}]

    def test_no_other_server_is_sent_it(self) -> None:
        said = Reply(completion("4"), headers=self.HEADER)
        with Gateway(lambda body: said) as proxy, Gateway() as other, client() as asking:
            for _ in range(2):
                asking.ask(model(proxy.url), QUESTION, 0)
                asking.ask(model(other.url), QUESTION, 0)

        assert "cache" in proxy.requests[1].body
        assert not any("cache" in request.body for request in other.requests)


def test_tls_needs_a_known_authority() -> None:
    with Gateway(tls=server_context()) as server:
        with client() as asking:
            failure = asking.ask(model(server.url), QUESTION, 0).failure
        with client(verify=str(authority_file())) as asking:
            replies = [asking.ask(model(server.url, stream=stream), QUESTION, 0) for stream in (False, True)]

    assert failure is not None
    assert failure.outcome is Outcome.NETWORK
    assert "certificate" in failure.message
    assert all(reply.completion for reply in replies)


def test_a_proxy_is_used_for_the_endpoint_it_is_named_for() -> None:
    with Gateway() as proxy, client(proxies={"http": proxy.url.removesuffix("/v1")}) as asking:
        asking.ask(model("http://gateway.invalid/v1"), QUESTION, 0)

    assert [request.path for request in proxy.requests] == ["http://gateway.invalid/v1/chat/completions"]


def test_many_threads_get_their_own_answers() -> None:
    with Gateway(lambda body: body["messages"][0]["content"], latency=0.01) as server, client(8) as asking:
        said: dict[int, str] = {}

        def ask(number: int) -> None:
            for _ in range(10):
                request = ChatRequest(({"role": "user", "content": str(number)},))
                reply = asking.ask(model(server.url, stream=number % 2 == 0), request, 0)
                said[number] = reply.completion.text if reply.completion else str(reply.failure)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert said == {number: str(number) for number in range(8)}


def test_the_server_that_tests_use_is_a_valid_one() -> None:
    assert whole_answer(Reply({"a": 1})).endswith(b'Content-Length: 8\r\n\r\n{"a": 1}')


@pytest.mark.parametrize("interim", ["100 Continue", "102 Processing", "103 Early Hints"])
@pytest.mark.parametrize("pause", [0.0, 0.05], ids=["with it", "before it"])
def test_what_comes_before_the_answer_is_skipped(interim: str, pause: float) -> None:
    body = json.dumps(completion("4")).encode()
    head = f"HTTP/1.1 {interim}\r\nLink: </a>; rel=preload\r\n\r\n".encode()
    parts: list[bytes | float] = [head, head, pause, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body), body]

    assert asked(Raw(parts)).completion is not None
