"""Finding and reaching a host within the time to connect."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from llm_testbench.gateway import connections
from llm_testbench.gateway.connections import _connect, _resolve
from llm_testbench.gateway.deadline import Call, Cut, CutError


def call(seconds: float = 5.0) -> Call:
    return Call(time.monotonic, connect=seconds, total=60.0, idle=math.inf)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(5)
        yield sock


def closed_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def address(port: int) -> tuple[Any, ...]:
    return (socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))


def test_a_dead_first_address_leaves_the_next_one(listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    port = listener.getsockname()[1]
    monkeypatch.setattr(connections, "_resolve", lambda *_: [address(closed_port()), address(port)])

    with _connect("host", port, call(), [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]) as sock:
        assert sock.getpeername()[1] == port
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_last_address_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="refused"):
        _connect("127.0.0.1", closed_port(), call(), [])


def test_a_name_without_addresses_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_resolve", lambda *_: [])

    with pytest.raises(socket.gaierror):
        _connect("host", 1, call(), [])


def test_an_abort_ends_the_wait_for_a_name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can interrupt the resolver of the C library: the call leaves it behind."""
    answers = threading.Event()

    def stuck(*_: object, flags: int = 0, **__: object) -> list[Any]:
        if flags:
            raise socket.gaierror(socket.EAI_NONAME, "no number")
        answers.wait(10)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    waiting = call()
    threading.Timer(0.05, waiting.end, [Cut.ABORT]).start()
    with pytest.raises(CutError):
        _resolve("host", 80, waiting)
    answers.set()


def test_the_wait_for_a_name_server_ends_with_the_time_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()

    def stuck(*_: object, flags: int = 0, **__: object) -> list[Any]:
        if flags:
            raise socket.gaierror(socket.EAI_NONAME, "no number")
        answers.wait(10)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    waiting = call(0.15)
    with pytest.raises(CutError):
        _resolve("host", 80, waiting)
    answers.set()

    assert waiting.cut is Cut.CONNECT


@pytest.mark.parametrize("host", ["[::1]", "127.0.0.1"])
def test_a_number_needs_no_name_server(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "Thread", None)

    assert _resolve(host, 80, call())[0][4][:2] == (host.strip("[]"), 80)


def test_an_address_that_stays_silent_is_given_up_for_the_next(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listener with a full queue drops every request to connect, as a firewall does."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        ports = [full.getsockname()[1], listener.getsockname()[1]]
        monkeypatch.setattr(connections, "_resolve", lambda *_: [address(port) for port in ports])
        with _connect("host", 1, call(1.0), []) as sock:
            assert sock.getpeername()[1] == ports[1]
        for filler in fillers:
            filler.close()
