"""The gateway as the runner sees it: one attempt in, one reply out, whatever the network does."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Literal, Self

from requests import Request
from requests.exceptions import RequestException

from llm_testbench.answer import finish
from llm_testbench.answer.classify import classify
from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.outcome import Outcome
from llm_testbench.errors import InputError
from llm_testbench.gateway import retry, wire
from llm_testbench.gateway.adapt import Adaptations
from llm_testbench.gateway.connections import Adapter
from llm_testbench.gateway.cut_prompt import was_cut
from llm_testbench.gateway.deadline import Watchdog
from llm_testbench.gateway.exchange import Exchange, Route, exchange
from llm_testbench.gateway.failures import one_line, presentable, redactor_of
from llm_testbench.gateway.habit import Habit
from llm_testbench.gateway.model import Again, ChatRequest, Failure, ModelOptions, Reply, Step, Try
from llm_testbench.gateway.retry import Spent
from llm_testbench.gateway.surroundings import Surroundings, from_environment

_LITELLM = "x-litellm-"
_LITELLM_HEADERS = {"x-litellm-num-retries": "0"}  # one owner of retries, and that is this client
_FALLBACKS = "x-litellm-attempted-fallbacks"
_COUNTED = {"stacked-retries": "x-litellm-attempted-retries", "fallback-model": _FALLBACKS}
_MAX_ADAPTED = 8  # times that one attempt is sent again at once, with a changed request
_MAX_REASON = 200  # characters of a Try's reason
_CACHE_HEADERS = ("x-cache", "cf-cache-status", "x-litellm-cache-hit", "x-portkey-cache-status", "helicone-cache")


_NOTHING = Spent()


@dataclass(frozen=True)
class _Asked:
    """What an attempt asks whom."""

    model: ModelOptions
    request: ChatRequest
    attempt: int


@dataclass(frozen=True)
class _SoFar:
    """An attempt between two tries.

    `wait`: seconds of the pause before the next one. `adapted`: how often the request was changed. `failed`: how
    the attempt ends when it is not asked once more.
    """

    tries: tuple[Try, ...] = ()
    wait: float = 0.0
    spent: Spent = _NOTHING
    adapted: int = 0
    failed: Reply | None = None


class Gateway:
    """Asks models. Thread-safe; keeps connections alive, per endpoint as many as `concurrency`.

    Edges: `clock` (monotonic seconds), `wall_clock` (seconds since the epoch), `sleep` (seconds; by default
    one that `abort` wakes), `chance` (0..1, for jitter), `surroundings` (proxies and certificates of an endpoint).
    `adaptations`: what is learned from refusals, or one that learns nothing.
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
        adaptations: Adaptations | None = None,
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
        self._adaptations = Adaptations() if adaptations is None else adaptations
        self._litellm: set[str] = set()  # endpoints where a LiteLLM proxy answered

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def start(self, model: ModelOptions, request: ChatRequest, attempt: int) -> Step:
        """One attempt up to its end or its first pause. Never raises: what goes wrong is the reply's failure."""
        return self._go_on(_Asked(model, request, attempt), _SoFar())

    def ask(self, model: ModelOptions, request: ChatRequest, attempt: int) -> Reply:
        """One attempt with its pauses. Never raises: what goes wrong is the reply's failure."""
        step = self.start(model, request, attempt)
        while isinstance(step, Again):
            self._sleep(step.wait)
            step = step.ask()
        return step

    def adaptations(self, model: ModelOptions) -> tuple[str, ...]:
        """What was sent otherwise than asked for, because this model takes it no other way; sorted phrases."""
        return self._adaptations.described(model)

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

    def _go_on(self, asked: _Asked, so_far: _SoFar) -> Step:
        if so_far.failed is not None and self._aborted.is_set():
            return so_far.failed
        while True:
            try:
                following = self._try(asked, so_far)
            except Exception as error:  # a bug here must cost one attempt, not the run
                # The text of the error stays inside: it may quote anything, the key too.
                failure = Failure(Outcome.NETWORK, f"unexpected {type(error).__name__} in the client")
                return _failed(failure, so_far.tries)
            if not isinstance(following, _SoFar):
                return following
            so_far = following

    def _try(self, asked: _Asked, so_far: _SoFar) -> Step | _SoFar:
        """One HTTP request: how the attempt ends, when to go on, or what to know when going on at once."""
        model, request = asked.model, asked.request
        habit = self._adaptations.habit(model, request)
        litellm = model.endpoint in self._litellm
        try:
            outgoing = wire.outgoing(model, request, asked.attempt, habit=habit, litellm=litellm)
            route = self._route(model, litellm=litellm)
        except (ValueError, RequestException) as error:
            # RequestException: a URL that is none; its text quotes the URL, which holds no secret.
            failure = Failure(Outcome.PROTOCOL, f"the request cannot be built: {error}")
            return _failed(presentable(failure, redactor_of(model)), so_far.tries)
        except InputError as error:  # authorities that do not exist
            return _failed(Failure(Outcome.NETWORK, str(error), lasting=True), so_far.tries)
        done = self._exchange(route, outgoing, model)
        if any(name.lower().startswith(_LITELLM) for name in done.headers):
            self._litellm.add(model.endpoint)
        if isinstance(done.result, Completion):
            return self._answered(asked, so_far, habit, done, done.result)
        redactor = redactor_of(model)
        failure = presentable(done.result, redactor)
        tries = (*so_far.tries, _try_of(failure, done, so_far.wait))
        if self._aborted.is_set():
            return _failed(failure, tries)
        if so_far.adapted < _MAX_ADAPTED and self._adaptations.learn(model, request, habit, done.result):
            return replace(so_far, tries=tries, wait=0.0, adapted=so_far.adapted + 1)
        tried = retry.FailedTry(failure, done.headers, done.took, outgoing.streams)
        then = retry.after(tried, so_far.spent, model, now=self._wall_clock(), chance=self._chance())
        if isinstance(then, Failure):
            return _failed(presentable(then, redactor), tries)
        failed = _failed(failure, tries)
        following = replace(so_far, tries=tries, wait=then.seconds, spent=then.spent, failed=failed)
        return Again(then.seconds, then.throttled, partial(self._go_on, asked, following), failed)

    def _exchange(self, route: Route, outgoing: wire.Outgoing, model: ModelOptions) -> Exchange:
        idle = model.idle_timeout if outgoing.streams else math.inf
        call = self._watchdog.open(connect=model.connect_timeout, total=model.request_timeout, idle=idle)
        try:
            return exchange(route, outgoing.body, model, call, self._clock, streams=outgoing.streams)
        finally:
            self._watchdog.done(call)

    def _answered(
        self, asked: _Asked, so_far: _SoFar, habit: Habit, done: Exchange, said: Completion
    ) -> Reply | _SoFar:
        entry = Try(done.status, Outcome.ANSWERED, so_far.wait * 1000, done.took * 1000)
        failure = _substituted(done.headers, said)
        if failure is not None:
            failure = presentable(failure, redactor_of(asked.model))
            entry = _try_of(failure, done, so_far.wait)
        elif (
            so_far.adapted < _MAX_ADAPTED
            and finish.is_length(said.finish_reason)
            and classify(said, normalise(said), ()) is Outcome.BUDGET_EXHAUSTED
            and self._adaptations.exhausted(asked.model, asked.request, habit)
        ):
            entry = replace(entry, outcome=Outcome.BUDGET_EXHAUSTED, reason="all tokens went to reasoning")
            return replace(so_far, tries=(*so_far.tries, entry), wait=0.0, adapted=so_far.adapted + 1)
        ttft_ms = None if done.first_token is None else (done.first_token - done.began) * 1000
        return Reply(
            completion=said,
            failure=failure,
            tries=(*so_far.tries, entry),
            latency_ms=entry.latency_ms,
            ttft_ms=ttft_ms,
            copy=_copy(done.headers),
            quirks=_quirks(asked.request, done, said),
        )

    def _route(self, model: ModelOptions, *, litellm: bool) -> Route:
        key = (model.endpoint, litellm, model.api_key, *sorted(model.extra_headers.items()))
        route = self._routes.get(key)
        if route is not None:
            return route
        headers = {**(_LITELLM_HEADERS if litellm else {}), **wire.headers_of(model)}
        prepared = Request("POST", wire.url_below(model.endpoint, "chat/completions"), headers=headers).prepare()
        with self._lock:
            if model.endpoint not in self._adapters:
                self._adapters[model.endpoint] = (Adapter(self._concurrency), self._surroundings(model.endpoint))
            adapter, surroundings = self._adapters[model.endpoint]
            return self._routes.setdefault(key, Route(adapter, prepared, surroundings))


