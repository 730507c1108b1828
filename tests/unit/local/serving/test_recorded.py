"""A recording: which attempt answers a request, and how what went wrong is told again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.unit.artifact.samples import ENTRY, META, artifact, error_row, row, skipped_row

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row
from llm_testbench.errors import InputError
from llm_testbench.gateway.model import Try
from llm_testbench.json_value import JSON
from llm_testbench.local.serving.answers import Answers, Refused, Said
from llm_testbench.local.serving.question import Question, read_question
from llm_testbench.local.serving.recorded import Recording, replayed
from llm_testbench.local.serving.response import put

HELLO: JSON = [{"role": "user", "content": "Say hello"}]
BYE: JSON = [{"role": "user", "content": "Say bye"}]
TOOL: JSON = {"type": "function", "function": {"name": "f"}}
SEED = 1234  # of META


def question(messages: JSON = HELLO, model: str = "chat", **more: JSON) -> Question:
    return read_question(json.dumps({"model": model, "messages": messages, **more}).encode())


def said(answers: Answers, asked: Question) -> str:
    """The text of the answer, or the status and the words of the error."""
    answer = answers.answer(asked)
    if isinstance(answer, Said):
        return answer.completion.text
    raw = bytearray()
    put(answer.response, raw.extend, lambda seconds: None)
    body = bytes(raw).partition(b"\r\n\r\n")[2]
    return f"{answer.response.status} {json.loads(body)['error']['message']}"


def attempts(*texts: str) -> list[Row]:
    return [row(attempt=number, response_text=text) for number, text in enumerate(texts)]


def test_an_attempt_is_found_by_its_seed() -> None:
    recording = Recording(artifact(*attempts("a", "b", "c")))
    assert [said(recording, question(seed=SEED + number)) for number in (2, 0, 1, 1)] == ["c", "a", "b", "b"]


@pytest.mark.parametrize("seed", [None, SEED + 3, SEED - 1, 7, True, "x"])
def test_what_has_no_attempt_of_its_own_gets_them_in_order_and_then_anew(seed: JSON) -> None:
    recording = Recording(artifact(*attempts("a", "b", "c")))
    assert [said(recording, question(seed=seed)) for _ in range(5)] == ["a", "b", "c", "a", "b"]


def test_a_run_without_a_seed_is_told_in_order() -> None:
    recording = Recording(artifact(*attempts("a", "b"), meta=replace(META, seed=None)))
    assert [said(recording, question(seed=SEED + 1)) for _ in range(3)] == ["a", "b", "a"]


def test_attempts_that_were_made_again_follow_those_that_were_planned() -> None:
    again = row(attempt=1, response_text="b", phase="confirm")
    recording = Recording(artifact(again, *attempts("a")))
    assert said(recording, question(seed=SEED + 1)) == "b"


def test_the_other_side_of_a_comparison_answers_nobody() -> None:
    recording = Recording(artifact(*attempts("a"), row(response_text="theirs", side="baseline")))
    assert [said(recording, question()) for _ in range(2)] == ["a", "a"]


def test_a_model_goes_by_its_name_or_its_id() -> None:
    meta = replace(META, models={"chat": "org/x", "twin": "org/x", "org/x": "org/y"})
    rows = [row(model=name, response_text=f"of {name}") for name in meta.models]
    recording = Recording(artifact(*rows, meta=meta))
    assert recording.models == ("chat", "org/x", "twin", "org/y")
    assert said(recording, question(model="twin")) == "of twin"
    # A name before an id; and an id that two names have stands for both.
    assert said(recording, question(model="org/x")) == "of org/x"
    recording = Recording(artifact(*rows[:2], meta=meta))
    assert [said(recording, question(model="org/x")) for _ in range(3)] == ["of chat", "of twin", "of chat"]


def test_what_was_not_recorded_is_refused_with_a_reason() -> None:
    recording = Recording(artifact(*attempts("a")))
    assert said(recording, question(model="chta")) == "404 no model 'chta' in the recording; did you mean 'chat'?"
    assert said(recording, question(BYE)).startswith("400 nothing was recorded for this request")
    assert said(recording, question(tools=[TOOL])).startswith("400 nothing was recorded for this request")
    assert said(recording, question(tools=[], temperature=1, stream=True)) == "a"


def test_tools_belong_to_the_request() -> None:
    with_tool = replace(ENTRY, test_id="tool", request={**ENTRY.request, "tools": [TOOL]})
    recording = Recording(artifact(*attempts("a"), row("tool", response_text="b"), tests=(ENTRY, with_tool)))
    assert said(recording, question(tools=[TOOL])) == "b"
    assert said(recording, question()) == "a"


def test_a_whole_answer_is_told_again() -> None:
    call = ToolCall("f", None, "{broken", "call_1")
    kept = row(
        response_text="hi",
        reasoning_text="hm",
        tool_calls=(call,),
        finish_reason="length",
        served_model="served",
        fingerprint="fp",
        response_id="id-7",
        prompt_tokens=3,
        completion_tokens=4,
        reasoning_tokens=2,
        cached_tokens=1,
    )
    answer = replayed(kept)
    assert isinstance(answer, Said)
    assert answer.about == "greeting"
    completion = answer.completion
    assert (completion.text, completion.reasoning, completion.tool_calls) == ("hi", "hm", (call,))
    assert (completion.finish_reason, completion.refused) == ("length", False)
    assert (completion.served_model, completion.fingerprint, completion.response_id) == ("served", "fp", "id-7")
    usage = completion.usage
    counts = (usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens, usage.cached_tokens)
    assert counts == (3, 4, 2, 1)


@pytest.mark.parametrize(
    "kept",
    [
        row(outcome=Outcome.REFUSED),
        row(error="answered by another", outcome=Outcome.SUBSTITUTED),
        row(error="the check crashed", outcome=Outcome.EVALUATOR_CRASH),
        skipped_row(),
    ],
    ids=lambda kept: kept.outcome.value,
)
def test_whatever_has_an_answer_is_one(kept: Row) -> None:
    answer = replayed(kept)
    assert isinstance(answer, Said)
    assert answer.completion.refused is (kept.outcome is Outcome.REFUSED)


def failed(status: int | None, outcome: Outcome) -> Row:
    tries = (Try(503, Outcome.SERVER, 0.0, 1.0), Try(status, outcome, 1.0, 1.0))
    return error_row(error="the reason", outcome=outcome, tries=tries)


ERRORS = [
    (failed(429, Outcome.RATE_LIMITED), 429, b"the reason"),
    (failed(401, Outcome.AUTH), 401, b"the reason"),
    (failed(529, Outcome.SERVER), 529, b"the reason"),
    (failed(200, Outcome.SERVER), 200, b'"error"'),
    (failed(200, Outcome.EMPTY_STREAM), 200, b""),
    (failed(200, Outcome.PROTOCOL), 200, b"the reason"),
    (failed(None, Outcome.TIMEOUT), 408, b"the reason"),
    (failed(200, Outcome.IDLE_TIMEOUT), 408, b"the reason"),
    (error_row(error="not asked", outcome=Outcome.RATE_LIMITED, tries=()), 200, b"not asked"),
]


@pytest.mark.parametrize(("kept", "status", "words"), ERRORS, ids=lambda value: getattr(value, "outcome", None))
def test_an_error_is_what_its_last_try_was_and_is_not_to_be_tried_again(kept: Row, status: int, words: bytes) -> None:
    answer = replayed(kept)
    assert isinstance(answer, Refused)
    raw = bytearray()
    put(answer.response, raw.extend, lambda seconds: None)
    assert answer.response.status == status
    assert ("X-Should-Retry", "false") in answer.response.headers
    assert words in raw.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize("status", [None, 200])
def test_a_connection_that_broke_breaks_again(status: int | None) -> None:
    answer = replayed(failed(status, Outcome.NETWORK))
    assert isinstance(answer, Refused)
    assert answer.response.ending == "reset"


def test_answers_that_were_not_stored_are_counted_and_refused() -> None:
    rows = [row(response_text=None), error_row(attempt=1), skipped_row(attempt=2, response_text=None)]
    recording = Recording(artifact(*rows))
    assert recording.unstored == 1
    assert said(recording, question(seed=SEED)) == "400 the answer was not stored: record with store_responses: all"


@pytest.mark.parametrize("tests", [(), (replace(ENTRY, request={}),)], ids=["no tests", "no requests"])
def test_an_artifact_without_requests_is_refused(tests: tuple[object, ...]) -> None:
    with pytest.raises(InputError, match="holds no recorded requests"):
        Recording(artifact(row(), tests=tests))  # type: ignore[arg-type]
