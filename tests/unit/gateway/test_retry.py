"""Which failures are tried again, and after how long."""

from __future__ import annotations

import pytest

from llm_testbench.answer.outcome import SCORED, SKIPPED, Outcome
from llm_testbench.gateway.failures import failure_of_status
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.retry import backoff, is_retryable, retry_after

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


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 520, 524, 529])
def test_these_statuses_are_tried_again(status: int) -> None:
    assert is_retryable(failure_of_status(status, ""), retry_timeouts=True)


@pytest.mark.parametrize("status", [302, 400, 401, 402, 403, 404, 405, 409, 410, 413, 418, 422, 451])
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
        pytest.param({"retry-after": "Wed, 99 Oct 99999999 07:28:10 GMT"}, None, id="an impossible date"),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
