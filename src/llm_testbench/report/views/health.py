"""The report of `llmtest health`: which tests carry signal, which do not, and where to look."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.artifact.health import Health, TestHealth, WorstCell
from llm_testbench.compare.numbers import count
from llm_testbench.report import figures
from llm_testbench.report.document import (
    Block,
    Bullets,
    Details,
    Document,
    Heading,
    Mono,
    Paragraph,
    Table,
    Text,
    table,
    text,
)
from llm_testbench.untrusted import Untrusted

MOST_NAMED = 20


def health_report(health: Health, names: Sequence[str]) -> Document:
    """`names`: what to call each artifact (its path), in the order in which health() got them."""
    blocks: list[Block] = [
        Heading(1, text(f"Health of {count(len(health.tests), 'test')} in {count(len(names), 'artifact')}")),
        _findings(health),
        Heading(2, text("Subcategories")),
        _subcategories(health),
        Details(text("Every test"), (_tests(health.tests),)),
    ]
    if len(names) > 1:
        blocks.append(Details(text("Worst artifact of each cell"), (_cells(health.cells, names),)))
    return Document(tuple(blocks))


def _findings(health: Health) -> Block:
    kinds = [
        ("saturated: nearly every model gets them right, no improvement can show", _ids(health, "saturated")),
        ("weak: no model gets anything right, or the test is broken", _ids(health, "weak")),
        ("unstable: attempts of the same run disagree", _ids(health, "unstable")),
        ("truncated: answers were cut off at the token limit", _ids(health, "truncated")),
        ("without any score", list(health.unscored)),
    ]
    items = tuple(_named(f"{count(len(ids), 'test')} {words}", ids) for words, ids in kinds if ids)
    return Bullets(items) if items else Paragraph(text("No test is saturated, weak, unstable or truncated."))


def _ids(health: Health, kind: str) -> list[str]:
    return [test.test_id for test in health.tests if getattr(test, kind)]


def _named(words: str, ids: list[str]) -> Text:
    spans = [span for test_id in ids[:MOST_NAMED] for span in (", ", Mono(Untrusted(test_id)))]
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    return text(words, " (", *spans[1:], more, ")")


def _subcategories(health: Health) -> Table:
    return table(
        [
            ("category", "left"),
            ("subcategory", "left"),
            ("tests", "right"),
            ("mean", "right"),
            ("discriminating", "right"),
            ("saturated", "right"),
            ("weak", "right"),
            ("unstable", "right"),
            ("truncated", "right"),
        ],
        [
            [
                text(Untrusted(line.category)),
                text(Untrusted(line.subcategory)),
                text(str(line.tests)),
                text(figures.score(line.mean)),
                text(str(line.discriminating)),
                text(str(line.saturated)),
                text(str(line.weak)),
                text(str(line.unstable)),
                text(str(line.truncated)),
            ]
            for line in health.subcategories
        ],
    )


def _tests(tests: Sequence[TestHealth]) -> Table:
    return table(
        [("test", "left"), ("cells", "right"), ("mean", "right"), ("spread", "right"), ("", "left")],
        [
            [
                text(Mono(Untrusted(test.test_id))),
                text(str(test.cells)),
                text(figures.score(test.mean)),
                text(figures.score(test.spread)),
                text(", ".join(_marks(test))),
            ]
            for test in tests
        ],
    )


def _marks(test: TestHealth) -> list[str]:
    marks = [kind for kind in ("discriminates", "saturated", "weak", "unstable") if getattr(test, kind)]
    return [*marks, f"{test.truncated} of {test.attempts} truncated"] if test.truncated else marks


def _cells(cells: Sequence[WorstCell], names: Sequence[str]) -> Table:
    return table(
        [("test", "left"), ("model", "left"), ("worst", "right"), ("in", "left"), ("best", "right")],
        [
            [
                text(Mono(Untrusted(cell.test_id))),
                text(Mono(Untrusted(cell.model))),
                text(figures.score(cell.mean)),
                text(Untrusted(names[cell.artifact])),
                text(figures.score(cell.best)),
            ]
            for cell in cells
        ],
    )
