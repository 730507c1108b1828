"""One response body as it comes in. What it is decides how it is read, not what was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from llm_testbench.answer.model import Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.assemble import Assembly
from llm_testbench.gateway.failures import failure_of_status, names_content_filter, protocol_failure
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.sse import EventDecoder, OversizedEventError

MAX_BODY = 32 * 1024 * 1024  # bytes
MAX_ERROR_BODY = 256 * 1024  # bytes read of a body whose status says already that it is no answer

_BLANK = b"\xef\xbb\xbf \t\r\n"
_WORDS = ("true", "false", "null", "-")  # that a cut may shorten
_FIELDS = (b":", b"data:", b"event:", b"id:", b"retry:")
_DECODER = json.JSONDecoder()


def oversized(status: int) -> Failure:
    """The refusal of a body that is longer than MAX_BODY."""
    return Failure(Outcome.PROTOCOL, f"HTTP {status} with more than {MAX_BODY >> 20} MiB: refused", status)


class Body:
    """Takes bytes until it has `ended`, then gives the `result`. Pure: no socket, no clock.

    `lines` grows with every line of an event stream and with all bytes of anything else.
    """

    def __init__(self, status: int, *, streams: bool | None = None) -> None:
        """`streams`: whether a stream was asked for, None where nobody knows; only what is noted depends on it."""
        self.ended = False
        self._streams = streams
        self._status = status
        self._size = 0
        self._kept = bytearray()
        self._events: EventDecoder | None = None
        self._decided = status >= 300
        self._assembly = Assembly(status)
        self._refusal: Failure | None = None

    @property
    def lines(self) -> int:
        """A mark that moves when the server shows a sign of life."""
        return self._events.lines if self._events is not None else self._size

    @property
    def started(self) -> bool:
        """Some part of an answer came in a stream: the first token."""
        return self._assembly.started

    @property
    def finished(self) -> bool:
        """The answer is whole, though the stream has not ended."""
        return self._assembly.finished

    def feed(self, data: bytes) -> None:
        """The next bytes of the body."""
        self._size += len(data)
        if self._size > MAX_BODY:
            self._refuse(oversized(self._status))
        elif self._events is not None:
            self._feed_events(self._events, data)
        else:
            # Blank lines keep a connection alive, for minutes: none of them decides anything.
            self._kept += data if self._kept else data.lstrip(_BLANK)
            if not self._decided:
                self._decide()
            elif self._status >= 300 and self._size > MAX_ERROR_BODY:
                self.ended = True

    def result(self) -> Completion | Failure:
        """What the body was, once it `ended` or no more bytes come."""
        if self._refusal is not None:
            return self._refusal
        if self._events is not None:
            for event in self._events.close():
                self._assembly.event(event)
            return self._noted(self._assembly.result(), streamed=True)
        text = bytes(self._kept).decode("utf-8-sig", "replace")
        self._kept.clear()
        if self._status >= 300:
            return self._of_error(text)
        return self._noted(self._of_answer(text), streamed=False)

    def _noted(self, result: Completion | Failure, *, streamed: bool) -> Completion | Failure:
        if self._streams in (None, streamed) or isinstance(result, Failure):
            return result
        return replace(result, quirks=tuple(sorted((*result.quirks, "stream-flag-ignored"))))

    def _decide(self) -> None:
        head = bytes(self._kept[:64])
        if head.startswith(_FIELDS):
            self._decided = True
            self._events = EventDecoder()
            kept = bytes(self._kept)
            self._kept.clear()
            self._feed_events(self._events, kept)
        elif head and not any(field.startswith(head) for field in _FIELDS):
            self._decided = True

    def _feed_events(self, decoder: EventDecoder, data: bytes) -> None:
        try:
            events = decoder.feed(data)
        except OversizedEventError as error:
            self._refuse(Failure(Outcome.PROTOCOL, f"HTTP {self._status} with {error}: refused", self._status))
            return
        for event in events:
            self._assembly.event(event)
        self.ended = self._assembly.done

    def _refuse(self, failure: Failure) -> None:
        self._refusal = failure
        self.ended = True
        self._kept.clear()

    def _of_answer(self, text: str) -> Completion | Failure:
        if not text.strip():
            return Failure(Outcome.EMPTY_STREAM, f"HTTP {self._status} with an empty body", self._status)
        value = _json(text)
        if value is None and _is_cut(text):
            message = f"HTTP {self._status} with an answer that ended after {len(text)} characters, in mid-JSON"
            return Failure(Outcome.NETWORK, message, self._status)
        if isinstance(value, list) and len(value) == 1:  # Google wraps an error in a list
            value = value[0]
        if not isinstance(value, dict):
            return protocol_failure(text, self._status)
        if not _resembles_a_completion(value):
            return protocol_failure(text, self._status)
        self._assembly.chunk(value)
        self._assembly.done = True
        return self._assembly.result()

    def _of_error(self, text: str) -> Completion | Failure:
        value = _json(_first_data(text))
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if names_content_filter(value) or (isinstance(value, dict) and isinstance(value.get("choices"), list)):
            self._assembly.chunk(value)
            said = self._assembly.result()
            # Some servers send the completion that the filter stopped with the status of an error.
            if isinstance(said, Completion) and said.refused:
                return said
        return failure_of_status(self._status, text if value is None else value)


def _resembles_a_completion(value: Mapping[str, object]) -> bool:
    """At least the frame of one, or an error: not FastAPI's `detail`, a bare message, another API's answer."""
    kind = value.get("object")
    named = isinstance(kind, str) and (kind.startswith("chat.completion") or kind == "error")
    return named or bool(value.get("error")) or not {"choices", "usage", "model"}.isdisjoint(value)


def _first_data(text: str) -> str:
    """The data of the first event, where an error body is an event stream; else the text."""
    if not text.startswith(("data:", "event:", ":")):
        return text
    decoder = EventDecoder()
    events = [*decoder.feed(text.encode()), *decoder.close()]
    return events[0].data if events else text


def _is_cut(text: str) -> bool:
    """Whether this is the beginning of a JSON object, whose end is missing."""
    text = text.strip()
    if not text.startswith("{"):
        return False
    try:
        _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        # A string without an end is reported where it starts, a word or an escape where that begins.
        rest = text[error.pos :]
        in_escape = error.msg.startswith("Invalid \\u") and len(rest) < 6
        return in_escape or error.msg.startswith("Unterminated") or any(word.startswith(rest) for word in _WORDS)
    except (ValueError, RecursionError):
        return False
    return False


def _json(text: str) -> object:
    """The JSON value that the text is, with or without a stray `data: [DONE]` after it; None when it is none."""
    text = text.strip()
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    rest = text[end:].strip()
    return value if rest.removeprefix("data:").strip() in ("", "[DONE]") else None
