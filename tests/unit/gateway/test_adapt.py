"""What is sent otherwise once a server has refused it, and how often that is tried."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.adapt import Adaptations
from llm_testbench.gateway.failures import failure_of_status
from llm_testbench.gateway.habit import BUDGET_CEILING, Habit
from llm_testbench.gateway.model import ChatRequest, Failure, ModelOptions
from llm_testbench.gateway.wire import outgoing, token_limit
from llm_testbench.json_value import JSONObject

MODEL = ModelOptions("m", "org/m", "http://host/v1", seed=7, stream=True)
QUESTION = ChatRequest(({"role": "user", "content": "2 + 2?"},))
TOOLS: tuple[JSONObject, ...] = tuple({"type": "function", "function": {"name": name}} for name in ("add", "multiply"))
CHOSEN = replace(
    QUESTION, tools=TOOLS, parameters={"tool_choice": {"type": "function", "function": {"name": "multiply"}}}
)


def body(model: ModelOptions = MODEL, request: ChatRequest = QUESTION, habit: Habit = Habit()) -> dict[str, Any]:  # noqa: B008
    value: dict[str, Any] = json.loads(outgoing(model, request, 0, habit=habit).body)
    return value


def refusal(message: str, param: str | None = None) -> Failure:
    return failure_of_status(400, {"error": {"message": message, "param": param}})


def unsupported(key: str) -> Failure:
    return refusal(f"Unsupported parameter: '{key}' is not supported with this model.", key)


def window(tokens: int, prompt: int) -> Failure:
    words = (
        f"'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is {tokens}"
    )
    return refusal(f"{words} tokens and your request has {prompt} input tokens (4096 > {tokens} - {prompt}).")


def taught(*failures: Failure, model: ModelOptions = MODEL, request: ChatRequest = QUESTION) -> Adaptations:
    adaptations = Adaptations()
    for failure in failures:
        assert adaptations.learn(model, request, adaptations.habit(model, request), failure), failure
    return adaptations


@pytest.mark.parametrize(
    ("failure", "request_", "differs", "phrase"),
    [
        pytest.param(
            unsupported("max_tokens"),
            QUESTION,
            {"max_tokens": None, "max_completion_tokens": 4096},
            "the token limit is sent as max_completion_tokens",
            id="the other key",
        ),
        pytest.param(
            unsupported("temperature"), QUESTION, {"temperature": None}, "temperature is not sent", id="temperature"
        ),
        pytest.param(unsupported("seed"), QUESTION, {"seed": None}, "seed is not sent", id="seed"),
        pytest.param(
            unsupported("stream_options"),
            QUESTION,
            {"stream_options": None},
            "stream_options is not sent",
            id="stream_options",
        ),
        pytest.param(
            refusal("This model supports at most 1024 completion tokens", "max_tokens"),
            QUESTION,
            {"max_tokens": 1024},
            "at most 1024 tokens an answer",
            id="a lower limit",
        ),
        pytest.param(
            window(4096, 500),
            QUESTION,
            {"max_tokens": 3596},
            "prompt and answer fit into 4096 tokens",
            id="what is left",
        ),
        pytest.param(
            unsupported("tool_choice"),
            CHOSEN,
            {"tool_choice": "required", "tools": [TOOLS[1]]},
            "a named tool is sent as the only one, with tool_choice required",
            id="a named tool",
        ),
    ],
)
def test_a_refused_parameter_is_sent_otherwise_from_then_on(
    failure: Failure, request_: ChatRequest, differs: dict[str, Any], phrase: str
) -> None:
    adaptations = taught(failure, request=request_)

    expected = {**body(request=request_), **differs}
    sent = body(request=request_, habit=adaptations.habit(MODEL, request_))
    assert sent == {key: value for key, value in expected.items() if value is not None}
    assert adaptations.described(MODEL) == (phrase,)


def test_all_that_was_learned_holds_together() -> None:
    adaptations = taught(*map(unsupported, ("seed", "max_tokens", "temperature", "stream_options")))

    assert body(habit=adaptations.habit(MODEL, QUESTION)) == {
        "model": "org/m",
        "messages": [{"role": "user", "content": "2 + 2?"}],
        "max_completion_tokens": 4096,
        "stream": True,
    }
    assert adaptations.described(MODEL) == tuple(sorted(adaptations.described(MODEL)))


@pytest.mark.parametrize("other", [{"id": "org/n"}, {"endpoint": "http://other/v1"}, {"name": "n"}])
def test_each_model_learns_for_itself(other: dict[str, Any]) -> None:
    adaptations = taught(unsupported("seed"))

    assert adaptations.habit(replace(MODEL, **other), QUESTION) == Habit()
    assert adaptations.described(replace(MODEL, **other)) == ()


@pytest.mark.parametrize(
    ("failure", "model", "request_"),
    [
        pytest.param(
            unsupported("temperature"), {}, {"parameters": {"temperature": 0.7}}, id="the suite's temperature"
        ),
        pytest.param(unsupported("seed"), {"extra_body": {"seed": 1}}, {}, id="the user's extra_body"),
        pytest.param(unsupported("response_format"), {}, {"parameters": {"response_format": {}}}, id="response_format"),
        pytest.param(
            unsupported("parallel_tool_calls"),
            {},
            {"parameters": {"parallel_tool_calls": True}},
            id="parallel_tool_calls",
        ),
        pytest.param(unsupported("tool_choice"), {}, {"parameters": {"tool_choice": "auto"}}, id="no tool is named"),
        pytest.param(
            unsupported("tool_choice"),
            {},
            {"parameters": {"tool_choice": {"type": "function", "function": {"name": "absent"}}}, "tools": TOOLS},
            id="the named tool is not offered",
        ),
        pytest.param(
            unsupported("max_new_tokens"), {"max_tokens_key": "max_new_tokens"}, {}, id="a key that the user chose"
        ),
        pytest.param(unsupported("max_tokens"), {"max_tokens": None}, {}, id="no limit is sent"),
        pytest.param(unsupported("seed"), {"seed": None}, {}, id="what was never sent"),
        pytest.param(window(4096, 4096), {}, {}, id="nothing is left"),
    ],
)
def test_what_the_test_or_the_user_asks_for_stays_refused(
    failure: Failure, model: dict[str, Any], request_: dict[str, Any]
) -> None:
    adaptations, asked, request = Adaptations(), replace(MODEL, **model), replace(QUESTION, **request_)

    assert not adaptations.learn(asked, request, Habit(), failure)
    assert adaptations.described(asked) == ()


@pytest.mark.parametrize("outcome", [Outcome.AUTH, Outcome.RATE_LIMITED, Outcome.TIMEOUT, Outcome.NETWORK])
def test_only_a_refusal_teaches(outcome: Outcome) -> None:
    adaptations = taught(unsupported("seed"))

    # Not even that another worker has learned something: the retry will heed it.
    assert not adaptations.learn(MODEL, QUESTION, Habit(), Failure(outcome, "Unsupported parameter: 'temperature'"))


def test_a_server_that_takes_neither_key_is_not_asked_in_circles() -> None:
    adaptations = taught(unsupported("max_tokens"))
    used = adaptations.habit(MODEL, QUESTION)

    assert not adaptations.learn(MODEL, QUESTION, used, unsupported("max_completion_tokens"))
    assert not adaptations.learn(MODEL, QUESTION, used, unsupported("max_tokens"))


def test_a_request_that_was_sent_before_another_worker_learned_goes_out_again() -> None:
    adaptations = taught(unsupported("seed"))

    assert adaptations.learn(MODEL, QUESTION, Habit(), unsupported("seed"))
    assert adaptations.described(MODEL) == ("seed is not sent",)


def test_what_an_old_request_was_refused_for_adds_to_what_is_known() -> None:
    adaptations = taught(unsupported("seed"))

    assert adaptations.learn(MODEL, QUESTION, Habit(), unsupported("temperature"))
    assert adaptations.habit(MODEL, QUESTION).omitted == {"seed", "temperature"}


def test_the_room_for_an_answer_is_the_same_whichever_prompt_came_first() -> None:
    short, long = (replace(QUESTION, messages=({"role": "user", "content": "x " * n},)) for n in (10, 3000))
    first = taught(window(4096, 20), request=short)
    second = taught(window(4096, 1500), request=long)

    limits = [[token_limit(MODEL, one, each.habit(MODEL, one)) for one in (short, long)] for each in (first, second)]
    assert limits[0] == limits[1]
    assert first.described(MODEL) == second.described(MODEL)
    assert all(limit is not None and 0 < limit < 4096 for limit in limits[0])


def test_a_prompt_longer_than_estimated_has_what_the_server_says_is_left() -> None:
    digits = replace(QUESTION, messages=({"role": "user", "content": "7" * 3000},))
    adaptations = taught(window(4096, 3050), request=digits)
    assert token_limit(MODEL, digits, adaptations.habit(MODEL, digits)) == 4096 - 3050
    assert adaptations.habit(MODEL, QUESTION).prompt_tokens is None

    # An estimate that leaves nothing gives way to what the server says.
    image = replace(QUESTION, messages=({"role": "user", "content": "data:" + "A" * 30_000},))
    assert token_limit(MODEL, image, adaptations.habit(MODEL, image)) == 4096
    assert adaptations.learn(MODEL, image, adaptations.habit(MODEL, image), window(4096, 300))
    assert token_limit(MODEL, image, adaptations.habit(MODEL, image)) == 3796


@pytest.mark.parametrize(
    ("model", "request_", "limit"),
    [
        ({}, {}, 4 * 4096),
        ({"max_tokens": 20_000}, {}, BUDGET_CEILING),
        ({}, {"max_tokens": 8000}, 32_000),
        ({"token_limit": 10_000}, {}, 10_000),
    ],
)
def test_a_budget_that_went_to_reasoning_is_raised_once(
    model: dict[str, Any], request_: dict[str, Any], limit: int
) -> None:
    adaptations, asked, request = Adaptations(), replace(MODEL, **model), replace(QUESTION, **request_)

    assert adaptations.exhausted(asked, request, Habit())
    raised = adaptations.habit(asked, request)
    assert token_limit(asked, request, raised) == limit
    assert not adaptations.exhausted(asked, request, raised)
    assert adaptations.described(asked) == ("the token limit is 4 times as high, at most 40960",)
    # Sent before it was raised:
    assert adaptations.exhausted(asked, request, Habit())


@pytest.mark.parametrize(
    ("model", "failures"),
    [
        pytest.param({"max_tokens": None}, (), id="no limit is sent"),
        pytest.param({"max_tokens": BUDGET_CEILING}, (), id="as high as it goes"),
        pytest.param({"max_tokens": 100_000}, (), id="higher than it goes"),
        pytest.param({"token_limit": 4096}, (), id="limited by hand"),
        pytest.param({"extra_body": {"max_tokens": 500}}, (), id="set by hand"),
        pytest.param({}, (refusal("at most 2000 completion tokens", "max_tokens"),), id="limited by the server"),
    ],
)
def test_a_budget_that_cannot_be_higher_is_not_asked_for_again(
    model: dict[str, Any], failures: tuple[Failure, ...]
) -> None:
    asked = replace(MODEL, **model)
    adaptations = taught(*failures, model=asked)
    before = adaptations.described(asked)

    assert not adaptations.exhausted(asked, QUESTION, adaptations.habit(asked, QUESTION))
    assert adaptations.described(asked) == before


def test_a_raised_budget_that_is_refused_with_a_number_is_lowered_to_it() -> None:
    adaptations = Adaptations()
    adaptations.exhausted(MODEL, QUESTION, Habit())
    failure = refusal(
        "max_tokens is too large: 16384. This model supports at most 8192 completion tokens", "max_tokens"
    )

    assert adaptations.learn(MODEL, QUESTION, adaptations.habit(MODEL, QUESTION), failure)
    assert token_limit(MODEL, QUESTION, adaptations.habit(MODEL, QUESTION)) == 8192


def test_a_raised_budget_that_is_just_refused_is_given_up_for_the_model() -> None:
    adaptations = Adaptations()
    adaptations.exhausted(MODEL, QUESTION, Habit())

    assert adaptations.learn(MODEL, QUESTION, adaptations.habit(MODEL, QUESTION), refusal("max_tokens is too large."))
    assert adaptations.habit(MODEL, QUESTION) == Habit()
    assert not adaptations.exhausted(MODEL, QUESTION, Habit())


def test_a_raised_budget_that_does_not_fit_beside_one_prompt_is_given_up_for_that_prompt() -> None:
    adaptations, other = Adaptations(), replace(QUESTION, messages=({"role": "user", "content": "other"},))
    adaptations.exhausted(MODEL, QUESTION, Habit())
    failure = refusal("Please reduce the length of the messages: maximum context length reached")
    assert failure.outcome is Outcome.CONTEXT_LENGTH

    assert adaptations.learn(MODEL, QUESTION, adaptations.habit(MODEL, QUESTION), failure)
    assert (adaptations.habit(MODEL, QUESTION).raised, adaptations.habit(MODEL, other).raised) == (False, True)
    assert not adaptations.exhausted(MODEL, QUESTION, Habit())
    # What this prompt teaches now says nothing about the raised budget of the others.
    assert adaptations.learn(MODEL, QUESTION, adaptations.habit(MODEL, QUESTION), unsupported("seed"))
    assert adaptations.habit(MODEL, other).raised
    assert not adaptations.learn(MODEL, QUESTION, adaptations.habit(MODEL, QUESTION), failure)


def test_a_test_that_asks_for_more_than_a_raised_budget_keeps_its_own() -> None:
    adaptations, long = Adaptations(), replace(QUESTION, max_tokens=100_000)
    adaptations.exhausted(MODEL, QUESTION, Habit())

    assert token_limit(MODEL, long, adaptations.habit(MODEL, long)) == 100_000


@pytest.mark.parametrize(
    "refuse",
    [
        pytest.param(lambda n: refusal(f"at most {3000 - n} completion tokens", "max_tokens"), id="a limit"),
        pytest.param(lambda n: window(4096 - n, 10), id="a window"),
        pytest.param(lambda n: window(4096, 2000 + n), id="the length of a prompt"),
    ],
)
def test_a_limit_that_comes_down_with_each_try_is_not_followed_for_ever(refuse: Callable[[int], Failure]) -> None:
    adaptations, learned = Adaptations(), 0
    while adaptations.learn(MODEL, QUESTION, adaptations.habit(MODEL, QUESTION), refuse(learned)):
        learned += 1
        assert learned < 5
    assert learned >= 3


def test_a_window_that_was_smaller_once_stays_so() -> None:
    adaptations = taught(window(4096, 1000))
    adaptations.learn(MODEL, QUESTION, adaptations.habit(MODEL, QUESTION), window(8192, 2000))

    assert adaptations.described(MODEL) == ("prompt and answer fit into 4096 tokens",)


def test_tools_are_part_of_a_prompt() -> None:
    adaptations = taught(window(4096, 2000))

    assert adaptations.habit(MODEL, QUESTION).prompt_tokens == 2000
    assert adaptations.habit(MODEL, replace(QUESTION, tools=TOOLS)).prompt_tokens is None


KEYS = (
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "seed",
    "stream_options",
    "tool_choice",
    "response_format",
)
WORDS = st.one_of(
    st.sampled_from(KEYS).map(unsupported),
    st.integers(0, 5000).map(lambda n: refusal(f"max_tokens: 4096 > {n}, which is the maximum allowed")),
    st.builds(window, st.integers(0, 5000), st.integers(0, 5000)),
    st.integers(0, 5000).map(
        lambda n: refusal(
            "This model's maximum context length is 4096 tokens. However, you requested 4096 output tokens and your"
            f" prompt contains at least {n} input tokens"
        )
    ),
    st.text(max_size=80).map(refusal),
)


@given(st.lists(st.one_of(WORDS, st.none()), min_size=1, max_size=8), st.sampled_from([QUESTION, CHOSEN]))
def test_a_server_that_refuses_everything_is_asked_a_bounded_number_of_times(
    said: list[Failure | None], request_: ChatRequest
) -> None:
    """`None`: it answers, and all tokens went to reasoning."""
    adaptations, tries = Adaptations(), 0
    goes_on = True
    while goes_on:
        tries += 1
        used = adaptations.habit(MODEL, request_)
        failure = said[tries % len(said)]
        goes_on = (
            adaptations.exhausted(MODEL, request_, used)
            if failure is None
            else adaptations.learn(MODEL, request_, used, failure)
        )
        assert tries <= 20


HABITS = st.builds(
    Habit,
    max_tokens_key=st.sampled_from([None, "max_tokens", "max_completion_tokens"]),
    token_limit=st.none() | st.integers(1, 10_000),
    context_window=st.none() | st.integers(1, 10_000),
    prompt_tokens=st.none() | st.integers(1, 10_000),
    raised=st.booleans(),
    omitted=st.frozensets(st.sampled_from(["temperature", "seed", "stream_options"])),
    tool_choice_required=st.booleans(),
)
MODELS = st.builds(
    ModelOptions,
    name=st.just("m"),
    id=st.just("m"),
    endpoint=st.just("http://host/v1"),
    stream=st.booleans(),
    max_tokens=st.none() | st.integers(1, 100_000),
    token_limit=st.none() | st.integers(1, 10_000),
    temperature=st.none() | st.just(0.0),
    seed=st.none() | st.integers(0, 9),
    omitted=st.frozensets(st.sampled_from(["temperature", "stream_options"])),
    tool_choice_required=st.booleans(),
)


@given(MODELS, HABITS, st.sampled_from([QUESTION, CHOSEN]))
def test_whatever_was_learned_the_request_is_whole_and_holds_nothing_that_is_left_out(
    model: ModelOptions, habit: Habit, request_: ChatRequest
) -> None:
    sent = body(model, request_, habit)

    assert not habit.omitted & sent.keys()
    assert (sent["model"], sent["messages"]) == ("m", list(request_.messages))
    limits = [key for key in ("max_tokens", "max_completion_tokens") if key in sent]
    assert len(limits) == (model.max_tokens is not None)
    for key in limits:
        bounds = (model.token_limit, habit.token_limit)
        assert 1 <= sent[key] <= min(bound for bound in (*bounds, 100_000) if bound is not None)
    if isinstance(sent.get("tool_choice"), str):
        assert [tool["function"]["name"] for tool in sent["tools"]] == ["multiply"]


@given(HABITS)
def test_a_description_is_sorted_and_tells_habits_apart_that_differ_for_the_model(habit: Habit) -> None:
    described = habit.described()

    assert list(described) == sorted(set(described))
    assert described == replace(habit, prompt_tokens=None).described()
    assert (described == ()) == (replace(habit, prompt_tokens=None) == Habit())
