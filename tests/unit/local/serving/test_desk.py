"""What is said is what a client reads, in both forms, and no mix of faults breaks the server."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.answer.model import Completion, ToolCall, Usage
from llm_testbench.gateway.body import Body
from llm_testbench.gateway.chunked import ChunkDecoder
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.text import clean
from llm_testbench.json_value import JSON
from llm_testbench.local.serving.answers import Answer, Said
from llm_testbench.local.serving.desk import Desk, delivered
from llm_testbench.local.serving.effect import Occasion
from llm_testbench.local.serving.effects import EFFECTS
from llm_testbench.local.serving.fault_table import NAMES
from llm_testbench.local.serving.forms import Stamp
from llm_testbench.local.serving.options import FaultRate
from llm_testbench.local.serving.question import Question, read_question
from llm_testbench.local.serving.response import Response, paced, put

LOSSLESS = (*NAMES[:5], *NAMES[6:9], NAMES[12], *NAMES[32:36], *NAMES[38:41], "repeated-name", "any-order")
"""Faults that take nothing from an answer, whichever of them come together."""

TEXTS = st.text(max_size=20) | st.sampled_from(["Zürich 🙂", "a\r\nb", "data: x\n\n", "[DONE]", "\ud83d"])
CALLS = st.builds(
    lambda name, arguments, number: ToolCall(name, arguments, json.dumps(arguments), f"call_{number}"),
    st.sampled_from(["f", "get_weather"]),
    st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=5), max_size=3),
    st.integers(0, 10**9),
)
SAID = st.builds(
    Completion,
    text=TEXTS,
    reasoning=TEXTS,
    tool_calls=st.lists(CALLS, max_size=3, unique_by=lambda call: call.id).map(tuple),
    finish_reason=st.sampled_from([None, "stop", "length", "tool_calls"]),
    usage=st.builds(Usage, st.integers(1, 99), st.integers(1, 99), st.none() | st.integers(1, 9)),
    served_model=st.none() | st.just("other"),
    fingerprint=st.none() | st.just("fp"),
    response_id=st.none() | st.just("id-1"),
)
STAMP = Stamp("chatcmpl-1", 1_767_225_600)


def question(*, stream: bool = False, **more: JSON) -> Question:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": stream, **more}
    return read_question(json.dumps(body).encode())


def read(response: Response) -> Completion | Failure:
    """What the client makes of the bytes."""
    raw = bytearray()
    put(response, raw.extend, lambda seconds: None)
    head, _, body = bytes(raw).partition(b"\r\n\r\n")
    reader = Body(response.status)
    reader.feed(ChunkDecoder().feed(body) if b"chunked" in head else body)
    return reader.result()


def read_as(said: Completion, *faults: str, stream: bool) -> Completion | Failure:
    asked = question(stream=stream, stream_options={"include_usage": True})
    effects = [effect for name in EFFECTS if name in faults for effect in EFFECTS[name]]
    return read(delivered(said, Occasion(asked, 0), STAMP, effects))


def visible(said: Completion | Failure) -> tuple[object, ...]:
    assert isinstance(said, Completion)
    calls = tuple((call.name, call.arguments) for call in said.tool_calls)
    return clean(said.text), calls, said.usage.prompt_tokens, said.usage.completion_tokens


@given(SAID, st.booleans())
def test_what_is_said_is_what_is_read(said: Completion, stream: bool) -> None:
    found = read_as(said, stream=stream)
    assert isinstance(found, Completion)
    assert visible(found) == visible(said)
    assert found.reasoning == clean(said.reasoning)
    assert found.finish_reason == said.finish_reason or said.finish_reason is None
    assert [call.id for call in found.tool_calls] == [call.id for call in said.tool_calls]
    assert found.usage.reasoning_tokens == said.usage.reasoning_tokens
    assert found.served_model == (said.served_model or "m")
    assert found.fingerprint == said.fingerprint
    assert found.response_id == (said.response_id or STAMP.id)


@given(SAID, st.booleans(), st.sets(st.sampled_from(LOSSLESS)))
def test_no_mix_of_harmless_faults_takes_anything_away(said: Completion, stream: bool, faults: set[str]) -> None:
    assert visible(read_as(said, *faults, stream=stream)) == visible(said)


class One:
    """Says one thing."""

    models = ("m",)

    def __init__(self, said: Completion) -> None:
        self.said = said

    def answer(self, asked: Question) -> Answer:
        return Said(self.said)


@given(SAID, st.booleans(), st.sets(st.sampled_from(NAMES)), st.integers(0, 3))
def test_no_mix_of_faults_breaks_the_server(said: Completion, stream: bool, faults: set[str], turn: int) -> None:
    desk = Desk(One(said), [FaultRate(name) for name in faults], 0.0, 0, lambda: 0.0)
    served = [desk.serve(question(stream=stream, temperature=0)) for _ in range(turn + 1)][-1]
    raw = bytearray()
    put(served.response, raw.extend, lambda seconds: None)
    assert set(served.faults) == faults
    assert raw.startswith(b"HTTP/1.1 ")


@pytest.mark.parametrize("name", NAMES)
def test_a_rate_of_nothing_is_no_fault_and_of_all_is_in_every_answer(name: str) -> None:
    for rate, expected in ((0.0, ()), (1.0, (name,))):
        desk = Desk(One(Completion("Hi")), [FaultRate(name, rate)], 0.0, 0, lambda: 0.0)
        assert [desk.serve(question(seed=seed)).faults for seed in range(20)] == [expected] * 20


def test_which_answers_a_fault_is_in_follows_from_the_seed_and_not_from_the_order() -> None:
    def hit(seed: int, order: list[int]) -> dict[int, bool]:
        desk = Desk(One(Completion("Hi")), [FaultRate("crlf", 0.5)], 0.0, seed, lambda: 0.0)
        return {number: bool(desk.serve(question(seed=number)).faults) for number in order}

    forwards = hit(1, list(range(200)))
    assert hit(1, list(range(199, -1, -1))) == forwards
    assert hit(2, list(range(200))) != forwards
    assert 70 < sum(forwards.values()) < 130


def test_asking_again_draws_again() -> None:
    desk = Desk(One(Completion("Hi")), [FaultRate("overloaded", 0.5)], 0.0, 0, lambda: 0.0)
    assert {desk.serve(question()).response.status for _ in range(20)} == {200, 529}


def test_ids_of_two_servers_do_not_meet() -> None:
    desks = [Desk(One(Completion("Hi")), [], 0.0, 0, lambda now=now: now) for now in (1000.0, 1000.001)]  # type: ignore[misc]
    ids = {read(desk.serve(question()).response).response_id for desk in desks for _ in range(500)}  # type: ignore[union-attr]
    assert len(ids) == 1000


def test_an_answer_is_spread_over_its_time() -> None:
    def pauses(stream: bool) -> list[float]:
        found: list[float] = []
        response = paced(delivered(Completion("abcd"), Occasion(question(stream=stream), 0), STAMP, []), 2.0)
        put(response, lambda data: None, found.append)
        return found

    assert pauses(stream=False) == [2.0]
    assert len(pauses(stream=True)) == 7  # role, four pieces, finish, [DONE]
    assert sum(pauses(stream=True)) == pytest.approx(2.0)


def test_the_usage_is_guessed_where_it_is_not_known() -> None:
    found = read(delivered(Completion("a" * 400), Occasion(question(), 0), STAMP, []))
    assert isinstance(found, Completion)
    assert found.usage.completion_tokens == 100


def test_a_refusal_stays_one() -> None:
    for stream in (False, True):
        for finish in ("stop", "content_filter"):
            found = read_as(Completion("I must not.", finish_reason=finish, refused=True), stream=stream)
            assert isinstance(found, Completion)
            assert found.refused
            assert found.text == "I must not."
