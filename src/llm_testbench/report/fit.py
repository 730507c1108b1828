"""A report that must not be longer than a limit: whole groups of blocks are left out, and it says which.

A cut through the middle would leave a fold or a fence open, and a reader without the verdict. So a report
is put together from its most important group downwards, and each joins if it still fits. One that is too
large is left out alone: it does not take everything below it along. But one that claims its room does, and
rather loses rows of its tables: of what got worse no row is missing while lists of what did not change stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from llm_testbench.report.document import Block, Details, Document, Group, Importance, Paragraph, Table, text

MOST_NAMED = 8
UNNAMED = "other parts"

_Path = tuple[int, ...]
"""Where a group stands: the index at each level of the tree."""


def fit(document: Document, limit: int, render: Callable[[Document], str]) -> str:
    """The rendered document, at most `limit` bytes of UTF-8; empty when not even the most important group fits.

    A block outside of any group counts as one of Importance.TABLE. Of equal ones the later is left out first.
    """
    whole = render(document)
    if size(whole) <= limit:
        return whole
    blocks = tuple(block if isinstance(block, Group) else Group(UNNAMED, _PLAIN, (block,)) for block in document.blocks)
    return _Fitting(blocks, limit, render).fitted()


_PLAIN = Importance.TABLE


def size(rendered: str) -> int:
    """Bytes of UTF-8, as GitHub counts; what has no UTF-8 counts as it is written to files."""
    return len(rendered.encode("utf-8", "backslashreplace"))


@dataclass(frozen=True, slots=True)
class _Part:
    """A group in its place. `importance`: none outlives the one around it. `rows`: of its largest own table."""

    name: str
    importance: Importance
    claims: bool
    rows: int


class _Fitting:
    """One report on its way into its limit. `kept`: the groups that stand, each with how many rows of its tables."""

    def __init__(self, blocks: tuple[Block, ...], limit: int, render: Callable[[Document], str]) -> None:
        self._blocks = blocks
        self._limit = limit
        self._render = render
        self._parts = dict(_parts(blocks, (), Importance.VERDICT))

    def fitted(self) -> str:
        """From the most important group downwards."""
        kept: dict[_Path, int] = {}
        shown = self._shown(kept)
        if size(shown) > self._limit:
            return ""
        least = Importance.LIST  # what still may stand
        for path in sorted(self._parts, key=lambda path: (-self._parts[path].importance, path)):
            part = self._parts[path]
            if part.importance < least or not self._open(path, kept):
                continue
            # What is left out has to be named, so a short group may make the report shorter.
            found = self._longest(kept, path)
            if found is not None:
                kept, shown = found
            elif not kept:
                return ""
            if part.claims and kept.get(path, -1) < part.rows:
                least = part.importance
        return shown

    def _longest(self, kept: dict[_Path, int], path: _Path) -> tuple[dict[_Path, int], str] | None:
        """With this group too, and as many rows of it as there is room for; None where there is none."""
        part = self._parts[path]

        def tried(rows: int) -> tuple[dict[_Path, int], str] | None:
            more = {**kept, path: rows}
            shown = self._shown(more)
            return (more, shown) if size(shown) <= self._limit else None

        best = tried(part.rows)
        if best is not None or not part.claims:
            return best
        low, high = 0, part.rows  # no row is no table
        while high - low > 1:
            middle = (low + high) // 2
            found = tried(middle)
            if found is None:
                high = middle
            else:
                best, low = found, middle
        return best

    def _open(self, path: _Path, kept: Collection[_Path]) -> bool:
        """Whether all groups around this one are kept."""
        return all(path[:length] in kept for length in range(1, len(path)) if path[:length] in self._parts)

    def _shown(self, kept: Mapping[_Path, int]) -> str:
        """With the groups of `kept`, and a note of the others that do not stand in one that is left out itself."""
        parts = self._parts
        missing = [parts[path].name for path in sorted(parts) if path not in kept and self._open(path, kept)]
        note = (_note(missing),) if missing else ()
        return self._render(Document((*_pruned(self._blocks, (), kept, 0), *note)))


def _parts(blocks: Sequence[Block], path: _Path, most: Importance) -> Iterator[tuple[_Path, _Part]]:
    """Every group of the tree; none outlives the one around it."""
    for index, block in enumerate(blocks):
        here = (*path, index)
        match block:
            case Group(name, importance, inside, claims):
                least = min(importance, most)
                yield here, _Part(name, least, claims, max(_rows(inside), default=0))
                yield from _parts(inside, here, least)
            case Details(_, inside):
                yield from _parts(inside, here, most)
            case _:
                pass


def _rows(blocks: Iterable[Block]) -> Iterator[int]:
    """Of each table that belongs to no inner group."""
    for block in blocks:
        match block:
            case Table(_, rows):
                yield len(rows)
            case Details(_, inside):
                yield from _rows(inside)
            case _:
                pass


def _pruned(blocks: Sequence[Block], path: _Path, kept: Mapping[_Path, int], rows: int) -> Iterator[Block]:
    """`rows`: at most so many in a table."""
    for index, block in enumerate(blocks):
        here = (*path, index)
        match block:
            case Group(_, _, inside):
                if here in kept:
                    yield from _pruned(inside, here, kept, kept[here])
            case Details(summary, inside):
                left = tuple(_pruned(inside, here, kept, rows))
                if left or not inside:
                    yield Details(summary, left)
            case Table() if rows < len(block.rows):
                yield replace(block, rows=block.rows[:rows])
                left_out = len(block.rows) - rows
                yield Paragraph(text(f"and {left_out} more, for which there is no room here: report.md has them all"))
            case _:
                yield block


def _note(names: Sequence[str]) -> Paragraph:
    counted = [name if number == 1 else f"{name} ({number} times)" for name, number in Counter(names).items()]
    more = [f"{len(counted) - MOST_NAMED} other parts"] if len(counted) > MOST_NAMED else []
    return Paragraph(
        text(f"Left out here, for there is no room: {', '.join([*counted[:MOST_NAMED], *more])}. report.md has it all.")
    )
