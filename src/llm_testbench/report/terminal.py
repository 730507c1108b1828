"""A document for a terminal: wrapped to its width, tables by tabulate, colour only when asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

import tabulate

from llm_testbench.report.character_cells import cut, width_of
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
from llm_testbench.untrusted import Untrusted, without_workflow_command

NARROWEST = 20  # characters; a narrower terminal gets lines that it wraps by itself
NARROWEST_COLUMN = 8
_LONGEST_WORD = 16  # of a title of ours
_NAME_SHARE = 3  # the first column keeps its names whole up to this part of the width
_GAP = 2  # between columns, as tabulate's "simple" format has it

# Room that tabulate adds to each title, and that a narrow table of many columns has not got.
tabulate.MIN_PADDING = 0

_Style: TypeAlias = Literal["", "strong", "mono"]
_CODES: dict[_Style, str] = {"strong": "1", "mono": "36"}
_COLOR = re.compile(r"\x1b\[\d+m")
_TOKEN = re.compile(r"\s+|\S+")


@dataclass(frozen=True, slots=True)
class _Styled:
    """Text with a style per character."""

    text: str
    styles: tuple[_Style, ...]


def render(document: Document, width: int, *, color: bool) -> str:
    """The whole document, `width` characters wide where words allow it; ends with a line break."""
    page = _Page(max(width, NARROWEST), color)
    lines = [line for block in ungrouped(document.blocks) for line in (*page.block(block), "")]
    return "\n".join(_harmless(line.rstrip()) for line in lines[:-1]) + "\n"


def _harmless(line: str) -> str:
    # Wrapping may bring `::` to the start of a line, and colour may stand before it.
    plain = _COLOR.sub("", line)
    return without_workflow_command(line if line == plain or not plain.lstrip().startswith("::") else plain)


@dataclass(frozen=True, slots=True)
class _Page:
    width: int
    color: bool

    def block(self, block: Plain) -> list[str]:
        match block:
            case Heading(level, text):
                return self._heading(level, text)
            case Paragraph(text):
                return self._wrapped(text, self.width)
            case Bullets(items):
                return [line for item in items for line in self._bullet(item)]
            case Table():
                return self._table(block)
            case Code(text):
                return [f"  │ {line}" for line in _foreign(text).terminal_lines(BLOCK_LIMIT)]
            case Details(summary, blocks):
                inner = _Page(max(self.width - 2, NARROWEST), self.color)
                body = [line for inside in ungrouped(blocks) for line in ("", *inner.block(inside))]
                return [*self._wrapped(("▾ ", *summary), self.width), *(f"  {line}" for line in body)]

    def _heading(self, level: int, text: Text) -> list[str]:
        bold = tuple(Strong(span) if isinstance(span, str | Untrusted) else span for span in text)
        lines = self._wrapped(bold, self.width)
        if level > 2:
            return lines
        longest = max(width_of(line) for line in self._plain(text))
        return [*lines, ("═" if level == 1 else "─") * longest]

    def _bullet(self, item: Text) -> list[str]:
        first, *rest = self._wrapped(item, self.width - 2)
        return [f"- {first}", *(f"  {line}" for line in rest)]

    def _table(self, table: Table) -> list[str]:
        cells = [[_styled(cell) for cell in row] for row in table.rows]
        titles = [_styled((title,)) for title in table.columns]
        widths = _column_widths([title.text for title in titles], _widths(cells), _longest_name(cells), self.width)
        body = [["\n".join(self._lines(cell, width)) for cell, width in zip(row, widths, strict=True)] for row in cells]
        if not body:
            body = [["–"] + [""] * (len(titles) - 1)]
        heads = ["\n".join(self._lines(title, width)) for title, width in zip(titles, widths, strict=True)]
        text = tabulate.tabulate(body, heads, tablefmt="simple", colalign=table.align, disable_numparse=True)
        return text.split("\n")

    def _plain(self, text: Text) -> list[str]:
        return _Page(self.width, color=False)._wrapped(text, self.width)

    def _wrapped(self, text: Text, width: int) -> list[str]:
        return self._lines(_styled(text), width)

    def _lines(self, styled: _Styled, width: int) -> list[str]:
        return [self._painted(styled, start, end) for start, end in _wrap(styled.text, width)]

    def _painted(self, styled: _Styled, start: int, end: int) -> str:
        if not self.color:
            return styled.text[start:end]
        painted = ""
        for style, run in groupby(range(start, end), key=lambda index: styled.styles[index]):
            piece = "".join(styled.text[index] for index in run)
            painted += f"\x1b[{_CODES[style]}m{piece}\x1b[0m" if style else piece
        return painted


def _wrap(text: str, width: int) -> list[tuple[int, int]]:
    """Lines as (start, end) in the text, broken at spaces, and inside a word that is wider than a line."""
    lines: list[tuple[int, int]] = []
    start: int | None = None
    end = used = 0
    for match in _TOKEN.finditer(text):
        if match.group().isspace():
            continue
        for first, last in _pieces(text, match.start(), match.end(), width):
            gap = first - end if start is not None else 0
            size = width_of(text[first:last])
            if start is not None and used + gap + size > width:
                lines.append((start, end))
                start = None
            if start is None:
                start, used, gap = first, 0, 0
            used += gap + size
            end = last
    return [*lines, (start, end)] if start is not None else lines or [(0, 0)]


def _pieces(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    while start < end:
        length = cut(text[start:end], width)
        yield start, start + length
        start += length


def _column_widths(titles: Sequence[str], rows: Sequence[Sequence[int]], name: int, width: int) -> list[int]:
    """Natural widths, the widest columns cut down to one common width when the table is too wide.

    No word of a title is cut for that, but a name as long as those of models may be. Those of the first column, by
    which a row is found again and copied, stay whole where all fits with them; `name` is the longest.
    """
    words = [max(map(width_of, title.split()), default=0) for title in titles]
    least = [min(word, _LONGEST_WORD) for word in words]
    natural = [max(column) for column in zip(map(width_of, titles), *rows, strict=True)]
    room = width - _GAP * (len(natural) - 1)
    if name <= width // _NAME_SHARE:
        whole = _capped(natural, [max(least[0], name), *least[1:]], room)
        if sum(whole) <= room:
            return whole
    return _capped(natural, least, room)


def _capped(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The natural widths under the largest common cap that fits the room, none below its least."""

    def under(cap: int) -> list[int]:
        return [max(min(size, cap), floor) for size, floor in zip(natural, least, strict=True)]

    cap = max(natural, default=0)
    while cap > NARROWEST_COLUMN and sum(under(cap)) > room:
        cap -= 1
    return under(cap)


def _longest_name(rows: Sequence[Sequence[_Styled]]) -> int:
    return max((width_of(word) for row in rows for word in row[0].text.split()), default=0)


def _widths(cells: Sequence[Sequence[_Styled]]) -> list[list[int]]:
    return [[width_of(cell.text) for cell in row] for row in cells]


def _styled(text: Text) -> _Styled:
    pieces = [_span(span) for span in text]
    return _Styled(
        "".join(piece for piece, _ in pieces),
        tuple(style for piece, style in pieces for _ in piece),
    )


def _span(span: Span) -> tuple[str, _Style]:
    match span:
        case Strong(text):
            return _shown(text), "strong"
        case Mono(text):
            return _shown(text), "mono"
        case str() | Untrusted():
            return _shown(span), ""


def _shown(text: str | Untrusted) -> str:
    return text.terminal(INLINE_LIMIT) if isinstance(text, Untrusted) else text


def _foreign(text: str | Untrusted) -> Untrusted:
    return text if isinstance(text, Untrusted) else Untrusted(text)
