"""What statuses, error bodies and pages mean."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.failures import (
    MAX_MESSAGE,
    error_text,
    failure_of_error,
    failure_of_status,
    names_content_filter,
    one_line,
    page_title,
    presentable,
    protocol_failure,
)
from llm_testbench.gateway.model import Failure
from llm_testbench.redaction import Redactor


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (302, Outcome.PROTOCOL),
        (400, Outcome.REJECTED),
        (401, Outcome.AUTH),
        (402, Outcome.AUTH),
        (403, Outcome.AUTH),
        (404, Outcome.PROTOCOL),
        (405, Outcome.PROTOCOL),
        (408, Outcome.TIMEOUT),
        (409, Outcome.SERVER),
        (425, Outcome.SERVER),
        (413, Outcome.REJECTED),
        (418, Outcome.PROTOCOL),
        (422, Outcome.REJECTED),
        (429, Outcome.RATE_LIMITED),
        (500, Outcome.SERVER),
        (503, Outcome.SERVER),
        (529, Outcome.SERVER),
    ],
)
def test_each_status_has_its_outcome(status: int, outcome: Outcome) -> None:
    assert failure_of_status(status, {"error": {"message": "no"}}) == Failure(outcome, f"HTTP {status}: no", status)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        pytest.param(400, {"error": {"message": "x", "code": "context_length_exceeded"}}, id="OpenAI's code"),
        pytest.param(400, {"error": {"message": "x", "type": "exceed_context_size_error"}}, id="llama.cpp's type"),
        pytest.param(500, {"error": {"message": "x", "code": "context_length_exceeded"}}, id="a 500 with the code"),
        pytest.param(400, {"message": "This model's maximum context length is 4096 tokens."}, id="vLLM's words"),
        pytest.param(413, "the request exceeds the available context size", id="llama.cpp's words"),
        pytest.param(422, {"detail": "Prompt is too long"}, id="in FastAPI's detail"),
    ],
)
def test_an_error_that_names_the_context_is_told_apart(status: int, said: object) -> None:
    assert failure_of_status(status, said).outcome is Outcome.CONTEXT_LENGTH


@pytest.mark.parametrize(
    "said",
    [{"error": "context deadline exceeded"}, {"error": "lost the context window of the worker"}],
    ids=["a deadline", "a crash"],
)
def test_a_500_that_only_mentions_a_context_stays_a_server_error(said: object) -> None:
    assert failure_of_status(500, said).outcome is Outcome.SERVER


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"error": {"message": "a", "code": 1}}, "a"),
        ({"error": "a"}, "a"),
        ({"detail": "a"}, "a"),
        ({"detail": [{"loc": ["body"], "msg": "a"}, {"msg": "b"}]}, "a; b"),
        ({"message": "a"}, "a"),
        ({"error": {"error": {"message": "a"}}}, "a"),
        ({"error": {"code": 5}}, '{"code": 5}'),
        ([{"error": {"message": "a"}}], "a"),
        ("a", "a"),
        ({}, ""),
        (None, ""),
        (True, ""),
        (7, "7"),
    ],
)
def test_the_words_of_an_error_are_found_in_any_shape(said: object, text: str) -> None:
    assert error_text(said) == text


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["error", "message", "code"]), inner),
    max_leaves=20,
)


@given(JSONS, st.sampled_from([200, 400, 500]))
def test_no_error_body_breaks_the_reader(said: Any, status: int) -> None:
    for failure in (failure_of_status(status, said), failure_of_error(said, status)):
        assert "\n" not in failure.message


def test_a_body_nested_without_end_is_quoted_not_followed() -> None:
    said: object = "deep"
    for _ in range(50):
        said = {"error": said}

    assert error_text(said).startswith('{"error"')


@pytest.mark.parametrize(
    ("error", "outcome", "status"),
    [
        pytest.param({"message": "x", "code": 429}, Outcome.RATE_LIMITED, 429, id="a number"),
        pytest.param({"message": "x", "code": "503"}, Outcome.SERVER, 503, id="a number as text"),
        pytest.param({"message": "x", "status_code": 401}, Outcome.AUTH, 401, id="under another key"),
        pytest.param({"message": "x", "code": "rate_limit_exceeded"}, Outcome.RATE_LIMITED, 200, id="a word"),
        pytest.param({"message": "x", "type": "invalid_request_error"}, Outcome.REJECTED, 200, id="a type"),
        pytest.param({"message": "x", "code": "context_length_exceeded"}, Outcome.CONTEXT_LENGTH, 200, id="context"),
        pytest.param({"message": "x", "code": 200}, Outcome.SERVER, 200, id="a number that is no error"),
        pytest.param({"message": "x", "code": True}, Outcome.SERVER, 200, id="no number"),
        pytest.param("x", Outcome.SERVER, 200, id="a bare string"),
    ],
)
def test_an_error_in_a_good_answer_counts_by_its_code(error: object, outcome: Outcome, status: int) -> None:
    failure = failure_of_error({"error": error}, 200)

    assert (failure.outcome, failure.status) == (outcome, status)
    assert "x" in failure.message


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({"error": "too many requests", "code": 429}, Outcome.RATE_LIMITED),
        ({"error": "too many requests", "statusCode": "429"}, Outcome.RATE_LIMITED),
        ({"error": True, "message": "no", "type": "authentication_error"}, Outcome.AUTH),
        ({"object": "error", "message": "no", "code": 404}, Outcome.PROTOCOL),
    ],
)
def test_the_code_may_stand_beside_the_error(said: object, outcome: Outcome) -> None:
    assert failure_of_error(said, 200).outcome is outcome


@pytest.mark.parametrize(
    ("status", "error", "lasting"),
    [
        (429, {"message": "x", "code": "insufficient_quota"}, True),
        (404, {"message": "x", "type": "model_not_found"}, True),
        (200, {"message": "x", "code": "invalid_api_key"}, True),
        (429, {"message": "x", "code": "rate_limit_exceeded"}, False),
        (429, {"message": "x", "code": ["insufficient_quota"]}, False),
        (429, "insufficient_quota", False),
    ],
)
def test_what_is_the_same_for_every_request_lasts(status: int, error: object, *, lasting: bool) -> None:
    said = {"error": error}
    failure = failure_of_error(said, status) if status == 200 else failure_of_status(status, said)

    assert failure.lasting is lasting


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<html><head><title>Log in &amp; go</title>", "Log in & go"),
        ("\ufeff \n<!DOCTYPE html><TITLE lang=en>\nHi\n</TITLE>", "Hi"),
        ("<p>", ""),
        ('{"a": "<title>x</title>"}', None),
    ],
)
def test_a_page_is_named_by_its_title(text: str, title: str | None) -> None:
    assert page_title(text) == title


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<title>Log in</title>", "HTTP 200 with an HTML page titled 'Log in' where"),
        ("<p>", "HTTP 200 with an HTML page where"),
        ("It works!", "HTTP 200 with 'It works!' where"),
        (" ", "HTTP 200 with nothing where"),
    ],
)
def test_a_body_that_no_llm_sends_is_quoted(text: str, words: str) -> None:
    failure = protocol_failure(text, 200)

    assert failure.outcome is Outcome.PROTOCOL
    assert failure.message.startswith(words)


def test_an_error_status_with_a_page_names_the_page() -> None:
    assert failure_of_status(502, "<title>Bad Gateway</title>").message == "HTTP 502: an HTML page titled 'Bad Gateway'"
    assert failure_of_status(502, "<br>").message == "HTTP 502: an HTML page"


def test_a_message_is_one_line_of_plain_text() -> None:
    assert one_line("a\r\n\x1b[31mb\x00\tc  d\x85e") == "a [31mb c d e"


def test_a_failure_leaves_short_and_without_secrets() -> None:
    secret = "sk-abcdefghijklmnop"
    failure = Failure(Outcome.AUTH, f"{'x' * (MAX_MESSAGE - 8)} {secret}")

    shown = presentable(failure, Redactor([secret])).message

    assert len(shown) <= MAX_MESSAGE
    assert "sk-" not in shown


_PAGE = 100_000  # characters of a page that are looked through
_LONGEST = 64 * 1024  # characters of a message that are kept


@pytest.mark.parametrize(
    "said",
    [
        {"error": {"message": " " * (_LONGEST - 24) + "sk-abcdefghijklmnop"}},
        "\x00" * (_LONGEST - 24) + "sk-abcdefghijklmnop",
        {"a": [" " * (_LONGEST - 30) + "sk-abcdefghijklmnop"]},
        "<title>x" + " " * 989 + "sk-abcdefghijklmnop</title>",
        "<title>x" + "&#32;" * 989 + "sk-abcdefghijklmnop</title>",
        "<title>".rjust(_PAGE - 10) + "sk-abcdefghijklmnop</title>",
    ],
    ids=["white space", "control characters", "an odd body", "a long title", "entities in one", "a long page"],
)
def test_what_is_left_of_a_cut_secret_leaves_neither(said: object) -> None:
    secret = "sk-abcdefghijklmnop"

    assert "sk-" not in presentable(failure_of_status(500, said), Redactor([secret])).message


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"error": {"code": "content_filter"}}, True),
        ({"error": {"type": "content_filter"}}, True),
        ({"error": {"code": "content_policy_violation"}}, True),
        ({"error": {"code": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}, True),
        ({"error": {"code": "400", "message": "litellm.ContentPolicyViolationError: filtered"}}, True),
        ({"error": "litellm.ContentPolicyViolationError: filtered"}, True),
        ({"error": {"code": ["content_filter"], "message": 7, "innererror": "x"}}, False),
        ({"error": {"code": "other"}}, False),
        ({"error": "content_filter"}, False),
        (None, False),
    ],
)
def test_a_content_filter_is_known_by_its_code(said: object, named: bool) -> None:
    assert names_content_filter(said) is named


def test_an_error_that_cannot_be_written_is_still_told() -> None:
    assert error_text({"code": {1, 2}}) == "an answer that cannot be quoted"
