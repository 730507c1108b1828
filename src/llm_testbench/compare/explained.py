"""Whether the tests that are named explain the drop of their model, so that nothing is left of it without them."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.artifact.cells import EXACT
from llm_testbench.compare.examine import Examined
from llm_testbench.compare.model import WORSE, ComparedRow
from llm_testbench.compare.options import GateLevel, GateOptions
from llm_testbench.compare.stage import effect_of
from llm_testbench.compare.statistics.level import level


def to_accept(
    gated: Sequence[ComparedRow], tests: Sequence[ComparedRow], examined: Examined, options: GateOptions
) -> tuple[ComparedRow, ...]:
    """The gated rows without those that need no acceptance of their own: accepting the named tests is enough.

    An accepted row replaces the baseline of all its tests by few attempts, which makes the gate blinder than it has to
    be.
    """
    return tuple(row for row in gated if row.test_id is not None or not explained(row, tests, examined, options))


def explained(row: ComparedRow, tests: Sequence[ComparedRow], examined: Examined, options: GateOptions) -> bool:
    """Whether the drop of a row over several tests is no regression without the tests that are named as worse."""
    named = {(test.model, test.test_id) for test in tests if test.status in WORSE}
    inside = [
        cell for cell in examined.scored if row.model in (None, cell.key[0]) and row.category in (None, cell.category)
    ]
    rest = [cell for cell in inside if cell.key not in named]
    if len(rest) == len(inside):
        return False
    if not rest:
        return True
    family: GateLevel = "model" if row.category is None else "category"
    least = options.min_effect_model if row.category is None else options.min_effect_category
    tail = level([examined.stage.strata[cell.key] for cell in rest])
    size = effect_of(rest)
    return tail.p_worse > options.level_alpha(family) or -size.delta < least - EXACT
