"""The means beside those of the last release: what many small drops add up to."""

from __future__ import annotations

from llm_testbench.compare.model import ComparedRow, Comparison, SinceRelease
from llm_testbench.compare.numbers import count
from llm_testbench.compare.since_release import in_words
from llm_testbench.report import figures
from llm_testbench.report.document import (
    Align,
    Block,
    Group,
    Heading,
    Importance,
    Mono,
    Paragraph,
    Text,
    Title,
    table,
    text,
)
from llm_testbench.report.views.certainty import change
from llm_testbench.untrusted import Untrusted

_COLUMNS: tuple[tuple[Title, Align], ...] = (
    ("model", "left"),
    ("then", "right"),
    ("now", "right"),
    ("change in points", "right"),
    ("tests", "right"),
    ("", "left"),
)
FOR_INFORMATION = "For information: no option makes it fail the gate."


def since_release(comparison: Comparison) -> Group:
    """Empty where nobody looked at a release."""
    since = comparison.since_release
    blocks: tuple[Block, ...] = ()
    if since is not None:
        blocks = (Heading(3, _title(since)), *_rows(since), Paragraph(text(_about(since))))
    return Group("the change since the last release", Importance.TABLE, blocks)


def _title(since: SinceRelease) -> Text:
    age = since.run.age
    how_long = f" ({figures.lasting(age)})" if age is not None and age >= 0 else ""
    return text("Since release ", Mono(Untrusted(since.run.tag)), how_long)


def _rows(since: SinceRelease) -> list[Block]:
    if since.overall is None:
        return []
    rows = (*since.models, *((since.overall,) if len(since.models) > 1 else ()))
    return [table(_COLUMNS, [_line(row, since) for row in rows])]


def _line(row: ComparedRow, since: SinceRelease) -> list[Text]:
    then, now = (side.mean if side is not None else None for side in (row.baseline, row.current))
    return [
        text("all") if row.model is None else text(Mono(Untrusted(row.model))),
        text(figures.score(then)),
        text(figures.score(now)),
        text(change(row)),
        text(str(row.current.n if row.current is not None else 0)),
        text(in_words(row, since) or "no change proven"),
    ]


def _about(since: SinceRelease) -> str:
    if since.overall is None:
        return "No test that was scored is as it was in that release."
    if not since.left_out:
        return FOR_INFORMATION
    noun = "test" if len(since.models) == 1 else "result"
    verb = "is" if since.left_out == 1 else "are"
    out = f"{count(since.left_out, noun)} {verb} left out: new, edited or accepted since, or not scored then."
    return f"{out} {FOR_INFORMATION}"
