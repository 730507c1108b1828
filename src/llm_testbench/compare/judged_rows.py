"""All rows of a comparison, with what the statistics and asking again say about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from llm_testbench.artifact.cells import CellKey
from llm_testbench.compare import confirm, power
from llm_testbench.compare.align import Pair
from llm_testbench.compare.examine import MODEL_PROVEN, Examined
from llm_testbench.compare.model import ComparedRow, Status, gated_rows
from llm_testbench.compare.options import GateLevel, GateOptions
from llm_testbench.compare.rows import category_rows, model_rows, rollup, test_row
from llm_testbench.compare.suspects import Fresh


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
    again: Mapping[CellKey, Fresh],
    options: GateOptions,
    badges: Mapping[str, tuple[str, ...]],
    *,
    repeat: int,
) -> Rows:
    """`again`: fresh attempts by cell. `badges`: of models. `repeat`: attempts that the run planned for each cell."""
    found = confirm.findings(examined.state, again)
    pairs, staged = examined.pairs, examined.stage
    overall = rollup([pair for pair in pairs if pair.current is not None], staged.overall)
    return Rows(
        overall=_settled(overall, repeat),
        models=tuple(_settled(row, repeat) for row in model_rows(pairs, staged.models, badges)),
        categories=tuple(_settled(row, repeat) for row in category_rows(pairs, staged.categories)),
        tests=tuple(
            _with_cure(test_row(pair, staged.tests.get(pair.key), found.get(pair.key)), pair, examined, options)
            for pair in pairs
        ),
    )


def _settled(row: ComparedRow, repeat: int) -> ComparedRow:
    return replace(row, settle=power.settle_rows(row, repeat)) if row.status is Status.SUSPECTED else row


def _with_cure(row: ComparedRow, pair: Pair, examined: Examined, options: GateOptions) -> ComparedRow:
    """What would settle a test that is suspected only."""
    if row.status is not Status.SUSPECTED:
        return row
    note = MODEL_PROVEN if pair.key in examined.left_out else ""
    if examined.variants.chosen.get(pair.key) == "none":
        sides = f"{len(pair.before.scores)} attempts before and {len(pair.now.scores)} now"
        note = f"{sides} are too few to prove it: record with repeat 10"
    return replace(row, settle=power.settle_test(row, note, options))


def _drift(row: ComparedRow) -> ComparedRow:
    return replace(row, status=Status.DRIFT) if row.status is Status.REGRESSION else row
