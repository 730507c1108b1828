from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evaluators.workshops import Staged, printing
from tests.unit.runner.samples import Fixed, a_job, a_test, fails, says

from llm_testbench.answer.model import Completion, ToolCall, Usage
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import MOST_QUIRKS, MOST_TRIES, QUIRK_CAP, TEXT_CAP, TRY_REASON_CAP, Row
from llm_testbench.artifact.rows import row_to_json
from llm_testbench.artifact.scoring import MESSAGE_CAP
from llm_testbench.artifact.validate import check_row
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.score import Score
from llm_testbench.gateway.model import ChatRequest, Failure, Reply, Try
from llm_testbench.runner.attempt import crashed, request_of, row_of
from llm_testbench.runner.job import StorePolicy
from llm_testbench.sandbox.model import SandboxError
from llm_testbench.sandbox.programs import Unavailable


def call(arguments_text: str, name: str = "look_up") -> ToolCall:
    return ToolCall(name, None, arguments_text, "call_1")


def test_the_request_is_what_the_test_says() -> None:
    test = a_test(parameters={"stop": ["\n"]}, max_tokens=7, tools=({"type": "function"},))
    assert request_of(test) == ChatRequest(test.messages, test.tools, {"stop": ["\n"]}, 7)


def test_an_answer_becomes_a_row_with_all_that_was_measured() -> None:
    tries = (Try(503, Outcome.SERVER, 0.0, 5.0, "busy"), Try(200, Outcome.ANSWERED, 250.0, 12.5))
    completion = Completion(
        "hello there",
        reasoning="They greet.",
        finish_reason="stop",
        usage=Usage(10, 5, 3, 2),
        served_model="org/chat",
        fingerprint="fp_1",
        response_id="r_1",
    )
    reply = Reply(completion, None, tries, 12.5, ttft_ms=3.5, copy="header", quirks=("no-done",))
    assert row_of(a_job(2, phase="confirm", side="baseline"), reply, "all") == Row(
        model="chat",
        test_id="greet",
        category="talk",
        subcategory="short",
        attempt=2,
        outcome=Outcome.ANSWERED,
        score=1.0,
        passed=True,
        reason="expected 'hello', found",
        phase="confirm",
        side="baseline",
        response_text="hello there",
        reasoning_text="They greet.",
        finish_reason="stop",
        fingerprint="fp_1",
        served_model="org/chat",
        response_id="r_1",
        copy="header",
        latency_ms=12.5,
        ttft_ms=3.5,
        prompt_tokens=10,
        completion_tokens=5,
        reasoning_tokens=3,
        cached_tokens=2,
        tokens=15,
        tries=tries,
        quirks=("no-done",),
    )


def test_an_attempt_that_was_not_made_is_an_error_row_without_tries() -> None:
    reply = Reply(None, Failure(Outcome.AUTH, "not asked: the key is wrong: HTTP 401"), (), 0.0)
    row = row_of(a_job(), reply, "all")
    assert (row.outcome, row.error, row.tries) == (Outcome.AUTH, "not asked: the key is wrong: HTTP 401", ())


def test_what_a_row_keeps_of_tries_and_quirks_is_bounded() -> None:
    tries = tuple(Try(429, Outcome.RATE_LIMITED, 0.0, float(n), "x" * 1000) for n in range(MOST_TRIES + 2))
    quirks = tuple(f"{n:02}{'x' * 100}" for n in range(MOST_QUIRKS + 1))
    row = row_of(a_job(), Reply(Completion("hello"), None, tries, 1.0, quirks=quirks), "all")

    assert [one.latency_ms for one in row.tries] == [*range(MOST_TRIES - 1), MOST_TRIES + 1]
    assert {one.reason for one in row.tries} == {"x" * (TRY_REASON_CAP - 1) + "…"}
    assert row.quirks == tuple(quirk[:QUIRK_CAP] for quirk in quirks[:MOST_QUIRKS])
    check_row(row_to_json(row))


def test_tokens_are_unknown_when_either_count_is() -> None:
    assert row_of(a_job(), says(usage=Usage(prompt_tokens=10)), "all").tokens is None


