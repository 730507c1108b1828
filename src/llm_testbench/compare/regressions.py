"""Proven and suspected drops, told in sentences: the reasons for a verdict that come from the statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llm_testbench.compare.model import WORSE, ComparedRow, Comparison, Finding, Quoted, Status
from llm_testbench.compare.numbers import apart, chance, count, points


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of the rows that may decide the verdict stand out."""

    regressions: int
    suspected: int
    improvements: int


def tally(comparison: Comparison) -> Tally:
    """Whatever fails a gate by a drop is among `regressions`, so that no output says 0 beside that verdict."""
    return Tally(
        regressions=len(standing_out(comparison, *WORSE)),
        suspected=len(standing_out(comparison, Status.SUSPECTED)),
        improvements=len(standing_out(comparison, Status.IMPROVEMENT)),
    )


def standing_out(comparison: Comparison, *statuses: Status) -> tuple[ComparedRow, ...]:
    """The rows of these statuses that may decide the verdict, the widest first.

    The whole is among them only where no model is: beside its models, which it is made of, it says nothing.
    """
    rows = tuple(row for row in comparison.gated if row.status in statuses)
    models = any(row.status in statuses for row in comparison.models)
    return tuple(row for row in rows if row is not comparison.overall) if models else rows


def proven(rows: Sequence[ComparedRow]) -> tuple[Finding, ...]:
    """One reason for each proven drop."""
    return tuple(_drops(rows, frozenset({Status.REGRESSION}), "regression"))


def drifted(rows: Sequence[ComparedRow]) -> tuple[Finding, ...]:
    """The same where nothing was changed on this side: what answers has changed."""
    return tuple(_drops(rows, frozenset({Status.DRIFT}), "drift"))


def suspected(rows: Sequence[ComparedRow]) -> tuple[Finding, ...]:
    """One reason for each drop that is not proven, for a gate that fails on these, too."""
    return tuple(_drops(rows, frozenset({Status.SUSPECTED}), "suspected"))


def _drops(rows: Sequence[ComparedRow], statuses: frozenset[Status], code: str) -> Iterator[Finding]:
    for row in rows:
        if row.status in statuses and row.delta is not None:
            yield Finding(code, (*_named(row), *_said(row)), row.model, row.test_id)


def _named(row: ComparedRow) -> tuple[str | Quoted, ...]:
    on: tuple[str | Quoted, ...] = (" on ", Quoted(row.model)) if row.model is not None else ()
    if row.test_id is not None:
        return (Quoted(row.test_id), *on)
    if row.category is not None:
        return ("category ", Quoted(row.category), *on)
    return (Quoted(row.model),) if row.model is not None else ("all models together",)


def _said(row: ComparedRow) -> tuple[str, ...]:
    verb = " dropped" if row.status in WORSE else " may have dropped"
    size = f" by {points(-(row.delta or 0.0))}"
    if row.test_id is not None and row.baseline is not None and row.current is not None:
        before, now = apart(row.baseline.mean or 0.0, row.current.mean or 0.0)
        size = f" from {before} to {now}"
    if row.test_id is None:
        tests = f" over {count(row.current.n, 'test')}" if row.current is not None else ""
        odds = f": chance alone would give that {chance(row.p_worse)}" if row.p_worse is not None else ""
        return (f"{verb}{size}{tests}{odds}",)
    asked = row.asked
    if asked is not None and asked.p is not None and row.status in WORSE:
        return (f"{verb}{size}, also when asked again: chance alone would give that {chance(asked.p)}",)
    if row.expected is not None:
        return (f"{verb}{size}: chance alone would give {row.expected:.2g} such tests",)
    return (f"{verb}{size}",)
