r"""A document as GitHub-flavoured markdown: comment, job summary and `report.md`.

Foreign text goes out as code (see untrusted.py). Our own words are escaped so that they read to the
letter: `[0.50-1.00]` is no link and `py_test` no emphasis.
"""

from __future__ import annotations

import html
import re

from llm_testbench.report.document import (
    BLOCK_LIMIT,
    INLINE_LIMIT,
    Bullets,
    Code,
    Details,
    Document,
    Heading,
    Mono,
    Paragraph,
    Plain,
    Span,
    Strong,
    Table,
    Text,
    ungrouped,
)
from llm_testbench.untrusted import Untrusted

# An underscore inside a word is no markup in GFM, and the words read better without escapes.
_MARKUP = re.compile(r"[\\`*<>&|~$\[\]#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# Where a backslash would not do: a table cell ends at any pipe, and code borders ignore it.
_ENTITIES = {"|": "&#124;", "`": "&#96;", "\\": "&#92;", "<": "&lt;", "&": "&amp;"}
_BLOCK_START = re.compile(r"^(\d*)([-+=.)])")
_WORD_JOINER = "&#8288;"


def render(document: Document) -> str:
    """The whole document; ends with a line break."""
    return "\n\n".join(_block(block) for block in ungrouped(document.blocks)) + "\n"


def _block(block: Plain) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {_line(text)}"
        case Paragraph(text):
            return _line(text)
        case Bullets(items):
            return "\n".join(f"- {_line(item)}" for item in items)
        case Table():
            return _table(block)
        case Code(text, language):
            return _foreign(text).markdown_block(BLOCK_LIMIT, language or "text")
        case Details(summary, blocks):
            inner = "\n\n".join(_block(inside) for inside in ungrouped(blocks))
            return f"<details>\n<summary>{_summary(summary)}</summary>\n\n{inner}\n\n</details>"


def _table(table: Table) -> str:
    rule = ["---:" if align == "right" else ":---" for align in table.align]
    rows = [[_span(title) for title in table.columns], rule]
    rows += [[_inline(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _line(text: Text) -> str:
    """Inline text at the start of a line, where a dash or a number would begin a list."""
    return _BLOCK_START.sub(r"\1\\\2", _inline(text).lstrip(" "))


def _inline(text: Text) -> str:
    line = ""
    for span in text:
        piece = _span(span)
        # Two code spans that touch would become one with other borders.
        line += (_WORD_JOINER if line.endswith("`") and piece.startswith("`") else "") + piece
    return line


def _span(span: Span) -> str:
    match span:
        case Strong(text):
            # The tag works where `**` does not: next to punctuation, as that of a code span.
            return f"<strong>{_span(text)}</strong>"
        case Mono(text):
            return _foreign(text).markdown(INLINE_LIMIT)
        case Untrusted():
            return span.markdown(INLINE_LIMIT)
        case str():
            return _words(span)


def _words(words: str) -> str:
    return _MARKUP.sub(lambda match: _ENTITIES.get(match.group(), f"\\{match.group()}"), re.sub(r"\s+", " ", words))


def _summary(text: Text) -> str:
    """HTML on one line: GitHub reads no markdown inside the tag."""
    return "".join(_summary_span(span) for span in text)


def _summary_span(span: Span) -> str:
    match span:
        case Strong(text):
            return f"<strong>{_summary_span(text)}</strong>"
        case Mono(text):
            return f"<code>{_foreign(text).html_line(INLINE_LIMIT)}</code>"
        case Untrusted():
            return f"<code>{span.html_line(INLINE_LIMIT)}</code>"
        case str():
            return html.escape(re.sub(r"\s+", " ", span))


def _foreign(text: str | Untrusted) -> Untrusted:
    return text if isinstance(text, Untrusted) else Untrusted(text)
