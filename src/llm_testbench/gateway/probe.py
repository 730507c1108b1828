"""Learns in a few cheap calls what an endpoint takes for one model.

One call asks for many things at once: when it is answered, all of them are accepted. Only a refusal costs more
calls: what it names is given up; where it names nothing, the parts are asked for one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.adapt import Adaptations
from llm_testbench.gateway.habit import Habit
from llm_testbench.gateway.model import Again, ChatRequest, Failure, ModelOptions, Reply, Step
from llm_testbench.gateway.probe_findings import Trace, findings_of, keys_of
from llm_testbench.gateway.probe_model import PROMPT, TOOL_PROMPT, Probed, Sent
from llm_testbench.gateway.rejection import rejects
from llm_testbench.gateway.retry import is_throttled
from llm_testbench.gateway.wire import LIMIT_KEYS

MOST_CALLS = 7
"""Chat requests for one model; the list of models is the eighth call."""
LONGEST_PAUSE = 10.0  # seconds of waiting for a busy server, all in all: four models make it four times
MOST_TRIES = 4
"""Of a question that a busy server puts off: a limit by the second lets one of them through."""
LATER_TIMEOUT = 60.0  # seconds for each call after one that was answered

Start: TypeAlias = Callable[[ModelOptions, ChatRequest, int], Step]

_MENDABLE = frozenset({Outcome.REJECTED, Outcome.SERVER, Outcome.CONTEXT_LENGTH})
_NO_HTTP = frozenset({Outcome.NETWORK, Outcome.TIMEOUT})
_SPENT = Reply(None, Failure(Outcome.RATE_LIMITED, "the calls for this model are used up"), (), 0.0)


def probe(start: Start, model: ModelOptions, sleep: Callable[[float], object]) -> Probed:
    """What `model` takes, as its entry in the settings would ask it. `start` must not adapt requests by itself."""
    asked = _Asked(start, model, sleep)
    plain, reply = asked.plain()
    if reply.completion is None:
        failure = reply.failure or Failure(Outcome.PROTOCOL, "no answer")
        answered = failure.status is not None or failure.outcome not in _NO_HTTP
        return Probed(model, (), failure, calls=asked.calls, answered=answered)
    asked.later = True
    trace = asked.features(plain, reply)
    return Probed(model, findings_of(model, trace), None, keys_of(model, trace), asked.calls)


class AsAsked(Adaptations):
    """Learns nothing: a probe wants to see every refusal itself."""

    def learn(self, model: ModelOptions, request: ChatRequest, used: Habit, failure: Failure) -> bool:
        """Never another try."""
        return False

    def exhausted(self, model: ModelOptions, request: ChatRequest, used: Habit) -> bool:
        """Never another try."""
        return False


class _Asked:
    """The calls to one model: each form once, and no more than there may be."""

    def __init__(self, start: Start, model: ModelOptions, sleep: Callable[[float], object]) -> None:
        self.calls = 0
        self.later = False
        self._waited = 0.0
        self._start = start
        self._model = model
        self._sleep = sleep
        self._known: dict[Sent, Reply] = {}
        self._refused: dict[str, str] = {}  # by request key, of tool_choice by form: the server's words
        self._doubted = ""

    def plain(self) -> tuple[Sent, Reply]:
        """The richest request without stream and tools that is answered, else why even the barest is not."""
        model = self._model
        first = Sent(
            limit_keys=tuple(dict.fromkeys((model.max_tokens_key, *LIMIT_KEYS))),
            temperature=0.0 if model.temperature is None else model.temperature,
            seed=1 if model.seed is None else model.seed,
        )
        sent, reply = self._by_name(first)
        if reply.completion is not None or not _is_mendable(reply):
            return sent, reply
        bare = Sent()
        least = self._ask(bare)
        if least.completion is None:
            return bare, least
        for key in reversed(tuple(sent.parts())):
            trial = sent.without(key)
            answer = self._ask(trial)
            if answer.completion is not None:
                self._refuse(key, sent, reply)
                return trial, answer
        self._doubted = _words(reply)
        return bare, least

    def features(self, plain: Sent, answer: Reply) -> Trace:
        """Stream and tools: both in one call where that is answered, else each for itself."""
        both, reply = self._by_name(replace(plain, stream=True, choice="named"))
        streamed = tooled = (both, reply)
        apart = ""
        if reply.completion is None:
            streamed = self._down(replace(both, choice=None))
            tooled = self._down(replace(both, stream=False))
            answered = streamed[1].completion is not None and tooled[1].completion is not None
            # Nothing had to be given up, and still not both at once.
            if answered and (streamed[0], tooled[0]) == (replace(both, choice=None), replace(both, stream=False)):
                apart = _words(reply)
        return Trace(
            (plain, answer), streamed, tooled, self._refused, self._doubted, apart, tuple(self._known.values())
        )

    def _down(self, sent: Sent) -> tuple[Sent, Reply]:
        """Gives up one thing after the other, in the order of `Sent.parts`, until the rest is answered."""
        sent, reply = self._by_name(sent)
        while reply.completion is None and _is_mendable(reply):
            key = next((key for key in sent.parts() if key in _FEATURES), None)
            if key is None:
                break
            self._refuse(key, sent, reply)
            sent, reply = self._by_name(sent.without(key))
        return sent, reply

    def _by_name(self, sent: Sent) -> tuple[Sent, Reply]:
        """Gives up what the refusals name, until one names nothing that is sent."""
        while True:
            reply = self._ask(sent)
            named = _named(reply, sent)
            if not named:
                return sent, reply
            for key in named:
                self._refuse(key, sent, reply)
                sent = sent.without(key)

    def _refuse(self, key: str, sent: Sent, reply: Reply) -> None:
        self._refused[f"{key} {sent.choice}" if key == "tool_choice" else key] = _words(reply)

    def _ask(self, sent: Sent) -> Reply:
        if sent not in self._known:
            if self.calls >= MOST_CALLS:
                return _SPENT
            self._known[sent] = self._asked(sent)
        return self._known[sent]

    def _asked(self, sent: Sent) -> Reply:
        # One retry: only so does the gateway hand over what the server asks to wait. Whether to, is decided here.
        model = replace(sent.model(self._model), max_retries=1, retry_timeouts=False)
        if self.later:
            model = replace(model, request_timeout=min(model.request_timeout, LATER_TIMEOUT))
        step = self._start(model, sent.request(), 0)
        while isinstance(step, Again):
            failed = step.failed or _SPENT
            tries = len(failed.tries)
            spent = tries >= MOST_TRIES or self.calls + tries >= MOST_CALLS or self._waited + step.wait > LONGEST_PAUSE
            if spent or not step.throttled:
                step = failed
                break
            self._waited += step.wait
            self._sleep(step.wait)
            step = step.ask()
        self.calls += max(1, len(step.tries))
        return step


_FEATURES = frozenset({"stream_options", "stream", "tool_choice", "tools"})


def _is_mendable(reply: Reply) -> bool:
    failure = reply.failure
    return failure is not None and failure.outcome in _MENDABLE and not is_throttled(failure)


def _words(reply: Reply) -> str:
    return reply.failure.message if reply.failure is not None else ""


def _named(reply: Reply, sent: Sent) -> tuple[str, ...]:
    """The keys of this request that the refusal names; none where it names so much that it tells nothing."""
    failure = reply.failure
    if failure is None or not _is_mendable(reply):
        return ()
    asked = PROMPT if sent.choice is None else TOOL_PROMPT
    named = tuple(key for key in sent.parts() if rejects(failure, key, asked))
    if "tool_choice" in named:
        named = tuple(key for key in named if key != "tools")
    return () if {"stream", "tools"} <= set(named) else named
