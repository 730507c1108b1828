"""Connections that the watchdog can end at any moment, hooked into requests through its adapter."""

from __future__ import annotations

import errno
import os
import select
import socket
import threading
from collections.abc import Mapping, Sequence
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NameResolutionError, NewConnectionError

from llm_testbench.gateway.chunked import ChunkDecoder, ChunkError
from llm_testbench.gateway.deadline import Call, Line
from llm_testbench.gateway.surroundings import Surroundings

_LOOK = 0.1  # seconds between two looks at an abort while nothing else could wake the thread

_current = threading.local()


class _Response(HTTPResponse):
    """The standard library's response, but it waits for the final one, and one read takes all chunks that are there."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._chunks = ChunkDecoder()

    def begin(self) -> None:
        super().begin()
        # 102 and 103 come before the answer as 100 does, which the base class skips. 101 has none: no HTTP follows.
        while 100 < self.status < 200 and self.status != 101:
            self.headers = None  # type: ignore[assignment]  # how the base class says that nothing has come yet
            super().begin()

    def read1(self, n: int = -1) -> bytes:
        if not self.chunked or self.fp is None:
            return super().read1(n)
        content = b""
        while not content and not self._chunks.done:
            data = self.fp.read1(n)
            if not data:
                raise IncompleteRead(b"")
            try:
                content = self._chunks.feed(data)
            except ChunkError as error:
                raise HTTPException(str(error)) from error
        if self._chunks.done:
            self.fp.close()
            self.fp = None  # type: ignore[assignment]  # how the base class says that the connection is free again
        return content


class _Cuttable(HTTPConnection):
    """Adds to a connection: the time to connect is one budget, and the line belongs to the current call."""

    response_class = _Response
    _line: Line | None = None
    _held: list[bytes] | None = None

    def _new_conn(self) -> socket.socket:
        call: Call = _current.call
        try:
            sock = _connect(self._dns_host, self.port or self.default_port, call, self.socket_options or [])
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        except OSError as error:
            raise NewConnectionError(self, str(error)) from error
        self._line = Line(sock)
        self._line.take(call)
        return sock

    def connect(self) -> None:
        super().connect()
        if self._line is not None and self.sock is not None:
            self._line.reads_from(self.sock)
        _current.call.connected()

    def request(self, *args: Any, **kwargs: Any) -> None:
        if self._line is not None and self.sock is not None:
            call: Call = _current.call
            self._line.take(call)
            call.connected()
        # Headers and body leave in one packet: half the system calls, and half the wake-ups of the other side.
        self._held = []
        try:
            super().request(*args, **kwargs)
        finally:
            data, self._held = b"".join(self._held), None
        super().send(data)

    def send(self, data: Any) -> None:
        if self._held is not None and isinstance(data, bytes):
            self._held.append(data)
        else:
            super().send(data)

    def close(self) -> None:
        try:
            super().close()
        finally:
            if self._line is not None:
                self._line.close()
                self._line = None


class _CuttableTLS(_Cuttable, HTTPSConnection):
    """The same over TLS: handshake and CONNECT through a proxy count as connecting."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Cuttable


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _CuttableTLS


class Adapter(HTTPAdapter):
    """One endpoint's connections: kept alive, as many as calls may be in flight, no retries of its own."""

    def __init__(self, connections: int) -> None:
        self._pool: Any = None
        super().__init__(pool_connections=1, pool_maxsize=connections, max_retries=0)

    def ask(self, request: PreparedRequest, call: Call, around: Surroundings, connect_timeout: float) -> Response:
        """Sends the request; gives status and headers, with the body still to be read. The call's timers cut it."""
        _current.call = call
        try:
            return self.send(
                request,
                stream=True,
                # No timeout on reads: the call's timers cut it, and a socket with one is polled before each read.
                timeout=(connect_timeout, None),
                verify=around.verify,
                proxies=dict(around.proxies),
            )
        finally:
            _current.call = None

    def get_connection_with_tls_context(
        self,
        request: PreparedRequest,
        verify: Any,
        proxies: Mapping[str, str] | None = None,
        cert: Any = None,
    ) -> Any:
        """The pool of the one endpoint, found once: finding it takes requests longer than writing a request."""
        if self._pool is None:
            self._pool = super().get_connection_with_tls_context(request, verify, proxies, cert)
        return self._pool

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Requests' own, with our connections."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}

    def build_response(self, req: PreparedRequest, resp: Any) -> Response:
        """Status, headers and body alone: a gateway's cookies must not reach the next request."""
        response = Response()
        response.status_code = resp.status
        response.headers = CaseInsensitiveDict(resp.headers)
        response.raw = resp
        response.request = req
        response.url = req.url or ""
        return response

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        """Requests' own, with our connections."""
        manager = super().proxy_manager_for(proxy, **kwargs)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}
        return manager


def _connect(host: str, port: int, call: Call, options: Any) -> socket.socket:
    addresses = _resolve(host, port, call)
    failure: OSError = socket.gaierror(socket.EAI_NONAME, "no address")
    for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        family, kind, protocol, _, where = address
        sock = socket.socket(family, kind, protocol)
        try:
            for option in options:
                sock.setsockopt(*option)
            # A dead first address must leave time for the next one.
            _connect_one(sock, where, call, call.time_to_connect() / left)
            sock.settimeout(call.time_to_connect())
        except OSError as error:
            sock.close()
            call.check()
            failure = error
        else:
            return sock
    raise failure


def _connect_one(sock: socket.socket, where: Any, call: Call, seconds: float) -> None:
    sock.settimeout(0)
    code = sock.connect_ex(where)
    if code == errno.EINPROGRESS:
        poll = select.poll()
        poll.register(sock, select.POLLOUT)
        while not poll.poll(min(_LOOK, seconds) * 1000):
            call.time_to_connect()
            seconds -= _LOOK
            if seconds <= 0:
                raise TimeoutError("no answer to the connection request")
        code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code:
        raise OSError(code, os.strerror(code))


def _resolve(host: str, port: int, call: Call) -> Sequence[Any]:
    host = host.strip("[]")
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (socket.gaierror, UnicodeError):
        pass  # a name, or no host at all: the resolver will say
    # Nothing can interrupt the resolver, so it runs aside: an overdue call leaves it behind.
    found: list[Sequence[Any] | OSError] = []
    ended = threading.Event()

    def look_up() -> None:
        try:
            found.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            found.append(error if isinstance(error, OSError) else socket.gaierror(socket.EAI_NONAME, str(error)))
        ended.set()

    threading.Thread(target=look_up, name="gateway-resolver", daemon=True).start()
    while not ended.wait(min(_LOOK, call.time_to_connect())):
        pass
    if isinstance(found[0], OSError):
        raise found[0]
    return found[0]
