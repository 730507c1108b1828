"""The fenced code blocks of a markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE_LINE = re.compile(r"^([ \t>]{0,40})(`{3,}+|~{3,}+)[ \t]*+([^\n`]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A block: the first word behind its fence in lower case (or ``""``), and its lines.

    `margin`: what stands before its fence, as in a list or a quotation, and so before each of its lines.
    """

    language: str
    body: str
    margin: str = field(default="", compare=False)


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
