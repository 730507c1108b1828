"""The tables of a comparison: models, categories, tests; with or without a baseline beside the scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from llm_testbench.artifact.cells import CellKey
from llm_testbench.compare import numbers
from llm_testbench.compare.model import Change, ComparedRow, Comparison, Status
from llm_testbench.compare.numbers import count, percent
from llm_testbench.compare.rows import direction
from llm_testbench.report import figures
from llm_testbench.report.document import (
    Align,
    Block,
    Bullets,
    Details,
    Group,
    Importance,
    Mono,
    Paragraph,
    Span,
    Text,
    Title,
    table,
    text,
)
from llm_testbench.report.views.certainty import STANDING, chance, change, counts, families, of_test, tally
from llm_testbench.untrusted import Untrusted

MOST_ROWS = 100  # of a table of tests; comparison.json holds them all
MOST_WORSE = 1000  # the same of what got worse, where there is room

_Columns = tuple[tuple[Title, Align], ...]
_COMPARED: _Columns = (("baseline", "right"), ("current", "right"), ("change in points", "right"))
_ABSOLUTE: _Columns = (("score", "right"),)
_NOTES: _Columns = (("", "left"),)

_LISTED = {
    Status.REGRESSION: "worse",
    Status.DRIFT: "worse, though nothing was changed on your side: the server's model drifted",
    Status.REJECTED: "refused by the server",
    Status.SUSPECTED: "perhaps worse, not proven",
    Status.IMPROVEMENT: "better",
    Status.ACCEPTED: "accepted as worse than before, compared with the accepted scores",
    Status.STABLE: "scored differently, no more than chance does",
    Status.QUARANTINED: "in quarantine: measured, never judged",
    Status.CHANGED: "changed beyond comparison",
    Status.NEW: "without a baseline",
    Status.REMOVED: "no longer in the suite",
    Status.NOT_SELECTED: "not selected in this run",
}
"""In the order in which they are shown."""
_WORSE = frozenset({Status.REGRESSION, Status.DRIFT, Status.REJECTED})
_FIRST = _WORSE | {Status.SUSPECTED}

POINTS = "A point is 0.01 of a score."
P = "p: how often shuffling before and after gives a change this large by chance"
P_ANY = f"{P}; p of any: how often at least one row of its kind would show a drop as clear."
Q = f"{P}. q: of the tests that stand out at least as much, the share that chance alone would explain."


@dataclass(frozen=True, slots=True)
class Tables:
    """`compared`: a baseline was there; else there is one score, and nothing to set it against.

    `by_grade`: cells with scores between 0 and 1.
    """

    comparison: Comparison
    compared: bool
    by_grade: Collection[CellKey] = frozenset()

    def models(self) -> tuple[Block, ...]:
        """One row per model, and one for all where there are several; what else changed about them in lines."""
        rows, _ = families(self.comparison)
        by_chance = any(chance(row) is not None for row in rows)
        latency = {model: told for model, told in self.comparison.latency.items() if told.now is not None}
        columns: list[tuple[Title, Align]] = [("model", "left"), *self._columns]
        columns += [("by chance alone", "right")] if by_chance else []
        columns += [("tests", "right")]
        columns += [("median latency", "right")] if latency else []
        columns += _NOTES if by_chance else ()
        lines = []
        for row in rows:
            line = [text("all") if row.model is None else _name(row.model, row.badges), *self._means(row)]
            line += [text(_share(row))] if by_chance else []
            line += [_tests(row)]
            line += [text(_latency(latency.get(row.model or "")))] if latency else []
            line += [text(STANDING.get(row.status, ""))] if by_chance else []
            lines.append(line)
        blocks: list[Block] = [table(columns, lines)]
        if by_chance:
            blocks.append(Paragraph(text(_by_chance(len(rows)))))
        cut_off = self._cut_off()
        return (*blocks, Bullets(cut_off)) if cut_off else tuple(blocks)

    def _cut_off(self) -> tuple[Text, ...]:
        return tuple(
            text("cut off at the token limit on ", Mono(Untrusted(model)), f": {_percents(share)} of the answers")
            for model, share in self.comparison.truncated.items()
            if share.before or share.now
        )

    def categories(self) -> Group:
        """One row per category and model, folded; the models' own p stand above them."""
        models, categories = families(self.comparison)
        known = any(chance(row) is not None for row in (*models, *categories))
        columns: list[tuple[Title, Align]] = [("category", "left"), ("model", "left"), *self._columns]
        columns += [("p", "right"), ("p of any", "right")] if known else []
        columns += [("tests", "right"), *(_NOTES if known else ())]
        rows = [
            [
                text("all") if row.category is None else _name(row.category),
                text("all") if row.model is None else _name(row.model),
                *self._means(row),
                *([text(figures.probability(chance(row))), text(_adjusted(row))] if known else []),
                _tests(row),
                *([text(STANDING.get(row.status, ""))] if known else []),
            ]
            for row in ((*models, *categories) if known else categories)
        ]
        legend = (Paragraph(text(P_ANY)),) if known else ()
        title = "Models and categories, with p" if known else "Categories"
        return folded("categories", text(title), table(columns, rows), *legend, importance=Importance.TABLE)

    def tests(self) -> list[Block]:
        """By what they are, the worst first; then those that were not compared."""
        comparison = self.comparison
        noun = "test" if len(comparison.models) == 1 else "result"
        if not self.compared:
            asked = sorted((row for row in comparison.tests if row.current is not None), key=_by_score)
            summary = f"{count(len(asked), noun)}, lowest score first"
            return [self._listed("the list of tests", summary, asked)] if asked else []
        blocks: list[Block] = []
        for status, words in _LISTED.items():
            rows = _ordered(row for row in comparison.tests if row.status is status)
            if status is Status.STABLE:
                rows = [row for row in rows if row.delta is not None and direction(row.delta) != "equal"]
            if rows:
                importance = Importance.TABLE if status in _FIRST else Importance.LIST
                summary = f"{count(len(rows), noun)} {words}"
                blocks.append(self._listed(f"the list of those {words}", summary, rows, importance))
        accepted = [row for row in comparison.tests if row.status is Status.ACCEPTED]
        equal = comparison.counts.get("equal", 0) - sum(direction(row.delta or 0.0) == "equal" for row in accepted)
        return [*blocks, Paragraph(text(f"{count(equal, noun)} scored as before."))] if equal else blocks

    def _listed(
        self, name: str, summary: str, rows: Sequence[ComparedRow], importance: Importance = Importance.LIST
    ) -> Group:
        known = any(row.q is not None or row.p_worse is not None for row in rows)
        worse = {row.status for row in rows} <= _WORSE
        columns: list[tuple[Title, Align]] = [("test", "left"), ("model", "left"), *self._columns]
        columns += [("p", "right"), ("q", "right"), *_NOTES] if known else _NOTES
        shown = [
            [
                text(Mono(Untrusted(row.test_id or ""))),
                text(Mono(Untrusted(row.model or ""))),
                *self._tallies(row),
                *([text(figures.probability(chance(row))), text(figures.probability(row.q))] if known else []),
                text("; ".join(filter(None, [", ".join(row.badges), self._asked(row)]))),
            ]
            for row in rows[: MOST_WORSE if worse else MOST_ROWS]
        ]
        blocks: list[Block] = [table(columns, shown[:MOST_ROWS])]
        if len(shown) > MOST_ROWS:
            further = (table(columns, shown[MOST_ROWS:]),)
            blocks.append(Group(f"further rows of {name}", Importance.ROWS, further, claims=True))
        if len(rows) > len(shown):
            blocks.append(Paragraph(text(f"and {len(rows) - len(shown)} more: see comparison.json")))
        if known:
            blocks.append(Paragraph(text(f"{Q} {POINTS}")))
        return Group(name, importance, (Details(text(summary), tuple(blocks)),), claims=worse)

    def _asked(self, row: ComparedRow) -> str:
        return of_test(row, self.by_grade) if row.asked is not None else ""

    @property
    def _columns(self) -> _Columns:
        return _COMPARED if self.compared else _ABSOLUTE

    def _means(self, row: ComparedRow) -> list[Text]:
        now = text(figures.score(row.current.mean if row.current else None))
        if not self.compared:
            return [now]
        before = row.baseline.mean if row.baseline else None
        return [text(figures.score(before)), now, text(change(row))]

    def _tallies(self, row: ComparedRow) -> list[Text]:
        whole = counts(row, self.by_grade)
        now = text(tally(row.current, whole=whole))
        return [text(tally(row.baseline, whole=whole)), now, text(change(row))] if self.compared else [now]


