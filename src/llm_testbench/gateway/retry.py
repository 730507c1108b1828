"""Whether a failed try is made again, and how long to wait before: pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from llm_testbench import durations
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Failure, ModelOptions

FIRST_PAUSE = 0.25  # seconds; doubles with each retry
FIRST_PAUSE_OVERLOADED = 2.0  # seconds, after 529: everybody else's requests are too many, not only ours
JITTER = 0.25  # share of the pause, to either side
LONGEST_PAUSE = 30.0  # seconds, where the server asks for none
WAIT_BUDGET = 120.0  # seconds: all pauses of one attempt together

_OVERLOADED = 529
_TRANSIENT = frozenset({Outcome.NETWORK, Outcome.EMPTY_STREAM, Outcome.RATE_LIMITED, Outcome.SERVER})
_TIMEOUTS = frozenset({Outcome.TIMEOUT, Outcome.IDLE_TIMEOUT})
_CUT_BY_PROXY = 524  # Cloudflare: the server behind was silent for too long
_GATEWAY_TIMEOUT = 504
_PROXY_PATIENCE = 25.0  # seconds; proxies cut a silent call after 30, 60, 100 or 120
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,15})?")
_NOTHING_LEFT = re.compile(r"0+(?:\.0*)?")
_EPOCH = 1e9  # from here on a number of seconds is a point in time
_EPOCH_MS = 1e11  # and from here on it is in milliseconds


@dataclass(frozen=True)
class Spent:
    """What an attempt has used up: retries after failures, pauses that a busy server asked for, seconds of pauses."""

    retries: int = 0
    throttles: int = 0
    waited: float = 0.0


@dataclass(frozen=True)
class Pause:
    """Seconds before the next try. `throttled`: the server has too much to do. `spent`: with this pause."""

    seconds: float
    throttled: bool
    spent: Spent


@dataclass(frozen=True)
class FailedTry:
    """What one try came to. `took`: seconds. `streamed`: the request asked for a stream."""

    failure: Failure
    headers: Mapping[str, str]
    took: float
    streamed: bool


def after(failed: FailedTry, spent: Spent, model: ModelOptions, *, now: float, chance: float) -> Pause | Failure:
    """The pause before the next try, or how the attempt ends.

    Rate limits (429, 529) are bounded by WAIT_BUDGET and not by `max_retries`, unless that is 0. A server that
    asks to wait longer than what is left of the budget ends the attempt at once. `x-should-retry` decides against
    the status. `now`: seconds since the epoch; `chance`: 0..1, for jitter.
    """
    failure = failed.failure
    throttled = is_throttled(failure)
    cut = _is_cut_by_proxy(failed)
    if cut:
        hint = "a proxy does not wait so long for a silent server: set stream: true"
        failure = replace(failure, message=f"{hint}: {failure.message}")
    transient = is_retryable(failure, retry_timeouts=model.retry_timeouts) and not cut
    wanted = {"true": True, "false": False}.get(failed.headers.get("x-should-retry", "").strip().lower(), transient)
    asked = retry_after(failed.headers, now)
    if asked is None and throttled:
        asked = reset_after(failed.headers, now)
    left = WAIT_BUDGET - spent.waited
    if asked is not None and asked > left and (wanted or transient):
        return _too_long(failure, asked, left)
    if not wanted or model.max_retries == 0 or (not throttled and spent.retries >= model.max_retries):
        return failure
    if left < 0.001:
        return replace(failure, message=f"still so after {durations.show(WAIT_BUDGET)} of waiting: {failure.message}")
    first = FIRST_PAUSE_OVERLOADED if failure.status == _OVERLOADED else FIRST_PAUSE
    seconds = min(backoff(spent.throttles if throttled else spent.retries, chance, first), left)
    if asked is not None:
        # `Retry-After: 0` is believed once: the second refusal shows that it is not meant.
        seconds = max(asked, seconds) if throttled and spent.throttles else asked
    used = Spent(spent.retries + (not throttled), spent.throttles + throttled, spent.waited + seconds)
    return Pause(seconds, throttled, used)


def is_retryable(failure: Failure, *, retry_timeouts: bool) -> bool:
    """Whether the same request may succeed when it is sent again."""
    if failure.lasting:
        return False
    return failure.outcome in _TRANSIENT or (retry_timeouts and failure.outcome in _TIMEOUTS)


def is_throttled(failure: Failure) -> bool:
    """Whether fewer requests at a time would serve better."""
    return failure.outcome is Outcome.RATE_LIMITED or failure.status == _OVERLOADED


def backoff(retry: int, chance: float, first: float = FIRST_PAUSE) -> float:
    """Seconds before retry number `retry` (from 0) where the server asks for nothing. `chance`: 0..1."""
    grown = first * 2.0 ** min(retry, 16)
    return min(min(grown, LONGEST_PAUSE) * (1 + JITTER * (2 * chance - 1)), LONGEST_PAUSE)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks to wait (RFC 9110, section 10.2.3), None when it does not say.

    Also read: `retry-after-ms`, fractions, `1m30s`, ISO 8601 and seconds since the epoch. `now`: seconds since the
    epoch, for a point in time when the answer carries no Date of its own; the server's own clock is the better one.
    """
    milliseconds = (headers.get("retry-after-ms") or "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    return _seconds(headers.get("retry-after") or "", headers, now)


def reset_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until the rate limits are open again, None when no header says: `x-ratelimit-reset` and its like.

    A limit that says it has something remaining is not the one that refused. Of several the longest counts.
    """
    found: list[float] = []
    for given, value in headers.items():
        name = given.lower()
        if "reset" not in name or "ratelimit" not in name.replace("-", ""):
            continue
        remaining = (headers.get(name.replace("reset", "remaining")) or "0").strip()
        seconds = _seconds(value, headers, now) if _NOTHING_LEFT.fullmatch(remaining) else None
        if seconds is not None:
            found.append(seconds)
    return max(found, default=None)


def _is_cut_by_proxy(failed: FailedTry) -> bool:
    """Whether the same call would be cut again after the same silence."""
    status = failed.failure.status
    long_silence = status == _GATEWAY_TIMEOUT and failed.took >= _PROXY_PATIENCE
    return not failed.streamed and (status == _CUT_BY_PROXY or long_silence)


def _too_long(failure: Failure, asked: float, left: float) -> Failure:
    budget = f"an attempt waits at most {durations.show(WAIT_BUDGET)}"
    if left < WAIT_BUDGET:
        budget += f", of which {durations.show(left)} are left"
    message = f"the server asks to wait {durations.show(asked)}, {budget}: {failure.message}"
    return replace(failure, message=message, lasting=asked > WAIT_BUDGET)


def _seconds(text: str, headers: Mapping[str, str], now: float) -> float | None:
    text = text.strip()
    if _NUMBER.fullmatch(text):
        number = float(text)
        if number < _EPOCH:
            return number
        until = number / 1000 if number >= _EPOCH_MS else number
    else:
        try:
            return durations.parse(text.replace(" ", ""))
        except ValueError:
            pass
        moment = _timestamp(text)
        if moment is None:
            return None
        until = moment
    said_at = _timestamp(headers.get("date") or "")
    return max(0.0, until - (now if said_at is None else said_at))


def _timestamp(date: str) -> float | None:
    for parse in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = parse(date)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None
