"""What the pictures of a comparison show, as places on a line: 0 is its left end and 100 its right one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import floor, log10
from typing import Literal, TypeAlias

from llm_testbench.artifact.cells import EXACT
from llm_testbench.compare import numbers
from llm_testbench.compare.model import WORSE, ComparedRow, Comparison, Status
from llm_testbench.report import figures
from llm_testbench.untrusted import Untrusted

MOST_DRAWN = 60  # rows of a picture; the tables hold more

Tone: TypeAlias = Literal["worse", "unsure", "better", "plain"]
"""By what is proven and not by the sign: a drop that chance explains is plain."""


@dataclass(frozen=True, slots=True)
class Tick:
    """`at`: place; `label`: the value there."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One category on one model. `before`, `now`: places, None where nothing was scored; `change` in points."""

    model: Untrusted
    before: float | None
    now: float | None
    tone: Tone
    scores: str
    change: str
    tests: int
    said: str


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """A category with its models."""

    category: Untrusted
    rows: tuple[ScoreRow, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores per category and model, the largest drop first. `left_out`: rows that are not drawn."""

    groups: tuple[ScoreGroup, ...]
    ticks: tuple[Tick, ...]
    compared: bool
    several_models: bool
    left_out: int


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """The change of a model, or of all (None), in points. `low`, `high`: of its interval.

    `mde`, `seen`: the smallest drop that 4 of 5 runs would have seen.
    """

    model: Untrusted | None
    at: float
    low: float | None
    high: float | None
    mde: float | None
    tone: Tone
    change: str
    interval: str
    seen: str
    said: str


@dataclass(frozen=True, slots=True)
class Intervals:
    """`threshold`: place of the smallest drop that may fail the gate, `least` as words."""

    rows: tuple[IntervalRow, ...]
    ticks: tuple[Tick, ...]
    threshold: float
    least: str
    left_out: int


def scores(comparison: Comparison) -> Scores | None:
    """None where no category has a score."""
    rows = [row for row in comparison.categories if _means(row)]
    if not rows:
        return None
    low = _lowest(value for row in rows for value in _means(row))
    ordered = sorted(rows, key=lambda row: (row.category or "", row.delta or 0.0, row.model or ""))
    groups = [list(group) for _, group in groupby(ordered, key=lambda row: row.category or "")]
    groups.sort(key=lambda group: min(row.delta or 0.0 for row in group))
    drawn = _first(groups, MOST_DRAWN)
    return Scores(
        groups=tuple(
            ScoreGroup(Untrusted(group[0].category or ""), tuple(_score_row(row, low) for row in group))
            for group in drawn
        ),
        ticks=tuple(Tick(100 * part, f"{low + part * (1 - low):.2f}") for part in (0.0, 0.5, 1.0)),
        compared=any(row.baseline is not None for row in rows),
        several_models=len({row.model for row in rows}) > 1,
        left_out=len(rows) - sum(map(len, drawn)),
    )


def intervals(comparison: Comparison, min_effect: float) -> Intervals | None:
    """None where nothing was compared. `min_effect`: smaller drops of a model never fail the gate."""
    models = [row for row in comparison.models if row.delta is not None]
    if not models:
        return None
    together = [comparison.overall] if len(models) > 1 and comparison.overall.delta is not None else []
    drawn = [*models[: MOST_DRAWN - 1], *together]
    reach = _reach(drawn, comparison.mde, min_effect)
    return Intervals(
        rows=tuple(_interval_row(row, comparison.mde, reach) for row in drawn),
        ticks=tuple(Tick(50 + 50 * part, _points(part * reach)) for part in (-1.0, -0.5, 0.0, 0.5, 1.0)),
        threshold=_place(-min_effect, reach),
        least=numbers.points(min_effect),
        left_out=len(models) + len(together) - len(drawn),
    )


def tone(status: Status) -> Tone:
    """How a row of this status is painted."""
    if status in WORSE or status is Status.REJECTED:
        return "worse"
    if status is Status.SUSPECTED:
        return "unsure"
    return "better" if status is Status.IMPROVEMENT else "plain"


def _score_row(row: ComparedRow, low: float) -> ScoreRow:
    before = row.baseline.mean if row.baseline is not None else None
    now = row.current.mean if row.current is not None else None
    known = [f"{figures.score(before)} before"] if before is not None else []
    known += [f"{figures.score(now)} now"] if now is not None else []
    return ScoreRow(
        model=Untrusted(row.model or ""),
        before=None if before is None else _percent((before - low) / (1 - low)),
        now=None if now is None else _percent((now - low) / (1 - low)),
        tone=tone(row.status),
        scores=figures.score(now) if row.baseline is None else f"{figures.score(before)} → {figures.score(now)}",
        change=figures.points(row.delta),
        tests=row.current.n if row.current is not None else 0,
        said=", ".join(known),
    )


def _interval_row(row: ComparedRow, mdes: Mapping[str, float], reach: float) -> IntervalRow:
    change = figures.points(row.delta)
    interval = "" if row.ci is None else f"{figures.points(row.ci[0])} to {figures.points(row.ci[1])}"
    mde = _mde(row, mdes)
    said = [
        f"change {change} points",
        *([f"interval {interval}"] if interval else []),
        *([f"a drop of {figures.points_up(mde)} would have been seen"] if mde is not None else []),
    ]
    return IntervalRow(
        model=None if row.model is None else Untrusted(row.model),
        at=_place(row.delta or 0.0, reach),
        low=_place(row.ci[0], reach) if row.ci is not None else None,
        high=_place(row.ci[1], reach) if row.ci is not None else None,
        mde=None if mde is None else _place(-mde, reach),
        tone=tone(row.status),
        change=change,
        interval=interval or figures.NOTHING,
        seen=figures.NOTHING if mde is None else figures.points_up(mde),
        said=", ".join(said),
    )


def _mde(row: ComparedRow, mdes: Mapping[str, float]) -> float | None:
    return row.mde if row.mde is not None else mdes.get(row.model or "overall")


def _reach(rows: Sequence[ComparedRow], mdes: Mapping[str, float], min_effect: float) -> float:
    """How far the line goes to each side of zero: 1, 2 or 5 times a power of ten, at least 0.01 and at most 1."""
    shown = [abs(value) for row in rows for value in (row.delta or 0.0, *(row.ci or ()), _mde(row, mdes) or 0.0)]
    most = min(max(*shown, min_effect, 0.01), 1.0)
    power = 10.0 ** floor(log10(most))
    return next((step * power for step in (1, 2, 5) if step * power >= most - EXACT), min(10 * power, 1.0))


def _place(value: float, reach: float) -> float:
    return _percent(0.5 + value / reach / 2)


def _percent(share: float) -> float:
    return round(100 * min(max(share, 0.0), 1.0), 2)


def _points(value: float) -> str:
    """For the line: `−20`, `0`, `+0.5`."""
    return "0" if abs(value) < EXACT else f"{'+' if value > 0 else '−'}{100 * abs(value):g}"


def _lowest(values: Iterable[float]) -> float:
    """Where the line begins: a tenth below the lowest score, so that small differences are seen, and 0.2 wide."""
    return max(min(floor(10 * min(values) - EXACT) / 10, 0.8), 0.0)


def _means(row: ComparedRow) -> list[float]:
    return [side.mean for side in (row.baseline, row.current) if side is not None and side.mean is not None]


def _first(groups: Sequence[list[ComparedRow]], most: int) -> list[list[ComparedRow]]:
    """Groups of together at most so many rows; the last may be cut."""
    kept: list[list[ComparedRow]] = []
    room = most
    for group in groups:
        if room <= 0:
            break
        kept.append(group[:room])
        room -= len(group)
    return kept
