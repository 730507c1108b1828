"""Which compilers and interpreters a machine lacked, and which tests it could not check for that."""

from __future__ import annotations

from collections.abc import Iterable

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import counted
from llm_testbench.artifact.model import Row
from llm_testbench.compare.model import Finding, Quoted
from llm_testbench.compare.numbers import count

LACKING = "toolchain_missing"
MOST_REASONS, MOST_TESTS = 6, 5
_LONGEST = 200  # characters of a reason, which may come from an artifact that somebody else wrote


def lacking(rows: Iterable[Row]) -> tuple[Finding, ...]:
    """One for each reason, as skipped attempts tell it; the most frequent ones."""
    found: dict[str, dict[str, None]] = {}
    for row in counted(rows):
        if row.skipped and row.outcome is Outcome.TOOLCHAIN_MISSING:
            found.setdefault(row.reason[:_LONGEST], {})[row.test_id] = None
    by_size = sorted(found.items(), key=lambda item: -len(item[1]))
    return tuple(_finding(reason, list(tests)) for reason, tests in by_size[:MOST_REASONS])


def _finding(reason: str, tests: list[str]) -> Finding:
    were = "was" if len(tests) == 1 else "were"
    more = f" and {len(tests) - MOST_TESTS} more" if len(tests) > MOST_TESTS else ""
    words = (
        f"{count(len(tests), 'test')} {were} skipped: ",
        *((Quoted(reason),) if reason else ("a compiler or interpreter is missing",)),
        "; ",
        Quoted(", ".join(tests[:MOST_TESTS])),
        more,
    )
    return Finding(LACKING, tuple(part for part in words if part))
