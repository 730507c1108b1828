"""The plain values of a comparison (design 4 and 5.7, schemas/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["gate", "record"]
"""Whether the run is judged against a baseline, or kept to become one (design 4)."""


class Status(StrEnum):
    """Of a row. The judged statuses come with the statistical verdict; until then a compared row is `compared`."""

    COMPARED = "compared"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"
    NEW = "new"
    REMOVED = "removed"
    CHANGED = "changed"
    NOT_SELECTED = "not_selected"


class Verdict(StrEnum):
    """Of the run; decides exit code, first line and outputs."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NO_BASELINE = "no_baseline"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What may fail the gate (design 5.6). Scores and rates 0..1.

    A recording compares for information only: nothing but `must_pass` and `min_score` can make it fail.
    """

    role: Role = "gate"
    min_score: float | None = None
    max_drop: float | None = None
    fail_on: Literal["regression", "suspected", "never"] = "regression"
    on_inconclusive: Literal["fail", "warn"] = "fail"
    baseline_missing: Literal["warn", "fail"] = "warn"
    min_coverage: float = 0.9
    max_error_rate: float = 0.05


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a row: mean 0..1 (None: nothing scored).

    `n` counts the scored attempts of a test, and the tests (one per model) of every other row.
    """

    mean: float | None
    n: int


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A test, category, model or the whole. `delta` = current − baseline, negative is worse."""

    status: Status
    baseline: Side | None
    current: Side | None
    delta: float | None
    model: str | None = None
    category: str | None = None
    test_id: str | None = None
    badges: tuple[str, ...] = ()


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

    `age`: seconds from its end to the end of the current run. `cells`: how many the comparison took from it.
    `why`: why it was not used.
    """

    source: str  # `release v1.2.0`, `run 4711`, `branch baselines`, or a path
    tag: str = ""
    sha: str = ""
    url: str = ""
    finished_at: str = ""
    age: float | None = None
    cells: int = 0
    used: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that the report, the outputs and the exit code say; nothing else decides them.

    `headline` holds the product's own words only: no name, no foreign text.
    `baselines`: in order of preference, those that were passed over included.
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
