"""Finding the JSON value of an answer (evaluators.md, JSON), in time linear in its length."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from llm_testbench.evaluators.fences import MAX_BLOCKS, fenced_blocks
from llm_testbench.json_value import JSON, MAX_DEPTH, parse
from llm_testbench.possessive import possessive

# No test asks for more than a tenth of either.
MAX_TEXT = 256 * 1024
"""Characters of JSON that are read; bare JSON is looked for only so far from the end."""
MAX_STEPS = 20_000
"""Of the search for bare JSON."""

_TAGGED = frozenset({"json", "jsonc", "json5"})


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON value that was found (it may be null, so that None cannot stand for nothing)."""

    value: JSON


@dataclass(frozen=True, slots=True)
class Missing:
    """There is none; `why` where the search was given up."""

    why: str = ""


def json_in(text: str) -> Found | Missing:
    """The last fenced block that is JSON, one that says so first; else the last balanced JSON value in the text."""
    blocks = list(islice(fenced_blocks(text), MAX_BLOCKS + 1))
    if len(blocks) > MAX_BLOCKS:
        return Missing(f"it has more than {MAX_BLOCKS} code blocks")
    for block in reversed([block for block in blocks if block.tag() in _TAGGED]):
        if len(block.body) > MAX_TEXT:
            return Missing(f"a code block is longer than {MAX_TEXT} characters")
        found = _parsed(block.content())
        if found is not None:
            return found
    for block in reversed([block for block in blocks if not block.language]):
        found = _parsed(block.content())
        if found is not None and isinstance(found.value, dict | list):
            return found
    return _parsed(text) or _bare(text)


def _bare(text: str) -> Found | Missing:
    end = text[-MAX_TEXT:]
    try:
        span = _last_span(end)
    except _TooLongError:
        return Missing("it has too many brackets")
    if len(end) == len(text):
        return (span and _parsed(end[span[0] : span[1]])) or Missing()
    # Of a value that begins before what is searched, only inner ones are seen whole.
    if span is None or _INSIDE.match(end, span[1]) is not None:
        return Missing(f"only its last {MAX_TEXT} characters were searched")
    return _parsed(end[span[0] : span[1]]) or Missing()


_INSIDE = re.compile(r"[ \t\n\r]*+[,\]}]")


def _parsed(text: str) -> Found | None:
    if len(text) > MAX_TEXT:
        return None
    try:
        return Found(parse(text))
    except ValueError:
        return None


# A bracket that nothing of JSON follows is passed over at once, and so is an index: arr[0], grid[0][1].
_OPENING = re.compile(r'\{(?=[ \t\n\r]*+(?:["}]|\Z))|(?<![A-Za-z0-9_)\]])\[(?=[ \t\n\r]*+(?:["\[\]{\-0-9tfn]|\Z))')
_SPACE = r"[ \t\n\r]*+"
_TEXT = '"' + possessive(r'[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})') + '"'
_NUMBER = "-?(?:0|[1-9][0-9]*+)" + possessive(r"\.[0-9]++", "?") + possessive("[eE][-+]?[0-9]++", "?")
_SCALAR = rf"(?:{_NUMBER}|true|false|null)(?![\w.+-])"
_TOKEN = re.compile(
    rf"{_SPACE}(?:(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<comma>,)|(?P<colon>:)|(?P<text>{_TEXT})|(?P<scalar>{_SCALAR}))"
)
# Flat values are passed over many at a time: a table of numbers is a few steps.
_PLAIN = rf"(?:{_TEXT}|{_SCALAR})"
_PAIR = rf"{_TEXT}{_SPACE}:{_SPACE}{_PLAIN}"
_ITEMS, _PAIRS = (possessive(one + possessive(f"{_SPACE},{_SPACE}{one}") + _SPACE, "?") for one in (_PLAIN, _PAIR))
_FLAT = rf"(?:{_PLAIN}|\[{_SPACE}{_ITEMS}\]|\{{{_SPACE}{_PAIRS}\}})"
_FLAT_ITEMS = re.compile(possessive(f"{_SPACE}{_FLAT}{_SPACE},", "+"))
_FLAT_PAIRS = re.compile(possessive(f"{_SPACE}{_TEXT}{_SPACE}:{_SPACE}{_FLAT}{_SPACE},", "+"))

# What a value may end in when the answer stopped in its midst: nothing, half a string, half a word.
_HALF = '"' + possessive(r'[^"\\\x00-\x1f]++|\\.') + r"\\?"
_CUT_OFF = re.compile(rf"{_SPACE}(?:{_HALF}|[A-Za-z0-9.+-]{{1,40}})?\Z")

_AT_END = re.compile(r"[ \t\n\r]*+\Z")
_NO_VALUE = ("colon", "comma or end")


class _TooLongError(Exception):
    """The search has taken too many steps."""


def _last_span(text: str) -> tuple[int, int] | None:
    """Where the last outermost object or array stands that is JSON. Raises _TooLongError."""
    last: tuple[int, int] | None = None
    scanner = _Scanner(text)
    position = 0
    while (opening := _OPENING.search(text, position)) is not None:
        start = opening.start()
        if start not in scanner.ends:
            scanner.scan(start)
        if scanner.cut_off:
            break
        end = scanner.ends[start]
        if end is not None:
            last = (start, end)
        position = end if end is not None else start + 1
    return last


class _Scanner:
    """What was found out about the brackets of a text.

    `ends`: for an opening bracket that was met as structure the end of its value, None where that is not complete. A
    scan need not start from it again: that keeps the whole linear. `cut_off`: the last scan found a value that is sound
    up to the end of the text, so that it was cut off there and nothing that it holds counts.
    """

    def __init__(self, text: str) -> None:
        self.ends: dict[int, int | None] = {}
        self.cut_off = False
        self._text = text
        self._steps = 0

    def scan(self, start: int) -> None:
        """Looks at the value that begins there. Raises _TooLongError."""
        stack: list[tuple[int, str]] = []
        expected = "value"
        position = start
        while True:
            self._steps += 1
            if self._steps > MAX_STEPS:
                raise _TooLongError
            token = _TOKEN.match(self._text, position)
            kind = None if token is None else token.lastgroup
            if token is None or kind not in _ALLOWED[expected] or len(stack) > MAX_DEPTH or not _fits(token, stack):
                # A bracket and a quote alone are no JSON that was cut off: he said "{" and went.
                half = _AT_END if expected in _NO_VALUE else _CUT_OFF
                self.cut_off = position > start + 1 and half.match(self._text, position) is not None
                self.ends.update(dict.fromkeys(opened for opened, _ in stack))
                return
            position = token.end()
            if kind == "open":
                stack.append((token.start("open"), token["open"]))
                expected = "key or end" if token["open"] == "{" else "value or end"
            elif kind == "close":
                self.ends[stack.pop()[0]] = position
                if not stack:
                    return
                expected = "comma or end"
                continue
            else:
                expected = _after(kind, expected, stack[-1][1])
            if kind in ("open", "comma"):
                run = (_FLAT_PAIRS if stack[-1][1] == "{" else _FLAT_ITEMS).match(self._text, position)
                if run is not None:
                    position = run.end()
                    expected = "key" if stack[-1][1] == "{" else "value"


def _fits(token: re.Match[str], stack: list[tuple[int, str]]) -> bool:
    """Whether a closing bracket is of the kind that was opened."""
    return token["close"] is None or (stack[-1][1] == "{") == (token["close"] == "}")


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
