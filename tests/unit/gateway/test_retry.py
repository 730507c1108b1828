"""Which failures are tried again, and after how long."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.answer.outcome import SCORED, SKIPPED, Outcome
from llm_testbench.gateway.failures import failure_of_status
from llm_testbench.gateway.model import Failure, ModelOptions
from llm_testbench.gateway.retry import (
    WAIT_BUDGET,
    FailedTry,
    Pause,
    Spent,
    after,
    backoff,
    is_retryable,
    reset_after,
    retry_after,
)

RETRIED = {
    Outcome.NETWORK,
    Outcome.TIMEOUT,
    Outcome.IDLE_TIMEOUT,
    Outcome.EMPTY_STREAM,
    Outcome.RATE_LIMITED,
    Outcome.SERVER,
}


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - SCORED - SKIPPED))
def test_only_what_may_pass_is_tried_again(outcome: Outcome) -> None:
    assert is_retryable(Failure(outcome, ""), retry_timeouts=True) == (outcome in RETRIED)


@pytest.mark.parametrize("outcome", sorted(RETRIED))
def test_timeouts_alone_obey_retry_timeouts(outcome: Outcome) -> None:
    is_timeout = outcome in (Outcome.TIMEOUT, Outcome.IDLE_TIMEOUT)

    assert is_retryable(Failure(outcome, ""), retry_timeouts=False) != is_timeout


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 524, 529])
def test_these_statuses_are_tried_again(status: int) -> None:
    assert is_retryable(failure_of_status(status, ""), retry_timeouts=True)


@pytest.mark.parametrize("status", [302, 400, 401, 402, 403, 404, 405, 410, 413, 418, 422, 451])
def test_these_statuses_are_not_tried_again(status: int) -> None:
    assert not is_retryable(failure_of_status(status, ""), retry_timeouts=True)


@pytest.mark.parametrize(
    ("retry", "seconds"), [(0, 0.25), (1, 0.5), (2, 1.0), (5, 8.0), (6, 16.0), (7, 30.0), (8, 30.0), (10_000, 30.0)]
)
def test_the_pause_doubles_from_250_ms_up_to_30_seconds(retry: int, seconds: float) -> None:
    assert backoff(retry, 0.5) == seconds


def test_jitter_moves_the_pause_by_a_quarter_to_either_side() -> None:
    assert backoff(0, 0.0) == pytest.approx(0.25 * 0.75)
    assert backoff(0, 1.0) == pytest.approx(0.25 * 1.25)
    assert backoff(9, 1.0) == 30.0


NOW = 1_445_412_480.0  # Wed, 21 Oct 2015 07:28:00 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({}, None, id="absent"),
        pytest.param({"retry-after": ""}, None, id="empty"),
        pytest.param({"retry-after": "12"}, 12.0, id="seconds"),
        pytest.param({"retry-after": " 1.5 "}, 1.5, id="a fraction"),
        pytest.param({"retry-after": "1m30s"}, 90.0, id="a duration"),
        pytest.param({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}, 10.0, id="a date"),
        pytest.param({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT"}, 0.0, id="a date in the past"),
        pytest.param(
            {"retry-after": "Wed, 21 Oct 2015 09:00:05 GMT", "date": "Wed, 21 Oct 2015 09:00:00 GMT"},
            5.0,
            id="a date against the server's own clock",
        ),
        pytest.param({"retry-after-ms": "250", "retry-after": "1"}, 0.25, id="milliseconds win"),
        pytest.param({"retry-after-ms": "soon", "retry-after": "1"}, 1.0, id="milliseconds that are none"),
        pytest.param({"retry-after": "soon"}, None, id="no time at all"),
        pytest.param({"retry-after": "inf"}, None, id="infinity"),
        pytest.param({"retry-after": "9" * 400}, None, id="absurd"),
        pytest.param({"retry-after": "-5"}, None, id="negative"),
        pytest.param({"retry-after": "nan"}, None, id="no number"),
        pytest.param({"retry-after": "1m 30s"}, 90.0, id="a duration with a space"),
        pytest.param({"retry-after": "2m59.56s"}, 179.56, id="a duration with a fraction"),
        pytest.param({"retry-after": "2015-10-21T07:28:10Z"}, 10.0, id="ISO 8601"),
        pytest.param({"retry-after": "2015-10-21T09:28:10.500+02:00"}, 10.5, id="ISO 8601 with an offset"),
        pytest.param({"retry-after": "2015-10-21 07:28:10"}, 10.0, id="ISO 8601 without a zone is UTC"),
        pytest.param({"retry-after": "1445412490"}, 10.0, id="seconds since the epoch"),
        pytest.param({"retry-after": "1445412490500"}, 10.5, id="milliseconds since the epoch"),
        pytest.param({"retry-after": "86400"}, 86_400.0, id="a day"),
        pytest.param({"retry-after": "Wed, 99 Oct 99999999 07:28:10 GMT"}, None, id="an impossible date"),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_a_time_without_a_zone_is_not_that_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XXX-3")
    time.tzset()
    try:
        assert retry_after({"retry-after": "2015-10-21 07:28:10"}, NOW) == 10.0
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({}, None, id="absent"),
        pytest.param({"X-RateLimit-Reset": "7"}, 7.0, id="seconds"),
        pytest.param({"x-ratelimit-reset": "1445412490"}, 10.0, id="seconds since the epoch"),
        pytest.param({"x-ratelimit-reset": "1445412490500"}, 10.5, id="milliseconds since the epoch"),
        pytest.param({"ratelimit-reset": "30"}, 30.0, id="without x-"),
        pytest.param({"x-rate-limit-reset": "30"}, 30.0, id="in three words"),
        pytest.param({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, 360.0, id="the longest"),
        pytest.param(
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "8.64s",
                "x-ratelimit-remaining-tokens": "149984",
                "x-ratelimit-reset-tokens": "6m0s",
            },
            8.64,
            id="of what is used up",
        ),
        pytest.param(
            {"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "1h"}, None, id="nothing is used up"
        ),
        pytest.param(
            {
                "anthropic-ratelimit-requests-reset": "2015-10-21T07:28:30Z",
                "anthropic-ratelimit-requests-remaining": "0",
            },
            30.0,
            id="a date",
        ),
        pytest.param({"x-ratelimit-reset": "soon"}, None, id="no time at all"),
        pytest.param({"x-ratelimit-limit": "9", "reset": "3"}, None, id="other headers"),
    ],
)
def test_the_reset_of_a_rate_limit_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert reset_after(headers, NOW) == seconds


@given(
    st.dictionaries(
        st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset", "ratelimit-remaining", "date"]),
        st.text(max_size=40) | st.from_regex(r"[-0-9.:smhTZ+eE]{0,24}", fullmatch=True),
    )
)
def test_whatever_the_headers_say_a_wait_is_a_number_of_seconds(headers: dict[str, str]) -> None:
    for read in (retry_after, reset_after):
        seconds = read(headers, NOW)
        assert seconds is None or 0 <= seconds < math.inf


NOTHING = Spent()
MODEL = ModelOptions("a", "a", "http://gateway.example.com/v1", max_retries=2)
BUSY = Failure(Outcome.RATE_LIMITED, "HTTP 429: slow down", 429)
OVERLOADED = Failure(Outcome.SERVER, "HTTP 529: overloaded", 529)
DOWN = Failure(Outcome.SERVER, "HTTP 503: down", 503)
REFUSED = Failure(Outcome.REJECTED, "HTTP 400: no", 400)


def decided(
    failure: Failure,
    headers: dict[str, str] | None = None,
    spent: Spent = NOTHING,
    *,
    model: ModelOptions = MODEL,
    took: float = 1.0,
    streamed: bool = False,
) -> Pause | Failure:
    return after(FailedTry(failure, headers or {}, took, streamed), spent, model, now=NOW, chance=0.5)


@pytest.mark.parametrize(
    ("failure", "headers", "spent", "pause"),
    [
        pytest.param(DOWN, {}, Spent(), Pause(0.25, False, Spent(1, 0, 0.25)), id="a failure"),
        pytest.param(DOWN, {}, Spent(1, 0, 0.25), Pause(0.5, False, Spent(2, 0, 0.75)), id="twice"),
        pytest.param(DOWN, {"retry-after": "9"}, Spent(), Pause(9, False, Spent(1, 0, 9)), id="as asked"),
        pytest.param(DOWN, {"retry-after": "0"}, Spent(0, 3, 9), Pause(0, False, Spent(1, 3, 9)), id="at once"),
        pytest.param(DOWN, {"x-ratelimit-reset": "60"}, Spent(), Pause(0.25, False, Spent(1, 0, 0.25)), id="no limit"),
        pytest.param(BUSY, {}, Spent(), Pause(0.25, True, Spent(0, 1, 0.25)), id="a rate limit"),
        pytest.param(BUSY, {"x-ratelimit-reset": "7"}, Spent(), Pause(7, True, Spent(0, 1, 7)), id="its reset"),
        pytest.param(
            BUSY, {"x-ratelimit-reset": "7", "retry-after": "2"}, Spent(), Pause(2, True, Spent(0, 1, 2)), id="both"
        ),
        pytest.param(BUSY, {}, Spent(2, 0, 5), Pause(0.25, True, Spent(2, 1, 5.25)), id="retries do not matter"),
        pytest.param(BUSY, {"retry-after": "0"}, Spent(), Pause(0, True, Spent(0, 1, 0)), id="at once"),
        pytest.param(
            BUSY, {"retry-after": "0"}, Spent(0, 3, 0), Pause(2, True, Spent(0, 4, 2)), id="at once is believed once"
        ),
        pytest.param(BUSY, {"retry-after": "40"}, Spent(0, 3, 0), Pause(40, True, Spent(0, 4, 40)), id="longer is not"),
        pytest.param(BUSY, {}, Spent(0, 9, 110), Pause(10, True, Spent(0, 10, 120)), id="what is left"),
        pytest.param(OVERLOADED, {}, Spent(), Pause(2, True, Spent(0, 1, 2)), id="overload has its own pace"),
        pytest.param(OVERLOADED, {}, Spent(2, 1, 2), Pause(4, True, Spent(2, 2, 6)), id="and no count"),
        pytest.param(REFUSED, {"x-should-retry": "true"}, Spent(), Pause(0.25, False, Spent(1, 0, 0.25)), id="told so"),
    ],
)
def test_a_try_is_made_again_after(failure: Failure, headers: dict[str, str], spent: Spent, pause: Pause) -> None:
    assert decided(failure, headers, spent) == pause


@pytest.mark.parametrize(
    ("failure", "headers", "spent"),
    [
        pytest.param(REFUSED, {}, Spent(), id="what will not pass"),
        pytest.param(REFUSED, {"x-should-retry": "true"}, Spent(2), id="told so too often"),
        pytest.param(DOWN, {}, Spent(2), id="no retries left"),
        pytest.param(DOWN, {"x-should-retry": " False"}, Spent(), id="told not to"),
        pytest.param(BUSY, {"x-should-retry": "false"}, Spent(), id="a limit that tells not to"),
        pytest.param(replace(DOWN, lasting=True), {}, Spent(), id="what is the same for every request"),
        pytest.param(REFUSED, {"retry-after": "9999"}, Spent(), id="a wait for what will not pass"),
    ],
)
def test_a_try_is_the_last_one(failure: Failure, headers: dict[str, str], spent: Spent) -> None:
    assert decided(failure, headers, spent) == failure


@pytest.mark.parametrize("failure", [BUSY, OVERLOADED, DOWN])
def test_no_retries_are_none_at_all(failure: Failure) -> None:
    assert decided(failure, model=replace(MODEL, max_retries=0)) == failure


@pytest.mark.parametrize("failure", [BUSY, OVERLOADED, DOWN])
@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize("should", [{}, {"x-should-retry": "true"}, {"x-should-retry": "false"}], ids=str)
def test_a_wait_longer_than_the_budget_ends_every_attempt_like_this(
    failure: Failure, retries: int, should: dict[str, str]
) -> None:
    ended = decided(failure, {"retry-after": "7200", **should}, model=replace(MODEL, max_retries=retries))

    said = f"the server asks to wait 2h00m, an attempt waits at most 2m00s: {failure.message}"
    assert ended == replace(failure, message=said, lasting=True)


def test_so_does_one_for_what_the_server_alone_wants_to_have_again() -> None:
    ended = decided(REFUSED, {"retry-after": "7200", "x-should-retry": "true"})

    assert isinstance(ended, Failure)
    assert ended.lasting


def test_a_wait_longer_than_what_is_left_ends_this_attempt_alone() -> None:
    said = "the server asks to wait 1m00s, an attempt waits at most 2m00s, of which 30s are left: HTTP 429: slow down"

    assert decided(BUSY, {"retry-after": "60"}, Spent(0, 2, 90)) == replace(BUSY, message=said)


def test_a_limit_that_stays_ends_the_attempt() -> None:
    said = "still so after 2m00s of waiting: HTTP 429: slow down"

    assert decided(BUSY, {}, Spent(0, 9, WAIT_BUDGET)) == replace(BUSY, message=said)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([BUSY, OVERLOADED, DOWN, REFUSED]),
            st.none() | st.floats(0, 1000).map(str),
            st.none() | st.sampled_from(["true", "false"]),
        ),
        min_size=1,
    ),
    st.floats(0, 1),
)
def test_no_attempt_waits_longer_than_the_budget_or_for_ever(
    answers: list[tuple[Failure, str | None, str | None]], chance: float
) -> None:
    spent, pauses = Spent(), []
    for failure, asked, should in itertools.cycle(answers):
        headers = {"retry-after": asked or "", "x-should-retry": should or ""}
        then = after(FailedTry(failure, headers, 1.0, False), spent, MODEL, now=NOW, chance=chance)
        if isinstance(then, Failure):
            break
        pauses.append(then.seconds)
        spent = then.spent
        assert len(pauses) < 200

    assert min(pauses, default=0) >= 0
    assert sum(pauses) <= WAIT_BUDGET + 1e-6


@pytest.mark.parametrize(
    ("status", "took", "streamed", "cut"),
    [
        (524, 0.1, False, True),
        (524, 100.0, True, False),
        (504, 60.0, False, True),
        (504, 1.0, False, False),  # the server behind is not there: it may be back
        (504, 60.0, True, False),
        (503, 60.0, False, False),
    ],
)
def test_a_call_that_a_proxy_cut_would_be_cut_again(status: int, took: float, streamed: bool, cut: bool) -> None:
    failure = Failure(Outcome.SERVER, f"HTTP {status}: timeout", status)
    then = decided(failure, took=took, streamed=streamed)

    if cut:
        said = f"a proxy does not wait so long for a silent server: set stream: true: HTTP {status}: timeout"
        assert then == replace(failure, message=said)
    else:
        assert isinstance(then, Pause)
