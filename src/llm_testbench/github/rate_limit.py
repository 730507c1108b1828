"""GitHub's rate limits: whether an answer is one, and how long to wait (docs.github.com, "Rate limits"). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from llm_testbench.gateway.retry import retry_after

SECONDARY_PAUSE = 60.0  # seconds when the answer says nothing; doubles with each further one

_WORDS = re.compile(r"rate limit|abuse detection", re.IGNORECASE)


def is_rate_limit(status: int, headers: Mapping[str, str], message: str) -> bool:
    """A 429, or a 403 that is one: the same status also means that a permission is missing."""
    if status != 403:
        return status == 429
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0" or bool(_WORDS.search(message))


def is_query_limit(message: str) -> bool:
    """Whether GraphQL speaks of one: both kinds may come with HTTP 200, and the headers as usual."""
    return bool(_WORDS.search(message))


def pause(headers: Mapping[str, str], before: int) -> float:
    """Seconds to wait. `headers`: names in any case; `before`: how many limits this call has met already."""
    asked = retry_after(headers, 0.0)
    if asked is not None:
        return asked
    reset = headers.get("x-ratelimit-reset", "")
    said_at = _seconds(headers.get("date", ""))
    if headers.get("x-ratelimit-remaining") == "0" and re.fullmatch("[0-9]{1,12}", reset) and said_at is not None:
        # The server's own clock tells how far away that is; ours may be wrong.
        return max(0.0, int(reset) - said_at) + 1.0
    return SECONDARY_PAUSE * 2.0 ** min(before, 10)


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
