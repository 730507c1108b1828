"""The tables of a comparison: models, categories, tests; with or without a baseline beside the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llm_testbench.compare.model import JUDGED, ComparedRow, Comparison, Status
from llm_testbench.compare.numbers import count
from llm_testbench.compare.rows import direction
from llm_testbench.report import figures
from llm_testbench.report.document import (
    Align,
    Block,
    Details,
    Group,
    Importance,
    Mono,
    Paragraph,
    Span,
    Table,
    Text,
    Title,
    table,
    text,
)
from llm_testbench.untrusted import Untrusted

MOST_ROWS = 100  # of a table of tests; comparison.json holds them all

_Columns = tuple[tuple[Title, Align], ...]
_COMPARED: _Columns = (("baseline", "right"), ("current", "right"), ("change", "right"))
_ABSOLUTE: _Columns = (("score", "right"),)
_TESTS: _Columns = (("tests", "right"),)

_LISTED = {
    Status.REJECTED: "refused by the server",
    Status.QUARANTINED: "in quarantine: measured, never judged",
    Status.CHANGED: "changed beyond comparison",
    Status.NEW: "without a baseline",
    Status.REMOVED: "no longer in the suite",
    Status.NOT_SELECTED: "not selected in this run",
}


@dataclass(frozen=True, slots=True)
class Tables:
    """`compared`: a baseline was there; else there is one score, and nothing to set it against."""

    comparison: Comparison
    compared: bool

    def models(self) -> Table:
        """One row per model, and one for all where there are several."""
        comparison = self.comparison
        rows = [[_name(row.model, row.badges), *self._scores(row), _tests(row)] for row in comparison.models]
        if len(rows) > 1:
            rows.append([text("all"), *self._scores(comparison.overall), _tests(comparison.overall)])
        return table([("model", "left"), *self._columns, *_TESTS], rows)

    def categories(self) -> Group:
        """One row per category and model, folded."""
        rows = [
            [_name(row.category), _name(row.model), *self._scores(row), _tests(row)]
            for row in self.comparison.categories
        ]
        columns: list[tuple[Title, Align]] = [("category", "left"), ("model", "left"), *self._columns, *_TESTS]
        return folded("categories", text("Categories"), table(columns, rows), importance=Importance.TABLE)

    def tests(self) -> list[Block]:
        """Those that scored differently, worst first; then those that were not compared, by what they are."""
        comparison = self.comparison
        noun = "test" if len(comparison.models) == 1 else "result"
        if not self.compared:
            asked = sorted((row for row in comparison.tests if row.current is not None), key=_by_score)
            return (
                [self._listed("the list of tests", f"{count(len(asked), noun)}, lowest score first", asked)]
                if asked
                else []
            )
        moved = [row for row in comparison.tests if _moved(row)]
        equal = comparison.counts.get("equal", 0)
        blocks: list[Block] = []
        if moved or equal:
            summary = f"{count(len(moved), noun)} differently scored, {equal} alike"
            ordered = sorted(moved, key=lambda row: row.delta or 0.0)
            blocks.append(self._listed("the list of changed scores", summary, ordered))
        for status, words in _LISTED.items():
            rows = [row for row in comparison.tests if row.status is status]
            if rows:
                blocks.append(self._listed(f"the list of those {words}", f"{count(len(rows), noun)} {words}", rows))
        return blocks

    def _listed(self, name: str, summary: str, rows: Sequence[ComparedRow]) -> Group:
        shown = [
            [
                text(Mono(Untrusted(row.test_id or ""))),
                text(Mono(Untrusted(row.model or ""))),
                *self._scores(row),
                text(", ".join(row.badges)),
            ]
            for row in rows[:MOST_ROWS]
        ]
        columns: list[tuple[Title, Align]] = [("test", "left"), ("model", "left"), *self._columns, ("", "left")]
        more = f"and {len(rows) - MOST_ROWS} more: see comparison.json" if len(rows) > MOST_ROWS else ""
        blocks: tuple[Block, ...] = (table(columns, shown), *((Paragraph(text(more)),) if more else ()))
        return folded(name, text(summary), *blocks)

    @property
    def _columns(self) -> _Columns:
        return _COMPARED if self.compared else _ABSOLUTE

    def _scores(self, row: ComparedRow) -> list[Text]:
        now = text(figures.score(row.current.mean if row.current else None))
        if not self.compared:
            return [now]
        before = row.baseline.mean if row.baseline else None
        return [text(figures.score(before)), now, text(figures.delta(row.delta))]


def folded(name: str, summary: Text, *blocks: Block, importance: Importance = Importance.LIST) -> Group:
    """A fold that can be left out as a whole."""
    return Group(name, importance, (Details(summary, blocks),))


def _tests(row: ComparedRow) -> Text:
    return text(str(row.current.n if row.current else 0))


def _name(name: str | None, badges: Sequence[str] = ()) -> Text:
    marks: tuple[Span, ...] = (f" ({', '.join(badges)})",) if badges else ()
    return text(Mono(Untrusted(name or "")), *marks)


def _moved(row: ComparedRow) -> bool:
    return row.status in JUDGED and row.delta is not None and direction(row.delta) != "equal"


def _by_score(row: ComparedRow) -> tuple[float, str, str]:
    mean = row.current.mean if row.current is not None else None
    return -1.0 if mean is None else mean, row.model or "", row.test_id or ""
