"""All rows of a comparison, with what the statistics and asking again say about each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from llm_testbench.artifact.cells import CellKey
from llm_testbench.compare import power
from llm_testbench.compare.confirm import Found
from llm_testbench.compare.examine import Examined
from llm_testbench.compare.model import ComparedRow, Status, gated_rows
from llm_testbench.compare.options import GateLevel, GateOptions
from llm_testbench.compare.rows import category_rows, model_rows, rollup, test_row


@dataclass(frozen=True, slots=True)
class Rows:
    """As in `Comparison`."""

    overall: ComparedRow
    models: tuple[ComparedRow, ...]
    categories: tuple[ComparedRow, ...]
    tests: tuple[ComparedRow, ...]

    def gated(self, levels: tuple[GateLevel, ...]) -> tuple[ComparedRow, ...]:
        """Those that may decide the verdict."""
        return gated_rows(self.overall, self.models, self.categories, self.tests, levels)

    def drifted(self) -> Rows:
        """The same where nothing was changed on this side: what answers has changed (design 5.7)."""
        return Rows(
            _drift(self.overall),
            tuple(map(_drift, self.models)),
            tuple(map(_drift, self.categories)),
            tuple(map(_drift, self.tests)),
        )


def judged_rows(
    examined: Examined,
    found: Mapping[CellKey, Found],
    options: GateOptions,
    badges: Mapping[str, tuple[str, ...]],
) -> Rows:
    """`found`: what became of those that were asked again. `badges`: of models."""
    pairs, staged, repeat = examined.pairs, examined.stage, _repeat(examined)
    overall = rollup([pair for pair in pairs if pair.current is not None], staged.overall)
    return Rows(
        overall=_settled(overall, repeat),
        models=tuple(_settled(row, repeat) for row in model_rows(pairs, staged.models, badges)),
        categories=tuple(_settled(row, repeat) for row in category_rows(pairs, staged.categories)),
        tests=tuple(
            _with_cure(test_row(pair, staged.tests.get(pair.key), found.get(pair.key)), examined, options)
            for pair in pairs
        ),
    )


def _settled(row: ComparedRow, repeat: float) -> ComparedRow:
    return replace(row, settle=power.settle_rows(row, repeat)) if row.status is Status.SUSPECTED else row


def _repeat(examined: Examined) -> float:
    """Attempts a side, as most cells have them."""
    sizes = Counter((len(cell.before), len(cell.now)) for cell in examined.scored)
    return power.balanced(*sizes.most_common(1)[0][0]) if sizes else 1.0


def _with_cure(row: ComparedRow, examined: Examined, options: GateOptions) -> ComparedRow:
    """What would settle a test that is suspected only."""
    if row.status is not Status.SUSPECTED or row.model is None or row.test_id is None:
        return row
    key = row.model, row.test_id
    chosen, proven = examined.variants.chosen[key], key in examined.left_out
    return replace(row, settle=power.settle_test(row, chosen, options, asks=examined.asks, proven=proven))


def _drift(row: ComparedRow) -> ComparedRow:
    return replace(row, status=Status.DRIFT) if row.status is Status.REGRESSION else row
