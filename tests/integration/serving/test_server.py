"""The server itself: what it lists, refuses and logs, and clients that mean no good."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import requests
from tests.integration.serving.desks import TEXT, Fixed, ask, serving

from llm_testbench.errors import InputError
from llm_testbench.local.serving.answers import Answer
from llm_testbench.local.serving.incoming import MAX_BODY
from llm_testbench.local.serving.options import FaultRate
from llm_testbench.local.serving.question import Question
from llm_testbench.local.serving.server import Entry, Serving

CHAT = {"model": "model-a", "messages": [{"role": "user", "content": "Hi"}]}


def post(server: Serving, body: object = CHAT, **options: Any) -> requests.Response:
    return requests.post(f"{server.endpoint}/chat/completions", json=body, timeout=10, **options)


@contextmanager
def raw(server: Serving, data: bytes) -> Iterator[socket.socket]:
    port = int(server.endpoint.split(":")[2].split("/")[0])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(data)
        yield connection


def received(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def test_the_models_are_listed() -> None:
    with serving(Fixed()) as server:
        listed = requests.get(f"{server.endpoint}/models", timeout=10).json()
    assert listed == {"object": "list", "data": [{"id": "model-a", "object": "model"}]}


def test_it_listens_on_loopback_alone() -> None:
    with serving(Fixed()) as server:
        assert server.endpoint.startswith("http://127.0.0.1:")
        assert server._server.socket.getsockname()[0] == "127.0.0.1"


def test_a_plain_answer_has_all_that_clients_look_for() -> None:
    with serving(Fixed()) as server:
        first, second = post(server).json(), post(server).json()
    assert first["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": TEXT.text}, "finish_reason": "stop"}
    ]
    assert first["model"] == "model-a"
    assert first["object"] == "chat.completion"
    assert first["usage"]["total_tokens"] == first["usage"]["prompt_tokens"] + first["usage"]["completion_tokens"]
    assert first["id"] != second["id"]


@pytest.mark.parametrize("usage", [False, True])
def test_a_stream_says_the_same_and_usage_only_when_asked(usage: bool) -> None:
    options = {"stream_options": {"include_usage": True}} if usage else {}
    with serving(Fixed()) as server:
        response = post(server, {**CHAT, "stream": True, **options})
    assert response.headers["content-type"] == "text/event-stream"
    *events, last = [line.removeprefix("data: ") for line in response.content.decode().split("\n\n") if line]
    assert last == "[DONE]"
    chunks = [json.loads(event) for event in events]
    text = "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])
    assert text == TEXT.text
    assert ("usage" in chunks[-1]) is usage


BAD_BODIES = [
    (b"{", "the body is not JSON"),
    (b"\xff\xfe", "the body is not JSON"),
    (b"[" * 5000, "the body is not JSON"),
    (b"[]", "not a JSON object"),
    (b"", "the body is not JSON"),
    (b'{"messages": [{}]}', "model is missing"),
    (b'{"model": 3, "messages": [{}]}', "model is missing"),
    (b'{"model": "m"}', "messages is missing"),
    (b'{"model": "m", "messages": []}', "messages is missing"),
    (b'{"model": "m", "messages": "hello"}', "messages is missing"),
    (b'{"model": "m", "messages": [{}], "tools": {}}', "tools is no list"),
]


@pytest.mark.parametrize(("body", "message"), BAD_BODIES, ids=[body[:30].decode("latin-1") for body, _ in BAD_BODIES])
def test_a_body_that_asks_for_nothing_is_a_400_and_the_connection_stays(body: bytes, message: str) -> None:
    answers = Fixed()
    with serving(answers) as server, requests.Session() as session:
        refused = session.post(f"{server.endpoint}/chat/completions", data=body, timeout=10)
        fine = session.post(f"{server.endpoint}/chat/completions", json=CHAT, timeout=10)
    assert refused.status_code == 400
    assert message in refused.json()["error"]["message"]
    assert fine.ok
    assert answers.asked == 1


OTHER_WAYS = [
    ("GET", "/v1/chat/completions", 405),
    ("DELETE", "/v1/models", 405),
    ("POST", "/v1/completions", 404),
    ("GET", "/", 404),
    ("GET", "/../../etc/passwd", 404),
]


@pytest.mark.parametrize(("method", "path", "status"), OTHER_WAYS)
def test_what_is_not_there_is_an_error_in_json(method: str, path: str, status: int) -> None:
    with serving(Fixed()) as server:
        response = requests.request(method, server.endpoint.removesuffix("/v1") + path, timeout=10)
    assert response.status_code == status
    assert response.json()["error"]["type"] == "invalid_request_error"


NO_REQUESTS = [
    (b"nonsense\r\n\r\n", 400),
    (b"GET / HTTP/2 x\r\n\r\n", 400),
    (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
    (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 1e9\r\n\r\n", 400),
    (b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
    (b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1), 413),
    (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
    (b"GET /" + b"a" * 200_000, 431),
]


@pytest.mark.parametrize(("data", "status"), NO_REQUESTS, ids=[data[:40].decode() for data, _ in NO_REQUESTS])
def test_what_is_no_request_is_refused_and_the_connection_closed(data: bytes, status: int) -> None:
    seen: list[Entry] = []
    with serving(Fixed(), on_request=seen.append) as server, raw(server, data) as connection:
        connection.shutdown(socket.SHUT_WR)
        answer = received(connection)
        assert post(server).ok
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\nConnection: close\r\n" in answer
    assert seen[0].status == status


BEGUN = [b"", b"POST /v1/chat/completions HT", b"GET /v1/models HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"]


@pytest.mark.parametrize("data", BEGUN)
def test_a_client_that_says_nothing_more_is_left(data: bytes) -> None:
    with serving(Fixed(), idle=0.1, whole=0.1) as server, raw(server, data) as connection:
        assert received(connection) == b""


def test_a_request_may_not_trickle_in_for_ever() -> None:
    ticks = iter(range(1000))
    with (
        serving(Fixed(), idle=50.0, whole=5.0, clock=lambda: float(next(ticks))) as server,
        raw(server, b"GET /v1/models HTTP/1.1\r\n") as connection,
    ):
        assert trickle(connection) < 50


def trickle(connection: socket.socket) -> int:
    for sent in range(50):
        try:
            connection.sendall(b"A")
            connection.settimeout(0.05)
            if not connection.recv(1):
                return sent
        except TimeoutError:
            continue
        except OSError:
            return sent
    return 50


def test_two_requests_at_once_on_one_connection_are_both_answered() -> None:
    one = b"GET /v1/models HTTP/1.1\r\n\r\n"
    last = b"GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n"
    with serving(Fixed()) as server, raw(server, one + last) as both:
        assert received(both).count(b"HTTP/1.1 200 OK") == 2


def test_a_client_that_waits_for_100_continue_gets_it() -> None:
    body = json.dumps(CHAT).encode()
    head = b"POST /v1/chat/completions HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
    with serving(Fixed()) as server, raw(server, head) as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 100 Continue")
        connection.sendall(body)
        assert received(connection).startswith(b"HTTP/1.1 200 OK")


class Slow(Fixed):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = threading.Semaphore(0)
        self.go = threading.Event()

    def answer(self, question: Question) -> Answer:
        self.inside.release()
        assert self.go.wait(10)
        return super().answer(question)


def test_more_requests_than_fit_are_refused_and_room_comes_back() -> None:
    answers = Slow()
    with serving(answers, max_in_flight=2) as server, ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(post, server) for _ in range(2)]
        assert answers.inside.acquire(timeout=10)
        assert answers.inside.acquire(timeout=10)
        refused = post(server)
        listed = requests.get(f"{server.endpoint}/models", timeout=10)
        answers.go.set()
        assert [one.result().status_code for one in waiting] == [200, 200]
        assert refused.status_code == 429
        assert refused.json()["error"]["code"] == "rate_limit_exceeded"
        assert listed.ok
        assert post(server).ok


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_takes_as_long_as_it_is_told_to(stream: bool) -> None:
    with serving(Fixed(), latency=0.2) as server:
        began = time.monotonic()
        asked = ask(server.endpoint, stream=stream)
        assert time.monotonic() - began >= 0.19
    # The client does not count what follows a finish_reason: usage and [DONE].
    assert asked.reply.latency_ms >= (100 if stream else 190)
    if stream:
        assert asked.reply.ttft_ms is not None
        assert asked.reply.ttft_ms < asked.reply.latency_ms


def test_an_error_takes_no_time() -> None:
    with serving(Fixed(), [FaultRate("daily-quota")], latency=30.0) as server:
        assert ask(server.endpoint).tries == [429]


def test_the_log_says_who_was_asked_what_and_never_a_key() -> None:
    seen: list[Entry] = []
    with serving(Fixed(), [FaultRate("crlf")], on_request=seen.append) as server:
        headers = {"Authorization": "Bearer sk-canary-12345678"}
        post(server, headers=headers)
        requests.get(f"{server.endpoint}/models?key=sk-canary-12345678", headers=headers, timeout=10)
    assert [(one.method, one.path, one.status, one.model, one.about, one.faults) for one in seen] == [
        ("POST", "/v1/chat/completions", 200, "model-a", "city", ("crlf",)),
        ("GET", "/v1/models", 200, "", "", ()),
    ]
    assert "canary" not in repr(seen)


def test_a_client_that_leaves_in_the_middle_harms_nobody() -> None:
    data = json.dumps({**CHAT, "stream": True}).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(data)
    with serving(Fixed(), [FaultRate("endless-event")]) as server:
        with raw(server, head + data) as leaving:
            leaving.recv(10)
        assert requests.get(f"{server.endpoint}/models", timeout=10).ok


def test_an_open_stream_ends_when_the_server_does() -> None:
    body = json.dumps({**CHAT, "stream": True}).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body)
    with ExitStack() as opened, serving(Fixed(), [FaultRate("open-after-done")]) as server:
        connection = opened.enter_context(raw(server, head + body))
        said = b""
        while b"[DONE]" not in said:
            said += connection.recv(65_536)
        connection.settimeout(0.05)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        server.__exit__(None, None, None)
        connection.settimeout(10)
        assert received(connection) in (b"", b"\r\n")


def test_a_reset_is_one() -> None:
    body = json.dumps(CHAT).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body)
    with (
        serving(Fixed(), [FaultRate("connection-reset")]) as server,
        raw(server, head + body) as connection,
        pytest.raises(ConnectionResetError),
    ):
        connection.recv(1)


class Broken(Fixed):
    """Has a bug."""

    def answer(self, question: Question) -> Answer:
        raise ValueError("secret details")


def test_a_bug_costs_one_answer() -> None:
    with serving(Broken()) as server:
        response = post(server)
        assert requests.get(f"{server.endpoint}/models", timeout=10).ok
    assert response.status_code == 500
    assert "ValueError" in response.text
    assert "secret details" not in response.text


def test_a_port_that_is_taken_is_one_line() -> None:
    with serving(Fixed()) as server:
        port = int(server.endpoint.split(":")[2].split("/")[0])
        with pytest.raises(InputError, match=rf"port {port} cannot be used \(Address already in use\): choose another"):
            serving(Fixed(), port=port).__enter__()


def test_the_end_does_not_wait_for_answers() -> None:
    with ThreadPoolExecutor(1) as pool:
        with serving(Fixed(), latency=60.0) as server:
            waiting = pool.submit(ask, server.endpoint, max_retries=0)
            until = time.monotonic() + 10
            while not server._admission._inside and time.monotonic() < until:
                time.sleep(0.01)
        waiting.result(10)
