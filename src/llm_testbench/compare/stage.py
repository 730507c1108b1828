"""Stage 1: what each row's attempts say, before anybody is asked again (stats.md, steps 2 to 6). Pure.

One test at every level: if nothing changed, the labels "before" and "now" of a cell's attempts could be shuffled.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import TypeAlias, TypeVar

from llm_testbench.artifact.cells import EXACT, CellKey
from llm_testbench.compare.model import Status
from llm_testbench.compare.options import GateLevel, GateOptions
from llm_testbench.compare.statistics.families import Standing, discrete_bh, holm
from llm_testbench.compare.statistics.grid import on_grid, unit
from llm_testbench.compare.statistics.level import Effect, effect, level
from llm_testbench.compare.statistics.stratum import Stratum, floor, p_better, p_worse
from llm_testbench.compare.variants import Variants

INFORMAL_SHARE = 0.2
"""Share of alpha by which an ungated family tells improvements: it can fail nothing, and should not shout either."""

_Key = TypeVar("_Key", bound=Hashable)
Scores: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """One cell that both sides have scored: its attempts, or the means of its runs, on each side (0..1).

    `delta`: current − baseline, where attempts stand behind it that are not among what is shuffled.
    """

    key: CellKey
    category: str
    before: Scores
    now: Scores
    delta: float | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """What a row's scores say. Fields as in `ComparedRow`; p values are one-sided."""

    status: Status
    delta: float
    ci: tuple[float, float]
    p_worse: float
    p_better: float
    p_adj: float | None = None
    q: float | None = None
    expected: float | None = None
    mde: float | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """All rows of stage 1. `unit`: the grid of the scores. `strata`: the cells on it."""

    unit: int
    strata: Mapping[CellKey, Stratum]
    tests: Mapping[CellKey, Judged]
    models: Mapping[str, Judged]
    categories: Mapping[tuple[str, str], Judged]
    overall: Judged | None


def stage(cells: Sequence[Scored], options: GateOptions, chosen: Variants) -> Stage:
    """Judges every row. Only a test about which nobody is asked again can be a `regression` already."""
    step = unit(score for cell in cells for score in (*cell.before, *cell.now))
    grid = {side: on_grid(side, step) for side in {side for cell in cells for side in (cell.before, cell.now)}}
    strata = {cell.key: Stratum(grid[cell.before], grid[cell.now]) for cell in cells}
    models = _grouped(cells, lambda cell: cell.key[0])
    # One model: the whole is that model. Several: the whole stands in one family with them.
    rows: dict[str | None, list[Scored]] = {None: list(cells)} if len(models) > 1 else {}
    rows.update(models)
    family = _rows(rows, strata, "model", options)
    by_model = {model: judged for model, judged in family.items() if model is not None}
    return Stage(
        unit=step,
        strata=strata,
        tests=_tests(cells, strata, options, chosen),
        models=by_model,
        categories=_rows(_grouped(cells, lambda cell: (cell.key[0], cell.category)), strata, "category", options),
        overall=family.get(None) or next(iter(by_model.values()), None),
    )


def _rows(
    groups: Mapping[_Key, Sequence[Scored]], strata: Mapping[CellKey, Stratum], name: GateLevel, options: GateOptions
) -> dict[_Key, Judged]:
    """One family of rows over several tests: exact p of each, adjusted by Holm."""
    gated = options.level_alpha(name)
    alpha = gated or options.alpha * INFORMAL_SHARE
    least = options.min_effect_model if name == "model" else options.min_effect_category
    tails = {key: level([strata[cell.key] for cell in group]) for key, group in groups.items()}
    worse = dict(zip(tails, holm([tail.p_worse for tail in tails.values()]), strict=True))
    better = dict(zip(tails, holm([tail.p_better for tail in tails.values()]), strict=True))
    judged: dict[_Key, Judged] = {}
    for key, group in groups.items():
        size = effect_of(group)
        drop = -size.delta
        if gated and worse[key] <= alpha and drop >= least - EXACT:
            status = Status.REGRESSION
        elif better[key] <= alpha and size.delta >= least - EXACT:
            status = Status.IMPROVEMENT
        elif worse[key] <= options.suspect_p_aggregate and drop >= least - EXACT:
            status = Status.SUSPECTED
        else:
            status = Status.STABLE
        judged[key] = Judged(
            status=status,
            delta=size.delta,
            ci=size.interval(options.ci_level),
            p_worse=tails[key].p_worse,
            p_better=tails[key].p_better,
            p_adj=worse[key],
            # A promise for every row of the family: Holm takes the smallest p by its whole number.
            mde=size.mde(alpha / len(groups)),
        )
    return judged


