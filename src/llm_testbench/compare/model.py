"""The plain values of a comparison (design 4 and 5.7, schemas/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from llm_testbench.compare.options import GateLevel, Role


class Status(StrEnum):
    """Of a row (design 4). The first six are of compared ones; `drift`: a regression though nothing was changed."""

    REGRESSION = "regression"
    SUSPECTED = "suspected"
    STABLE = "stable"
    IMPROVEMENT = "improvement"
    DRIFT = "drift"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"
    NEW = "new"
    REMOVED = "removed"
    CHANGED = "changed"
    NOT_SELECTED = "not_selected"


JUDGED = frozenset(
    {Status.REGRESSION, Status.SUSPECTED, Status.STABLE, Status.IMPROVEMENT, Status.DRIFT, Status.ACCEPTED}
)
"""Statuses of rows that both sides have, and that may count for the verdict."""
WORSE = frozenset({Status.REGRESSION, Status.DRIFT})
"""A proven drop, whatever its cause."""


class Verdict(StrEnum):
    """Of the run; decides exit code, first line and outputs."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NO_BASELINE = "no_baseline"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a row: mean 0..1 (None: nothing scored).

    `n` counts the scored attempts of a test, and the tests (one per model) of every other row.
    """

    mean: float | None
    n: int


Variant: TypeAlias = Literal["current", "both"]
"""Whose fresh attempts decide about a suspect: this run's alone, or those of both sides."""


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """What became of a suspect that was asked again.

    `current`, `baseline`: its fresh attempts alone. `needed`: how many a side it takes to decide.
    `p`: one-sided, of the test that decides; None where it was not reached. `note`: in our own words, or "".
    """

    variant: Variant
    needed: int
    current: Side
    baseline: Side | None = None
    p: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A test, category, model or the whole. `delta` = current − baseline, negative is worse.

    None where not applicable. `ci`: interval of delta. `p_worse`, `p_better`: one-sided, of this row alone;
    `p_adj`: p_worse adjusted for the number of rows, in rows over several tests; `q`: of a test, the share of false
    ones among all tests that stand out as much; `expected`: how many such tests chance alone would give.
    `mde`: the smallest true drop that would have been seen in 80 % of runs. `confirmed`: asked again, and seen again.
    `settle`: what would settle an undecided row, in our own words.
    """

    status: Status
    baseline: Side | None
    current: Side | None
    delta: float | None
    model: str | None = None
    category: str | None = None
    test_id: str | None = None
    badges: tuple[str, ...] = ()
    ci: tuple[float, float] | None = None
    p_worse: float | None = None
    p_better: float | None = None
    p_adj: float | None = None
    q: float | None = None
    expected: float | None = None
    mde: float | None = None
    confirmed: bool | None = None
    asked: AskedAgain | None = None
    settle: str = ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Foreign text inside a sentence of ours: a model name, a test id, a server's words."""

    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason for the verdict, or a warning. Plain strings of `sentence` are the product's own words."""

    code: str
    sentence: tuple[str | Quoted, ...]
    model: str | None = None
    test_id: str | None = None

    @property
    def message(self) -> str:
        """The sentence as plain text; it holds foreign text as it came, so it is untrusted."""
        return "".join(part.text if isinstance(part, Quoted) else part for part in self.sentence)


@dataclass(frozen=True, slots=True)
class BaselineRun:
    """One run that was considered as a baseline. `source`, `tag`, `sha`, `url` and `why` are foreign text.

    `age`: seconds from its end to the end of the current run. `cells`: how many the comparison took from it alone;
    `pooled`: how many had attempts of it beside those of a newer run. `why`: why it was not used, or not everywhere.
    """

    source: str  # `release v1.2.0`, `run 4711`, `branch baselines`, or a path
    tag: str = ""
    sha: str = ""
    url: str = ""
    finished_at: str = ""
    age: float | None = None
    cells: int = 0
    pooled: int = 0
    used: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What asking again cost. Requests beyond those of the run; `left_out`: suspects that the budget did not reach.

    `why_not`: why those were left out, where it was not the budget; in our own words.
    """

    requests: int = 0
    budget: int = 0
    suspects: int = 0
    left_out: int = 0
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One entry of accepted.yaml: scores of a cell, or of all cells that an accepted row stands on.

    `test`: None where a model's row, or a category's, is accepted. `tests`: scores 0..1 by test id; of a cell that one.
    """

    model: str
    tests: Mapping[str, tuple[float, ...]]
    test: str | None = None
    category: str | None = None
    reason: str = ""
    until: str = ""  # RFC 3339 date, or ""


@dataclass(frozen=True, slots=True)
class SinceRelease:
    """The means beside those of the last release, for information. Rows as in `Comparison`, `run` is the release's.

    Over cells whose request, check and rev are as they were; `left_out`: scored cells of this run that are not among
    them. `overall`: None where no cell is. A row's status is `regression` or `improvement` where its interval, of
    `ci_level`, excludes zero and shuffling agrees, else `stable`.
    """

    run: BaselineRun
    overall: ComparedRow | None
    models: tuple[ComparedRow, ...]
    left_out: int
    ci_level: float


@dataclass(frozen=True, slots=True)
class Change:
    """A figure before and after. Shares 0..1, latencies in milliseconds; None where not known."""

    before: float | None
    now: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that the report, the outputs and the exit code say; nothing else decides them.

    `headline` holds the product's own words only: no name, no foreign text.
    `baselines`: in order of preference, those that were passed over included.
    `exchange`: what was taken as the unit of chance. `mde`: by model name, for several models also `overall`.
    `blind`: in our own words, why one broken test could not have been proven; "" where it could.
    `gate_levels`: the families whose rows may decide the verdict; the others are for information.
    `accept`: what would accept this run's regressions. `truncated`, `latency`: by model name, over compared cells.
    `since_release`: None where nobody looked, or there is no release to look at.
    """

    verdict: Verdict
    headline: str
    reasons: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    overall: ComparedRow
    models: tuple[ComparedRow, ...]
    categories: tuple[ComparedRow, ...]
    tests: tuple[ComparedRow, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    role: Role = "gate"
    baselines: tuple[BaselineRun, ...] = ()
    exchange: Literal["attempt", "run"] = "attempt"
    mde: Mapping[str, float] = field(default_factory=dict)
    blind: str = ""
    confirmation: Confirmation = Confirmation()
    accept: tuple[Acceptance, ...] = ()
    gate_levels: tuple[GateLevel, ...] = ("model", "test")
    truncated: Mapping[str, Change] = field(default_factory=dict)
    latency: Mapping[str, Change] = field(default_factory=dict)
    since_release: SinceRelease | None = None

    @property
    def gated(self) -> tuple[ComparedRow, ...]:
        """The rows that may decide the verdict, the widest first."""
        return gated_rows(self.overall, self.models, self.categories, self.tests, self.gate_levels)


def gated_rows(
    overall: ComparedRow,
    models: tuple[ComparedRow, ...],
    categories: tuple[ComparedRow, ...],
    tests: tuple[ComparedRow, ...],
    levels: tuple[GateLevel, ...],
) -> tuple[ComparedRow, ...]:
    """The rows of these levels, the widest first. The whole of several models stands in their family."""
    whole = (overall,) if len(models) > 1 else ()
    rows: dict[GateLevel, tuple[ComparedRow, ...]] = {"model": (*whole, *models), "category": categories, "test": tests}
    return tuple(row for level, some in rows.items() if level in levels for row in some)
