"""One HTTP answer as it goes out: a value down to the last byte, the pauses and the way it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from itertools import chain
from typing import Any, Literal, TypeAlias

Parts: TypeAlias = Iterable[bytes | float]
"""Bytes, each written by itself, and pauses in seconds."""

Ending: TypeAlias = Literal["keep", "close", "cut", "hang", "reset"]
"""What becomes of the connection.

`keep`: the next request may come. `close`: closed in order. `cut`: closed inside a chunk. `hang`: neither ended nor
closed, until the client goes. `reset`: reset before a byte was written.
"""

_OVERFLOW = {520: "Web Server Returned an Unknown Error", 524: "A Timeout Occurred", 529: "Site is Overloaded"}


@dataclass(frozen=True)
class Response:
    """`chunked`: the length is not told, the body goes out in chunks; else `parts` must be a tuple."""

    status: int
    headers: tuple[tuple[str, str], ...]
    parts: Parts = field(repr=False)
    chunked: bool = False
    ending: Ending = "keep"

    def with_headers(self, *headers: tuple[str, str]) -> Response:
        """The same with these headers, in the place of any of the same names."""
        names = {name.lower() for name, _ in headers}
        kept = tuple(header for header in self.headers if header[0].lower() not in names)
        return replace(self, headers=(*kept, *headers))


def as_json(value: object, status: int = 200, *headers: tuple[str, str]) -> Response:
    """A JSON body."""
    return with_json(encoded(value), status, *headers)


def with_json(data: bytes, status: int = 200, *headers: tuple[str, str]) -> Response:
    """A body that was written as JSON."""
    return Response(status, (("Content-Type", "application/json"), *headers), (data,))


def as_error(
    status: int, message: str, kind: str, *headers: tuple[str, str], code: object = None, parameter: str | None = None
) -> Response:
    """An error in the form that OpenAI gave it."""
    error: dict[str, Any] = {"message": message, "type": kind, "param": parameter, "code": code}
    return as_json({"error": error}, status, *headers)


def as_events(frames: Iterable[bytes]) -> Response:
    """A stream of server-sent events, each already in its frame."""
    headers = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"))
    return Response(200, headers, tuple(frames), chunked=True)


def encoded(value: object) -> bytes:
    """JSON with characters as they are; what UTF-8 cannot hold, half a surrogate pair, is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode("ascii")


def paced(response: Response, seconds: float) -> Response:
    """The same, spread over so many seconds: a stream evenly, anything else after a pause."""
    if not seconds:
        return response
    if not response.chunked or not isinstance(response.parts, tuple):
        parts = chain((seconds,), response.parts)
        return replace(response, parts=parts if response.chunked else tuple(parts))
    pause = seconds / max(len(response.parts), 1)
    return replace(response, parts=tuple(item for part in response.parts for item in (pause, part)))


def put(response: Response, write: Callable[[bytes], object], sleep: Callable[[float], object]) -> None:
    """Writes all of it, piece by piece; what `ending` asks for beyond bytes is the caller's."""
    for piece in _pieces(response):
        if isinstance(piece, bytes):
            write(piece)
        else:
            sleep(piece)


def _pieces(response: Response) -> Iterator[bytes | float]:
    parts = response.parts
    if not response.chunked:
        parts = tuple(parts)
        # A pause before the answer comes before its head, too: so long the server was busy.
        while parts and isinstance(parts[0], float):
            yield parts[0]
            parts = parts[1:]
        yield _head(response, ("Content-Length", str(sum(len(part) for part in parts if isinstance(part, bytes)))))
        yield from parts
        return
    yield _head(response, ("Transfer-Encoding", "chunked"))
    for part in parts:
        if isinstance(part, bytes):
            if part:
                yield b"%x\r\n%s\r\n" % (len(part), part)
        else:
            yield part
    if response.ending == "cut":
        yield b"400\r\n{"
    elif response.ending != "hang":
        yield b"0\r\n\r\n"


def _head(response: Response, length: tuple[str, str]) -> bytes:
    closing = (("Connection", "close"),) if response.ending in ("close", "cut") else ()
    lines = [f"{name}: {value}" for name, value in (*response.headers, length, *closing)]
    return "\r\n".join([f"HTTP/1.1 {response.status} {_phrase(response.status)}", *lines, "\r\n"]).encode("latin-1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return _OVERFLOW.get(status, "Unknown")
