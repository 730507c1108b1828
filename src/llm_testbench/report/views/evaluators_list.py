"""The report of `llmtest list --evaluators`: what a check may name, and how its parameters are written."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.compare.numbers import count
from llm_testbench.evaluators.registry import Description
from llm_testbench.evaluators.short_form import short_form
from llm_testbench.report.document import Align, Document, Mono, Paragraph, Text, Title, table, text
from llm_testbench.untrusted import Untrusted


def evaluators_report(found: Sequence[Description]) -> Document:
    """In the order given; where packages add some, with a column that names them."""
    added = any(one.source is not None for one in found)
    titles: list[tuple[Title, Align]] = [("evaluator", "left"), ("parameters", "left"), ("what it scores", "left")]
    columns = table([*titles, ("added by", "left")] if added else titles, [_row(one, added=added) for one in found])
    return Document((columns, Paragraph(text(count(len(found), "evaluator")))))


def _row(one: Description, *, added: bool) -> list[Text]:
    cells = [
        text(Mono(Untrusted(one.name))),
        text(Untrusted(short_form(one.schema))),
        text(Untrusted(one.summary)),
    ]
    source = text(Untrusted(str(one.source))) if one.source is not None else text("")
    return [*cells, source] if added else cells
