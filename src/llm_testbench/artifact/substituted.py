"""Answers of another model than the one that was asked: a gateway fell back, and says so by the served name only."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row, Side
from llm_testbench.untrusted import shortened

_QUOTED = 120  # characters of a served name in a message


def with_substituted(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Marks as errors the attempts that another model answered than more than half of that name's and side's attempts.

    Those of phase main have the vote, where there are some: what is asked again must not change who was usual before.
    """
    usual = _usual([row for row in rows if row.phase == "confirm"]) | _usual(
        [row for row in rows if row.phase == "main"]
    )
    if not any(usual.values()):
        return rows
    return tuple(_marked(row, usual.get((row.model, row.side))) for row in rows)


def _usual(rows: list[Row]) -> dict[tuple[str, Side], str | None]:
    """Who most often answered, by model name and side; None where nobody stands out."""
    served: defaultdict[tuple[str, Side], Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row.scored and row.served_model:
            served[row.model, row.side][row.served_model] += 1
    usual: dict[tuple[str, Side], str | None] = {}
    for key, counter in served.items():
        name, times = counter.most_common(1)[0]
        usual[key] = name if 2 * times > counter.total() else None
    return usual


def _marked(row: Row, usual: str | None) -> Row:
    if usual is None or not row.scored or not row.served_model or row.served_model == usual:
        return row
    served, others = shortened(row.served_model, _QUOTED), shortened(usual, _QUOTED)
    return replace(
        row,
        outcome=Outcome.SUBSTITUTED,
        error=f"answered by {served!r}; most attempts were by {others!r}",
        score=0.0,
        passed=False,
    )
