"""Finding the JSON value of an answer (evaluators.md, JSON), in time linear in its length."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llm_testbench.evaluators.fences import fenced_blocks
from llm_testbench.json_value import JSON, MAX_DEPTH, parse

# Bare JSON is looked for only so far from the end.
MAX_TEXT = 256 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON value that was found (it may be null, so that None cannot stand for nothing)."""

    value: JSON


def json_in(text: str) -> Found | None:
    """The last fenced `json` block that parses, else the last balanced JSON value in the text, else None."""
    for block in reversed([block for block in fenced_blocks(text) if block.language == "json"]):
        found = _parsed(block.body)
        if found is not None:
            return found
    whole = _parsed(text)
    if whole is not None:
        return whole
    end = text[-MAX_TEXT:]
    span = _last_span(end)
    # Of a value that begins before what is searched, only inner ones are seen whole.
    if span is None or (len(end) < len(text) and _INSIDE.match(end, span[1]) is not None):
        return None
    return _parsed(end[span[0] : span[1]])


_INSIDE = re.compile(r"[ \t\n\r]*+[,\]}]")


def _parsed(text: str) -> Found | None:
    try:
        return Found(parse(text))
    except ValueError:
        return None


# A bracket that nothing of JSON follows is passed over at once.
_OPENING = re.compile(r'\{(?=[ \t\n\r]*+(?:["}]|\Z))|\[(?=[ \t\n\r]*+(?:["\[\]{\-0-9tfn]|\Z))')
_TOKEN = re.compile(
    r"[ \t\n\r]*+(?:(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)|(?P<colon>:)"
    r'|(?P<text>"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|(?P<scalar>(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+|true|false|null)(?![\w.+-])))"
)

# What a value may end in when the answer stopped in its midst: nothing, half a string, half a word.
_CUT_OFF = re.compile(r'[ \t\n\r]*+(?:"(?:[^"\\\x00-\x1f]++|\\.)*+\\?|[A-Za-z0-9.+-]{1,40})?\Z')


def _last_span(text: str) -> tuple[int, int] | None:
    """Where the last outermost object or array stands that is JSON."""
    last: tuple[int, int] | None = None
    # What a scan met as structure it need not start from again: that keeps the whole linear.
    seen: dict[int, int | None] = {}
    position = 0
    while (opening := _OPENING.search(text, position)) is not None:
        start = opening.start()
        if start not in seen:
            seen.update(_scan(text, start))
        end = seen[start]
        if end is not None:
            last = (start, end)
        position = end if end is not None else start + 1
    return last


def _scan(text: str, start: int) -> dict[int, int | None]:
    """For each opening bracket met from `start` on: the end of its value, or None where none is complete.

    A value that is sound up to the end of the text was cut off there: what it holds does not count.
    """
    ends: dict[int, int | None] = {}
    stack: list[tuple[int, str]] = []
    expected = "value"
    position = start
    while True:
        token = _TOKEN.match(text, position)
        kind = None if token is None else token.lastgroup
        if token is None or kind not in _ALLOWED[expected] or len(stack) > MAX_DEPTH:
            if _CUT_OFF.match(text, position) is not None:
                return dict.fromkeys((*ends, *(opened for opened, _ in stack)))
            return {**ends, **dict.fromkeys(opened for opened, _ in stack)}
        position = token.end()
        if kind == "open":
            stack.append((token.start("open"), token["open"]))
            expected = "key or end" if token["open"] == "{" else "value or end"
            continue
        if kind == "close":
            opened, bracket = stack[-1]
            if (bracket == "{") != (token["close"] == "}"):
                return {**ends, **dict.fromkeys(opened for opened, _ in stack)}
            stack.pop()
            ends[opened] = position
            if not stack:
                return ends
            expected = "comma or end"
        else:
            expected = _after(kind, expected, stack[-1][1])


_VALUE = frozenset({"open", "text", "scalar"})
_ALLOWED = {
    "value": _VALUE,
    "value or end": _VALUE | {"close"},
    "key": frozenset({"text"}),
    "key or end": frozenset({"text", "close"}),
    "colon": frozenset({"colon"}),
    "comma or end": frozenset({"comma", "close"}),
}


def _after(kind: str | None, expected: str, bracket: str) -> str:
    if kind == "comma":
        return "key" if bracket == "{" else "value"
    if kind == "colon":
        return "value"
    return "colon" if expected.startswith("key") else "comma or end"
