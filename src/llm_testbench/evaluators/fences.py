"""The fenced code blocks of a markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

MAX_BLOCKS = 2000
"""Blocks of one answer that are looked at: more of them are written by a model that goes round in circles."""

_FENCE = "```"
_TAG = re.compile(r"(?:\{?\.?)?(?:lang(?:uage)?-)?([\w+#-]*)")
_FENCE_LINE = re.compile(r"^([ \t>]{0,40})(`{3,}+|~{3,}+)[ \t]*+([^\n`]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A block: the first word behind its fence in lower case (or ``""``), and its lines.

    `margin`: what stands before its fence, as in a list or a quotation, and so before each of its lines.
    """

    language: str
    body: str
    margin: str = field(default="", compare=False)

    def tag(self) -> str:
        """`python` of `{.python}`, `{python}`, `language-python`, `python:main.py` and `python,ignore`."""
        match = _TAG.match(self.language)
        return match[1] if match is not None else ""

    def content(self) -> str:
        """The body without the margin: a list indents a block as a whole, which Python would not take."""
        body = self.body
        if self.margin:
            body = "\n".join(line[_shared(line, self.margin) :] for line in body.split("\n"))
        # Models write the closing fence behind the last line, too, where markdown sees none.
        return body.rstrip().removesuffix(_FENCE)


def _shared(line: str, margin: str) -> int:
    """How many characters of the margin the line begins with: a blank line of a quotation has only its mark."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(line, margin, strict=False)))


def fenced_blocks(text: str) -> Iterator[Block]:
    """The blocks in order (CommonMark 0.31, section 4.5, at any indent); one that is not closed goes to the end."""
    opened: tuple[str, str, str] | None = None
    begin = 0
    for match in _FENCE_LINE.finditer(text):
        if opened is None:
            words = match[3].split(maxsplit=1)
            opened = (match[2], words[0].lower() if words else "", match[1])
            begin = match.end() + 1
        elif not match[3].strip() and match[2].startswith(opened[0]):
            yield Block(opened[1], text[begin : max(begin, match.start() - 1)], opened[2])
            opened = None
    if opened is not None:
        yield Block(opened[1], text[begin:], opened[2])