def folded(name: str, summary: Text, *blocks: Block, importance: Importance = Importance.LIST) -> Group:
    """A fold that can be left out as a whole."""
    return Group(name, importance, (Details(summary, blocks),))


def _tests(row: ComparedRow) -> Text:
    return text(str(row.current.n if row.current else 0))


def _name(name: str | None, badges: Sequence[str] = ()) -> Text:
    marks: tuple[Span, ...] = (f" ({', '.join(badges)})",) if badges else ()
    return text(Mono(Untrusted(name or "")), *marks)


def _by_chance(rows: int) -> str:
    any_row = f"; for a drop, in any of the {rows} rows" if rows > 1 else ""
    return f"By chance alone: how often shuffling before and after gives a change this large{any_row}. {POINTS}"


def _share(row: ComparedRow) -> str:
    p = chance(row)
    if row.delta is not None and direction(row.delta) == "lower" and row.p_adj is not None:
        p = row.p_adj
    if p is None or row.delta is None or direction(row.delta) == "equal":
        return figures.NOTHING
    return numbers.chance(p).removeprefix("in ")


def _adjusted(row: ComparedRow) -> str:
    lower = row.delta is not None and direction(row.delta) == "lower"
    return figures.probability(row.p_adj) if lower else figures.NOTHING


def _latency(change: Change | None) -> str:
    if change is None:
        return figures.NOTHING
    return f"{figures.milliseconds(change.before)} → {figures.milliseconds(change.now)}"


def _percents(share: Change) -> str:
    before, now = (figures.NOTHING if value is None else percent(value) for value in (share.before, share.now))
    return f"{before} → {now}"


def _ordered(rows: Iterable[ComparedRow]) -> list[ComparedRow]:
    return sorted(rows, key=lambda row: (row.delta or 0.0, row.model or "", row.test_id or ""))


def _by_score(row: ComparedRow) -> tuple[float, str, str]:
    mean = row.current.mean if row.current is not None else None
    return -1.0 if mean is None else mean, row.model or "", row.test_id or ""
