"""A report that must not be longer than a limit: whole groups of blocks are left out, and it says which.

A cut through the middle would leave a fold or a fence open, and a reader without the verdict. So a report
is put together from its most important group downwards, and each joins if it still fits. One that is too
large is left out alone: it does not take everything below it along.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from llm_testbench.report.document import Block, Details, Document, Group, Importance, Paragraph, text

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
    groups = dict(_groups(blocks, (), Importance.VERDICT))
    kept: frozenset[_Path] = frozenset()
    shown = _shown(blocks, groups, kept, render)
    if size(shown) > limit:
        return ""
    for path in sorted(groups, key=lambda path: (-groups[path][0], path)):
        if not _open(path, groups, kept):
            continue
        longer = _shown(blocks, groups, kept | {path}, render)
        # What is left out has to be named, so a short group may make the report shorter.
        if size(longer) <= limit:
            kept, shown = kept | {path}, longer
        elif not kept:
            return ""
    return shown


_PLAIN = Importance.TABLE


def size(rendered: str) -> int:
    """Bytes of UTF-8, as GitHub counts; what has no UTF-8 counts as it is written to files."""
    return len(rendered.encode("utf-8", "backslashreplace"))


def _groups(blocks: Sequence[Block], path: _Path, most: Importance) -> Iterator[tuple[_Path, tuple[Importance, str]]]:
    """Every group of the tree, with its name; none outlives the one around it."""
    for index, block in enumerate(blocks):
        here = (*path, index)
        match block:
            case Group(name, importance, inside):
                yield here, (min(importance, most), name)
                yield from _groups(inside, here, min(importance, most))
            case Details(_, inside):
                yield from _groups(inside, here, most)
            case _:
                pass


def _open(path: _Path, groups: dict[_Path, tuple[Importance, str]], kept: frozenset[_Path]) -> bool:
    """Whether all groups around this one are kept."""
    return all(path[:length] in kept for length in range(1, len(path)) if path[:length] in groups)


def _shown(
    blocks: Sequence[Block],
    groups: dict[_Path, tuple[Importance, str]],
    kept: frozenset[_Path],
    render: Callable[[Document], str],
) -> str:
    """With the groups of `kept`, and a note of the others that do not stand in one that is left out itself."""
    missing = [groups[path][1] for path in sorted(groups) if path not in kept and _open(path, groups, kept)]
    note = (_note(missing),) if missing else ()
    return render(Document((*_pruned(blocks, (), kept), *note)))


def _pruned(blocks: Sequence[Block], path: _Path, kept: frozenset[_Path]) -> Iterator[Block]:
    for index, block in enumerate(blocks):
        here = (*path, index)
        match block:
            case Group(_, _, inside):
                if here in kept:
                    yield from _pruned(inside, here, kept)
            case Details(summary, inside):
                left = tuple(_pruned(inside, here, kept))
                if left or not inside:
                    yield Details(summary, left)
            case _:
                yield block


def _note(names: Sequence[str]) -> Paragraph:
    counted = [name if number == 1 else f"{name} ({number} times)" for name, number in Counter(names).items()]
    more = [f"{len(counted) - MOST_NAMED} other parts"] if len(counted) > MOST_NAMED else []
    return Paragraph(
        text(f"Left out here, for there is no room: {', '.join([*counted[:MOST_NAMED], *more])}. report.md has it all.")
    )
