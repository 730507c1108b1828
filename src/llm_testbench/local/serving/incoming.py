"""One HTTP/1.1 request from a socket that nobody trusts: bounded in size and in time."""

from __future__ import annotations

import http.client
import io
import socket
from collections.abc import Callable
from dataclasses import dataclass

MAX_HEAD = 64 * 1024
MAX_BODY = 32 * 1024 * 1024

_READ = 64 * 1024
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class RefusedError(Exception):
    """A request that is not read further. `status`: what it is answered with."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class GoneError(Exception):
    """The client went away, or sends nothing."""


@dataclass(frozen=True)
class Incoming:
    """One request. `path` is without its query, where a key might stand."""

    method: str
    path: str
    body: bytes
    keeps: bool  # the connection


class Reader:
    """Requests from one connection, one after the other.

    `idle`: seconds that a connection may wait for its next request; `whole`: until all of one must be there.
    """

    def __init__(self, connection: socket.socket, clock: Callable[[], float], *, idle: float, whole: float) -> None:
        self._connection = connection
        self._clock = clock
        self._idle = idle
        self._whole = whole
        self._left = b""

    def next(self) -> Incoming:
        """The next request; RefusedError for one that is none, GoneError when there is none."""
        if not self._left:
            self._receive(self._clock() + self._idle)
        until = self._clock() + self._whole
        while b"\r\n\r\n" not in self._left:
            if len(self._left) > MAX_HEAD:
                raise RefusedError(431, f"the head of the request is longer than {MAX_HEAD >> 10} KiB")
            self._receive(until)
        head, _, self._left = self._left.partition(b"\r\n\r\n")
        line, _, rest = head.lstrip(b"\r\n").partition(b"\r\n")
        words = line.decode("latin-1").split()
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            raise RefusedError(400, "this is no HTTP/1.1 request")
        try:
            headers = http.client.parse_headers(io.BytesIO(rest + b"\r\n\r\n"))
        except http.client.HTTPException:
            raise RefusedError(431, "the request has too many headers") from None
        if "transfer-encoding" in headers:
            raise RefusedError(411, "send the body with a Content-Length")
        length = headers.get("content-length", "0").strip()
        if not (length.isascii() and length.isdecimal() and len(length) < 16):
            raise RefusedError(400, "Content-Length is no number")
        body = self._body(int(length), until, expected=headers.get("expect", "").lower() == "100-continue")
        keeps = words[2] != "HTTP/1.0" and headers.get("connection", "").lower() != "close"
        return Incoming(words[0], words[1].partition("?")[0], body, keeps)

    def _body(self, length: int, until: float, *, expected: bool) -> bytes:
        if length > MAX_BODY:
            raise RefusedError(413, f"the body is longer than {MAX_BODY >> 20} MiB")
        if expected and len(self._left) < length:
            self._connection.sendall(_CONTINUE)
        parts, have = [self._left], len(self._left)
        while have < length:
            self._left = b""
            self._receive(until)
            parts.append(self._left)
            have += len(self._left)
        received = b"".join(parts)
        self._left = received[length:]
        return received[:length]

    def _receive(self, until: float) -> None:
        """More bytes, behind those that are left."""
        seconds = until - self._clock()
        if seconds <= 0:
            raise GoneError
        try:
            self._connection.settimeout(seconds)
            data = self._connection.recv(_READ)
        except OSError:  # also its timeout
            raise GoneError from None
        if not data:
            raise GoneError
        self._left += data
