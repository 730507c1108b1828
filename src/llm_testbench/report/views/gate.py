"""The report of a gate or a comparison: verdict, why, the evidence, what to mind, then the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.artifact.model import Artifact, TestEntry
from llm_testbench.artifact.price import Price
from llm_testbench.compare.model import ComparedRow, Comparison, Finding, Quoted, Status, Verdict
from llm_testbench.compare.numbers import count
from llm_testbench.compare.rows import direction
from llm_testbench.report import figures
from llm_testbench.report.document import (
    Align,
    Block,
    Bullets,
    Details,
    Document,
    Heading,
    Mono,
    Paragraph,
    Span,
    Table,
    Text,
    Title,
    table,
    text,
)
from llm_testbench.report.views.errors import error_table
from llm_testbench.report.views.evidence import evidence
from llm_testbench.report.views.evidence_blocks import evidence_blocks, place
from llm_testbench.report.views.models import model_table
from llm_testbench.untrusted import Untrusted

MOST_REASONS = 10
MOST_ROWS = 100  # of a table of tests; comparison.json holds them all
HOW_A_BASELINE_COMES = (
    "A baseline is the artifact of an earlier run. Keep one with ",
    Mono("llmtest run --repeat 10 --out baseline.json.gz"),
    " and compare with it by ",
    Mono("llmtest gate --baseline baseline.json.gz"),
    ".",
)


def gate_report(
    comparison: Comparison,
    current: Artifact,
    baseline: Artifact | None,
    prices: Mapping[str, Price] | None = None,
) -> Document:
    """`baseline` is the one that the comparison was made with, re-scored or not."""
    absent = [warning for warning in comparison.warnings if warning.code == "model_absent"]
    others = [warning for warning in comparison.warnings if warning.code != "model_absent"]
    blocks: list[Block] = [Heading(2, text(comparison.headline))]
    if absent:
        blocks.append(_findings(absent))
    if comparison.reasons:
        blocks.append(_findings(comparison.reasons, current))
    if baseline is None:
        blocks.append(Paragraph(HOW_A_BASELINE_COMES))
    errors = error_table(current)
    if errors is not None and comparison.verdict is Verdict.INCONCLUSIVE:
        blocks += [Heading(3, text("Errors")), errors]
    shown, more = evidence(comparison, current, baseline)
    if shown:
        judged = comparison.verdict is Verdict.FAIL
        blocks.append(Heading(3, text("What failed or dropped most" if judged else "What dropped most")))
        blocks += [block for item in shown for block in evidence_blocks(item)]
        if more:
            blocks.append(Paragraph(text(f"And {more} more: see the tables below.")))
    if others:
        blocks += [Heading(3, text("Mind when comparing")), _findings(others)]
    blocks += [Heading(3, text("Models")), _model_rows(comparison)]
    blocks += _tables(comparison)
    if errors is not None and comparison.verdict is not Verdict.INCONCLUSIVE:
        blocks.append(Details(text("Errors"), (errors,)))
    blocks.append(Details(text("This run"), (model_table(current, prices),)))
    return Document(tuple(blocks))


def _findings(findings: Sequence[Finding], current: Artifact | None = None) -> Bullets:
    """With the place of the test where an artifact is given and a finding is about one."""
    entries = {entry.test_id: entry for entry in current.tests} if current is not None else {}
    items = [(*_sentence(finding), *_place(entries.get(finding.test_id or ""))) for finding in findings[:MOST_REASONS]]
    if len(findings) > MOST_REASONS:
        items.append(text(f"and {len(findings) - MOST_REASONS} more"))
    return Bullets(tuple(items))


def _place(entry: TestEntry | None) -> Text:
    return (" (", place(entry), ")") if entry is not None and entry.suite_file else ()


def _sentence(finding: Finding) -> Text:
    return tuple(Mono(Untrusted(part.text)) if isinstance(part, Quoted) else part for part in finding.sentence)


_DELTA_COLUMNS: tuple[tuple[Title, Align], ...] = (
    ("baseline", "right"),
    ("current", "right"),
    ("change", "right"),
    ("tests", "right"),
)


def _model_rows(comparison: Comparison) -> Table:
    rows = [[_name(row.model, row.badges), *_delta_cells(row)] for row in comparison.models]
    if len(rows) > 1:
        rows.append([text("all"), *_delta_cells(comparison.overall)])
    return table([("model", "left"), *_DELTA_COLUMNS], rows)


def _delta_cells(row: ComparedRow) -> list[Text]:
    before, now = row.baseline, row.current
    return [
        text(figures.score(before.mean if before else None)),
        text(figures.score(now.mean if now else None)),
        text(figures.delta(row.delta)),
        text(str(now.n if now else 0)),
    ]


def _name(name: str | None, badges: Sequence[str] = ()) -> Text:
    marks: tuple[Span, ...] = (f" ({', '.join(badges)})",) if badges else ()
    return text(Mono(Untrusted(name or "")), *marks)


def _tables(comparison: Comparison) -> list[Block]:
    categories = [[_name(row.category), _name(row.model), *_delta_cells(row)] for row in comparison.categories]
    columns: list[tuple[Title, Align]] = [("category", "left"), ("model", "left"), *_DELTA_COLUMNS]
    blocks: list[Block] = [Details(text("Categories"), (table(columns, categories),))]
    noun = "test" if len(comparison.models) == 1 else "result"
    moved = [row for row in comparison.tests if _moved(row)]
    equal = comparison.counts.get("equal", 0)
    if moved or equal:
        summary = f"{count(len(moved), noun)} differently scored, {equal} alike"
        blocks.append(_tests(summary, sorted(moved, key=lambda row: row.delta or 0.0)))
    for status, words in _LISTED.items():
        rows = [row for row in comparison.tests if row.status is status]
        if rows:
            blocks.append(_tests(f"{count(len(rows), noun)} {words}", rows))
    return blocks


_LISTED = {
    Status.REJECTED: "refused by the server",
    Status.QUARANTINED: "in quarantine: measured, never judged",
    Status.CHANGED: "changed beyond comparison",
    Status.NEW: "without a baseline",
    Status.REMOVED: "no longer in the suite",
    Status.NOT_SELECTED: "not selected in this run",
}


def _moved(row: ComparedRow) -> bool:
    return row.status is Status.COMPARED and row.delta is not None and direction(row.delta) != "equal"


def _tests(summary: str, rows: Sequence[ComparedRow]) -> Details:
    shown = [
        [
            text(Mono(Untrusted(row.test_id or ""))),
            text(Mono(Untrusted(row.model or ""))),
            text(figures.score(row.baseline.mean if row.baseline else None)),
            text(figures.score(row.current.mean if row.current else None)),
            text(figures.delta(row.delta)),
            text(", ".join(row.badges)),
        ]
        for row in rows[:MOST_ROWS]
    ]
    blocks: tuple[Block, ...] = (
        table(
            [
                ("test", "left"),
                ("model", "left"),
                ("baseline", "right"),
                ("current", "right"),
                ("change", "right"),
                ("", "left"),
            ],
            shown,
        ),
    )
    if len(rows) > MOST_ROWS:
        blocks = (*blocks, Paragraph(text(f"and {len(rows) - MOST_ROWS} more: see comparison.json")))
    return Details(text(summary), blocks)
