"""What is suspected, with what would settle it, and what got better: short lists above the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from llm_testbench.artifact.cells import CellKey
from llm_testbench.compare.model import WORSE, ComparedRow, Comparison, Status
from llm_testbench.compare.numbers import count
from llm_testbench.report import figures
from llm_testbench.report.document import Block, Bullets, Heading, Mono, Paragraph, Span, Strong, Text, text
from llm_testbench.report.views.certainty import (
    before_and_now,
    by_shuffling,
    change,
    families,
    of_test,
    sentence,
    settle,
)
from llm_testbench.report.views.evidence import key_of, suspects
from llm_testbench.report.views.evidence_blocks import cell_name
from llm_testbench.untrusted import Untrusted

MOST_LISTED = 5


def suspected_blocks(
    comparison: Comparison, by_grade: Collection[CellKey], shown_above: Collection[CellKey] = ()
) -> list[Block]:
    """Rows over several tests first; nothing where nothing is suspected."""
    proven = _proven(comparison)
    wide = [
        (row, (*_name(row), f": {_wide(row, len(rows))}"))
        for rows in families(comparison)
        for row in rows
        if row.status is Status.SUSPECTED
        and not (row.category is not None and {None, row.category} & proven[row.model])
    ]
    single = [
        (row, (*cell_name(row), f": {_single(row, by_grade)}"))
        for row in suspects(comparison)
        if key_of(row) not in shown_above
    ]
    lines = [*wide, *single]
    if not lines:
        return []
    shown = lines[:MOST_LISTED]
    hints = [settle(row) for row, _ in shown]
    one = len(set(hints)) == 1
    items = [
        text(*line, *([f". {sentence(hint)}"] if hint and not one else []))
        for (_, line), hint in zip(shown, hints, strict=True)
    ]
    if len(lines) > MOST_LISTED:
        items.append(text(f"and {len(lines) - MOST_LISTED} more: see the tables below"))
    last: list[Block] = []
    if one and hints[0]:
        last = [Paragraph(text(sentence(hints[0])))]
    return [Heading(3, text("Suspected, not proven")), Bullets(tuple(items)), *last]


def _proven(comparison: Comparison) -> defaultdict[str | None, set[str | None]]:
    """By model, what is proven worse: None for the model itself, else the category of a test.

    Beside that nobody has to suspect a category, which can prove nothing by itself where it is not gated.
    """
    found: defaultdict[str | None, set[str | None]] = defaultdict(set)
    if "category" not in comparison.gate_levels:
        for row in (*comparison.models, *comparison.tests):
            if row.status in WORSE:
                found[row.model].add(row.category)
    return found


def better_blocks(comparison: Comparison, by_grade: Collection[CellKey]) -> list[Block]:
    """One line: what got better is good to know, and nothing follows from it."""
    rows = sorted(
        (row for row in comparison.tests if row.status is Status.IMPROVEMENT),
        key=lambda row: (-(row.delta or 0.0), key_of(row)),
    )
    if not rows:
        return []
    several = len(comparison.models) > 1
    spans: list[Span] = []
    for row in rows[:MOST_LISTED]:
        name = cell_name(row) if several else cell_name(row)[:1]
        spans += [", ", *name, f" ({before_and_now(row, by_grade)})"]
    more = f" and {len(rows) - MOST_LISTED} more" if len(rows) > MOST_LISTED else ""
    noun = "result" if several else "test"
    return [Paragraph(text(Strong("Better:"), f" {count(len(rows), noun)}: ", *spans[1:], more))]


def _wide(row: ComparedRow, looked_at: int) -> str:
    means = [figures.score(side.mean) if side else figures.NOTHING for side in (row.baseline, row.current)]
    tests = count(row.current.n if row.current else 0, "test")
    said = [f"{' → '.join(means)} over {tests}, {change(row, ' points')}"]
    return "; ".join([*said, *filter(None, [by_shuffling(row, looked_at)])])


def _single(row: ComparedRow, by_grade: Collection[CellKey]) -> str:
    return "; ".join(filter(None, [before_and_now(row, by_grade), of_test(row, by_grade)]))


def _name(row: ComparedRow) -> Text:
    on: Text = () if row.model is None else (" on ", Mono(Untrusted(row.model)))
    if row.category is not None:
        return ("category ", Mono(Untrusted(row.category)), *on)
    return ("all models together",) if row.model is None else (Mono(Untrusted(row.model)), " as a whole")
