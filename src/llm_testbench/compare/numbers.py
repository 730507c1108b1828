"""Figures in sentences, here and in every report."""

from __future__ import annotations

from llm_testbench.artifact.cells import EXACT


def score(value: float) -> str:
    """`0.85`, cut so that only a full score shows as 1.00."""
    rounded = f"{value:.2f}"
    return "0.99" if rounded == "1.00" and value < 1 - EXACT else rounded


def apart(first: float, second: float) -> tuple[str, str]:
    """Two scores with as many digits, 2 to 6, as it takes to tell them apart: no `0.80 is below 0.80`."""
    for digits in range(2, 6):
        shown = f"{first:.{digits}f}", f"{second:.{digits}f}"
        if shown[0] != shown[1]:
            return shown
    return f"{first:.6f}", f"{second:.6f}"


def percent(rate: float) -> str:
    """`61 %`; one digit more where rounding would hide what is missing."""
    rounded = f"{100 * rate:.0f}"
    return f"{100 * rate:.1f} %" if rounded in {"0", "100"} and rate not in {0, 1} else f"{rounded} %"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 test`, `3 tests`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def points(value: float) -> str:
    """A score's difference as points of a hundred: `4.2 points`."""
    return f"{100 * value:.1f} points"


def chance(p: float) -> str:
    """How often it happens, for sentences: `in 1.9 % of cases`, `in less than 1 of 10,000 cases`."""
    if p < 0.0001:
        return "in less than 1 of 10,000 cases"
    return f"in {100 * p:.2g} % of cases" if p < 0.1 else f"in {100 * p:.0f} % of cases"
