"""A server on loopback that answers chat requests with raw bytes, one response each, in order."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from tests.quirks.corpus import Response

_MOST_ENDLESS = 64 * 1024 * 1024  # bytes after which even this server gives up
_NO_LINGER = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Received:
    """One request. Header names are in lower case."""

    headers: dict[str, str]
    body: dict[str, Any]


class RawServer:
    """Plays its responses; a request beyond them finds the connection closed."""

    def __init__(self, responses: Sequence[Response]) -> None:
        self.received: list[Received] = []
        self._responses = list(responses)
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._threads[0].join(5)
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)
        for opened in (self._listening, *self._open):
            opened.close()

    def _start(self, target: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._open.append(connection)
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection.makefile("rb") as incoming:
            while (request := _read(incoming)) is not None:
                with self._lock:
                    self.received.append(request)
                    response = self._responses.pop(0) if self._responses else Response(b"", "closed")
                connection.sendall(response.raw)
                sent = 0
                while response.endless and sent < _MOST_ENDLESS:
                    connection.sendall(response.endless * (64 * 1024 // len(response.endless)))
                    sent += 64 * 1024
                if response.end == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
                if response.end != "open":
                    break
        # The file above is closed by now, so this ends the connection: with a reset where that was set.
        if connection.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8)[:1] != b"\x01":
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        connection.close()


def _read(incoming: Any) -> Received | None:
    first = incoming.readline()
    if not first:
        return None
    headers = {}
    while (line := incoming.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return Received(headers, json.loads(incoming.read(int(headers.get("content-length", 0)))))
