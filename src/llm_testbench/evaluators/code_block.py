"""Which part of an answer is its code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice

from llm_testbench.evaluators.fences import MAX_BLOCKS, Block, fenced_blocks

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


def code_in(text: str, language: str) -> str:
    """The first fenced block of that language, else the first untagged, else the first block, else all of the text.

    Blank blocks are passed over.
    """
    blocks = [block for block in islice(fenced_blocks(text), MAX_BLOCKS) if block.body.strip()]
    names = _TAGS[language]
    wanted: tuple[Callable[[str], bool], ...] = (names.__contains__, lambda tag: not tag, lambda _: True)
    for fits in wanted:
        for block in blocks:
            if fits(_tag(block)):
                return block.content()
    return _unquoted(text)


def _tag(block: Block) -> str:
    """`python` of `{.python}`, `language-python`, `python:main.py` and `python,ignore`."""
    match = _TAG.match(block.language)
    return match[1] if match is not None else ""


def _unquoted(text: str) -> str:
    """Without the backticks around a whole answer of one line."""
    inner = text.strip().strip("`")
    return inner if "`" not in inner and "\n" not in inner else text
