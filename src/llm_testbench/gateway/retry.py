"""Whether a failed try is made again, and how long to wait before: pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from llm_testbench import durations
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Failure

FIRST_PAUSE = 0.25  # seconds; doubles with each retry
JITTER = 0.25  # share of the pause, to either side
LONGEST_PAUSE = 30.0  # seconds

_TRANSIENT = frozenset({Outcome.NETWORK, Outcome.EMPTY_STREAM, Outcome.RATE_LIMITED, Outcome.SERVER})
_TIMEOUTS = frozenset({Outcome.TIMEOUT, Outcome.IDLE_TIMEOUT})
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{0,12})?")


def is_retryable(failure: Failure, *, retry_timeouts: bool) -> bool:
    """Whether the same request may succeed when it is sent again."""
    return failure.outcome in _TRANSIENT or (retry_timeouts and failure.outcome in _TIMEOUTS)


def pause(retry: int, asked_for: float | None, chance: float) -> float:
    """Seconds before retry number `retry` (from 0). `asked_for`: the server's Retry-After; `chance`: 0..1."""
    if asked_for is not None:
        return min(max(asked_for, 0.0), LONGEST_PAUSE)
    grown = FIRST_PAUSE * 2.0 ** min(retry, 16)
    return min(min(grown, LONGEST_PAUSE) * (1 + JITTER * (2 * chance - 1)), LONGEST_PAUSE)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks to wait (RFC 9110, section 10.2.3), None when it does not say.

    Also read: `retry-after-ms`, fractions and `1m30s`. `now`: seconds since the epoch, for a date when the
    answer carries no Date of its own; the server's own clock is the better one to subtract.
    """
    milliseconds = (headers.get("retry-after-ms") or "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    text = (headers.get("retry-after") or "").strip()
    if not text:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        return durations.parse(text)
    except ValueError:
        pass
    until = _timestamp(text)
    if until is None:
        return None
    said_at = _timestamp(headers.get("date") or "")
    return max(0.0, until - (now if said_at is None else said_at))


def _timestamp(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
