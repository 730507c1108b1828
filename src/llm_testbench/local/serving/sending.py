"""Other headers, bodies and ends of a connection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from llm_testbench.local.serving.effect import Occasion
from llm_testbench.local.serving.response import Response
from llm_testbench.local.serving.saying import OTHER_MODEL

_PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></body></html>"
_ENDLESS_BLOCK = b"x" * 65_536
_ENDLESS_BLOCKS = 1024  # the client that reads this far has no limit of its own
_EVENTS = "text/event-stream"


def html_page(_: Response, __: Occasion) -> Response:
    """A login in the place of an answer."""
    return Response(200, (("Content-Type", "text/html"),), (_PAGE,))


def left_open(response: Response, _: Occasion) -> Response:
    """A stream that has said its last word and does not end."""
    return replace(response, ending="hang") if response.chunked else response


def cut_in_chunk(response: Response, _: Occasion) -> Response:
    """Half of the answer, and the head of a chunk that does not come."""
    parts = tuple(response.parts)
    if len(parts) == 1 and isinstance(parts[0], bytes):
        parts = (parts[0][: len(parts[0]) // 2],)
    else:
        parts = parts[: len(parts) // 2]
    return replace(response, parts=parts, chunked=True, ending="cut")


def wrong_encoding(response: Response, _: Occasion) -> Response:
    """A header that a proxy forgot to take away."""
    return response.with_headers(("Content-Encoding", "gzip"))


def wrong_charset(response: Response, _: Occasion) -> Response:
    """A charset that nobody may believe."""
    kind = _EVENTS if response.chunked else "application/json"
    return response.with_headers(("Content-Type", f"{kind}; charset=iso-8859-1"))


def reset(response: Response, _: Occasion) -> Response:
    """Not a byte."""
    return replace(response, parts=(), ending="reset")


def endless(response: Response, _: Occasion) -> Response:
    """No end of the line, and no end of a text in JSON."""
    start = b'data: {"id":"' if response.chunked else b'{"id":"'
    return replace(response, parts=_endless(start), chunked=True, ending="cut")


def empty(response: Response, _: Occasion) -> Response:
    """Nothing, or comments, which are nothing either."""
    return replace(response, parts=(b": waiting\n\n", b": waiting\n\n") if response.chunked else (b"",))


def retried_before(response: Response, _: Occasion) -> Response:
    """As LiteLLM tells it."""
    return response.with_headers(("x-litellm-attempted-retries", "2"))


def fell_back(response: Response, _: Occasion) -> Response:
    """As LiteLLM tells it."""
    return response.with_headers(
        ("x-litellm-attempted-fallbacks", "1"),
        ("x-litellm-model-group", OTHER_MODEL),
        ("x-litellm-model-id", OTHER_MODEL),
    )


def _endless(start: bytes) -> Iterator[bytes]:
    yield start
    for _ in range(_ENDLESS_BLOCKS):
        yield _ENDLESS_BLOCK
