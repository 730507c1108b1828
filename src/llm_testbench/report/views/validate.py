"""The report of `llmtest validate`: what was checked, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llm_testbench.compare.numbers import count
from llm_testbench.errors import Place
from llm_testbench.json_value import JSON
from llm_testbench.report.document import Bullets, Document, Heading, table, text
from llm_testbench.untrusted import Untrusted


@dataclass(frozen=True)
class Flaw:
    """One fault. `place` is where it was written, as far as that is known."""

    place: Place | None
    message: str
    test_id: str = ""


@dataclass(frozen=True)
class Checked:
    """One thing that was checked. `what`: in our own words, such as `12 tests with 40 examples`."""

    name: str
    what: str
    flaws: tuple[Flaw, ...] = ()


def validate_report(checked: Sequence[Checked]) -> Document:
    """All that is wrong first, then what was looked at."""
    flaws = [flaw for one in checked for flaw in one.flaws]
    title = f"{count(len(flaws), 'fault')} found" if flaws else "All valid"
    looked_at = Bullets(tuple(text(Untrusted(one.name), f": {one.what}") for one in checked))
    if not flaws:
        return Document((Heading(1, text(title)), looked_at))
    rows = [
        (
            text(Untrusted(str(flaw.place)) if flaw.place is not None else ""),
            text(Untrusted(flaw.test_id)),
            text(Untrusted(flaw.message)),
        )
        for flaw in flaws
    ]
    columns = table([("where", "left"), ("test", "left"), ("what is wrong", "left")], rows)
    return Document((Heading(1, text(title)), columns, looked_at))


def validate_json(checked: Sequence[Checked]) -> dict[str, JSON]:
    """The same as data."""
    return {
        "valid": not any(one.flaws for one in checked),
        "checked": [{"name": one.name, "what": one.what} for one in checked],
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
