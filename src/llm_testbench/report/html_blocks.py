"""Blocks of a document as HTML: our words escaped, foreign text as code; no address, style or script comes of it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from llm_testbench.report.document import (
    BLOCK_LIMIT,
    INLINE_LIMIT,
    Align,
    Block,
    Bullets,
    Code,
    Details,
    Document,
    Group,
    Heading,
    Mono,
    Paragraph,
    Span,
    Strong,
    Table,
    Text,
)
from llm_testbench.untrusted import Untrusted

SIDE_BY_SIDE = "answers"
"""The name of groups that hold answers, each below its title."""
_DIFF_LINES = {"+": "ins", "-": "del"}


def document_html(document: Document) -> str:
    """All blocks; well-formed and balanced, whatever foreign text says."""
    return blocks_html(document.blocks)


def blocks_html(blocks: Iterable[Block]) -> str:
    """The same of some blocks."""
    return "\n".join(filter(None, map(_block, blocks)))


def foreign_line(text: Untrusted) -> str:
    """Foreign text on one line, cut and escaped."""
    return text.html_line(INLINE_LIMIT)


def _block(block: Block) -> str:
    match block:
        case Group():
            return _group(block)
        case Heading(level, text):
            # The verdict is the title of the page; elsewhere it is a section of one.
            tag = f"h{max(level - 1, 1)}"
            return f"<{tag}>{_inline(text)}</{tag}>"
        case Paragraph(text):
            return f"<p>{_inline(text)}</p>"
        case Bullets(items):
            return f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</ul>"
        case Table():
            return _table(block)
        case Code():
            return _code(block)
        case Details():
            return _details(block)


def _group(group: Group) -> str:
    inside = group.blocks
    if not inside:
        return ""
    if group.name != SIDE_BY_SIDE:
        return f'<div class="{group.importance.name.lower()}">\n{blocks_html(inside)}\n</div>'
    match inside:
        case (Details(summary, answers),):
            # A page has room: answers that a comment folds away are seen at once here.
            way = " open" if _begins(answers[0]) else ""
            return f"<details{way}><summary>{_inline(summary)}</summary>\n{_sides(answers)}\n</details>"
        case _:
            return _sides(inside)


def _sides(blocks: Sequence[Block]) -> str:
    """Each answer in a column of its own below its title, one below the other where the page is narrow."""
    starts = [index for index, block in enumerate(blocks) if _begins(block)]
    if not starts:
        return blocks_html(blocks)
    columns = [blocks[start:end] for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True)]
    shown = "\n".join(f"<div>{blocks_html(column)}</div>" for column in columns)
    return f'{blocks_html(blocks[: starts[0]])}\n<div class="sides">\n{shown}\n</div>'


def _begins(block: Block) -> bool:
    """The title of an answer: `Before: …`."""
    match block:
        case Paragraph((Strong(str() as title), *_)):
            return title.endswith(":")
        case _:
            return False


def _table(table: Table) -> str:
    heads = "".join(
        f'<th scope="col"{_align(align)}>{_span(title)}</th>'
        for title, align in zip(table.columns, table.align, strict=True)
    )
    rows = "\n".join(
        f"<tr>{''.join(_cell(cell, align) for cell, align in zip(row, table.align, strict=True))}</tr>"
        for row in table.rows
    )
    # Keys scroll what a finger scrolls.
    return (
        f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _cell(cell: Text, align: Align) -> str:
    return f"<td{_align(align)}>{_inline(cell)}</td>"


def _align(align: Align) -> str:
    return ' class="number"' if align == "right" else ""


def _code(code: Code) -> str:
    shown = _foreign(code.text).html(BLOCK_LIMIT)
    if code.language == "diff":
        shown = "\n".join(map(_diff_line, shown.split("\n")))
    return f"<pre><code>{shown}</code></pre>"


def _diff_line(line: str) -> str:
    tag = _DIFF_LINES.get(line[:1])
    return f"<{tag}>{line}</{tag}>" if tag else line


def _details(details: Details) -> str:
    return f"<details><summary>{_inline(details.summary)}</summary>\n{blocks_html(details.blocks)}\n</details>"


def _inline(text: Text) -> str:
    return "".join(map(_span, text))


def _span(span: Span) -> str:
    match span:
        case Strong(text):
            return f"<strong>{_span(text)}</strong>"
        case Mono(text):
            return f"<code>{foreign_line(_foreign(text))}</code>"
        case Untrusted():
            # As code, as in every sink: nobody else's words look like ours.
            return f"<code>{foreign_line(span)}</code>" if span else ""
        case str():
            return html.escape(re.sub(r"\s+", " ", span))


def _foreign(text: str | Untrusted) -> Untrusted:
    return text if isinstance(text, Untrusted) else Untrusted(text)
