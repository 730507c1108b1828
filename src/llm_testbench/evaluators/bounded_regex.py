"""Patterns that a suite wrote, compiled and matched so that neither they nor an answer can hang the run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import regex

from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import SpecError

Pattern: TypeAlias = regex.Pattern[str]

LONG = 64 * 1024
"""Characters: what is longer is no answer that a test asks for."""
TIME_LIMIT = 1.0
"""CPU seconds that the patterns of one check may take on an answer up to LONG."""
TIME_LIMIT_LONG = 0.08
"""The same on a longer one."""
MAX_PATTERN = 2000
_TRIES = 6

# A recursive pattern eats memory faster than any time limit stops it: `(?R)` took 350 MB in a second.
_RECURSION = re.compile(r"(?<!\\)\(\?(?:R|[0-9]+|&\w+|P>\w+)\)")


def compile_bounded(pattern: str, flags: str = "", path: tuple[str | int, ...] = ()) -> Pattern:
    """The compiled pattern; `flags` are letters out of `imsx`. SpecError when it cannot be compiled."""
    if len(pattern) > MAX_PATTERN:
        raise SpecError(f"a pattern of {len(pattern)} characters is longer than {MAX_PATTERN}", path)
    if _RECURSION.search(pattern):
        raise SpecError(f"the pattern {quote(pattern)} is recursive, which is not supported", path)
    try:
        bits = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "x": regex.VERBOSE}
        return regex.compile(pattern, sum(bits[letter] for letter in set(flags)))
    except (regex.error, RecursionError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split()) or "it is too complex"
        raise SpecError(f"the pattern {quote(pattern)} cannot be compiled: {reason}", path) from None


_Found = TypeVar("_Found")


def time_limit(text: str) -> float:
    """What the patterns of one check may take on this text.

    A limit in seconds is the one thing in a score that depends on the machine, so it must never decide on an answer
    that a model really gives. An ordinary pattern takes a millisecond on 64 KiB and 20 on 1 MiB; only one that goes
    back and forth without end meets a whole second, and then on any machine. Text of more than 64 KiB is a loop or an
    attack, and there the limit bounds the damage.
    """
    return TIME_LIMIT if len(text) <= LONG else TIME_LIMIT_LONG


def in_time(match: Callable[[float], _Found], limit: float) -> _Found:
    """What `match`, given a timeout, returns; TimeoutError once it has taken `limit` CPU seconds of this thread.

    The `regex` package measures another clock than that: beside busy threads, 0.5 s of it were 6 ms of work. So a
    match that was stopped too early is tried anew, with more time on that clock.
    """
    timeout = limit
    for _ in range(_TRIES):
        begun = time.thread_time()
        try:
            return match(timeout)
        except TimeoutError:
            if time.thread_time() - begun >= limit / 2:
                raise
        timeout *= 4
    raise TimeoutError


def refuse_empty_match(pattern: Pattern, written: str, path: tuple[str | int, ...] = ()) -> None:
    """SpecError when the pattern matches the empty string: it would pass on any answer, none included."""
    try:
        matches = in_time(lambda timeout: pattern.search("", timeout=timeout), TIME_LIMIT) is not None
    except TimeoutError:
        raise SpecError(f"the pattern {quote(written)} takes too long even on the empty string", path) from None
    if matches:
        raise SpecError(f"the pattern {quote(written)} matches the empty string, so it matches every answer", path)
