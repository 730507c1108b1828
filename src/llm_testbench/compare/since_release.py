"""What became of the means since the last release: many small drops, none of them proven, may add up.

For information beside a comparison with a recorded run: it decides nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from llm_testbench.artifact.cells import EXACT, CellKey
from llm_testbench.compare.align import PROMPT_CHANGED, Pair, align
from llm_testbench.compare.cells import Cell, cells_of
from llm_testbench.compare.examine import scored_cell
from llm_testbench.compare.model import BaselineRun, ComparedRow, Finding, Quoted, SinceRelease, Status
from llm_testbench.compare.numbers import points
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.rows import rollup
from llm_testbench.compare.scope import LastRelease
from llm_testbench.compare.stage import Judged, effect_of
from llm_testbench.compare.statistics.families import holm
from llm_testbench.compare.statistics.grid import on_grid, unit
from llm_testbench.compare.statistics.level import level
from llm_testbench.compare.statistics.stratum import Stratum

SINCE_RELEASE = "since_release"
"""The code of a warning: a mean dropped since the last release, and chance does not explain it."""


def mostly_recorded(runs: Sequence[BaselineRun]) -> bool:
    """Most cells are compared with runs of a branch: neither with a release nor with a file, which has no commit."""
    used = [run for run in runs if run.used]
    recorded = sum(run.cells for run in used if run.sha and not run.tag)
    return 2 * recorded > sum(run.cells for run in used)


def since_release(
    release: LastRelease | None,
    current: Mapping[CellKey, Cell],
    options: GateOptions,
    exchange: Literal["attempt", "run"],
    accepted: Collection[CellKey],
) -> SinceRelease | None:
    """The means of `current` beside those of the release, over cells whose request, check and rev are as they were.

    `accepted`: cells whose drop somebody accepted; they are left out. None where there is no release.
    """
    if release is None:
        return None
    before = {key: replace(cell, runs=(cell.scores,)) for key, cell in cells_of(release.artifact).items()}
    pairs = align(before, current, suite_ids=(), unscored=(), edited=())
    same = [pair for pair in pairs if pair.judged and PROMPT_CHANGED not in pair.badges and pair.key not in accepted]
    models = sorted({pair.key[0] for pair in same})
    groups: dict[str | None, list[Pair]] = {
        **{model: [pair for pair in same if pair.key[0] == model] for model in models},
        **({None: same} if len(models) > 1 else {}),
    }
    judged = _judged(groups, options, exchange)
    rows = {model: rollup(group, judged[model], model=model) for model, group in groups.items()}
    whole = rows.get(None) or (replace(rows[models[0]], model=None) if models else None)
    asked = sum(pair.gated and pair.current is not None and bool(pair.now.scores) for pair in pairs)
    by_model = tuple(rows[model] for model in models)
    return SinceRelease(release.run, whole, by_model, left_out=asked - len(same), ci_level=options.ci_level)


def dropped(since: SinceRelease | None) -> Iterator[Finding]:
    """One warning for each model that is proven lower, or for all of them together where no single one is."""
    if since is None or since.overall is None:
        return
    worse = [row for row in since.models if row.status is Status.REGRESSION]
    for row in worse or ([since.overall] if since.overall.status is Status.REGRESSION else []):
        who: tuple[str | Quoted, ...] = ("all models together: ",) if row.model is None else (Quoted(row.model), ": ")
        yield Finding(SINCE_RELEASE, (*who, in_words(row, since), " since release ", Quoted(since.run.tag)), row.model)


def in_words(row: ComparedRow, since: SinceRelease) -> str:
    """`6.0 points lower (95 %: 3.0 to 9.0)`; empty where chance may explain the change."""
    if row.delta is None or row.ci is None or row.status is Status.STABLE:
        return ""
    low, high = sorted(abs(bound) for bound in row.ci)
    way = "lower" if row.delta < 0 else "higher"
    return f"{points(abs(row.delta))} {way} ({100 * since.ci_level:g} %: {100 * low:.1f} to {100 * high:.1f})"


def _judged(
    groups: Mapping[str | None, Sequence[Pair]], options: GateOptions, exchange: Literal["attempt", "run"]
) -> dict[str | None, Judged]:
    """As a family of models is judged, with the share of error of the interval, so that both say the same."""
    cells = {name: [scored_cell(pair, exchange) for pair in group] for name, group in groups.items()}
    step = unit(score for group in cells.values() for cell in group for score in (*cell.before, *cell.now))
    tails = {
        name: level([Stratum(on_grid(cell.before, step), on_grid(cell.now, step)) for cell in group])
        for name, group in cells.items()
    }
    worse = dict(zip(tails, holm([tail.p_worse for tail in tails.values()]), strict=True))
    better = dict(zip(tails, holm([tail.p_better for tail in tails.values()]), strict=True))
    share = (1 - options.ci_level) / 2
    judged: dict[str | None, Judged] = {}
    for name, group in cells.items():
        size = effect_of(group)
        low, high = ci = size.interval(options.ci_level)
        large = abs(size.delta) >= options.min_effect_model - EXACT
        status = Status.STABLE
        if large and high < 0 and worse[name] <= share:
            status = Status.REGRESSION
        elif large and low > 0 and better[name] <= share:
            status = Status.IMPROVEMENT
        judged[name] = Judged(status, size.delta, ci, tails[name].p_worse, tails[name].p_better, p_adj=worse[name])
    return judged