def test_a_wrong_answer_counts_with_its_score() -> None:
    row = row_of(a_job(), says("goodbye"), "all")
    assert (row.score, row.passed, row.error, row.scored) == (0.0, False, None, True)


def test_an_answer_cut_at_the_token_limit_keeps_the_score_of_its_text() -> None:
    row = row_of(a_job(), Reply(Completion("hello th", finish_reason="length"), None, (), 1.0), "all")
    assert (row.score, row.truncated, row.outcome) == (1.0, True, Outcome.TRUNCATED)


def test_a_printed_call_is_recognised_by_the_tools_of_the_test() -> None:
    tools = ({"type": "function", "function": {"name": "look_up"}}, {"type": "other"}, {"function": {"name": 3}})
    reply = says('{"name": "look_up", "arguments": {"q": "x"}}')
    assert row_of(a_job(test=a_test(tools=tools)), reply, "all").outcome is Outcome.TOOL_CALL_IN_TEXT


def test_a_failed_call_is_an_error_row() -> None:
    row = row_of(a_job(), fails(Outcome.TIMEOUT, "no answer within 300 s"), "all")
    assert (row.outcome, row.error, row.score, row.passed, row.scored) == (
        Outcome.TIMEOUT,
        "no answer within 300 s",
        0.0,
        False,
        False,
    )
    assert (row.latency_ms, row.response_text) == (300_000.0, None)


def test_a_reply_without_answer_and_failure_is_a_protocol_error() -> None:
    assert row_of(a_job(), Reply(None, None, (), 0.0), "all").outcome is Outcome.PROTOCOL


@pytest.mark.parametrize(("store", "kept"), [("all", "hello"), ("failed", "hello"), ("none", None)])
def test_an_answer_that_another_model_gave_is_an_error_row_that_keeps_it(store: StorePolicy, kept: str | None) -> None:
    failure = Failure(Outcome.SUBSTITUTED, "the gateway fell back to another model: small")
    reply = Reply(Completion("hello", served_model="small"), failure, (), 1.0)

    row = row_of(a_job(), reply, store)

    assert (row.outcome, row.error, row.scored) == (Outcome.SUBSTITUTED, failure.message, False)
    assert (row.score, row.passed, row.served_model, row.response_text) == (0.0, False, "small", kept)


def test_a_call_that_was_not_made_for_want_of_a_key_is_skipped_and_no_error() -> None:
    row = row_of(a_job(), fails(Outcome.NO_CREDENTIALS, "no key"), "all")
    assert (row.skipped, row.error, row.reason) == (True, None, "no key")


def test_an_evaluator_that_crashes_makes_an_error_row_that_keeps_the_answer() -> None:
    row = row_of(a_job(test=a_test(evaluator=Fixed(ZeroDivisionError("x / 0")))), says("hello"), "all")
    assert (row.outcome, row.score, row.passed, row.scored) == (Outcome.EVALUATOR_CRASH, 0.0, False, False)
    assert "ZeroDivisionError" in (row.error or "")
    assert row.response_text == "hello"


def test_a_check_that_lacks_something_on_this_machine_is_skipped() -> None:
    score = Score(0.0, "gcc is missing", skipped=Outcome.TOOLCHAIN_MISSING)
    row = row_of(a_job(test=a_test(evaluator=Fixed(score))), says(), "all")
    assert (row.outcome, row.skipped, row.passed, row.error) == (Outcome.TOOLCHAIN_MISSING, True, False, None)


CODE = a_test(evaluator=build({"code": {"language": "python", "stdout": "4"}}))


def test_a_check_that_runs_programs_does_so_in_the_workshop() -> None:
    row = row_of(a_job(test=CODE), says("print(2 + 2)"), "all", printing("4\n"))
    assert (row.outcome, row.score, row.reason) == (Outcome.ANSWERED, 1.0, "printed '4', as expected")


@pytest.mark.parametrize("outcome", [Outcome.TOOLCHAIN_MISSING, Outcome.NO_SANDBOX])
def test_where_no_program_is_run_the_row_says_what_lacks(outcome: Outcome) -> None:
    row = row_of(a_job(test=CODE), says("print(4)"), "all", Staged(Unavailable(outcome, "there is none")))
    assert (row.outcome, row.skipped, row.scored, row.error) == (outcome, True, False, None)
    assert (row.reason, row.response_text) == ("there is none", "print(4)")


