"""The fenced code blocks of a markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE_LINE = re.compile(r"[ \t>]{0,40}(`{3,}|~{3,})[ \t]*+([^\n`]*)")


@dataclass(frozen=True, slots=True)
class Block:
    """A block: the first word behind its fence in lower case (or ``""``), and its lines."""

    language: str
    body: str


def fenced_blocks(text: str) -> Iterator[Block]:
    """The blocks in order (CommonMark 0.31, section 4.5, at any indent); one that is not closed goes to the end."""
    opened: tuple[str, str] | None = None
    body: list[str] = []
    for line in text.split("\n"):
        match = _FENCE_LINE.fullmatch(line)
        if opened is None:
            if match is not None:
                words = match[2].split(maxsplit=1)
                opened = (match[1], words[0].lower() if words else "")
                body = []
        elif match is not None and not match[2].strip() and match[1].startswith(opened[0]):
            yield Block(opened[1], "\n".join(body))
            opened = None
        else:
            body.append(line)
    if opened is not None:
        yield Block(opened[1], "\n".join(body))
