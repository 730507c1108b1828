"""The plain values of a comparison (design 4 and 5.7, schemas/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal


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
    """What may fail the gate (design 5.6). Scores and rates 0..1."""

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
class Comparison:
    """Everything that the report, the outputs and the exit code say; nothing else decides them.

    `headline` holds the product's own words only: no name, no foreign text.
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
