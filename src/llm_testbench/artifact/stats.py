"""Each test over models: mean, spread, unstable, truncated (design 5.4 and 5.5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from llm_testbench.artifact.cells import EXACT, Cell, cells, counted, mean
from llm_testbench.artifact.model import Row, Stat

DISCRIMINATES = 0.05  # spread over models, design 5.5


def stats(rows: Iterable[Row]) -> tuple[Stat, ...]:
    """One Stat per test that has rows of phase main and side current, sorted by test id.

    `mean` weighs models equally, whatever number of attempts each has. `spread` is None with fewer
    than two scored models: there is nothing to tell apart.
    """
    kept = counted(rows)
    by_test: defaultdict[str, list[Cell]] = defaultdict(list)
    for cell in cells(kept).values():
        by_test[cell.test_id].append(cell)
    places = {row.test_id: (row.category, row.subcategory) for row in kept}
    return tuple(_stat(test_id, *places[test_id], by_test[test_id]) for test_id in sorted(by_test))


def _stat(test_id: str, category: str, subcategory: str, group: list[Cell]) -> Stat:
    means = [cell.mean for cell in group if cell.mean is not None]
    return Stat(
        test_id=test_id,
        category=category,
        subcategory=subcategory,
        mean=mean(means),
        spread=spread(means),
        unstable=any(cell.unstable for cell in group),
        truncated=sum(cell.truncated for cell in group),
    )


def spread(means: list[float]) -> float | None:
    """Highest minus lowest; None for fewer than two."""
    return max(means) - min(means) if len(means) > 1 else None


def discriminates(spread_of_test: float | None) -> bool:
    """The test tells models apart: spread at least 0.05."""
    return spread_of_test is not None and spread_of_test >= DISCRIMINATES - EXACT
