"""No server holds a call longer than its deadline, whatever it sends."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import repeat

import pytest
from tests.integration.gateway.asking import QUESTION, client, model
from tests.servers.certificate import authority_file, server_context
from tests.servers.gateway import HANG, Gateway, Raw, Scripted, Stream, chunk
from tests.servers.gateway import Reply as Answer

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Reply, Step

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
SOON = 0.2  # seconds
LATE = 5.0  # seconds; far from SOON, so that a busy machine does not matter


def dribbled(piece: bytes, start: bytes = b"") -> Iterator[bytes | float]:
    """The piece for ever, one a moment."""
    yield start
    for part in repeat(piece):
        yield part
        yield 0.02


ENDLESS: dict[str, Callable[[], Scripted]] = {
    "no answer": lambda: HANG,
    "headers for ever": lambda: Raw(dribbled(b"X-A: b\r\n", HEAD)),
    "one header line for ever": lambda: Raw(dribbled(b"a", HEAD + b"X-A: ")),
    "a body with a length": lambda: Raw(dribbled(b" ", HEAD + b"Content-Length: 100000\r\n\r\n")),
    "a body without a length": lambda: Raw(dribbled(b" ", HEAD + b"\r\n")),
    "a body until the connection closes": lambda: Raw(dribbled(b" ", HEAD + b"Connection: close\r\n\r\n{")),
    "chunks": lambda: Raw(dribbled(b"1\r\n \r\n", HEAD + b"Transfer-Encoding: chunked\r\n\r\n")),
    "a chunk size": lambda: Raw(dribbled(b"0", HEAD + b"Transfer-Encoding: chunked\r\n\r\n")),
    "comments": lambda: Raw(dribbled(b": ping\n\n", b"HTTP/1.1 200 OK\r\n\r\n")),
    "tokens": lambda: Stream(part for part in dribbled(b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n', b"\n")),
    "an error body": lambda: Raw(dribbled(b"x", b"HTTP/1.1 500 Oh\r\n\r\n")),
}


def timed(answer: Scripted, **options: object) -> tuple[Reply, float]:
    with Gateway(lambda body: answer) as server, client() as asking:
        began = time.monotonic()
        reply = asking.ask(model(server.url, **options), QUESTION, 0)
        return reply, time.monotonic() - began


@pytest.mark.parametrize(
    ("name", "stream"),
    [*((name, False) for name in ENDLESS), *((name, True) for name in ("no answer", "chunks", "comments", "tokens"))],
)
def test_a_server_that_dribbles_is_cut_at_the_deadline(name: str, stream: bool) -> None:
    reply, took = timed(ENDLESS[name](), request_timeout=SOON, stream=stream)

    assert_cut(reply, took)


@pytest.mark.parametrize("name", ["no answer", "headers for ever", "a body until the connection closes", "chunks"])
def test_over_tls_too(name: str) -> None:
    with (
        Gateway(lambda body: ENDLESS[name](), tls=server_context()) as server,
        client(verify=str(authority_file())) as asking,
    ):
        began = time.monotonic()
        reply = asking.ask(model(server.url, request_timeout=SOON), QUESTION, 0)

        assert_cut(reply, time.monotonic() - began)


def assert_cut(reply: Reply, took: float) -> None:
    assert reply.failure is not None
    assert (reply.failure.outcome, reply.failure.message) == (Outcome.TIMEOUT, "no complete answer within 0.2s")
    assert SOON <= took < LATE
    assert reply.latency_ms >= SOON * 1000


def test_an_answer_that_came_in_time_is_not_touched() -> None:
    with Gateway(latency=0.1) as server, client() as asking:
        reply = asking.ask(model(server.url, request_timeout=LATE), QUESTION, 0)

    assert reply.failure is None


@pytest.mark.parametrize(
    "silence",
    [
        pytest.param(HANG, id="from the beginning"),
        pytest.param(Stream([chunk("a")], end="hang"), id="after a token"),
        pytest.param(Stream(dribbled(b"x", b"data: ")), id="bytes without a line"),
    ],
)
def test_a_silent_stream_is_cut_at_the_idle_timeout(silence: Scripted) -> None:
    reply, took = timed(silence, idle_timeout=SOON, stream=True)

    assert reply.failure is not None
    assert reply.failure.outcome is Outcome.IDLE_TIMEOUT
    assert took < LATE
    assert reply.latency_ms >= SOON * 1000


@pytest.mark.parametrize("sign", [b": ping\n", chunk("a")], ids=["a comment", "a token"])
def test_any_line_resets_the_idle_timeout(sign: object) -> None:
    pulse = [part for _ in range(9) for part in (sign, 0.1)]
    reply, _ = timed(Stream([*pulse, chunk("4", finish="stop")]), idle_timeout=0.7, stream=True)

    assert reply.completion is not None


def test_silence_matters_in_streams_only() -> None:
    with Gateway(latency=0.3) as server, client() as asking:
        reply = asking.ask(model(server.url, idle_timeout=0.05), QUESTION, 0)

    assert reply.completion is not None


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_never_takes_part_is_no_connection(scheme: str) -> None:
    """http: the queue of the listener is full, so that nothing answers; https: no handshake comes."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        fillers = []
        if scheme == "http":
            for _ in range(4):
                filler = socket.socket()
                filler.setblocking(False)
                filler.connect_ex(address)
                fillers.append(filler)
        with client() as asking:
            began = time.monotonic()
            reply = asking.ask(model(f"{scheme}://127.0.0.1:{address[1]}/v1", connect_timeout=SOON), QUESTION, 0)
            took = time.monotonic() - began
        for filler in fillers:
            filler.close()

    assert reply.failure is not None
    assert (reply.failure.outcome, reply.failure.message) == (Outcome.NETWORK, "no connection within 0.2s")
    assert took < LATE


