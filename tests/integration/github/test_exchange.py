"""The client over real sockets: what networks and servers do that no library imitates."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import requests
from tests.servers.certificate import authority_file, server_context
from tests.servers.github import FakeGitHub

from llm_testbench.github import exchange
from llm_testbench.github.api import MAX_TRIES, GitHub, GitHubError, OversizedAnswerError
from llm_testbench.github.event import Event

OK = b"HTTP/1.1 200 OK\r\n"


@contextmanager
def server(*answers: Iterable[bytes], tls: ssl.SSLContext | None = None) -> Iterator[tuple[str, list[bytes]]]:
    """Gives each connection the next of the answers, the last one again and again, and closes it.

    Its address, and the heads of the requests.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    heads: list[bytes] = []
    stopped = threading.Event()

    def serve() -> None:
        waiting = list(answers)
        while not stopped.is_set():
            with suppress(OSError):  # the client may leave at any time
                plain, _ = listener.accept()
                plain.settimeout(1.0)
                with tls.wrap_socket(plain, server_side=True) if tls is not None else plain as connection:
                    head = b""
                    while b"\r\n\r\n" not in head and (data := connection.recv(65536)):
                        head += data
                    heads.append(head)
                    for part in waiting[0] if len(waiting) == 1 else waiting.pop(0):
                        connection.sendall(part)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{listener.getsockname()[1]}", heads
    finally:
        stopped.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def client(url: str, session: requests.Session | None = None, token: str = "t" * 20) -> GitHub:
    event = Event(repository="octo/shop", api_url=url, graphql_url=f"{url}/graphql")
    return GitHub(event, token, session=session or requests.Session(), sleep=lambda _: None)


def endless() -> Iterator[bytes]:
    yield OK + b"\r\n"
    while True:
        yield b"x" * 65536


def endless_chunks() -> Iterator[bytes]:
    yield OK + b"Transfer-Encoding: chunked\r\n\r\n"
    while True:
        yield b"10000\r\n" + b"x" * 65536 + b"\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param([OK + b"Content-Length: 5\r\n\r\nwhole"], id="with a length"),
        pytest.param([OK + b"\r\n", b"wh", b"ole"], id="until the end of the connection"),
        pytest.param([OK + b"Transfer-Encoding: chunked\r\n\r\n", b"2\r\nwh\r\n3\r\nole\r\n0\r\n\r\n"], id="in chunks"),
        pytest.param([OK + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"whole")], id="packed"),
    ],
)
def test_a_file_is_read_however_it_is_sent(answer: list[bytes]) -> None:
    with server(answer) as (url, _):
        assert client(url).download("/x", 5) == b"whole"


@pytest.mark.parametrize("answer", [endless, endless_chunks])
def test_a_file_without_an_end_is_left_at_the_limit(answer: type[Iterator[bytes]]) -> None:
    with server(answer()) as (url, heads):
        with pytest.raises(OversizedAnswerError, match="holds more than 1 MiB"):
            client(url).download("/x", 1 << 20)
        assert len(heads) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param([OK + b"Content-Length: 9\r\n\r\nhalf"], "lost", id="half a body"),
        pytest.param([OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nha"], "lost", id="half a chunk"),
        pytest.param([OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"], "lost", id="no chunk"),
        pytest.param([b"nonsense\r\n\r\n"], "lost", id="no HTTP"),
        pytest.param([OK + b"Content-Encoding: gzip\r\n\r\nno"], "damaged", id="no gzip"),
        pytest.param(
            [OK + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"half")[:-1]], "ended before", id="half a gzip"
        ),
        pytest.param([], "lost", id="nothing"),
    ],
)
def test_what_breaks_off_is_asked_for_again_and_then_told(answer: list[bytes], words: str) -> None:
    with server(answer) as (url, heads):
        with pytest.raises(GitHubError, match=f"^GET /repos/octo/shop/x: .*{words}"):
            client(url).download("/x", 100)
        assert len(heads) == MAX_TRIES
    with server(answer, [OK + b"\r\nwhole"]) as (url, _):
        assert client(url).download("/x", 100) == b"whole"


def test_silence_is_not_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "READ_TIMEOUT", 0.1)

    def silent() -> Iterator[bytes]:
        yield OK + b"\r\n"
        threading.Event().wait(0.15)

    with server(silent(), [OK + b"\r\nwhole"]) as (url, _):
        assert client(url).download("/x", 100) == b"whole"


def test_nobody_listens() -> None:
    with server([]) as (url, _):
        pass

    with pytest.raises(GitHubError, match=r"^POST /repos/octo/shop/x: Connection refused$"):
        client(url).post("/x", {})


def test_a_connection_is_used_again_unless_a_body_is_left_on_it(fake: FakeGitHub) -> None:
    fake.add_release("v1", assets={"large": b"x" * 100_000})
    session = requests.Session()
    github = client(fake.url, session, fake.token)
    adapter: Any = session.get_adapter(fake.url)

    for _ in range(3):
        github.get("/releases")
    pools = adapter.poolmanager.pools
    pool = pools[next(iter(pools.keys()))]
    assert (pool.num_connections, pool.num_requests) == (1, 3)

    with pytest.raises(OversizedAnswerError):
        github.download(f"/releases/assets/{fake.releases[1001].assets[0].id}", 1000)
    github.get("/releases")
    assert pool.num_connections == 1


def test_a_certificate_that_nobody_vouches_for_ends_it() -> None:
    with server([OK + b"\r\n[]"], tls=server_context()) as (url, heads):
        with pytest.raises(GitHubError, match="its certificate is not trusted"):
            client(url).get("/x")
        assert heads == []


def test_a_certificate_of_ones_own_authority_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nothing")
    session = requests.Session()
    session.verify = str(authority_file())

    with server([OK + b"\r\n[]"], tls=server_context()) as (url, _):
        assert client(url, session).get("/x") == []


def test_this_machine_is_not_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    session = requests.Session()
    session.proxies = {"http": "http://127.0.0.1:1"}

    with server([OK + b"\r\n[]"]) as (url, _):
        assert client(url, session).get("/x") == []


def test_other_machines_are_reached_through_the_proxy_of_the_session() -> None:
    session = requests.Session()
    with server([OK + b"\r\n[]"]) as (url, heads):
        session.proxies = {"http": url}
        client("http://git.example.com/api/v3", session).get("/x")

    assert heads[0].startswith(b"GET http://git.example.com/api/v3/repos/octo/shop/x HTTP/1.1\r\n")
