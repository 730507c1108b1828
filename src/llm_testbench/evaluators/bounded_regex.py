"""Patterns that a suite wrote, compiled and matched so that neither they nor an answer can hang the run."""

from __future__ import annotations

import re
from typing import TypeAlias

import regex

from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import SpecError

Pattern: TypeAlias = regex.Pattern[str]

TIME_LIMIT = 1.0
"""Seconds that one match may take."""
MAX_PATTERN = 2000

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


def refuse_empty_match(pattern: Pattern, written: str, path: tuple[str | int, ...] = ()) -> None:
    """SpecError when the pattern matches the empty string: it would pass on any answer, none included."""
    try:
        matches = pattern.search("", timeout=TIME_LIMIT) is not None
    except TimeoutError:
        raise SpecError(f"the pattern {quote(written)} takes too long even on the empty string", path) from None
    if matches:
        raise SpecError(f"the pattern {quote(written)} matches the empty string, so it matches every answer", path)
