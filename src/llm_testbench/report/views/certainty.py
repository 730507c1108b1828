"""How sure a row is, in words for readers who know no statistics: counts, changes and what chance alone would do."""

from __future__ import annotations

from collections.abc import Collection

from llm_testbench.artifact.cells import EXACT, CellKey
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare import numbers
from llm_testbench.compare.align import ACCEPTED, PROMPT_CHANGED
from llm_testbench.compare.model import AskedAgain, ComparedRow, Comparison, Side, Status
from llm_testbench.report import figures

STANDING = {
    Status.REGRESSION: "worse",
    Status.DRIFT: "worse: drift",
    Status.SUSPECTED: "perhaps worse",
    Status.STABLE: "no change proven",
    Status.IMPROVEMENT: "better",
    Status.ACCEPTED: "accepted",
}
"""Of a row over several tests, in two words."""


def graded(*artifacts: Artifact | None) -> frozenset[CellKey]:
    """Cells that hold a score between 0 and 1: of those a count of passed attempts would not tell the mean."""
    return frozenset(
        (row.model, row.test_id)
        for artifact in artifacts
        if artifact is not None
        for row in artifact.results
        if row.scored and EXACT < row.score < 1 - EXACT
    )


def before_and_now(row: ComparedRow, by_grade: Collection[CellKey]) -> str:
    """`3 of 3 → 0 of 3`; `0.83 over 3 → 0.50 over 3` for graded scores; without the first where there is none."""
    whole = counts(row, by_grade)
    now = tally(row.current, whole=whole)
    accepted = "accepted " if ACCEPTED in row.badges else ""
    return now if row.baseline is None else f"{accepted}{tally(row.baseline, whole=whole)} → {now}"


def counts(row: ComparedRow, by_grade: Collection[CellKey]) -> bool:
    """Whether the scores of a test are told by how many attempts passed. Of accepted ones nobody knows which did."""
    if ACCEPTED in row.badges:
        return False
    sides = [side for side in (row.baseline, row.current) if side is not None]
    return (row.model or "", row.test_id or "") not in by_grade and all(map(_integral, sides))


def tally(side: Side | None, *, whole: bool) -> str:
    """`3 of 3`, `0.83 over 3`, `–`."""
    if side is None or side.mean is None:
        return figures.NOTHING
    return f"{round(side.mean * side.n)} of {side.n}" if whole else f"{figures.score(side.mean)} over {side.n}"


def change(row: ComparedRow, unit: str = "") -> str:
    """In points: `−4.2, between −7.0 and −1.4`; `unit` stands behind the first."""
    said = figures.points(row.delta) + unit
    if row.delta is None or row.ci is None:
        return said
    low, high = row.ci
    return f"{said}, between {figures.points(low)} and {figures.points(high)}"


def families(comparison: Comparison) -> tuple[tuple[ComparedRow, ...], tuple[ComparedRow, ...]]:
    """Rows that are judged together: models with the whole of several, and categories."""
    whole = (comparison.overall,) if len(comparison.models) > 1 else ()
    return (*comparison.models, *whole), comparison.categories


def chance(row: ComparedRow) -> float | None:
    """One-sided p of this row alone, in the direction in which it went."""
    return row.p_better if row.delta is not None and row.delta > EXACT else row.p_worse


def often(p: float) -> str:
    """`in 1 of 252 cases` where it is such a fraction, else `in 1.9 % of cases`."""
    whole = round(1 / p) if p >= figures.RAREST else 0
    return f"in 1 of {whole:,} cases" if whole > 2 and abs(whole * p - 1) < 1e-6 else numbers.chance(p)


def by_shuffling(row: ComparedRow, looked_at: int) -> str:
    """Of a row over several tests: `shuffling before and after gives a drop this large in 1.9 % of cases`.

    `looked_at`: how many such rows there are; a drop among many is likelier by chance. Empty where nothing is known.
    """
    p = chance(row)
    if p is None or row.delta is None or abs(row.delta) < EXACT:
        return ""
    kind = "rise" if row.delta > 0 else "drop"
    said = f"shuffling before and after gives a {kind} this large {numbers.chance(p)}"
    if kind == "rise" or row.p_adj is None or looked_at < 2 or abs(row.p_adj - p) < EXACT:
        return said
    return f"{said}, and {numbers.chance(row.p_adj)} with {looked_at} rows looked at"


def sentence(words: str) -> str:
    """Words of the comparison as a sentence of its own."""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def of_test(row: ComparedRow, by_grade: Collection[CellKey]) -> str:
    """What asking again brought; else how many such tests chance alone would give; else nothing."""
    if row.asked is not None:
        return _asked(row, row.asked, whole=counts(row, by_grade))
    if row.expected is None:
        return ""
    return f"chance alone would give {figures.expected(row.expected)}"


def settle(row: ComparedRow) -> str:
    """What would settle an undecided row, where what became of asking it again does not say it already."""
    return "" if row.asked is not None and row.asked.note == row.settle else row.settle


def other_side(row: ComparedRow) -> str:
    """What the baseline's side was asked with, when it was asked again today."""
    return "the old prompt" if PROMPT_CHANGED in row.badges else "the baseline's model"


def _asked(row: ComparedRow, asked: AskedAgain, *, whole: bool) -> str:
    if asked.current.mean is None and asked.note:
        return asked.note
    if asked.current.mean is None:
        said = "asked again: no answer could be scored"
    else:
        both = asked.baseline is not None and asked.baseline.mean is not None
        whole = whole and _integral(asked.current) and (asked.baseline is None or _integral(asked.baseline))
        words = " passed" if whole else ""
        said = f"asked again: {tally(asked.current, whole=whole)}{words}"
        if both:
            said += f" now, {tally(asked.baseline, whole=whole)} with {other_side(row)}"
    if asked.p is not None:
        together = "with all answers counted, " if asked.variant == "current" else ""
        said += f"; {together}chance alone would do that {often(asked.p)}"
    elif row.status is Status.STABLE:
        said += "; no more than chance does"
    elif asked.current.n < asked.needed and not asked.note:
        said += f"; it takes {numbers.count(asked.needed, 'answer')} to decide"
    return f"{said}; {asked.note}" if asked.note else said


def _integral(side: Side) -> bool:
    total = (side.mean or 0.0) * side.n
    return abs(total - round(total)) < 1e-6