def test_the_deadline_covers_the_handshake_too() -> None:
    with socket.socket() as listener, client() as asking:
        listener.bind(("127.0.0.1", 0))
        listener.listen(5)
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/v1"
        reply = asking.ask(model(url, request_timeout=SOON), QUESTION, 0)

    assert reply.failure is not None
    assert reply.failure.outcome is Outcome.TIMEOUT


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("name", ["no answer", "headers for ever", "a body until the connection closes", "tokens"])
def test_abort_cuts_every_call_in_flight(name: str, stream: bool) -> None:
    with Gateway(lambda body: ENDLESS[name]()) as server, client() as asking:
        replies: list[Reply] = []
        threads = [
            threading.Thread(
                target=lambda: replies.append(asking.ask(model(server.url, max_retries=3, stream=stream), QUESTION, 0))
            )
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        server.wait_for(3)
        asking.abort()
        for thread in threads:
            thread.join(LATE)

    assert [(reply.failure and reply.failure.message, len(reply.tries)) for reply in replies] == [
        ("abandoned: the run was interrupted", 1)
    ] * 3


def test_an_attempt_that_abort_cut_is_over() -> None:
    with Gateway(lambda body: HANG) as server, client() as asking:
        steps: list[Step] = []
        asked = model(server.url, max_retries=3)
        thread = threading.Thread(target=lambda: steps.append(asking.start(asked, QUESTION, 0)))
        thread.start()
        server.wait_for(1)
        asking.abort()
        thread.join(LATE)

    assert isinstance(steps[0], Reply)


def test_abort_wakes_a_pause_between_tries() -> None:
    pausing = threading.Event()

    def wall_clock() -> float:
        pausing.set()  # asked for right before a pause
        return time.time()

    answer = Answer("", 429, {"Retry-After": "30"})
    with Gateway(lambda body: answer) as server, client(wall_clock=wall_clock) as asking:
        replies: list[Reply] = []
        asked = model(server.url, max_retries=3)
        thread = threading.Thread(target=lambda: replies.append(asking.ask(asked, QUESTION, 0)))
        thread.start()
        pausing.wait(LATE)
        asking.abort()
        thread.join(LATE)

    assert replies[0].failure is not None
    assert (len(replies[0].tries), len(server.requests)) == (1, 1)


def test_after_an_abort_nothing_is_sent() -> None:
    with Gateway() as server, client() as asking:
        asking.ask(model(server.url), QUESTION, 0)
        asking.abort()
        replies = [asking.ask(model(server.url, stream=stream), QUESTION, 0) for stream in (False, True)]

    assert [reply.failure.message for reply in replies if reply.failure] == ["abandoned: the run was interrupted"] * 2


def test_the_end_of_one_call_never_cuts_the_next_on_its_connection() -> None:
    """The deadline of a call that is over passes while another one uses the same connection."""
    with Gateway(latency=0.3) as server, client() as asking:
        for _ in range(4):
            assert asking.ask(model(server.url, request_timeout=1.0), QUESTION, 0).completion is not None

    assert server.connections == 1
