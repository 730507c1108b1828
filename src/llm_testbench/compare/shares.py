"""Cut answers and latency before and now, by model, over the cells that are compared (design 5.5 and 5.6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median

from llm_testbench.artifact.cells import mean
from llm_testbench.compare.align import Pair
from llm_testbench.compare.cells import Cell
from llm_testbench.compare.model import Change


def truncated(pairs: Iterable[Pair]) -> dict[str, Change]:
    """The share of scored attempts that were cut at the token limit.

    Each cell has equal weight, so that more attempts of one of them alone change nothing.
    """
    return {
        model: Change(mean([before.truncated for before, _ in cells]), mean([now.truncated for _, now in cells]))
        for model, cells in _compared(pairs).items()
    }


def latency(pairs: Iterable[Pair]) -> dict[str, Change]:
    """The median of the cells' medians, in milliseconds; None where no cell tells it on both sides."""
    return {model: _latency(cells) for model, cells in _compared(pairs).items()}


def _compared(pairs: Iterable[Pair]) -> Mapping[str, list[tuple[Cell, Cell]]]:
    found: defaultdict[str, list[tuple[Cell, Cell]]] = defaultdict(list)
    for pair in pairs:
        if pair.judged:
            found[pair.key[0]].append((pair.before, pair.now))
    return found


def _latency(cells: Iterable[tuple[Cell, Cell]]) -> Change:
    known = [
        (before.latency, now.latency) for before, now in cells if before.latency is not None and now.latency is not None
    ]
    if not known:
        return Change(None, None)
    return Change(median(before for before, _ in known), median(now for _, now in known))