def _tests(
    cells: Sequence[Scored], strata: Mapping[CellKey, Stratum], options: GateOptions, chosen: Variants
) -> dict[CellKey, Judged]:
    """Two families: the tests that stage 1 is the last word about, and those that may be asked again."""
    final = [cell for cell in cells if chosen.chosen[cell.key] == "off"]
    open_ones = [cell for cell in cells if chosen.chosen[cell.key] != "off"]
    alpha = options.level_alpha("test") or options.alpha * INFORMAL_SHARE
    judged = {
        **_family(
            final, strata, options, alpha=chosen.alpha.get("off", alpha), final=bool(options.level_alpha("test"))
        ),
        **_family(open_ones, strata, options, alpha=alpha, final=False),
    }
    return {cell.key: judged[cell.key] for cell in cells}


def _family(
    cells: Sequence[Scored], strata: Mapping[CellKey, Stratum], options: GateOptions, *, alpha: float, final: bool
) -> dict[CellKey, Judged]:
    found = [strata[cell.key] for cell in cells]
    worse = discrete_bh(found)
    better = discrete_bh([one.swapped for one in found])
    # Equal scores say the same, and most tests have them.
    alike: dict[tuple[Scores, Scores, float | None], Judged] = {}
    for cell, stratum, down, up in zip(cells, found, worse, better, strict=True):
        if (cell.before, cell.now, cell.delta) not in alike:
            alike[cell.before, cell.now, cell.delta] = _test(cell, stratum, down, up, options, alpha=alpha, final=final)
    return {cell.key: alike[cell.before, cell.now, cell.delta] for cell in cells}


def _test(
    cell: Scored, stratum: Stratum, down: Standing, up: Standing, options: GateOptions, *, alpha: float, final: bool
) -> Judged:
    size = effect_of([cell])
    p = float(p_worse(stratum))
    # The second term makes every flip of a single attempt a suspect: no larger drop is possible there.
    suspicious = max(options.suspect_p, float(floor(len(cell.before), len(cell.now))))
    drops = -size.delta >= options.min_effect_test - EXACT
    if final and drops and down.q <= alpha:
        status = Status.REGRESSION
    elif size.delta >= options.min_effect_test - EXACT and up.q <= alpha:
        status = Status.IMPROVEMENT
    elif drops and p <= suspicious + EXACT:
        status = Status.SUSPECTED
    else:
        status = Status.STABLE
    return Judged(
        status=status,
        delta=size.delta,
        ci=size.interval(options.ci_level),
        p_worse=p,
        p_better=float(p_better(stratum)),
        q=down.q,
        expected=down.expected,
    )


def effect_of(cells: Sequence[Scored]) -> Effect:
    """The mean change of at least one cell, from all of its attempts, and its spread, from what is shuffled."""
    found = effect([(cell.before, cell.now) for cell in cells])
    known = [cell.delta for cell in cells if cell.delta is not None]
    return replace(found, delta=fsum(known) / len(cells)) if len(known) == len(cells) else found


def _grouped(cells: Sequence[Scored], key: Callable[[Scored], _Key]) -> dict[_Key, list[Scored]]:
    groups: dict[_Key, list[Scored]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return groups
