"""Chunks, and whole bodies, to a completion."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.servers.gateway import chunk, completion, message, tool_message

from llm_testbench.answer.model import Completion, ToolCall, Usage
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.assemble import Assembly
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.sse import Event

DONE = "[DONE]"


def assembled(*events: object) -> Completion | Failure:
    assembly = Assembly()
    for said in events:
        data = said if isinstance(said, str) else ""
        assembly.event(said if isinstance(said, Event) else Event("", data or json.dumps(said)))
    return assembly.result()


def completed(*events: object) -> Completion:
    result = assembled(*events)
    assert isinstance(result, Completion), result
    return result


def failed(*events: object) -> Failure:
    result = assembled(*events)
    assert isinstance(result, Failure), result
    return result


def test_a_stream_becomes_one_completion() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 1}}

    assert assembled(
        chunk(delta={"role": "assistant", "content": ""}),
        chunk(delta={"reasoning_content": "Hm."}),
        chunk("Par"),
        chunk("is"),
        chunk(finish="stop"),
        chunk(choices=[], usage=usage),
        DONE,
    ) == Completion(
        text="Paris",
        reasoning="Hm.",
        finish_reason="stop",
        usage=Usage(prompt_tokens=7, completion_tokens=2, reasoning_tokens=1),
        served_model="model-a",
        fingerprint="fp_test",
        response_id="chatcmpl-1",
    )


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([chunk("Paris"), chunk(finish="stop"), DONE], id="finish_reason and [DONE]"),
        pytest.param([chunk("Paris"), chunk(finish="stop")], id="no [DONE]"),
        pytest.param([chunk("Paris"), DONE], id="no finish_reason"),
        pytest.param([chunk("Paris", finish="stop"), DONE], id="text and finish_reason in one chunk"),
        pytest.param([chunk("Par", finish=""), chunk("is", finish=""), DONE], id="empty finish_reason in each chunk"),
        pytest.param([chunk("Paris"), chunk(finish="stop"), DONE, chunk(" and more")], id="text after [DONE]"),
        pytest.param([chunk(choices=[], prompt_filter_results=[]), chunk("Paris"), DONE], id="a chunk without choices"),
        pytest.param([chunk(choices=None), chunk("Paris"), DONE], id="choices that are null"),
        pytest.param([{"choices": [{"delta": {"content": "Paris"}}]}, DONE], id="no id, object, created or index"),
        pytest.param([{"ping": 1}, chunk("Paris"), DONE], id="an event that is no chunk"),
        pytest.param([completion("Paris"), DONE], id="a whole completion as an event"),
        pytest.param([f"{json.dumps(chunk('Par'))}\n{json.dumps(chunk('is'))}\n{DONE}"], id="blank lines forgotten"),
        pytest.param([json.dumps(chunk("Paris", finish="stop"), indent=1)], id="one chunk over many lines"),
        pytest.param([chunk("Paris", finish="stop"), "rubbish"], id="rubbish after the answer"),
        pytest.param([chunk("Paris", finish="stop"), Event("", '{"cho', complete=False)], id="a cut event after it"),
        pytest.param([{"choices": [{"text": "Paris", "finish_reason": "stop"}]}], id="the older completions API"),
        pytest.param(
            [chunk(delta={"content": [{"type": "text", "text": "Par"}, "is", {"type": "image"}, 7]}), DONE],
            id="content as a list of parts",
        ),
        pytest.param([chunk(delta={"content": {"type": "text", "text": "Paris"}}), DONE], id="content as one part"),
        pytest.param([{"choices": [None, "x", {"delta": {"content": "Paris"}}]}, DONE], id="choices that are none"),
        pytest.param(["null", chunk("Paris"), DONE], id="an event that is null"),
        pytest.param([chunk("Par"), chunk("is"), completion("Paris"), DONE], id="the whole message after its pieces"),
        pytest.param([completion("Par"), completion("Paris"), DONE], id="the whole message in each of its states"),
        pytest.param([chunk("Paris"), completion(message("")), DONE], id="a message of nothing after its pieces"),
        pytest.param(
            [{"choices": [{"delta": {}, "message": message("Paris"), "finish_reason": "stop"}]}],
            id="a message beside an empty delta",
        ),
        pytest.param(
            [chunk("Paris"), {"choices": [{"delta": {}, "message": message(None), "finish_reason": "stop"}]}],
            id="an empty message beside an empty delta",
        ),
        pytest.param(
            [f"{json.dumps(chunk('Par'))}\n\n{json.dumps(chunk('is'))}\n{DONE}"], id="an empty data line between"
        ),
    ],
)
def test_a_stream_is_read_in_every_dialect(events: list[object]) -> None:
    assert completed(*events).text == "Paris"


@pytest.mark.parametrize(
    ("delta", "reasoning"),
    [
        ({"reasoning_content": "Hm."}, "Hm."),
        ({"reasoning": "Hm."}, "Hm."),
        ({"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}, "Hm."),
        ({"reasoning_details": [{"text": "H"}, {"summary": "m."}]}, "Hm."),
        ({"thinking": "Hm."}, "Hm."),
        ({"reasoning_text": "Hm."}, "Hm."),
        ({"thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]}, "Hm."),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]}, "Hm."),
        ({"content": [{"type": "thinking"}, {"type": "reasoning", "text": "Hm."}]}, "Hm."),
        ({"reasoning": None, "reasoning_content": ""}, ""),
        ({"reasoning": 7}, ""),
    ],
)
def test_reasoning_is_read_from_every_field_once(delta: dict[str, Any], reasoning: str) -> None:
    said = completed(chunk(delta={"role": "assistant", **delta}), chunk("4"), DONE)

    assert (said.reasoning, said.text) == (reasoning, "4")


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([chunk(delta={"content": None, "refusal": "I can't."}), chunk(finish="stop")], "I can't."),
        ([chunk(delta={"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}), DONE], "No."),
        ([chunk("Well"), chunk(finish="content_filter")], "Well"),
        ([chunk(finish="refusal")], ""),
        ([chunk(finish="SAFETY")], ""),
        ([chunk("Well"), {"error": {"code": "content_filter"}}], "Well"),
        ([{"error": {"code": "content_filter"}}], ""),
        ([chunk("Well"), {"choices": [{"error": {"code": "content_filter"}}]}], "Well"),
        ([completion("Well", error={"code": "content_filter"})], "Well"),
    ],
)
def test_a_refusal_is_marked_and_its_text_kept(events: list[object], text: str) -> None:
    said = completed(*events)

    assert (said.refused, said.text) == (True, text)


@pytest.mark.parametrize(
    ("body", "call"),
    [
        (completion(tool_message("f", {"a": 1})), ToolCall("f", {"a": 1}, '{"a": 1}', "call_1")),
        (completion(message(None, function_call={"name": "f", "arguments": "{}"})), ToolCall("f", {}, "{}", "")),
        (
            completion({**tool_message("f", {"a": 1}), "function_call": {"name": "f", "arguments": '{"a": 1}'}}),
            ToolCall("f", {"a": 1}, '{"a": 1}', "call_1"),
        ),
    ],
    ids=["tool_calls", "the older function_call", "both"],
)
def test_a_whole_message_carries_its_calls(body: dict[str, Any], call: ToolCall) -> None:
    assert completed(body).tool_calls == (call,)


def test_text_in_one_choice_and_the_call_in_another_are_one_answer() -> None:
    call = {"index": 0, "id": "1", "function": {"name": "f", "arguments": "{}"}}
    said = completed(
        {"choices": [{"index": 0, "delta": {"content": "Let me see."}}]},
        {"choices": [{"index": 1, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]},
    )

    assert (said.text, said.tool_calls[0].name, said.finish_reason) == ("Let me see.", "f", "tool_calls")


@pytest.mark.parametrize(
    ("pieces", "text"),
    [(["\ud83d", "\ude42"], "🙂"), (["a\ud83d", "b"], "a�b"), (["\ud83d\ude42 ä"], "🙂 ä")],
    ids=["a pair cut in two", "a lone half", "a pair in one piece"],
)
def test_the_text_can_always_be_written(pieces: list[str], text: str) -> None:
    assert completed(*(chunk(piece) for piece in pieces), DONE).text == text


@pytest.mark.parametrize(
    ("reports", "usage"),
    [
        pytest.param([{"prompt_tokens": 7}, {"prompt_tokens": 9}], Usage(9), id="the last wins, no sum"),
        pytest.param([{"prompt_tokens": 7}, {"prompt_tokens": 0}], Usage(7), id="zeros at the end"),
        pytest.param([{"prompt_tokens": 0}], Usage(0), id="nothing but zero"),
        pytest.param([None, "x", {}], Usage(), id="none is unknown"),
        pytest.param([{"input_tokens": 7, "output_tokens": 2}], Usage(7, 2), id="other names"),
        pytest.param([{"prompt_tokens_details": {"cached_tokens": 5}}], Usage(cached_tokens=5), id="cached"),
        pytest.param([{"prompt_tokens_details": None, "completion_tokens": 3.0}], Usage(None, 3), id="a whole float"),
        pytest.param([{"prompt_tokens": True, "completion_tokens": -1}], Usage(), id="no counts"),
        pytest.param([{"prompt_tokens": 10**30, "completion_tokens": "5"}], Usage(), id="absurd counts"),
    ],
)
def test_token_counts_are_what_the_server_last_said(reports: list[object], usage: Usage) -> None:
    events = [chunk("4", usage=report) for report in reports]

    assert completed(*events, DONE).usage == usage


def test_labels_that_are_no_text_are_left_out_and_long_ones_cut() -> None:
    said = completed(chunk("4", id=7, model="m" * 5000, system_fingerprint=None), DONE)

    assert (said.response_id, said.fingerprint) == (None, None)
    assert len(said.served_model or "") == 300


@pytest.mark.parametrize(
    ("events", "outcome", "words"),
    [
        pytest.param([], Outcome.EMPTY_STREAM, "nothing in it", id="nothing"),
        pytest.param([DONE], Outcome.EMPTY_STREAM, "nothing in it", id="[DONE] alone"),
        pytest.param([chunk(choices=[]), DONE], Outcome.EMPTY_STREAM, "no choices", id="no choices"),
        pytest.param(
            [completion(choices=[{"message": None}])], Outcome.EMPTY_STREAM, "no choices", id="a choice of nothing"
        ),
        pytest.param([chunk("Par")], Outcome.NETWORK, "after 3 characters: 'Par'", id="an end without a signal"),
        pytest.param([chunk("x", finish="abort")], Outcome.SERVER, "abort", id="finish_reason abort"),
        pytest.param(
            [chunk("Par"), {"error": "boom"}], Outcome.SERVER, "boom, after 3 characters", id="an error after text"
        ),
        pytest.param([{"detail": "starting"}, DONE], Outcome.EMPTY_STREAM, "starting", id="words beside no chunk"),
        pytest.param([chunk("Par"), Event("", '{"a', complete=False)], Outcome.NETWORK, "after 3", id="a cut event"),
        pytest.param(
            [chunk("Par"), {"error": {"message": "boom"}}], Outcome.SERVER, "boom", id="an error in the stream"
        ),
        pytest.param(
            [{"error": {"message": "slow", "code": 429}}], Outcome.RATE_LIMITED, "slow", id="an error with a code"
        ),
        pytest.param([{"object": "error", "message": "boom"}], Outcome.SERVER, "boom", id="vLLM's error object"),
        pytest.param(
            [{"choices": [{"error": {"message": "boom"}}]}], Outcome.SERVER, "boom", id="an error in a choice"
        ),
        pytest.param([chunk("x", finish="error")], Outcome.SERVER, "error", id="finish_reason error"),
        pytest.param([Event("error", '{"message": "boom"}')], Outcome.SERVER, "boom", id="an error event"),
        pytest.param([Event("error", "boom")], Outcome.SERVER, "boom", id="an error event that is no JSON"),
        pytest.param(["boom"], Outcome.PROTOCOL, "no JSON: 'boom'", id="an event that is no JSON"),
        pytest.param(["[" * 5000], Outcome.PROTOCOL, "no JSON", id="nested without end"),
        pytest.param(["[1]"], Outcome.PROTOCOL, "no JSON object: 1", id="a chunk that is a list"),
        pytest.param(['["[DONE]"]'], Outcome.PROTOCOL, "no JSON object", id="[DONE] in a list"),
        pytest.param(
            [{"error": {"message": "first"}}, {"error": "second"}], Outcome.SERVER, "first", id="the first error"
        ),
    ],
)
def test_what_is_no_answer_says_why(events: list[object], outcome: Outcome, words: str) -> None:
    failure = failed(*events)

    assert failure.outcome is outcome
    assert words in failure.message


def test_of_a_long_answer_that_broke_off_the_end_is_told_and_marked_as_cut() -> None:
    message = failed(chunk("a" * 300 + "sk-0123456789")).message

    assert message.endswith("aaa" + "sk-0123456789'")
    assert "after 313 characters: '…aaa" in message


@pytest.mark.parametrize(
    ("events", "quirks"),
    [
        ([chunk("4"), chunk(finish="stop"), DONE], ()),
        ([chunk("4"), DONE], ("no-finish-reason",)),
        ([chunk("4"), chunk(finish="end_turn")], ("unknown-finish-reason",)),
        ([completion(tool_message("f", {}), finish="stop")], ("stop-with-tool-calls",)),
        ([completion(tool_message("f", {}))], ()),
        ([chunk(delta={"content": [{"type": "text", "text": "4"}]}), chunk(finish="stop")], ("content-parts",)),
        ([chunk(delta={"content": {"type": "text", "text": "4"}}), chunk(finish="stop")], ("content-parts",)),
        ([chunk("<think>2+2</think>4", finish="stop")], ("think-tags",)),
        ([chunk("2+2</think>4", finish="stop")], ("think-tags",)),
        ([chunk("Use <b> or </think> here: `</think>`", finish="stop")], ("think-tags",)),
        ([chunk("Write `<think>`, a < b", finish="stop")], ()),
        ([chunk("4"), {"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}], ("two-choices",)),
        (
            [chunk(delta={"content": ["4"], "tool_calls": [{"id": "1", "function": {"name": "f"}}]}), DONE],
            ("content-parts", "empty-arguments-first", "index-missing", "no-finish-reason"),
        ),
    ],
)
def test_what_only_our_reading_made_an_answer_is_noted(events: list[object], quirks: tuple[str, ...]) -> None:
    assert completed(*events).quirks == quirks


def test_the_finish_reason_of_the_choice_that_calls_is_told() -> None:
    call = {"index": 0, "id": "1", "function": {"name": "f", "arguments": "{}"}}
    said = completed(
        {"choices": [{"index": 0, "delta": {"content": "Let me see."}, "finish_reason": "stop"}]},
        {"choices": [{"index": 1, "delta": {"tool_calls": [call]}, "finish_reason": "length"}]},
    )

    assert said.finish_reason == "length"


def test_choices_without_an_index_are_told_apart_by_their_place() -> None:
    said = completed({"choices": [{"message": message("first")}, {"message": message("second")}]}, DONE)

    assert said.text == "first"


def test_tokens_are_also_counted_in_the_choice_that_ends() -> None:
    said = completed({"choices": [{"delta": {"content": "4"}, "finish_reason": "stop", "usage": {"prompt_tokens": 7}}]})

    assert said.usage == Usage(7)


def test_the_first_token_is_the_first_part_of_the_answer() -> None:
    assembly = Assembly()
    assembly.chunk(chunk(delta={"role": "assistant", "content": ""}))
    before = assembly.started
    assembly.chunk(chunk("4"))

    assert (before, assembly.started) == (False, True)
