"""Which part of an answer is its code."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from html import unescape
from itertools import islice

from llm_testbench.evaluators.fences import MAX_BLOCKS, fenced_blocks

_TAGS: Mapping[str, frozenset[str]] = {
    "python": frozenset({"python", "py", "python2", "python3", "py3"}),
    "go": frozenset({"go", "golang"}),
    "c": frozenset({"c", "c99", "c11", "c17", "c23"}),
    "typescript": frozenset({"typescript", "ts", "mts", "tsx"}),
    "javascript": frozenset({"javascript", "js", "mjs", "cjs", "jsx", "node"}),
    "bash": frozenset({"bash", "sh", "shell", "zsh"}),
    "sql": frozenset(
        {"sql", "sqlite", "sqlite3", "mysql", "mariadb", "postgresql", "postgres", "psql", "pgsql", "tsql", "plsql"}
    ),
}
"""What models write behind a fence, by language."""

_FENCE = "```"
_LATE_FENCE = re.compile(r"(?<=[ \t:])```[ \t]*+[\w+#.-]{0,40}+[ \t]*+\n")
_FENCE_AT_BEGIN = re.compile(r"^[ \t>]{0,40}(?:```|~~~)", re.MULTILINE)
_PRE = re.compile(
    r"^[ \t]{0,40}<pre(?:\s[^<>]{0,200})?>\s{0,8}(?:<code(?:\s[^<>]{0,200})?>)?", re.MULTILINE | re.IGNORECASE
)
_AFTER_PRE = re.compile(r"(?:</code>\s{0,8})?</pre>", re.IGNORECASE)
_CODE = re.compile(r"<code(?:\s[^<>]{0,200})?>(.*)</code>", re.DOTALL | re.IGNORECASE)


def code_in(text: str, language: str) -> str:
    """The first fenced block of that language, else the first untagged, else the first block, else all of the text.

    Blank blocks are passed over. Where no block is fenced, backticks and HTML around the code do not count.
    """
    found = islice(fenced_blocks(_with_fence_on_its_line(text)), MAX_BLOCKS)
    blocks = [block for block in found if block.body.strip()]
    names = _TAGS[language]
    wanted: tuple[Callable[[str], bool], ...] = (names.__contains__, lambda tag: not tag, lambda _: True)
    for fits in wanted:
        for block in blocks:
            if fits(block.tag()):
                return block.content()
    return _of_html(text) or _within_a_line(text, names) or text


def _with_fence_on_its_line(text: str) -> str:
    """Models end a line with a fence, "Here it is: ```python", where markdown sees none."""
    late, fence = _LATE_FENCE.search(text), _FENCE_AT_BEGIN.search(text)
    if late is None or (fence is not None and fence.start() < late.start()):
        return text
    return f"{text[: late.start()]}\n{text[late.start() :]}"


def _within_a_line(text: str, names: Collection[str]) -> str | None:
    """What stands between the backticks around a whole answer of one line."""
    inner = text.strip().strip("`")
    if "`" not in inner and "\n" not in inner:
        word, _, rest = inner.partition(" ")
        return rest if text.strip().startswith(_FENCE) and word.lower() in names else inner
    return None


def _of_html(text: str) -> str | None:
    """What stands in the first `<pre>` that begins a line, or in a `<code>` that is the whole answer."""
    if (opened := _PRE.search(text)) is not None and (closed := _AFTER_PRE.search(text, opened.end())) is not None:
        return unescape(text[opened.end() : closed.start()])
    whole = _CODE.fullmatch(text.strip())
    return unescape(whole[1]) if whole is not None else None
