"""Requests changed to what a model takes: learned from its refusals, once for all workers of a run."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field, replace

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.habit import Habit
from llm_testbench.gateway.model import ChatRequest, Failure, LaneKey, ModelOptions
from llm_testbench.gateway.rejection import LIMIT_NAMES, highest_limit, is_unknown, overflow, rejects
from llm_testbench.gateway.wire import LIMIT_KEYS, fields, limit_key, token_limit
from llm_testbench.json_value import digest

_DROPPED = ("temperature", "seed", "stream_options")
_REFUSALS = frozenset({Outcome.REJECTED, Outcome.CONTEXT_LENGTH, Outcome.SERVER, Outcome.PROTOCOL})
_MAX_LOWERED = 4  # times that a limit of one model may come down: gateways with several machines behind them
_MAX_TOLD = 3  # times that the length of one prompt is corrected


@dataclass
class _Learned:
    """What is known of one model, and of some of its prompts by their digest.

    `told`: prompt tokens, and how often they were corrected. `not_raised`: with a higher limit they do not fit.
    `lowered`: how often a limit came down.
    """

    habit: Habit = field(default_factory=Habit)
    told: dict[str, tuple[int, int]] = field(default_factory=dict)
    not_raised: set[str] = field(default_factory=set)
    lowered: int = 0
    may_raise: bool = True


class Adaptations:
    """What was learned about each model, by name, endpoint and id. Thread-safe; for one run.

    Only what the run itself adds to a request is changed: a parameter that the suite or `extra_body` sets is the
    test's or the user's, and stays refused. Each thing is changed once, so that a server which refuses everything
    is asked a bounded number of times.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lanes: dict[LaneKey, _Learned] = {}

    def habit(self, model: ModelOptions, request: ChatRequest) -> Habit:
        """What to send otherwise now."""
        with self._lock:
            return self._habit(model, request)

    def described(self, model: ModelOptions) -> tuple[str, ...]:
        """What was changed for this model so far, in phrases that are compared between runs."""
        with self._lock:
            learned = self._lanes.get(model.lane_key)
        return () if learned is None else learned.habit.described()

    def learn(self, model: ModelOptions, request: ChatRequest, used: Habit, failure: Failure) -> bool:
        """Takes in why a request that was sent as `used` says failed. True: send it again now, it goes out changed."""
        if failure.outcome not in _REFUSALS:
            return False
        with self._lock:
            current = self._habit(model, request)
            better = adapted(model, request, current, failure)
            if (
                better is not None
                and _differ(model, request, current, better)
                and self._keep(model, request, failure, current, better)
            ):
                return True
            # Another worker may have learned what this one was refused for.
            return _differ(model, request, used, current)

    def exhausted(self, model: ModelOptions, request: ChatRequest, used: Habit) -> bool:
        """All tokens went to reasoning (design 5.5). True: send it again now, the limit is higher."""
        with self._lock:
            current = self._habit(model, request)
            learned = self._lanes.setdefault(model.lane_key, _Learned())
            may_raise = learned.may_raise and _prompt(request) not in learned.not_raised
            if not may_raise or not _gains(model, request, used, replace(current, raised=True)):
                return False
            learned.habit = replace(learned.habit, raised=True)
            return True

    def _habit(self, model: ModelOptions, request: ChatRequest) -> Habit:
        learned = self._lanes.get(model.lane_key)
        if learned is None:
            return Habit()
        if not learned.told and not learned.not_raised:
            return learned.habit
        prompt = _prompt(request)
        tokens, _ = learned.told.get(prompt, (None, 0))
        raised = learned.habit.raised and prompt not in learned.not_raised
        return replace(learned.habit, prompt_tokens=tokens, raised=raised)

    def _keep(self, model: ModelOptions, request: ChatRequest, failure: Failure, current: Habit, better: Habit) -> bool:
        """Whether it may be changed once more."""
        learned, prompt = self._lanes.setdefault(model.lane_key, _Learned()), _prompt(request)
        old = learned.habit
        lowered = (old.token_limit, old.context_window) != (better.token_limit, better.context_window)
        tokens, times = learned.told.get(prompt, (None, 0))
        corrected = better.prompt_tokens != tokens
        if (lowered and learned.lowered == _MAX_LOWERED) or (corrected and times == _MAX_TOLD):
            return False
        if better.prompt_tokens is not None and corrected:
            learned.told[prompt] = (better.prompt_tokens, times + 1)
        learned.lowered += lowered
        raised = old.raised
        if current.raised and not better.raised:
            if failure.outcome is Outcome.CONTEXT_LENGTH:
                learned.not_raised.add(prompt)  # a shorter prompt may have room for it
            else:
                raised = learned.may_raise = False
        learned.habit = replace(better, prompt_tokens=None, raised=raised)
        return True


def adapted(model: ModelOptions, request: ChatRequest, used: Habit, failure: Failure) -> Habit | None:
    """The habit that heeds what this refusal says, None when it names nothing that could be sent otherwise."""
    if failure.outcome not in _REFUSALS:
        return None
    limit = token_limit(model, request, used)
    if limit is not None:
        fitted = _fitted(used, failure, limit)
        if fitted is not None:
            return fitted
    if failure.outcome is Outcome.CONTEXT_LENGTH:
        return replace(used, raised=False) if used.raised else None
    asked = json.dumps(list(request.messages), ensure_ascii=False)
    if limit is not None:
        key = limit_key(model, used)
        if used.max_tokens_key is None and key in LIMIT_KEYS and is_unknown(failure, key, asked):
            return replace(used, max_tokens_key=LIMIT_KEYS[1 - LIMIT_KEYS.index(key)])
        if used.raised and any(rejects(failure, name, asked) for name in LIMIT_NAMES):
            return replace(used, raised=False)
    named = frozenset(key for key in _DROPPED if rejects(failure, key, asked))
    if named - used.omitted:
        return replace(used, omitted=used.omitted | named)
    if not used.tool_choice_required and rejects(failure, "tool_choice", asked):
        return replace(used, tool_choice_required=True)
    return None


def _fitted(used: Habit, failure: Failure, sent: int) -> Habit | None:
    over = overflow(failure)
    if over is not None:
        prompt = over.prompt
        if over.at_least:
            # A lower bound would be corrected token by token; twice what was assumed, or half of the rest, ends sooner.
            prompt = max(prompt, min(2 * (over.window - sent), (prompt + over.window) // 2))
        window = min(over.window, used.context_window or over.window)
        return replace(used, context_window=window, prompt_tokens=prompt) if prompt < window else None
    highest = highest_limit(failure, sent)
    return None if highest is None else replace(used, token_limit=highest)


def _differ(model: ModelOptions, request: ChatRequest, one: Habit, other: Habit) -> bool:
    return fields(model, request, 0, habit=one) != fields(model, request, 0, habit=other)


def _gains(model: ModelOptions, request: ChatRequest, before: Habit, after: Habit) -> bool:
    """Whether an answer may be longer than before."""
    old, new = token_limit(model, request, before), token_limit(model, request, after)
    return old is not None and new is not None and new > old and _differ(model, request, before, after)


def _prompt(request: ChatRequest) -> str:
    return digest([list(request.messages), list(request.tools)])
