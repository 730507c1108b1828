"""Which part of an answer is its code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import takewhile

from llm_testbench.evaluators.fences import Block, fenced_blocks

_TAGS: Mapping[str, frozenset[str]] = {
    "python": frozenset({"python", "py", "python2", "python3", "py3"}),
    "go": frozenset({"go", "golang"}),
    "c": frozenset({"c", "c99", "c11", "c17", "c23"}),
    "typescript": frozenset({"typescript", "ts", "mts", "tsx"}),
    "javascript": frozenset({"javascript", "js", "mjs", "cjs", "jsx", "node"}),
    "bash": frozenset({"bash", "sh", "shell", "zsh"}),
    "sql": frozenset({"sql", "sqlite", "sqlite3"}),
}
"""What models write behind a fence, by language."""

_TAG = re.compile(r"(?:\{?\.)?(?:lang(?:uage)?-)?([\w+#-]*)")
_FENCE = "```"


def code_in(text: str, language: str) -> str:
    """The first fenced block of that language, else the first untagged, else the first block, else all of the text.

    Blank blocks are passed over. What stands before a block's fence is taken off its lines: a block in a list is
    indented as a whole, which Python would not take.
    """
    blocks = [block for block in fenced_blocks(text) if block.body.strip()]
    names = _TAGS[language]
    wanted: tuple[Callable[[str], bool], ...] = (names.__contains__, lambda tag: not tag, lambda _: True)
    for fits in wanted:
        for block in blocks:
            if fits(_tag(block)):
                return _without_margin(block)
    return _unquoted(text)


def _tag(block: Block) -> str:
    """`python` of `{.python}`, `language-python`, `python:main.py` and `python,ignore`."""
    match = _TAG.match(block.language)
    return match[1] if match is not None else ""


def _without_margin(block: Block) -> str:
    body = block.body
    if block.margin:
        body = "\n".join(line[_shared(line, block.margin) :] for line in body.split("\n"))
    # Models write the closing fence behind the last line, too, where markdown sees none.
    return body.rstrip().removesuffix(_FENCE)


def _shared(line: str, margin: str) -> int:
    """How many characters of the margin the line begins with: a blank line of a quotation has only its mark."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(line, margin, strict=False)))


def _unquoted(text: str) -> str:
    """Without the backticks around a whole answer of one line."""
    inner = text.strip().strip("`")
    return inner if "`" not in inner and "\n" not in inner else text
