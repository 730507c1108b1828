"""What a probe learns from endpoints that each refuse something else, and in how many calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.integration.gateway.asking import Pauses, client, model
from tests.servers.gateway import Gateway, Raw, Reply, Scripted, Stream, chunk, completion, message, tool_message

from llm_testbench.gateway.listing import Listing, listed
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.gateway.probe import MOST_CALLS, AsAsked, probe
from llm_testbench.gateway.probe_model import PLAIN_TOKENS, TOOL, TOOL_TOKENS, Probed
from llm_testbench.gateway.surroundings import Surroundings
from llm_testbench.json_value import JSON

Refusal = Callable[[str], Reply]


def named(key: str) -> Reply:
    """As OpenAI says it."""
    said = {"message": f"Unsupported parameter: '{key}' is not supported with this model.", "param": key}
    return Reply({"error": {**said, "type": "invalid_request_error", "code": "unsupported_parameter"}}, 400)


def in_words(key: str) -> Reply:
    """As LiteLLM says it."""
    return Reply({"error": {"message": f"openai does not support parameters: ['{key}'], for model=m"}}, 400)


def silent(key: str) -> Reply:
    """Says that something is wrong, and not what."""
    return Reply({"error": {"message": "Bad Request"}}, 400)


def crash(key: str) -> Reply:
    return Reply("Internal Server Error", 500)


@dataclass
class Picky:
    """A server that refuses some request keys; of `tool_choice named` and `tool_choice required` the form alone."""

    refused: tuple[str, ...] = ()
    refusal: Refusal = named
    call: bool = True
    asked: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Scripted:
        self.asked.append(body)
        for key in self.refused:
            name, _, form = key.partition(" ")
            if name in body and (not form or (form == "named") == isinstance(body[name], dict)):
                return self.refusal(name)
        return tool_message(TOOL, {"word": "yes"}) if "tools" in body and self.call else "Yes."


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Scripted]) -> Iterator[Gateway]:
    with Gateway(answer) as server:
        yield server


def probed(server: Gateway, **options: Any) -> Probed:
    defaults: dict[str, Any] = {"seed": 7, "stream": True}
    asked = model(server.url, **{**defaults, **options})
    with client(adaptations=AsAsked()) as gateway:
        done = probe(gateway.start, asked, Pauses())
    assert done.calls == len(server.requests) <= MOST_CALLS
    return done


def states(done: Probed) -> dict[str, str]:
    return {finding.what: finding.state for finding in done.findings}


ALL = {
    "answers": "yes",
    "token limit": "yes",
    "temperature": "yes",
    "seed": "yes",
    "stream": "yes",
    "stream_options": "yes",
    "tools": "yes",
    "tool_choice": "yes",
}


def test_an_endpoint_that_takes_everything_is_known_after_two_calls() -> None:
    with serving(Picky()) as server:
        done = probed(server)

    assert states(done) == ALL
    assert done.keys == {}
    first, second = (received.body for received in server.requests)
    assert first["max_tokens"] == PLAIN_TOKENS
    assert {"temperature", "seed"} <= set(first)
    assert "stream" not in first
    assert second["max_tokens"] == TOOL_TOKENS
    assert {"temperature", "seed", "stream", "stream_options", "tools"} <= set(second)
    assert second["tool_choice"]["function"]["name"] == TOOL


@dataclass(frozen=True)
class Case:
    """`findings`: those that differ from ALL. `calls`: by whether the refusals name what they refuse."""

    refused: tuple[str, ...]
    findings: dict[str, str]
    keys: dict[str, JSON]
    calls: dict[Refusal, int]


COMPLETION_KEY = {"max_tokens_key": "max_completion_tokens"}
NONE_OF_THREE: dict[str, JSON] = {"max_tokens": None, "temperature": None, "seed": None}
UNTOLD = {"token limit": "unknown", "temperature": "unknown", "seed": "unknown"}
CASES = {
    "seed": Case(("seed",), {"seed": "no"}, {"seed": None}, {named: 3, in_words: 3, silent: 4, crash: 4}),
    "temperature": Case(
        ("temperature",), {"temperature": "no"}, {"temperature": None}, {named: 3, in_words: 3, silent: 5, crash: 5}
    ),
    "limit": Case(("max_tokens",), {}, dict(COMPLETION_KEY), {named: 3, in_words: 3, silent: 6}),
    "both limits": Case(
        ("max_tokens", "max_completion_tokens"), {"token limit": "no"}, {"max_tokens": None}, {named: 4, in_words: 4}
    ),
    "all three": Case(
        ("max_tokens", "temperature", "seed"),
        {"temperature": "no", "seed": "no"},
        {**COMPLETION_KEY, "temperature": None, "seed": None},
        {named: 5},
    ),
    "all three, silently": Case(("max_tokens", "temperature", "seed"), UNTOLD, NONE_OF_THREE, {silent: 6, crash: 6}),
    "stream_options": Case(
        ("stream_options",),
        {"stream_options": "no"},
        {"stream_options": False},
        {named: 3, in_words: 3, silent: 5},
    ),
    "stream": Case(("stream",), {"stream": "no", "stream_options": ""}, {"stream": False}, {named: 3, silent: 5}),
    "named choice": Case(
        ("tool_choice named",), {}, {"tool_choice": "required"}, {named: 3, in_words: 3, silent: 5}
    ),
    "any choice": Case(("tool_choice",), {"tool_choice": "no"}, {}, {named: 4, in_words: 4, silent: 6}),
    "tools": Case(("tools",), {"tools": "no", "tool_choice": ""}, {}, {named: 3, silent: 6}),
    "options and choice": Case(
        ("stream_options", "tool_choice named"),
        {"stream_options": "no"},
        {"stream_options": False, "tool_choice": "required"},
        {named: 4, silent: 6},
    ),
    "a seed, options and choice": Case(
        ("seed", "stream_options", "tool_choice named"),
        {"seed": "no", "stream_options": "no"},
        {"seed": None, "stream_options": False, "tool_choice": "required"},
        {named: 5, in_words: 5},
    ),
}


@pytest.mark.parametrize(
    ("case", "refusal"),
    [
        pytest.param(case, refusal, id=f"{name}, {refusal.__name__}")
        for name, case in CASES.items()
        for refusal in case.calls
    ],
)
def test_what_is_refused_is_found_out(case: Case, refusal: Refusal) -> None:
    with serving(Picky(case.refused, refusal)) as server:
        done = probed(server)

    assert states(done) == {what: state for what, state in {**ALL, **case.findings}.items() if state}
    assert done.keys == case.keys
    assert done.calls == case.calls[refusal]
    assert done.failure is None
