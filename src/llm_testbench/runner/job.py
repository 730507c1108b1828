"""What the runner is asked to do: one attempt of one test on one model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from llm_testbench.artifact.model import Phase, Row, Side
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.suite.model import Test

StorePolicy = Literal["all", "failed", "none"]

JobKey: TypeAlias = tuple[str, str, Phase, Side, int]
"""Model name, test id, phase, side, attempt: no two jobs of a run share it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt to make. Attempts are numbered from 0 and go on over the phases."""

    model: ModelOptions
    test: Test
    attempt: int
    phase: Phase = "main"
    side: Side = "current"

    @property
    def key(self) -> JobKey:
        """What tells the job from all others of a run."""
        return self.model.name, self.test.id, self.phase, self.side, self.attempt


def key_of(row: Row) -> JobKey:
    """The key of the job that the row answers."""
    return row.model, row.test_id, row.phase, row.side, row.attempt


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Limits of a run. `max_duration` in seconds."""

    concurrency: int = 8
    max_requests: int = 20_000
    max_duration: float | None = 7200.0
    store_responses: StorePolicy = "all"
    max_planned_tokens: int | None = None
