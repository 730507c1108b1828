"""One try: send the request, read the answer, under the timers of its call."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from requests import PreparedRequest
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError, ReadTimeoutError

from llm_testbench.answer.model import Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.body import MAX_BODY, Body, oversized
from llm_testbench.gateway.connection_failures import broken, turned_away
from llm_testbench.gateway.connections import Adapter
from llm_testbench.gateway.deadline import Call
from llm_testbench.gateway.model import Failure, ModelOptions
from llm_testbench.gateway.surroundings import Surroundings
from llm_testbench.gateway.unpack import PackedError, Unpacker

_READ = 64 * 1024  # bytes at a time
_USAGE_GRACE = 1.0  # seconds for the usage report that may follow a finish_reason
_TAIL_GRACE = 0.1  # seconds for the end of the body after [DONE], so that the connection can be kept
_LOOK = 0.02  # seconds between two looks at a stream that has begun
_UNREADABLE = frozenset({"br", "compress", "deflate", "zstd"})  # codings of a body that are not taken off


@dataclass(frozen=True)
class Route:
    """The way to one endpoint with one key: everything about a request that stays the same."""

    adapter: Adapter
    prepared: PreparedRequest = field(repr=False)  # carries the key
    surroundings: Surroundings


@dataclass(frozen=True)
class Exchange:
    """What came of one try. Times are readings of the clock that was passed in."""

    result: Completion | Failure
    status: int | None
    began: float
    ended: float
    first_token: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    quirks: tuple[str, ...] = ()  # what was odd about the transport, by name

    @property
    def took(self) -> float:
        """Seconds."""
        return self.ended - self.began


def exchange(
    route: Route, body: bytes, model: ModelOptions, call: Call, clock: Callable[[], float], *, streams: bool
) -> Exchange:
    """Sends the body and reads the answer; never raises for what a network or server can do.

    `streams`: whether the body asks for a stream.
    """
    prepared = route.prepared.copy()
    prepared.body = body
    prepared.headers["Content-Length"] = str(len(body))
    try:
        response = route.adapter.ask(prepared, call, route.surroundings, model.connect_timeout)
    except (RequestException, HTTPError, OSError) as error:
        return Exchange(broken(error, call, model), None, call.began, clock())
    status, headers = response.status_code, response.headers
    away = turned_away(status, headers, prepared.url or "", model, proxied=bool(route.surroundings.proxies))
    if away is not None:
        response.raw.close()
        return Exchange(away, status, call.began, clock(), headers=headers)
    reading = _Reading(response.raw, Body(status, streams=streams), status, call, clock)
    trouble = reading.run()
    encoding = headers.get("content-encoding") or ""
    result = reading.result() if trouble is None else broken(trouble, call, model, status)
    if trouble is None and isinstance(result, Failure) and encoding.strip().lower() in _UNREADABLE:
        words = f"its Content-Encoding is {encoding.strip().lower()}, which was not asked for: turn compression off"
        result = replace(result, message=f"{words}: {result.message}")
    # What follows the last word of an answer is not the model's time; a failure lasts until it is one.
    ended = reading.last if isinstance(result, Completion) else clock()
    return Exchange(result, status, call.began, ended, reading.first_token, headers, reading.quirks(encoding))


class _Reading:
    """Reads one body to its end, its last word, or the cut."""

    def __init__(self, raw: Any, body: Body, status: int, call: Call, clock: Callable[[], float]) -> None:
        self._raw = raw
        self._body = body
        self._status = status
        self._call = call
        self._clock = clock
        self._refusal: Failure | None = None
        self._unpacker = Unpacker(MAX_BODY + 1)
        self._stays_open = False
        self.first_token: float | None = None
        self.last = self._looked = clock()

    def run(self) -> Exception | None:
        """What ended the reading before the answer was whole, None when nothing did."""
        length = self._raw.length_remaining
        if length is not None and length > MAX_BODY:
            self._raw.close()
            self._refusal = oversized(self._status)
            return None
        try:
            self._read()
        except PackedError as error:
            self._raw.close()
            self._refusal = Failure(Outcome.PROTOCOL, f"HTTP {self._status} with {error}", self._status)
            return None
        except (HTTPError, OSError, ValueError) as error:
            # After a finish_reason the answer is whole, however the connection ends.
            self._raw.close()
            return None if self._body.finished else error
        if self._body.ended:
            self._keep_connection()
        elif self._call.cut is not None and not self._body.finished:
            # A body without a length ends like this on a cut: it looks whole and is not.
            return ConnectionAbortedError("cut")
        return None

    def result(self) -> Completion | Failure:
        """What the body was."""
        return self._refusal or self._body.result()

    def quirks(self, encoding: str) -> tuple[str, ...]:
        """What was odd about the transport, by name. `encoding`: what the header Content-Encoding announced."""
        announced = encoding.strip().lower() not in ("", "identity")
        found = ("wrong-content-encoding",) if announced or self._unpacker.packed else ()
        return (*found, "open-after-done") if self._stays_open else found

    def _read(self) -> None:
        body, lines, until = self._body, 0, math.inf
        while not body.ended:
            if until < math.inf:
                self._wait_until(until)
            data = self._raw.read1(_READ)
            if not data:
                return
            body.feed(self._unpacker.feed(data))
            if body.lines != lines:
                lines = body.lines
                now = self._clock()
                self._call.touch()
                if until == math.inf:  # else it is a sign of life that follows the answer
                    self.last = now
                if self.first_token is None and body.started:
                    self.first_token = now
            if self.first_token is not None and not body.finished:
                self._let_more_come()
            elif body.finished and until == math.inf:
                until = self._clock() + _USAGE_GRACE

    def _wait_until(self, moment: float) -> None:
        """Bounds the next read; TimeoutError when there is no time for one."""
        left = moment - self._clock()
        if left <= 0:  # what comes, and says nothing, would be waited for as long as it comes
            raise TimeoutError("the answer is whole")
        self._call.wait_at_most(left)

    def _let_more_come(self) -> None:
        # A fast stream is looked at fifty times a second, not once a token: with many streams at once,
        # waking a thread for each token would cost more than reading it.
        soon = self._looked + _LOOK - self._clock()
        if 0 < soon <= _LOOK:
            time.sleep(soon)
        self._looked = self._clock()

    def _keep_connection(self) -> None:
        """Reads the end of a body that has said its last word; closes the connection when there is more."""
        try:
            if self._status >= 300 or getattr(self._raw.connection, "sock", None) is None:
                self._raw.close()
                return
            self._call.wait_at_most(_TAIL_GRACE)
            if self._raw.read1(_READ):
                self._raw.close()
        except (HTTPError, OSError, ValueError) as error:
            self._stays_open = isinstance(error, ReadTimeoutError | TimeoutError)
            self._raw.close()
