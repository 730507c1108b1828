"""Figures as reports show them."""

from __future__ import annotations

from llm_testbench.artifact.cells import EXACT, Cell
from llm_testbench.compare import numbers

NOTHING = "–"


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


def delta(value: float | None) -> str:
    """`+0.10`, `−0.02`, `=`; more digits where two would hide that there is a difference."""
    if value is None:
        return NOTHING
    if abs(value) < EXACT:
        return "="
    digits = next((digits for digits in (2, 3, 4, 6) if round(abs(value), digits)), 9)
    return f"{'+' if value > 0 else '−'}{abs(value):.{digits}f}"


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
    if seconds < 0:
        return "newer than this run"
    for unit, name in _AGES:
        if seconds >= unit:
            return f"{numbers.count(int(seconds / unit), name)} old"
    return "less than a minute old"
