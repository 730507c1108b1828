"""Which job may start next under the global limit and the limits of the models. No time, no threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from llm_testbench.runner.job import Job


class Schedule:
    """The waiting jobs, and how many run.

    `start` gives the earliest waiting job whose model has a free slot. A job that waits for its
    model therefore holds no global slot, and no slot stays idle while any waiting job may start.
    """

    def __init__(self, jobs: Sequence[Job], concurrency: int) -> None:
        self._free = concurrency
        self._lanes: dict[tuple[str, str, str], _Lane] = {}
        for position, job in enumerate(jobs):
            self._lanes.setdefault(_lane_key(job), _Lane(job.model.concurrency)).waiting.append((position, job))
        self.waiting = len(jobs)
        self.running = 0

    def start(self) -> Job | None:
        """The next job, now running; None when no waiting job may start at the moment."""
        if self._free == 0:
            return None
        open_lanes = [lane for lane in self._lanes.values() if lane.waiting and lane.free != 0]
        if not open_lanes:
            return None
        lane = min(open_lanes, key=lambda lane: lane.waiting[0][0])
        _, job = lane.waiting.popleft()
        if lane.free is not None:
            lane.free -= 1
        self._free -= 1
        self.waiting -= 1
        self.running += 1
        return job

    def finish(self, job: Job) -> None:
        """Gives back the slots of a job that `start` gave out."""
        lane = self._lanes[_lane_key(job)]
        if lane.free is not None:
            lane.free += 1
        self._free += 1
        self.running -= 1


class _Lane:
    """The waiting jobs of one model in plan order, and its free slots (None: no limit of its own)."""

    __slots__ = ("free", "waiting")

    def __init__(self, limit: int | None) -> None:
        self.waiting: deque[tuple[int, Job]] = deque()
        self.free = limit


def _lane_key(job: Job) -> tuple[str, str, str]:
    # The limit protects a server: one name may stand for two of them, when both sides of a comparison are asked.
    return (job.model.name, job.model.endpoint, job.model.id)
