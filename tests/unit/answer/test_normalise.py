from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.answer.model import Completion, ToolCall
from llm_testbench.answer.normalise import normalise


@pytest.mark.parametrize(
    ("raw", "text", "reasoning"),
    [
        pytest.param("42", "42", "", id="plain text stays"),
        pytest.param("<think>hm</think>42", "42", "hm", id="think block"),
        pytest.param("<thinking>hm</thinking>\n\n42", "42", "hm", id="thinking block"),
        pytest.param("<reasoning>hm</reasoning> 42", "42", "hm", id="reasoning block"),
        pytest.param("<THINK>hm</Think>42", "42", "hm", id="any case"),
        pytest.param("\n  <think>\nhm\n</think>\n\n42\n", "42", "hm", id="white space around the block"),
        pytest.param("\ufeff<think>hm</think>42", "42", "hm", id="byte order mark before the block"),
        pytest.param("<think></think>42", "42", "", id="empty block"),
        pytest.param("<think>a</think><think>b</think>42", "42", "a\nb", id="several blocks"),
        pytest.param("<think>a<think>b</think>c</think>42", "42", "a<think>b</think>c", id="nested blocks"),
        pytest.param("<think>the <think> tag</think>42", "42", "the <think> tag", id="opening tag inside a block"),
        pytest.param("<think>a <thinking> b</think>42", "42", "a <thinking> b", id="another name inside"),
        pytest.param("so it is 6*7</think>\n42", "42", "so it is 6*7", id="only a closing tag"),
        pytest.param("hm</reasoning>42", "42", "hm", id="only a closing tag of another name"),
        pytest.param("hm</THINKING >\n42", "42", "hm", id="only a closing tag, in upper case and with a space"),
        pytest.param("</think>42", "42", "", id="only a closing tag, first of all"),
        pytest.param("<think>\nhm\n</think>", "", "hm", id="reasoning and no answer"),
        pytest.param("\u200b<think>hm</think>\ufeff42", "42", "hm", id="invisible characters around the block"),
        pytest.param("<think>1\r\n2</think>\r\n42\r\n", "42", "1\n2", id="line ends in the reasoning too"),
        pytest.param("a</think>b</think>42", "42", "a</think>b", id="several closing tags"),
        pytest.param("<think>a</think>b</think>42", "42", "a\nb", id="a closing tag too many"),
        pytest.param("Use <think>…</think> here", "Use <think>…</think> here", "", id="a block in mid-answer stays"),
        pytest.param("Close it with `</think>`.", "Close it with `</think>`.", "", id="a quoted tag is no tag"),
        pytest.param(
            "<think>x</think>Close it with `</think>`.", "Close it with `</think>`.", "x", id="quoted after a block"
        ),
        pytest.param("<thinker>a</thinker>", "<thinker>a</thinker>", "", id="another tag stays"),
        pytest.param("a\r\nb\rc", "a\nb\nc", "", id="CRLF and CR become LF"),
        pytest.param("\ufeff\u200b 42\u200d\u2060 \u200b", "42", "", id="invisible characters at the ends"),
        pytest.param("4\u200b2", "4\u200b2", "", id="invisible characters inside stay"),
        pytest.param("\u00a0\u3000 42 \u2028", "42", "", id="unusual white space at the ends"),
        pytest.param("  \n\t ", "", "", id="white space alone is nothing"),
    ],
)
def test_reasoning_and_invisible_characters_leave_the_text(raw: str, text: str, reasoning: str) -> None:
    answer = normalise(Completion(text=raw, finish_reason="stop"))
    assert (answer.text, answer.reasoning, answer.truncated) == (text, reasoning, False)


@pytest.mark.parametrize(
    ("raw", "reasoning"),
    [
        pytest.param("<think>never ends", "never ends", id="unclosed"),
        pytest.param("<think>a</think><think>b", "a\nb", id="a closed one, then an unclosed one"),
        pytest.param("<think>a</thinking>42", "a</thinking>42", id="closed by another name"),
    ],
)
def test_a_block_that_is_never_closed_is_all_reasoning_and_truncated(raw: str, reasoning: str) -> None:
    answer = normalise(Completion(text=raw, finish_reason="stop"))
    assert (answer.text, answer.reasoning, answer.truncated) == ("", reasoning, True)


def test_reasoning_of_its_own_field_stays_out_of_the_text() -> None:
    answer = normalise(Completion(text="<think>b</think>42", reasoning=" a\r\n"))
    assert (answer.text, answer.reasoning) == ("42", "a\nb")


@pytest.mark.parametrize(
    ("finish_reason", "truncated"), [("length", True), ("max_tokens", True), ("stop", False), (None, False)]
)
def test_truncated_says_that_the_token_limit_cut_the_answer(finish_reason: str | None, truncated: bool) -> None:
    assert normalise(Completion(text="42", finish_reason=finish_reason)).truncated is truncated


def test_tool_calls_pass_unchanged() -> None:
    calls = (ToolCall("f", None, "{"), ToolCall("g", {"x": 1}, '{"x":1}'))
    assert normalise(Completion(text="", tool_calls=calls)).tool_calls == calls


_PIECES = st.sampled_from(
    ["<think>", "</think>", "<THINKING>", "</thinking>", "`", "\r\n", "\ufeff", " ", "42", "\ud800"]
)


@given(st.lists(_PIECES | st.text(max_size=5)).map("".join))
def test_any_text_is_normalised_to_a_fixed_point(raw: str) -> None:
    answer = normalise(Completion(text=raw))
    assert "\r" not in answer.text
    assert answer.text == answer.text.strip()
    assert len(answer.text) + len(answer.reasoning) <= len(raw)
    again = normalise(Completion(text=answer.text))
    if not again.reasoning:
        assert again.text == answer.text


def test_a_model_that_writes_tags_without_end_has_no_answer() -> None:
    looping = "<think>hm</think>" * 1001
    assert normalise(Completion(text=looping + "42")).text == ""
    assert normalise(Completion(text=looping + "42")).truncated
    assert normalise(Completion(text="</think>" * 2001 + "42")).text == ""
    assert normalise(Completion(text="42 " + looping)).text == "42 " + looping
    assert normalise(Completion(text="<think>hm</think>" * 1000 + "42")).text == "42"


@pytest.mark.parametrize(
    "piece", ["<think>", "</think>", "<think></think>", "<think><think></think>", "<think>\n<thinking></think>", "< "]
)
def test_a_megabyte_of_tags_takes_a_moment(piece: str) -> None:
    begun = time.process_time()
    normalise(Completion(text=piece * (1024 * 1024 // len(piece))))
    assert time.process_time() - begun < 2