def _try_of(failure: Failure, done: Exchange, wait: float) -> Try:
    return Try(done.status, failure.outcome, wait * 1000, done.took * 1000, one_line(failure.message, _MAX_REASON))


def _failed(failure: Failure, tries: tuple[Try, ...]) -> Reply:
    # Not what the clock says: a runner may go on long after the pause that was asked for.
    return Reply(None, failure, tries, sum(entry.wait_ms + entry.latency_ms for entry in tries))


def _substituted(headers: Mapping[str, str], said: Completion) -> Failure | None:
    """Whether the gateway says that another model answered (design 5.5)."""
    if not _counts(headers, _FALLBACKS):
        return None
    served = headers.get("x-litellm-model-group") or said.served_model or "an unnamed model"
    return Failure(Outcome.SUBSTITUTED, f"the gateway fell back to another model: {served}")


def _counts(headers: Mapping[str, str], name: str) -> bool:
    """Whether the header is a number above zero."""
    value = (headers.get(name) or "").strip()
    return value.isdecimal() and bool(value.strip("0"))


def _quirks(request: ChatRequest, done: Exchange, said: Completion) -> tuple[str, ...]:
    """What was odd about the answer, by name, sorted."""
    found = {*said.quirks, *done.quirks}
    if was_cut(request.messages, said.usage):
        found.add("context-overflow")
    found |= {quirk for quirk, header in _COUNTED.items() if _counts(done.headers, header)}
    return tuple(sorted(found)) if found else ()


def _copy(headers: Mapping[str, str]) -> Literal["header"] | None:
    """Whether a header says that a cache answered."""
    hit = any(headers.get(name, "").strip().lower().startswith(("hit", "true")) for name in _CACHE_HEADERS)
    return "header" if hit else None
