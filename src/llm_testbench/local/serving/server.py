"""The HTTP server: loopback only, one thread a connection, no client can hold it up for long."""

from __future__ import annotations

import selectors
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from llm_testbench.errors import InputError
from llm_testbench.local.serving.admission import Admission
from llm_testbench.local.serving.desk import Desk, Served, listing
from llm_testbench.local.serving.incoming import GoneError, Incoming, Reader, RefusedError
from llm_testbench.local.serving.question import BadQuestionError, Question, read_question
from llm_testbench.local.serving.response import Response, as_error, put

_HOST = "127.0.0.1"
_MAX_CONNECTIONS = 1024
_BACKLOG = 512
_WRITE_SECONDS = 60.0  # a client that takes nothing for so long is gone
_PART_SECONDS = 1.0
_PART_BYTES = 256 * 1024  # at a time
_LOOK_SECONDS = 0.2  # how often a connection that hangs looks whether its client is still there
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: on, for 0 seconds
_CHAT = "/v1/chat/completions"
_MODELS = "/v1/models"


@dataclass(frozen=True)
class Entry:
    """One line of the log. `path`, `model` and `about` are untrusted."""

    method: str
    path: str
    status: int
    milliseconds: float
    model: str = ""
    about: str = ""
    faults: tuple[str, ...] = ()


class Serving:
    """Serves in threads of its own inside the `with`.

    `port`: 0 for a free one; InputError when it is taken. `on_request` is called by many threads, once a request.
    `idle`, `whole`: seconds that a connection may be silent between requests, and a request may take to come in.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        port: int = 0,
        max_in_flight: int | None = None,
        on_request: Callable[[Entry], object] = lambda entry: None,
        clock: Callable[[], float] = time.monotonic,
        idle: float = 120.0,
        whole: float = 60.0,
    ) -> None:
        self._desk = desk
        self._admission = Admission(max_in_flight)
        self._on_request = on_request
        self._clock = clock
        self._idle = idle
        self._whole = whole
        self._stopped = threading.Event()
        self._places = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        try:
            self._server = _Server(port, self._converse)
        except OSError as error:
            raise InputError(f"port {port} cannot be used ({error.strerror}): choose another --port, or 0") from None
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.endpoint = f"http://{_HOST}:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _converse(self, connection: socket.socket) -> None:
        """Everything on one connection."""
        if not self._places.acquire(blocking=False):
            return
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reader = Reader(connection, self._clock, idle=self._idle, whole=self._whole)
            with suppress(GoneError, OSError):
                while self._one(connection, reader):
                    pass
        finally:
            self._places.release()

    def _one(self, connection: socket.socket, reader: Reader) -> bool:
        """One request and its answer; whether there may be another one."""
        try:
            incoming = reader.next()
        except RefusedError as error:
            refusal = as_error(error.status, str(error), "invalid_request_error")
            self._write(connection, replace(refusal, ending="close"))
            self._on_request(Entry("-", "-", error.status, 0.0))
            self._part(connection)
            return False
        began = self._clock()
        if (incoming.method, incoming.path.rstrip("/")) != ("POST", _CHAT):
            return self._finish(connection, incoming, began, Served(self._elsewhere(incoming), "", ()))
        try:
            question = read_question(incoming.body)
        except BadQuestionError as error:
            refusal = as_error(400, str(error), "invalid_request_error", parameter=error.parameter)
            return self._finish(connection, incoming, began, Served(refusal, "", ()))
        with self._admission.enter() as admitted:
            served = self._served(question) if admitted else _busy()
            return self._finish(connection, incoming, began, served, question)

    def _served(self, question: Question) -> Served:
        try:
            return self._desk.serve(question)
        except Exception as error:  # a bug here must cost one answer, not the server
            refusal = as_error(500, f"unexpected {type(error).__name__} in llmtest serve", "server_error")
            return Served(refusal, "", ())

    def _elsewhere(self, incoming: Incoming) -> Response:
        path = incoming.path.rstrip("/")
        if path == _MODELS and incoming.method == "GET":
            return listing(self._desk.models)
        if path in (_CHAT, _MODELS):
            return as_error(405, f"{path} does not take this method", "invalid_request_error")
        return as_error(404, f"there is {_CHAT} and {_MODELS}", "invalid_request_error")

    def _finish(
        self,
        connection: socket.socket,
        incoming: Incoming,
        began: float,
        served: Served,
        question: Question | None = None,
    ) -> bool:
        response = served.response
        try:
            self._write(connection, response)
        finally:
            self._on_request(
                Entry(
                    incoming.method,
                    incoming.path,
                    response.status if response.ending != "reset" else 0,
                    (self._clock() - began) * 1000,
                    question.model if question is not None else "",
                    served.about,
                    served.faults,
                )
            )
        if response.ending == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        elif response.ending == "hang":
            self._hang(connection)
        return response.ending == "keep" and incoming.keeps

    def _write(self, connection: socket.socket, response: Response) -> None:
        connection.settimeout(_WRITE_SECONDS)
        if response.ending == "reset":
            for part in response.parts:
                if isinstance(part, float):
                    self._stopped.wait(part)
            return
        put(response, connection.sendall, self._stopped.wait)

    def _part(self, connection: socket.socket) -> None:
        """Takes what is still coming for a moment: a close before would make the answer unreadable."""
        connection.shutdown(socket.SHUT_WR)
        until = self._clock() + _PART_SECONDS
        while (left := until - self._clock()) > 0:
            connection.settimeout(left)
            if not connection.recv(_PART_BYTES):
                return

    def _hang(self, connection: socket.socket) -> None:
        """Until the client closes, or nobody serves any more."""
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_READ)
            while not self._stopped.is_set():
                if selector.select(_LOOK_SECONDS):
                    return


def _busy() -> Served:
    message = "too many requests are being answered: ask again"
    return Served(as_error(429, message, "rate_limit_error", code="rate_limit_exceeded"), "", ())


class _Server(socketserver.ThreadingTCPServer):
    """One thread a connection; those that are still open do not keep the process from ending."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = _BACKLOG

    def __init__(self, port: int, converse: Callable[[socket.socket], None]) -> None:
        self._converse_on = converse
        super().__init__((_HOST, port), socketserver.BaseRequestHandler)

    def finish_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Instead of a handler class."""
        assert isinstance(request, socket.socket)  # noqa: S101 -- of a TCP server it always is
        self._converse_on(request)

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Closes without the shutdown() that would keep a reset from being one."""
        assert isinstance(request, socket.socket)  # noqa: S101 -- as above
        request.close()

    def handle_error(self, request: object, client_address: object) -> None:
        """The connection ends, the others go on."""
