"""The gateway as the runner sees it: one attempt in, one reply out, whatever the network does."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Literal, Self
from urllib.parse import urlsplit, urlunsplit

from requests import Request
from requests.exceptions import RequestException

from llm_testbench.answer.model import Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway import retry, wire
from llm_testbench.gateway.connections import Adapter
from llm_testbench.gateway.deadline import Watchdog
from llm_testbench.gateway.exchange import Exchange, Route, exchange
from llm_testbench.gateway.failures import presentable
from llm_testbench.gateway.model import ChatRequest, Failure, ModelOptions, Reply, Try
from llm_testbench.gateway.surroundings import Surroundings, from_environment
from llm_testbench.redaction import Redactor

_LITELLM = "x-litellm-"
_CACHE_HEADERS = ("x-cache", "cf-cache-status", "x-litellm-cache-hit", "x-portkey-cache-status", "helicone-cache")


class Gateway:
    """Asks models. Thread-safe; keeps connections alive, per endpoint as many as `concurrency`.

    Edges: `clock` (monotonic seconds), `wall_clock` (seconds since the epoch), `sleep` (seconds; by default
    one that `abort` wakes), `chance` (0..1, for jitter), `surroundings` (proxies and certificates of an endpoint).
    """

    def __init__(
        self,
        concurrency: int = 8,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        sleep: Callable[[float], object] | None = None,
        chance: Callable[[], float] = random.random,
        surroundings: Callable[[str], Surroundings] = from_environment,
    ) -> None:
        self._concurrency = concurrency
        self._clock = clock
        self._wall_clock = wall_clock
        self._aborted = threading.Event()
        self._sleep = sleep if sleep is not None else self._aborted.wait
        self._chance = chance
        self._surroundings = surroundings
        self._watchdog = Watchdog(clock)
        self._lock = threading.Lock()
        self._adapters: dict[str, tuple[Adapter, Surroundings]] = {}
        self._routes: dict[tuple[object, ...], Route] = {}
        self._litellm: set[str] = set()  # endpoints where a LiteLLM proxy answered

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def ask(self, model: ModelOptions, request: ChatRequest, attempt: int) -> Reply:
        """One attempt with its retries. Never raises: what goes wrong is the reply's failure."""
        started = self._clock()
        tries: list[Try] = []
        try:
            return self._ask(model, request, attempt, started, tries)
        except Exception as error:  # a bug here must cost one attempt, not the run
            # The text of the error stays inside: it may quote anything, the key too.
            failure = Failure(Outcome.NETWORK, f"unexpected {type(error).__name__} in the client")
            return self._failed(failure, model, tries, started)

    def abort(self) -> None:
        """Cuts every call in flight and wakes every pause; later calls fail at once."""
        self._aborted.set()
        self._watchdog.abort()

    def close(self) -> None:
        """Closes the connections that are kept alive, and ends the watchdog."""
        self._watchdog.close()
        with self._lock:
            for adapter, _ in self._adapters.values():
                adapter.close()
            self._adapters.clear()
            self._routes.clear()

    def _ask(self, model: ModelOptions, request: ChatRequest, attempt: int, started: float, tries: list[Try]) -> Reply:
        wait = 0.0
        while True:
            try:
                outgoing = wire.outgoing(model, request, attempt, litellm=model.endpoint in self._litellm)
                route = self._route(model)
            except (ValueError, RequestException) as error:
                # RequestException: a URL that is none; its text quotes the URL, which holds no secret.
                return self._failed(
                    Failure(Outcome.PROTOCOL, f"the request cannot be built: {error}"), model, tries, started
                )
            began = self._clock()
            done = self._exchange(route, outgoing, model)
            if any(name.lower().startswith(_LITELLM) for name in done.headers):
                self._litellm.add(model.endpoint)
            latency_ms = (done.ended - began) * 1000
            if isinstance(done.result, Completion):
                tries.append(Try(done.status, Outcome.ANSWERED, wait * 1000, latency_ms))
                ttft_ms = None if done.first_token is None else (done.first_token - began) * 1000
                return Reply(done.result, None, tuple(tries), latency_ms, ttft_ms, _copy(done))
            tries.append(Try(done.status, done.result.outcome, wait * 1000, latency_ms))
            if len(tries) > model.max_retries or not self._may_retry(done, done.result, model):
                return self._failed(done.result, model, tries, started)
            wait = retry.pause(len(tries) - 1, retry.retry_after(done.headers, self._wall_clock()), self._chance())
            self._sleep(wait)
            if self._aborted.is_set():
                return self._failed(done.result, model, tries, started)

    def _exchange(self, route: Route, outgoing: wire.Outgoing, model: ModelOptions) -> Exchange:
        idle = model.idle_timeout if outgoing.streams else math.inf
        call = self._watchdog.open(connect=model.connect_timeout, total=model.request_timeout, idle=idle)
        try:
            return exchange(route, outgoing.body, model, call, self._clock)
        finally:
            self._watchdog.done(call)

    def _may_retry(self, done: Exchange, failure: Failure, model: ModelOptions) -> bool:
        if self._aborted.is_set():
            return False
        said = done.headers.get("x-should-retry")
        if said in ("true", "false"):
            return said == "true"
        return retry.is_retryable(failure, retry_timeouts=model.retry_timeouts)

    def _failed(self, failure: Failure, model: ModelOptions, tries: list[Try], started: float) -> Reply:
        redactor = Redactor([model.api_key or "", *model.extra_headers.values()])
        return Reply(None, presentable(failure, redactor), tuple(tries), (self._clock() - started) * 1000)

    def _route(self, model: ModelOptions) -> Route:
        key = (model.endpoint, model.api_key, *sorted(model.extra_headers.items()))
        route = self._routes.get(key)
        if route is not None:
            return route
        headers = wire.headers_of(model)
        prepared = Request("POST", _chat_url(model.endpoint), headers=headers).prepare()
        with self._lock:
            if model.endpoint not in self._adapters:
                self._adapters[model.endpoint] = (Adapter(self._concurrency), self._surroundings(model.endpoint))
            adapter, surroundings = self._adapters[model.endpoint]
            return self._routes.setdefault(key, Route(adapter, prepared, surroundings))


def _chat_url(endpoint: str) -> str:
    """The URL to post to; a query of the endpoint (Azure's api-version) stays behind the path."""
    parts = urlsplit(endpoint)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions", fragment=""))


def _copy(done: Exchange) -> Literal["header"] | None:
    """Whether a header says that a cache answered."""
    hit = any(done.headers.get(name, "").strip().lower().startswith(("hit", "true")) for name in _CACHE_HEADERS)
    return "header" if hit else None
