"""Server-sent events from bytes, however they were cut (WHATWG HTML, section 9.2)."""

from __future__ import annotations

from typing import NamedTuple

MAX_EVENT = 8 * 1024 * 1024  # bytes of one line, and of the data lines of one event together

_BOM = b"\xef\xbb\xbf"


class OversizedEventError(ValueError):
    """An event or a line without an end is longer than MAX_EVENT."""


class Event(NamedTuple):
    """One event that carries data. `complete`: a blank line ended it, not the end of the stream."""

    kind: str
    data: str
    complete: bool = True


class EventDecoder:
    """Bytes in, events out: the same events for any split of the same bytes.

    Always reads UTF-8, as the standard demands, whatever a charset header says. Comments, events without
    data and keep-alive comments that a proxy wrapped as data (`data: : ping`) give no event; `lines` counts
    every line, since any of them shows that the server is alive.
    """

    def __init__(self, max_event: int = MAX_EVENT) -> None:
        self.lines = 0
        self._max_event = max_event
        self._rest: list[bytes] = []  # pieces of the line that has no end yet
        self._rest_size = 0
        self._after_cr = False
        self._kind = ""
        self._data: list[bytes] = []
        self._data_size = 0

    def feed(self, data: bytes) -> list[Event]:
        """The events that these bytes complete; OversizedEventError when one grows too long."""
        if self._after_cr and data[:1] == b"\n":
            data = data[1:]
            self._after_cr = False
        if not data:
            return []
        self._after_cr = data.endswith(b"\r")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = data.split(b"\n")
        events: list[Event] = []
        if lines and self._rest:
            lines[0] = b"".join([*self._rest, lines[0]])
            self._rest.clear()
            self._rest_size = 0
        for line in lines:
            self._line(line, events)
        if rest:
            self._rest.append(rest)
            self._rest_size += len(rest)
            if self._rest_size > self._max_event:
                raise OversizedEventError(f"a line over {self._max_event} bytes")
        return events

    def close(self) -> list[Event]:
        """The event that the end of the stream cut short, if there is one: it may be whole all the same."""
        events: list[Event] = []
        if self._rest:
            self._line(b"".join(self._rest), events)
            self._rest.clear()
        self._dispatch(events, complete=False)
        return events

    def _line(self, line: bytes, events: list[Event]) -> None:
        self.lines += 1
        if not line:
            if self._data or self._kind:
                self._dispatch(events, complete=True)
            return
        if self.lines == 1:
            line = line.removeprefix(_BOM)
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            if value[:1] == b":":
                return  # a comment that a proxy wrapped as data
            self._data.append(value)
            self._data_size += len(value)
            if self._data_size > self._max_event:
                raise OversizedEventError(f"an event over {self._max_event} bytes")
        elif name == b"event":
            self._kind = value.decode("utf-8", "replace")

    def _dispatch(self, events: list[Event], *, complete: bool) -> None:
        if self._data:
            data = b"\n".join(self._data).decode("utf-8", "replace")
            if data and not data.isspace():
                events.append(Event(self._kind, data, complete))
            self._data.clear()
            self._data_size = 0
        self._kind = ""
