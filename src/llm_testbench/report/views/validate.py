"""The report of `llmtest validate`: what was checked, what is wrong with it, and what is weak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llm_testbench.compare.numbers import count
from llm_testbench.errors import Place
from llm_testbench.json_value import JSON
from llm_testbench.nearest import hinted
from llm_testbench.report.document import Block, Bullets, Document, Heading, Mono, table, text
from llm_testbench.suite.rules import severity_of
from llm_testbench.untrusted import Untrusted

FORM_VERSION = 1
_MOST_NAMED = 10


@dataclass(frozen=True)
class Flaw:
    """One fault, or a note. `place` is where it was written, as far as that is known. `rule`: of suite.rules.RULES."""

    place: Place | None
    message: str
    rule: str
    test_id: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether it makes the command fail."""
        return severity_of(self.rule) == "error"


@dataclass(frozen=True)
class Unproven:
    """Tests that this machine could not prove, for one reason."""

    reason: str
    test_ids: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """One thing that was checked. `what`: in our own words, such as `12 tests with 40 examples`."""

    name: str
    what: str
    flaws: tuple[Flaw, ...] = ()
    unproven: tuple[Unproven, ...] = ()

    @property
    def faults(self) -> tuple[Flaw, ...]:
        """The flaws without the notes."""
        return tuple(flaw for flaw in self.flaws if flaw.is_fault)


def validate_report(checked: Sequence[Checked]) -> Document:
    """All that is wrong first, then what is weak, then what was looked at."""
    faults = [flaw for one in checked for flaw in one.faults]
    notes = [flaw for one in checked for flaw in one.flaws if not flaw.is_fault]
    title = Heading(1, text(_title(len(faults), sum(_unproven_count(one) for one in checked), len(notes))))
    looked_at = Bullets(tuple(text(Untrusted(one.name), f": {one.what}") for one in checked))
    blocks: list[Block] = [title]
    if faults:
        blocks.append(_table(faults, "what is wrong"))
    if notes:
        blocks.append(_table(notes, "what is weak, and fails nothing"))
    return Document((*blocks, *_left_open(checked), looked_at))


def _table(flaws: Sequence[Flaw], title: str) -> Block:
    rows = [
        (
            text(Untrusted(str(flaw.place)) if flaw.place is not None else ""),
            text(Untrusted(flaw.test_id)),
            text(Untrusted(flaw.message)),
            text(Mono(flaw.rule)),
        )
        for flaw in flaws
    ]
    return table([("where", "left"), ("test", "left"), (title, "left"), ("rule", "left")], rows)


def _title(faults: int, unproven: int, notes: int) -> str:
    noted = f", {count(notes, 'note')}" if notes else ""
    if faults:
        return f"{count(faults, 'fault')} found{noted}"
    proven = f"No fault found, {count(unproven, 'test')} not proven" if unproven else "All valid"
    return f"{proven}{noted}"


def _unproven_count(one: Checked) -> int:
    return sum(len(left.test_ids) for left in one.unproven)


def _left_open(checked: Sequence[Checked]) -> tuple[Bullets, ...]:
    """What this machine could not prove: a line a reason."""
    lines = tuple(
        text(
            Untrusted(one.name),
            f": {count(len(left.test_ids), 'test')} could not be proven here, ",
            Untrusted(left.reason),
            ": ",
            Untrusted(_named(left.test_ids)),
        )
        for one in checked
        for left in one.unproven
    )
    return (Bullets(lines),) if lines else ()


def _named(test_ids: Sequence[str]) -> str:
    more = len(test_ids) - _MOST_NAMED
    return ", ".join(test_ids[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def validate_json(checked: Sequence[Checked]) -> dict[str, JSON]:
    """The same as data, for editors and scripts: docs/write-a-suite.md promises its form."""
    return {
        "schema_version": FORM_VERSION,
        "valid": not any(one.faults for one in checked),
        "checked": [{"name": one.name, "what": one.what} for one in checked],
        "unproven": [
            {"file": one.name, "reason": left.reason, "test_ids": list(left.test_ids)}
            for one in checked
            for left in one.unproven
        ],
        "faults": [
            {
                "file": flaw.place.source if flaw.place is not None else one.name,
                "line": flaw.place.line if flaw.place is not None else None,
                "column": flaw.place.column if flaw.place is not None else None,
                "test_id": flaw.test_id or None,
                "rule": flaw.rule,
                "severity": severity_of(flaw.rule),
                "message": flaw.message,
                "suggestion": hinted(flaw.message),
            }
            for one in checked
            for flaw in one.flaws
        ],
    }