def test_a_sandbox_that_fails_makes_an_error_row_that_can_be_scored_later() -> None:
    row = row_of(a_job(test=CODE), says("print(4)"), "all", Staged(SandboxError("gone")))
    assert (row.outcome, row.score, row.scored) == (Outcome.EVALUATOR_CRASH, 0.0, False)
    assert row.error == "code could not be checked, the sandbox failed: gone"
    assert row.response_text == "print(4)"


@pytest.mark.parametrize(
    ("store", "text", "kept"),
    [
        ("all", "hello", True),
        ("all", "no", True),
        ("failed", "hello", False),
        ("failed", "no", True),
        ("none", "hello", False),
        ("none", "no", False),
    ],
)
def test_what_is_stored(store: StorePolicy, text: str, kept: bool) -> None:
    row = row_of(a_job(), says(text, reasoning="because", tool_calls=(call("{}"),)), store)
    assert (row.response_text, row.reasoning_text, len(row.tool_calls)) == (
        (text, "because", 1) if kept else (None, None, 0)
    )


class TestStoredTextIsCapped:
    def test_at_the_cap_with_a_flag(self) -> None:
        whole, longer = "a" * TEXT_CAP, "a" * (TEXT_CAP + 1)
        rows = [
            row_of(a_job(), says(text, reasoning=why), "all")
            for text, why in [(whole, whole), (longer, "b"), ("b", longer)]
        ]
        assert [(row.response_text, row.reasoning_text, row.response_capped) for row in rows] == [
            (whole, whole, False),
            (whole, "b", True),
            ("b", whole, True),
        ]

    @given(st.text(alphabet=st.sampled_from("aé€😀\ud800"), min_size=1, max_size=4))
    def test_in_bytes_of_utf_8_at_a_whole_character(self, pattern: str) -> None:
        text = pattern * (TEXT_CAP // len(pattern.encode("utf-8", "surrogatepass")) + 1)
        reason = row_of(a_job(), fails(message=text), "all").error or ""
        size = len(reason.encode("utf-8", "surrogatepass"))
        assert MESSAGE_CAP - 4 < size <= MESSAGE_CAP
        assert reason.endswith("…")
        assert text.startswith(reason[:-1])

    def test_tool_calls_together_are_kept_whole_or_not_at_all(self) -> None:
        calls = (call("a" * (TEXT_CAP // 2)), call("b" * (TEXT_CAP // 4)), call("c" * (TEXT_CAP // 2)), call("{}"))
        row = row_of(a_job(), says("hello", tool_calls=calls), "all")
        assert row.tool_calls == calls[:2]
        assert row.response_capped

    def test_the_score_is_that_of_the_whole_answer(self) -> None:
        row = row_of(a_job(), says("a" * TEXT_CAP + "hello"), "all")
        assert (row.score, row.response_capped) == (1.0, True)

    def test_reasons_and_errors_are_short(self) -> None:
        huge = "x" * (MESSAGE_CAP * 2)
        assert row_of(a_job(), fails(message=huge), "all").error == "x" * (MESSAGE_CAP - 3) + "…"
        assert row_of(a_job(), fails(message=huge[:MESSAGE_CAP]), "all").error == "x" * MESSAGE_CAP
        test = a_test(evaluator=Fixed(Score(0.5, huge)))
        assert row_of(a_job(test=test), says(), "all").reason == "x" * (MESSAGE_CAP - 3) + "…"


def test_the_answer_is_stored_as_it_came_so_that_a_better_normaliser_can_score_it_again() -> None:
    raw = "<think>4 or 5?</think>\r\n  4 "
    assert row_of(a_job(), says(raw), "all").response_text == raw


def test_a_call_that_raised_is_a_protocol_error_that_quotes_no_foreign_text() -> None:
    row = crashed(a_job(4), ConnectionError("Authorization: Bearer sk-secret"))
    assert (row.outcome, row.error, row.attempt) == (
        Outcome.PROTOCOL,
        "the call ended in an unexpected ConnectionError",
        4,
    )
