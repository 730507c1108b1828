"""The document tree that every report is built as: blocks of spans, free of any output format.

Plain `str` in a tree is the product's own words; foreign text must be `Untrusted`, and each sink
escapes it in its own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

from llm_testbench.untrusted import Untrusted

INLINE_LIMIT = 300
"""Characters of foreign text that a sink shows inside a line."""
BLOCK_LIMIT = 4000
"""The same for a block of code."""


@dataclass(frozen=True, slots=True)
class Strong:
    """Emphasised text."""

    text: str | Untrusted


@dataclass(frozen=True, slots=True)
class Mono:
    """Inline code: names, commands, values."""

    text: str | Untrusted


Span: TypeAlias = str | Untrusted | Strong | Mono
Text: TypeAlias = tuple[Span, ...]
"""Spans are joined without a separator."""


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 to 4."""

    level: int
    text: Text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A run of text."""

    text: Text


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list without order."""

    items: tuple[Text, ...]


Align: TypeAlias = Literal["left", "right"]
Title: TypeAlias = str | Untrusted


@dataclass(frozen=True, slots=True)
class Table:
    """Every row has as many cells as `columns` titles."""

    columns: tuple[Title, ...]
    rows: tuple[tuple[Text, ...], ...]
    align: tuple[Align, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A block shown as written."""

    text: str | Untrusted
    language: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """Folded where the sink can fold."""

    summary: Text
    blocks: tuple[Block, ...]


class Importance(IntEnum):
    """Where there is no room for a whole report, the lowest go first (fit.py)."""

    LIST = 0
    ROWS = 1
    ANSWER = 2
    TABLE = 3
    EVIDENCE = 4
    CONTEXT = 5
    VERDICT = 6


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that stand or fall together; sinks show them as if they stood alone.

    `name`: what a reader is told when they are left out; our own words, in the plural or uncountable.
    `claims`: where there is no room for all of it, its tables lose rows from their end, and nothing less important
    stands.
    """

    name: str
    importance: Importance
    blocks: tuple[Block, ...]
    claims: bool = False


Block: TypeAlias = "Heading | Paragraph | Bullets | Table | Code | Details | Group"
Plain: TypeAlias = "Heading | Paragraph | Bullets | Table | Code | Details"


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    blocks: tuple[Block, ...]


def ungrouped(blocks: Iterable[Block]) -> Iterator[Plain]:
    """The blocks that a reader sees, groups opened."""
    for block in blocks:
        if isinstance(block, Group):
            yield from ungrouped(block.blocks)
        else:
            yield block


def text(*spans: Span) -> Text:
    """Spans as a Text."""
    return spans


def table(columns: Sequence[tuple[Title, Align]], rows: Sequence[Sequence[Text]]) -> Table:
    """A table from (title, alignment) pairs; ValueError when a row has another number of cells."""
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"a row has {len(row)} cells, the table {len(columns)} columns")
    return Table(
        columns=tuple(title for title, _ in columns),
        rows=tuple(tuple(row) for row in rows),
        align=tuple(align for _, align in columns),
    )
