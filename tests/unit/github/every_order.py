"""Runs that publish at the same time, in every order in which their calls can reach GitHub.

A run is a function of the answers it gets. So it is run anew with the answers so far, up to the call that comes
next, and two orders that lead to the same comments and the same answers are followed once.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.unit.github.conversation import Client, Conversation

from llm_testbench.github.api import GitHubError
from llm_testbench.github.comment import Comments, Posted
from llm_testbench.github.event import Event
from llm_testbench.json_value import JSON, JSONObject


@dataclass(frozen=True)
class Publisher:
    """A run of the event that publishes."""

    event: Event
    publish: Callable[[Comments], Posted]


@dataclass(frozen=True)
class End:
    """What stands when all have ended, the calls in their order, and what each run returned."""

    conversation: Conversation
    calls: tuple[str, ...]
    posted: tuple[Posted, ...]


@dataclass(frozen=True)
class _Call:
    method: str
    arguments: tuple[Any, ...]
    needs: str


class _NextError(BaseException):
    """The run waits for an answer; no `except Exception` of the product stops it."""

    def __init__(self, call: _Call) -> None:
        super().__init__(call)
        self.call = call


@dataclass
class _Replay:
    """A GitHub that gives the answers so far, and stops the run at the first call behind them."""

    event: Event
    answers: list[Any]

    def pages(self, path: str, /, *, needs: str) -> Iterator[JSONObject]:
        found: list[JSONObject] = self._call(_Call("pages", (path,), needs))
        return iter(found)

    def post(self, path: str, body: JSONObject, /, *, needs: str) -> JSON:
        made: JSON = self._call(_Call("post", (path, body), needs))
        return made

    def patch(self, path: str, body: JSONObject, /, *, needs: str) -> JSON:
        changed: JSON = self._call(_Call("patch", (path, body), needs))
        return changed

    def delete(self, path: str, /, *, needs: str) -> None:
        self._call(_Call("delete", (path,), needs))

    def graphql(self, query: str, variables: JSONObject, /, *, needs: str) -> JSONObject:
        found: JSONObject = self._call(_Call("graphql", (query, variables), needs))
        return found

    def _call(self, call: _Call) -> Any:
        if not self.answers:
            raise _NextError(call)
        answer = self.answers.pop(0)
        if isinstance(answer, GitHubError):
            raise answer
        return answer


_WRITES = ("post", "patch", "delete")

_Heard: TypeAlias = tuple[int, ...]
"""The answers that a run has got, each by its number in `Orders.answers`."""


@dataclass
class Orders:
    """`looks_at_once`: calls that only read are answered together, up to the next write.

    `switches`: how often the turn passes away from a run that has not ended; None: as often as it likes.
    """

    publishers: Sequence[Publisher]
    looks_at_once: bool = False
    switches: int | None = None
    answers: dict[str, int] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)
    steps: dict[tuple[int, _Heard], _Call | Posted] = field(default_factory=dict)

    def ends(self, conversation: Conversation) -> Iterator[End]:
        """Every end of every order."""
        seen: set[tuple[Any, ...]] = set()
        nothing: tuple[_Heard, ...] = ((),) * len(self.publishers)
        todo: list[tuple[Conversation, tuple[_Heard, ...], int, int]] = [(conversation, nothing, -1, 0)]
        while todo:
            now, heard, turn, switches = todo.pop()
            steps = [self._step(at, one) for at, one in enumerate(heard)]
            going = [at for at, step in enumerate(steps) if isinstance(step, _Call)]
            if not going:
                yield End(now, tuple(now.calls), tuple(step for step in steps if isinstance(step, Posted)))
            for at in going:
                call = steps[at]
                assert isinstance(call, _Call)
                passed = switches + (turn in going and at != turn)
                if self.switches is not None and passed > self.switches:
                    continue
                after = _copy(now)
                state = (*heard[:at], self._heard(after, at, heard[at], call), *heard[at + 1 :])
                # Without a bound it makes no difference whose turn it was.
                key = (_frozen(after), state, *((at, passed) if self.switches is not None else ()))
                if key not in seen:
                    seen.add(key)
                    todo.append((after, state, at, passed))

    def _heard(self, conversation: Conversation, at: int, heard: _Heard, call: _Call) -> _Heard:
        """The answers after this call, and after all that follow to the next write where a look is one step."""
        heard = (*heard, self._answered(conversation, at, call))
        if not self.looks_at_once or call.method in _WRITES:
            return heard
        following = self._step(at, heard)
        if isinstance(following, Posted) or following.method in _WRITES:
            return heard
        return self._heard(conversation, at, heard, following)

    def _step(self, at: int, heard: _Heard) -> _Call | Posted:
        """The call that the run makes next, or what it has ended with."""
        if (at, heard) not in self.steps:
            publisher = self.publishers[at]
            try:
                step: _Call | Posted = publisher.publish(
                    _Replay(publisher.event, [copy.copy(self.values[one]) for one in heard])
                )
            except _NextError as following:
                step = following.call
            self.steps[at, heard] = step
        return self.steps[at, heard]

    def _answered(self, conversation: Conversation, at: int, call: _Call) -> int:
        client = Client(conversation, self.publishers[at].event)
        try:
            answer = getattr(client, call.method)(*call.arguments, needs=call.needs)
            value = list(answer) if call.method == "pages" else answer
            name = json.dumps(value)
        except GitHubError as error:
            value, name = error, f"error {error}"
        conversation.calls[-1] = f"{at}: {conversation.calls[-1]}"
        if name not in self.answers:
            self.answers[name] = len(self.values)
            self.values.append(value)
        return self.answers[name]


def _copy(conversation: Conversation) -> Conversation:
    comments = {number: copy.copy(one) for number, one in conversation.comments.items()}
    return Conversation(
        comments,
        list(conversation.calls),
        last=conversation.last,
        head=conversation.head,
        keeps_edits=conversation.keeps_edits,
    )


def _frozen(conversation: Conversation) -> tuple[Any, ...]:
    comments = sorted(conversation.comments.items())
    return conversation.last, *((number, one.author, one.body, one.edits) for number, one in comments)
