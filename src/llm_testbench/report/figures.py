"""Figures as reports show them."""

from __future__ import annotations

from math import ceil

from llm_testbench.artifact.cells import EXACT, Cell
from llm_testbench.compare import numbers

NOTHING = "–"
RAREST = 1e-4
"""What is rarer than that is not told apart: nobody decides otherwise for it."""


def cell_text(cell: Cell | None) -> str:
    """A cell of the per-test table (design 5.5).

    `0.85 (312tok)`, `0.75 [0.50-1.00]` when attempts disagree, `!` behind a score with truncated
    attempts, `ERR` when no attempt came through, `skip` when none could be checked, `N/A` when not asked.
    """
    if cell is None:
        return "N/A"
    if cell.mean is None:
        return "ERR" if cell.state == "errored" else "skip"
    said = score(cell.mean) + ("!" if cell.truncated else "")
    if cell.unstable:
        said += f" [{score(cell.low)}-{score(cell.high)}]"
    return said if cell.completion_tokens is None else f"{said} ({cell.completion_tokens:.0f}tok)"


def score(value: float | None) -> str:
    """`0.85`, as sentences have it; `–` for none."""
    return NOTHING if value is None else numbers.score(value)


def points(value: float | None) -> str:
    """A change of a score, in hundredths of it: `+10.0`, `−2.1`, `0.0`; more digits where one would hide it."""
    if value is None:
        return NOTHING
    if abs(value) < EXACT:
        return "0.0"
    size = 100 * abs(value)
    digits = next((digits for digits in (1, 2, 3) if round(size, digits)), 7)
    shown = f"{size:.0f}" if size > 99.95 else f"{size:.{digits}f}"
    return f"{'+' if value > 0 else '−'}{shown}"


def points_up(value: float) -> str:
    """A size in points, rounded up: who promises to see a drop promises no smaller one."""
    return f"{ceil(1000 * value - 1e-6) / 10:.1f}"


def probability(p: float | None) -> str:
    """For a column p or q: `0.34`, `0.019`, `0.0004`, `< 0.0001`."""
    if p is None:
        return NOTHING
    if p < RAREST:
        return "< 0.0001"
    digits = 2 if p >= 0.1 else 3 if p >= 0.01 else 4
    return f"{p:.{digits}f}"


def expected(number: float) -> str:
    """How many tests chance alone would give: `0.04 such tests`, `1.3 such tests`, `12 such tests`."""
    if number < RAREST:
        return "less than 0.0001 such tests"
    digits = 0 if number >= 10 else 1 if number >= 1 else 2 if number >= 0.01 else 4
    return f"{number:.{digits}f} such tests"


def milliseconds(value: float | None) -> str:
    """`840 ms`, `2.4 s`."""
    if value is None:
        return NOTHING
    return f"{value:.0f} ms" if value < 999.5 else f"{value / 1000:.1f} s"


def whole(value: float | None) -> str:
    """`12,345`."""
    return NOTHING if value is None else f"{value:,.0f}"


def rate(value: float | None) -> str:
    """Tokens per second: `47.3`."""
    return NOTHING if value is None else f"{value:.1f}"


def money(value: float | None) -> str:
    """Cost in the currency of the prices; small amounts keep two digits that say something."""
    if value is None:
        return NOTHING
    return f"{value:.2f}" if value >= 0.1 or value == 0 else f"{value:.2g}"


_AGES = ((24 * 3600.0, "day"), (3600.0, "hour"), (60.0, "minute"))


def commit(sha: str) -> str:
    """The commit as people write it."""
    return sha[:7]


def age(seconds: float) -> str:
    """`3 days old`, in whole units; `less than a minute old`."""
    return "newer than this run" if seconds < 0 else f"{lasting(seconds)} old"


def lasting(seconds: float) -> str:
    """`3 days`, in whole units; `less than a minute`."""
    for unit, name in _AGES:
        if seconds >= unit:
            return numbers.count(int(seconds / unit), name)
    return "less than a minute"
