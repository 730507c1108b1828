"""A server that does not take what is asked is asked otherwise: over real connections, by many workers at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.integration.gateway.asking import QUESTION, client, model
from tests.servers.gateway import Gateway, Reply, Scripted, completion, message

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import ChatRequest

WORKERS = 16
CHOSEN = ChatRequest(
    QUESTION.messages,
    tuple({"type": "function", "function": {"name": name, "parameters": {}}} for name in ("f", "g")),
    {"tool_choice": {"type": "function", "function": {"name": "g"}}},
)


def refused(key: str, message: str = "", status: int = 400) -> Reply:
    words = message or f"Unsupported parameter: '{key}' is not supported with this model."
    return Reply({"error": {"message": words, "param": key}}, status)


class Picky:
    """Refuses a request that has one of `keys`, the first one by name; counts how often."""

    def __init__(self, *keys: str, latency: float = 0.0) -> None:
        self.keys = keys
        self.latency = latency
        self.refusals = 0

    def __call__(self, body: dict[str, Any]) -> Scripted:
        for key in self.keys:
            if key in body:
                self.refusals += 1
                reply = refused(key)
                return Reply(reply.body, reply.status, latency=self.latency)
        return "4"


def at_most(tokens: int) -> Callable[[dict[str, Any]], Scripted]:
    def answer(body: dict[str, Any]) -> Scripted:
        asked = body["max_tokens"]
        said = f"max_tokens is too large: {asked}. This model supports at most {tokens} completion tokens."
        return refused("max_tokens", said) if asked > tokens else "4"

    return answer


def window(tokens: int, prompt: int) -> Callable[[dict[str, Any]], Scripted]:
    def answer(body: dict[str, Any]) -> Scripted:
        asked = body["max_tokens"]
        said = (
            f"This model's maximum context length is {tokens} tokens. However, you requested {prompt + asked} tokens"
            f" ({prompt} in the messages, {asked} in the completion). Please reduce the length."
        )
        return Reply({"message": said}, 400) if prompt + asked > tokens else "4"

    return answer


def string_choice(body: dict[str, Any]) -> Scripted:
    if isinstance(body.get("tool_choice"), str):
        return "4"
    return Reply({"error": "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}, 400)


def seed_crashes(body: dict[str, Any]) -> Scripted:
    return Reply("TypeError: got an unexpected keyword argument 'seed'", 500) if "seed" in body else "4"


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize(
    ("answer", "request_", "learned"),
    [
        pytest.param(
            Picky("max_tokens"), QUESTION, "the token limit is sent as max_completion_tokens", id="max-tokens"
        ),
        pytest.param(Picky("temperature"), QUESTION, "temperature is not sent", id="temperature"),
        pytest.param(Picky("seed"), QUESTION, "seed is not sent", id="seed"),
        pytest.param(seed_crashes, QUESTION, "seed is not sent", id="a seed that crashes the server"),
        pytest.param(at_most(1000), QUESTION, "at most 1000 tokens an answer", id="a lower limit"),
        pytest.param(window(4096, 50), QUESTION, "prompt and answer fit into 4096 tokens", id="a small window"),
        pytest.param(
            string_choice, CHOSEN, "a named tool is sent as the only one, with tool_choice required", id="tool-choice"
        ),
    ],
)
def test_a_refused_parameter_costs_one_try_and_no_attempt(
    answer: Callable[[dict[str, Any]], Scripted], request_: ChatRequest, learned: str, stream: bool
) -> None:
    with Gateway(answer) as server, client() as asking:
        options = model(server.url, stream=stream, seed=1)
        first, second = (asking.ask(options, request_, attempt) for attempt in range(2))

        assert [reply.completion and reply.completion.text for reply in (first, second)] == ["4", "4"]
        assert [one.wait_ms for one in first.tries] == [0.0, 0.0]
        assert first.tries[0].outcome is not Outcome.ANSWERED
        assert first.tries[0].reason
        assert len(second.tries) == 1
        assert asking.adaptations(options) == (learned,)


def test_stream_options_are_left_out_of_a_stream() -> None:
    with Gateway(Picky("stream_options")) as server, client() as asking:
        options = model(server.url, stream=True)
        assert len(asking.ask(options, QUESTION, 0).tries) == 2
        assert server.requests[-1].body["stream"] is True
        assert asking.adaptations(options) == ("stream_options is not sent",)


@pytest.mark.parametrize("keys", [("seed",), ("max_tokens", "temperature", "seed")], ids=["one", "three"])
def test_workers_learn_from_each_other(keys: Iterable[str]) -> None:
    """At most every request in flight is refused once for each thing; afterwards none is."""
    picky = Picky(*keys, latency=0.05)
    with Gateway(picky) as server, client(WORKERS) as asking, ThreadPoolExecutor(WORKERS) as pool:
        options = model(server.url, seed=1)
        replies = list(pool.map(lambda attempt: asking.ask(options, QUESTION, attempt), range(4 * WORKERS)))
        refusals = picky.refusals
        later = list(pool.map(lambda attempt: asking.ask(options, QUESTION, attempt), range(WORKERS)))

        assert all(reply.completion is not None for reply in (*replies, *later))
        assert server.peak_in_flight > 1
        assert 1 <= refusals <= WORKERS * len(tuple(keys))
        assert picky.refusals == refusals
        assert len(asking.adaptations(options)) == len(tuple(keys))


def test_another_model_at_the_same_endpoint_learns_for_itself() -> None:
    with Gateway(Picky("seed")) as server, client() as asking:
        options = model(server.url, seed=1)
        asking.ask(options, QUESTION, 0)
        other = type(options)("other", "other", server.url, seed=1)
        assert asking.adaptations(other) == ()
        assert len(asking.ask(other, QUESTION, 0).tries) == 2


def test_where_neither_key_is_taken_the_servers_words_are_the_end() -> None:
    picky = Picky("max_tokens", "max_completion_tokens")
    with Gateway(picky) as server, client() as asking:
        for attempt in range(3):
            reply = asking.ask(model(server.url), QUESTION, attempt)
            assert reply.failure is not None
            assert reply.failure.outcome is Outcome.REJECTED
            assert "'max_completion_tokens' is not supported" in reply.failure.message
        assert picky.refusals == 4


def test_what_the_suite_asks_for_is_not_taken_away() -> None:
    with Gateway(Picky("response_format")) as server, client() as asking:
        asked = ChatRequest(QUESTION.messages, parameters={"response_format": {"type": "json_object"}})
        reply = asking.ask(model(server.url), asked, 0)
        assert reply.failure is not None
        assert (reply.failure.outcome, len(reply.tries)) == (Outcome.REJECTED, 1)
        assert len(server.requests) == 1


def reasons_long(needed: int) -> Callable[[dict[str, Any]], Scripted]:
    def answer(body: dict[str, Any]) -> Scripted:
        asked = body["max_tokens"]
        if asked >= needed:
            return "4"
        return completion(message("", reasoning_content="Well … " * 20), "length")

    return answer


@pytest.mark.parametrize(
    ("limit", "needed", "tries", "budgets"),
    [
        pytest.param(100, 400, 2, [100, 400], id="four times is enough"),
        pytest.param(100, 500, 2, [100, 400], id="it is asked once more only"),
        pytest.param(20_000, 40_960, 2, [20_000, 40_960], id="at most 40,960"),
        pytest.param(40_960, 90_000, 1, [40_960], id="never higher"),
    ],
)
def test_a_budget_that_went_to_reasoning_is_raised_and_remembered(
    limit: int, needed: int, tries: int, budgets: list[int]
) -> None:
    with Gateway(reasons_long(needed)) as server, client() as asking:
        options = model(server.url, max_tokens=limit)
        first, second = (asking.ask(options, QUESTION, attempt) for attempt in range(2))

        assert [request.body["max_tokens"] for request in server.requests] == [*budgets, budgets[-1]]
        assert (len(first.tries), len(second.tries)) == (tries, 1)
        assert first.completion is not None
        assert bool(first.completion.text) is (needed <= budgets[-1])
        assert bool(asking.adaptations(options)) is (tries == 2)
        if tries == 2:
            assert first.tries[0].outcome is Outcome.BUDGET_EXHAUSTED
