"""What a program printed beside what it should have printed."""

from __future__ import annotations

from itertools import zip_longest

from llm_testbench.evaluators.quote import LIMIT, quote

_BEFORE = 20  # characters shown before the first that differs


def lines_of(text: str) -> list[str]:
    """The lines without white space at their ends, so that CRLF is a line end too, and no blank ones at the end."""
    return [line.rstrip() for line in text.rstrip().split("\n")]


def difference(found: str, expected: str) -> str | None:
    """The first line that differs, in words; None where there is none. White space at the ends of lines is no part."""
    for number, (here, there) in enumerate(zip_longest(lines_of(found), lines_of(expected)), start=1):
        if here == there:
            continue
        if number == 1 and not here and not found.strip():
            return f"nothing was printed, expected {quote(there)}"
        if here is None:
            return f"the output ends before line {number}, expected {quote(there)}"
        if there is None:
            return f"line {number} of the output is {quote(here)}, expected no such line"
        shown, wanted = _around(here, there)
        spaces = " (they differ in white space)" if shown == wanted else ""
        return f"line {number} of the output is {shown}, expected {wanted}{spaces}"
    return None


def _around(here: str, there: str) -> tuple[str, str]:
    """Both quoted, from shortly before the place where they differ if that is far behind."""
    same = next((at for at, (one, other) in enumerate(zip(here, there, strict=False)) if one != other), None)
    begin = (min(len(here), len(there)) if same is None else same) - _BEFORE
    if begin + _BEFORE < LIMIT - _BEFORE:
        return quote(here), quote(there)
    return quote("…" + here[begin:]), quote("…" + there[begin:])
