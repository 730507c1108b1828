"""When no model answers at all: a run that asks on would only burn time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row, Side
from llm_testbench.runner.job import Job

LIMIT = 8  # failed attempts in a row, per model and side and since the start

# What says that nobody is there, or nobody who lets us in; a rejected request says something about the request.
_NOBODY = frozenset(
    {
        Outcome.NETWORK,
        Outcome.TIMEOUT,
        Outcome.IDLE_TIMEOUT,
        Outcome.EMPTY_STREAM,
        Outcome.PROTOCOL,
        Outcome.AUTH,
        Outcome.SERVER,
    }
)


@dataclass
class GiveUp:
    """Watches rows; `reason` is set once every model has failed its first `limit` attempts, or all it has.

    Each side of a comparison counts for itself: under one name they may be two models.
    One model that answers once, or a slow one that has not ended yet, keeps the run going.
    `reason` quotes the first failure: untrusted.
    """

    planned: dict[tuple[str, Side], int]  # attempts by model name and side
    limit: int = LIMIT
    reason: str | None = None
    _failed: dict[tuple[str, Side], int] = field(default_factory=dict)
    _first: Row | None = None
    _answered: bool = False

    @classmethod
    def watching(cls, jobs: Iterable[Job]) -> GiveUp:
        """For a run of these jobs."""
        return cls(dict(Counter((job.model.name, job.side) for job in jobs)))

    def see(self, row: Row) -> bool:
        """Takes the next row; True when this one settles that nobody answers."""
        if self._answered or self.reason is not None:
            return False
        if row.outcome not in _NOBODY:
            self._answered = True
            return False
        self._first = self._first or row
        asked = (row.model, row.side)
        self._failed[asked] = self._failed.get(asked, 0) + 1
        if any(self._failed.get(key, 0) < min(self.limit, planned) for key, planned in self.planned.items()):
            return False
        count = sum(self._failed.values())
        attempts = "the only attempt" if count == 1 else f"all of {count} attempts"
        self.reason = f"no model answers: {attempts} failed; the first: {self._first.outcome}: {self._first.error}"
        return True
