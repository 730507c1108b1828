"""An HTTP/1.1 server on loopback, a thread a connection, that asks a function for each answer."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

from tests.servers.github.call import Answer

JSON_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True)
class Request:
    """A request as it came in. Header names are in lower case; `path` as it was sent, without the query."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


# None: the connection is closed without an answer.
Answerer: TypeAlias = Callable[[Request], Answer | None]


class HTTPServer(ThreadingHTTPServer):
    """Serves from start() to stop(); stop() waits for every thread."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(
        self, host: str, port: int, answer: Answerer, tls: ssl.SSLContext | None = None, name: str = ""
    ) -> None:
        super().__init__((host, port), _Handler)
        if tls is not None:
            # The handshake happens in the connection's own thread, at its first read.
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self._scheme = "http" if tls is None else "https"
        self._name = name
        self.answer = answer
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """http://HOST:PORT, with a certificate https://NAME:PORT."""
        host, port = self.server_address[:2]
        return f"{self._scheme}://{self._name or (host if isinstance(host, str) else host.decode())}:{port}"

    def start(self) -> None:
        """Serves in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Closes every connection and ends."""
        self.shutdown()
        self._thread.join()
        with self._lock:
            for one in self._open:
                with suppress(OSError):  # the client may have gone first
                    one.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Remembers the connection: a client that keeps it alive must not keep the server alive."""
        assert isinstance(request, socket.socket)
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Forgets it."""
        assert isinstance(request, socket.socket)
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is nobody's fault."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HTTPServer
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        if headers.get("transfer-encoding") == "chunked":
            body = self._chunks()
        else:
            body = self.rfile.read(int(headers.get("content-length", "0")))
        answer = self.server.answer(Request(self.command, path, query, headers, body))
        if answer is None:
            self.close_connection = True
            return
        data = payload(answer)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if data and "Content-Type" not in answer.headers:
            self.send_header("Content-Type", JSON_TYPE)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, *_: object) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[[], None]:
        # The base class looks for do_GET, do_POST, …
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)


def payload(answer: Answer) -> bytes:
    """The bytes of an answer's body."""
    if answer.body is None:
        return b""
    return answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
