"""Puts entries into accepted.yaml and leaves what else stands there as it is: order, reasons, comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from llm_testbench import yaml12
from llm_testbench.compare.accepted_form import to_yaml
from llm_testbench.compare.model import Acceptance
from llm_testbench.errors import InputError
from llm_testbench.settings.accepted_file import parse

_ITEM = re.compile(r"( *)- ")
_NOTHING = re.compile(r"\s*(#.*)?")
_OTHER_BREAKS = re.compile("\r(?!\n)|[\x85\u2028\u2029]")  # where YAML's reader begins a line, too


@dataclass(frozen=True, slots=True)
class Merge:
    """`places`: what now stands in place of each old entry, None: nothing. `added` comes behind them."""

    places: tuple[Acceptance | None, ...]
    added: tuple[Acceptance, ...]

    @property
    def entries(self) -> tuple[Acceptance, ...]:
        """All of them, in order."""
        return (*(entry for entry in self.places if entry is not None), *self.added)


def merge(old: Sequence[Acceptance], new: Sequence[Acceptance]) -> Merge:
    """A new entry takes the place of the old one of the same cell or row; of a row, cells that it lacks are kept.

    What a new entry of a row holds is in no other entry afterwards: an older one would go before it, or contradict.
    """
    by_row = {_row(entry): entry for entry in new}
    held = {(entry.model, test) for entry in new if entry.test is None for test in entry.tests}

    def now(entry: Acceptance) -> Acceptance | None:
        same = by_row.get(_row(entry))
        tests = {test: scores for test, scores in entry.tests.items() if (entry.model, test) not in held}
        if same is not None:
            return replace(same, tests={**tests, **same.tests})
        return (entry if len(tests) == len(entry.tests) else replace(entry, tests=tests)) if tests else None

    known = {_row(entry) for entry in old}
    return Merge(tuple(now(entry) for entry in old), tuple(entry for entry in new if _row(entry) not in known))


def edited(content: str, old: Sequence[Acceptance], merged: Merge) -> str:
    """The file's text with the merge in it. `old`: its entries, as `content` has them.

    Entries that stay, and comments, are left as they are written where each entry begins a line with a dash; a file in
    another form is written anew.
    """
    if _OTHER_BREAKS.search(content) is None:
        text = _in_place(content, old, merged)
        with suppress(InputError):
            if parse(text, "") == merged.entries:
                return text
    return to_yaml(merged.entries)


def _row(entry: Acceptance) -> tuple[str, str | None, str | None]:
    return entry.model, entry.category, entry.test


def _in_place(content: str, old: Sequence[Acceptance], merged: Merge) -> str:
    """Right only where entries begin lines of their own: what comes out has to be read again to be sure."""
    lines = content.removesuffix("\n").split("\n") if content else []
    positions = yaml12.read(content, "").positions
    starts = [positions[number,][0] - 1 for number in range(len(old))]
    dash = _ITEM.match(lines[starts[0]]) if starts else None
    indent = dash[1] if dash is not None else ""
    kept = lines[: starts[0]] if starts else lines
    for number, (before, now) in enumerate(zip(old, merged.places, strict=True)):
        following = starts[number + 1] if number + 1 < len(starts) else len(lines)
        end = following
        while _NOTHING.fullmatch(lines[end - 1]):
            end -= 1  # what stands above the next entry belongs to that
        kept += lines[starts[number] : end] if now == before else _written(now, indent)
        kept += lines[end:following]
    for entry in merged.added:
        kept += _written(entry, indent)
    return "".join(f"{line}\n" for line in kept)


def _written(entry: Acceptance | None, indent: str) -> list[str]:
    return [f"{indent}{line}" for line in to_yaml((entry,)).splitlines()] if entry is not None else []
