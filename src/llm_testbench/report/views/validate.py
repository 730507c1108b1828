"""The report of `llmtest validate`: what was checked, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llm_testbench.compare.numbers import count
from llm_testbench.errors import Place
from llm_testbench.json_value import JSON
from llm_testbench.report.document import Bullets, Document, Heading, table, text
from llm_testbench.untrusted import Untrusted

_MOST_NAMED = 10


@dataclass(frozen=True)
class Flaw:
    """One fault. `place` is where it was written, as far as that is known."""

    place: Place | None
    message: str
    test_id: str = ""


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


def validate_report(checked: Sequence[Checked]) -> Document:
    """All that is wrong first, then what was looked at."""
    flaws = [flaw for one in checked for flaw in one.flaws]
    title = Heading(1, text(_title(len(flaws), sum(_unproven_count(one) for one in checked))))
    looked_at = Bullets(tuple(text(Untrusted(one.name), f": {one.what}") for one in checked))
    left_open = _left_open(checked)
    if not flaws:
        return Document((title, *left_open, looked_at))
    rows = [
        (
            text(Untrusted(str(flaw.place)) if flaw.place is not None else ""),
            text(Untrusted(flaw.test_id)),
            text(Untrusted(flaw.message)),
        )
        for flaw in flaws
    ]
    columns = table([("where", "left"), ("test", "left"), ("what is wrong", "left")], rows)
    return Document((title, columns, *left_open, looked_at))


def _title(flaws: int, unproven: int) -> str:
    if flaws:
        return f"{count(flaws, 'fault')} found"
    return f"No fault found, {count(unproven, 'test')} not proven" if unproven else "All valid"


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
    """The same as data."""
    return {
        "valid": not any(one.flaws for one in checked),
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
                "message": flaw.message,
            }
            for one in checked
            for flaw in one.flaws
        ],
    }
