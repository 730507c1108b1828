"""One try: send the request, read the answer, under the timers of its call."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import BadStatusLine, RemoteDisconnected
from typing import Any
from urllib.parse import urljoin, urlsplit

from requests import PreparedRequest
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError, ProxyError, ReadTimeoutError

from llm_testbench.answer.model import Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.body import MAX_BODY, Body, oversized
from llm_testbench.gateway.connections import Adapter, use_call
from llm_testbench.gateway.deadline import Call, Cut
from llm_testbench.gateway.failures import one_line
from llm_testbench.gateway.model import Failure, ModelOptions
from llm_testbench.gateway.surroundings import Surroundings

_READ = 64 * 1024  # bytes at a time
_USAGE_GRACE = 1.0  # seconds for the usage report that may follow a finish_reason
_TAIL_GRACE = 0.1  # seconds for the end of the body after [DONE], so that the connection can be kept
_LOOK = 0.02  # seconds between two looks at a stream that has begun


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
    began = clock()
    prepared = route.prepared.copy()
    prepared.body = body
    prepared.headers["Content-Length"] = str(len(body))
    use_call(call)
    try:
        response = route.adapter.send(
            prepared,
            stream=True,
            # No timeout on reads: the call's timers cut it, and a socket with one is polled before each read.
            timeout=(model.connect_timeout, None),
            verify=route.surroundings.verify,
            proxies=dict(route.surroundings.proxies),
        )
    except (RequestException, HTTPError, OSError) as error:
        return Exchange(broken(error, call, model), None, began, clock())
    finally:
        use_call(None)
    status, headers = response.status_code, response.headers
    if 300 <= status < 400 and "location" in headers:
        response.raw.close()
        refused = _redirect(status, prepared.url or "", headers["location"])
        return Exchange(refused, status, began, clock(), headers=headers)
    reading = _Reading(response.raw, Body(status, streams=streams), status, call, clock)
    trouble = reading.run()
    result = reading.result() if trouble is None else broken(trouble, call, model, status)
    # What follows the last word of an answer is not the model's time; a failure lasts until it is one.
    ended = reading.last if isinstance(result, Completion) else clock()
    return Exchange(result, status, began, ended, reading.first_token, headers)


class _Reading:
    """Reads one body to its end, its last word, or the cut."""

    def __init__(self, raw: Any, body: Body, status: int, call: Call, clock: Callable[[], float]) -> None:
        self._raw = raw
        self._body = body
        self._status = status
        self._call = call
        self._clock = clock
        self._refusal: Failure | None = None
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

    def _read(self) -> None:
        body, lines, waits_for_usage = self._body, 0, False
        while not body.ended:
            data = self._raw.read1(_READ)
            if not data:
                return
            body.feed(data)
            if body.lines != lines:
                lines = body.lines
                self.last = self._clock()
                self._call.touch()
                if self.first_token is None and body.started:
                    self.first_token = self.last
            if self.first_token is not None and not body.finished:
                self._let_more_come()
            elif body.finished and not waits_for_usage:
                waits_for_usage = True
                self._wait_at_most(_USAGE_GRACE)

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
            if self._status >= 300 or not self._wait_at_most(_TAIL_GRACE) or self._raw.read1(_READ):
                self._raw.close()
        except (HTTPError, OSError, ValueError):
            self._raw.close()

    def _wait_at_most(self, seconds: float) -> bool:
        sock = getattr(self._raw.connection, "sock", None)
        if sock is None:
            return False
        sock.settimeout(seconds)
        return True


def _redirect(status: int, url: str, location: str) -> Failure:
    try:
        target = urlsplit(urljoin(url, location))
        host = f"{target.scheme}://{target.hostname}"
    except ValueError:
        host = "an address that is none"
    text = f"HTTP {status}: redirects to {host}, which is not followed, since it would get the key; set it as endpoint"
    return Failure(Outcome.PROTOCOL, one_line(text), status)


def broken(error: Exception, call: Call, model: ModelOptions, status: int | None = None) -> Failure:
    """What a connection that could not be made, or did not hold, means."""
    if call.cut is not None:
        return _cut(call.cut, model, status)
    causes = list(_causes(error))
    if any(isinstance(cause, BadStatusLine) and not isinstance(cause, RemoteDisconnected) for cause in causes):
        return Failure(Outcome.PROTOCOL, "the server does not speak HTTP", status)
    if any(isinstance(cause, ReadTimeoutError) for cause in causes):
        return _cut(Cut.TOTAL, model, status)
    deepest = causes[-1]
    words = deepest.strerror if isinstance(deepest, OSError) and deepest.strerror else str(deepest)
    through = "the proxy: " if any(isinstance(cause, ProxyError) for cause in causes) else ""
    return Failure(Outcome.NETWORK, one_line(f"{through}{words or type(deepest).__name__}", 300), status)


def _cut(why: Cut, model: ModelOptions, status: int | None) -> Failure:
    if why is Cut.CONNECT:
        return Failure(Outcome.NETWORK, f"no connection within {model.connect_timeout:g}s", status)
    if why is Cut.IDLE:
        return Failure(Outcome.IDLE_TIMEOUT, f"the stream was silent for {model.idle_timeout:g}s", status)
    if why is Cut.ABORT:
        return Failure(Outcome.NETWORK, "abandoned: the run was interrupted", status)
    return Failure(Outcome.TIMEOUT, f"no complete answer within {model.request_timeout:g}s", status)


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it wraps, outermost first: requests and urllib3 nest it in arguments and `reason`."""
    found: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in found:
        found.append(following)
        inner = [getattr(following, "reason", None), *following.args, following.__cause__]
        following = next((item for item in inner if isinstance(item, BaseException)), None)
    return found
