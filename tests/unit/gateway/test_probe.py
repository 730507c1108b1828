"""What a probe sends and concludes, with a fake in the gateway's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from llm_testbench.answer.model import Completion, ToolCall, Usage
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import ChatRequest, Failure, ModelOptions, Reply, Try
from llm_testbench.gateway.probe import LATER_TIMEOUT, MOST_CALLS, probe
from llm_testbench.gateway.probe_model import PLAIN_TOKENS, TOOL, TOOL_TOKENS, Probed

MODEL = ModelOptions("m", "m", "https://gateway.example.com/v1", seed=7, stream=True)
COUNTED = Usage(completion_tokens=2)
YES = Completion("Yes.", finish_reason="stop", usage=COUNTED)
CALL = Completion("", tool_calls=(ToolCall(TOOL, {"word": "yes"}, '{"word": "yes"}'),), usage=COUNTED)


def answered(completion: Completion, failure: Failure | None = None) -> Reply:
    return Reply(completion, failure, (Try(200, Outcome.ANSWERED, 0.0, 1.0),), 1.0, ttft_ms=0.5)


def refused(message: str, outcome: Outcome = Outcome.REJECTED, status: int | None = 400) -> Reply:
    return Reply(None, Failure(outcome, message, status), (Try(status, outcome, 0.0, 1.0),), 1.0)


@dataclass
class Fake:
    """Answers each request; `unlike` may give another answer."""

    unlike: Callable[[ModelOptions, ChatRequest], Reply | None] = lambda model, request: None
    asked: list[tuple[ModelOptions, ChatRequest]] = field(default_factory=list)

    def __call__(self, model: ModelOptions, request: ChatRequest, attempt: int) -> Reply:
        self.asked.append((model, request))
        return self.unlike(model, request) or answered(CALL if request.tools else YES)


def probed(fake: Fake, **options: Any) -> Probed:
    return probe(fake, replace(MODEL, **options), lambda seconds: None)


def only(done: Probed, what: str) -> tuple[str, str, str]:
    (found,) = [finding for finding in done.findings if finding.what == what]
    return found.state, found.seen, found.said


def test_what_would_be_sent_is_what_is_tried() -> None:
    fake = Fake()
    probed(fake, temperature=0.7, seed=9)

    assert [(model.temperature, model.seed) for model, _ in fake.asked] == [(0.7, 9)] * 2


def test_what_the_entry_holds_back_is_tried_all_the_same() -> None:
    fake = Fake()
    probed(
        fake,
        temperature=None,
        seed=None,
        omitted=frozenset({"stream_options", "temperature"}),
        tool_choice_required=True,
        token_limit=8,
    )

    (first, _), (second, request) = fake.asked
    assert (first.temperature, first.seed, first.max_tokens, first.token_limit) == (0.0, 1, PLAIN_TOKENS, None)
    assert second.omitted == frozenset()
    assert not second.tool_choice_required
    assert request.parameters["tool_choice"] == {"type": "function", "function": {"name": TOOL}}


def test_only_the_first_call_waits_for_a_model_that_loads() -> None:
    fake = Fake()
    probed(fake, request_timeout=600.0)

    assert [model.request_timeout for model, _ in fake.asked] == [600.0, LATER_TIMEOUT]


def test_requests_that_cannot_even_be_sent_are_bounded_too() -> None:
    unsent = Reply(None, Failure(Outcome.REJECTED, "no"), (), 0.0)
    fake = Fake(lambda model, request: unsent if request.tools or model.stream else None)
    done = probed(fake)

    assert done.calls == len(fake.asked) <= MOST_CALLS


@pytest.mark.parametrize(
    ("status", "outcome", "is_answered"),
    [
        (None, Outcome.TIMEOUT, False),
        (200, Outcome.TIMEOUT, True),
        (None, Outcome.NETWORK, False),
        (401, Outcome.AUTH, True),
    ],
)
def test_who_speaks_http_may_list_its_models(status: int | None, outcome: Outcome, *, is_answered: bool) -> None:
    assert probed(Fake(lambda model, request: refused("no", outcome, status))).answered is is_answered


def refusing(*keys: str) -> Callable[[ModelOptions, ChatRequest], Reply | None]:
    """Refuses these by name."""

    def unlike(model: ModelOptions, request: ChatRequest) -> Reply | None:
        sent = {
            "temperature": model.temperature is not None,
            "seed": model.seed is not None,
            model.max_tokens_key: model.max_tokens is not None,
            "stream": model.stream,
            "stream_options": model.stream and "stream_options" not in model.omitted,
        }
        key = next((key for key in keys if sent.get(key)), None)
        return None if key is None else refused(f"Unsupported parameter: '{key}'")

    return unlike


def test_what_is_never_sent_needs_no_key() -> None:
    done = probed(
        Fake(refusing("max_tokens", "seed", "stream")), max_tokens=None, seed=None, stream=False, temperature=None
    )

    assert done.keys == {}


def test_a_form_of_choice_that_was_not_answered_is_not_advised() -> None:
    def unlike(model: ModelOptions, request: ChatRequest) -> Reply | None:
        if request.parameters.get("tool_choice") == "required":
            return refused("no complete answer", Outcome.TIMEOUT, None)
        return refused("Unsupported parameter: 'tool_choice'") if request.tools else None

    done = probed(Fake(unlike))

    assert done.keys == {}
    assert only(done, "tools") == ("no", "fails", "no complete answer")


@pytest.mark.parametrize(
    ("outcome", "status", "state"),
    [
        (Outcome.RATE_LIMITED, 429, "unknown"),
        (Outcome.SERVER, 529, "unknown"),
        (Outcome.AUTH, 403, "unknown"),
        (Outcome.SERVER, 500, "no"),
    ],
)
def test_what_a_busy_server_does_not_answer_is_not_known(outcome: Outcome, status: int, state: str) -> None:
    done = probed(Fake(lambda model, request: refused("no", outcome, status) if request.tools else None))

    assert only(done, "tools")[0] == state
    assert "tool_choice" not in done.keys


def test_words_that_name_stream_and_tools_tell_nothing() -> None:
    def unlike(model: ModelOptions, request: ChatRequest) -> Reply | None:
        return refused("Unsupported parameters: 'stream', 'tools'") if model.stream and request.tools else None

    done = probed(Fake(unlike))

    assert only(done, "stream")[0] == only(done, "tools")[0] == "yes"
    assert only(done, "tools in a stream")[0] == "no"


def test_words_that_name_the_choice_say_nothing_of_the_tools() -> None:
    def unlike(model: ModelOptions, request: ChatRequest) -> Reply | None:
        named = isinstance(request.parameters.get("tool_choice"), dict)
        return refused("Unsupported parameters: 'tools', 'tool_choice'") if named else None

    done = probed(Fake(unlike))

    assert only(done, "tools")[0] == "yes"
    assert done.keys == {"tool_choice": "required"}


def test_a_fallback_is_noted() -> None:
    fell = Failure(Outcome.SUBSTITUTED, "the gateway fell back to another model: b")
    done = probed(Fake(lambda model, request: answered(YES, fell)))

    assert only(done, "fallback") == ("note", "another model answered", fell.message)


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS"])
def test_an_answer_that_is_all_reasoning_is_noted(reason: str) -> None:
    done = probed(Fake(lambda model, request: answered(Completion("", "Hm", finish_reason=reason, usage=COUNTED))))

    assert only(done, "answers")[1].endswith(f"all {PLAIN_TOKENS} tokens went to reasoning")
    assert only(done, "tools")[:2] == ("unknown", f"no call within {TOOL_TOKENS} tokens")


@pytest.mark.parametrize(
    ("usage", "seen"),
    [
        (COUNTED, "refused, and tokens are counted without it"),
        (Usage(), "refused, so tokens of streams are not counted"),
    ],
)
def test_a_stream_without_options_may_count_its_tokens(usage: Usage, seen: str) -> None:
    def unlike(model: ModelOptions, request: ChatRequest) -> Reply | None:
        return refusing("stream_options")(model, request) or answered(replace(CALL, usage=usage))

    assert only(probed(Fake(unlike)), "stream_options")[1] == seen
