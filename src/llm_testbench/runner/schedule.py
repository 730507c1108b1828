"""Which request may be sent next. Time is passed in; no threads."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llm_testbench.gateway.model import Again, Failure, LaneKey, Reply, Step
from llm_testbench.runner.circuit import DOWN, PROBE_SECONDS
from llm_testbench.runner.job import Job
from llm_testbench.runner.limit import Sent
from llm_testbench.runner.traffic import Lane, Traffic


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A request to be sent now: the first of its attempt, or by `again` where the attempt goes on."""

    job: Job
    position: int
    queue: Queue
    sent: Sent
    at: float
    again: Callable[[], Step] | None = None

    @property
    def begins(self) -> bool:
        """Whether the attempt begins now."""
        return self.again is None


@dataclass(frozen=True, slots=True)
class Refused:
    """An attempt of a model that is not asked any more: no request is sent, `reply` is its end."""

    job: Job
    reply: Reply
    begins: bool


class Schedule:
    """The attempts that wait, and how many requests are under way.

    `start` gives the earliest in the plan that the limits allow: those of the whole run and of each model, and what
    is known of its server. What waits holds no slot. No model name gets more than its share of the slots while others
    could use them; one whose last try failed gets a single one, and that not always, while one that answers has work.
    """

    def __init__(self, jobs: Sequence[Job], concurrency: int, traffic: Traffic | None = None) -> None:
        traffic = traffic or Traffic()
        self._concurrency = concurrency
        self._queues: dict[LaneKey, Queue] = {}
        for position, job in enumerate(jobs):
            key = job.model.lane_key
            if key not in self._queues:
                self._queues[key] = Queue(job.model.name, traffic.lane(job.model, concurrency))
            self._queues[key].waiting.append((position, job))
        self.running = 0

    @property
    def waiting(self) -> int:
        """Attempts that have neither a request under way nor an end."""
        return sum(queue.size for queue in self._queues.values())

    @property
    def parked(self) -> int:
        """Those of them that have begun and are to go on."""
        return sum(len(queue.parked) for queue in self._queues.values())

    def start(self, now: float) -> Turn | None:
        """The next request, now under way; None when none may be sent at the moment."""
        if self.running >= self._concurrency:
            return None
        wanting = [queue for queue in self._queues.values() if queue.size]
        ready = [queue for queue in wanting if self._opens(queue, wanting) <= now]
        if not ready:
            return None
        queue = ready[0] if len(ready) == 1 else self._fairest(ready, wanting, now)
        self.running += 1
        return queue.start(now)

    def refuse(self) -> Refused | None:
        """The next attempt that ends without a request, since its model is not asked any more."""
        for queue in self._queues.values():
            refusal = queue.lane.circuit.refusal
            if refusal is not None and queue.size:
                return queue.refuse(refusal)
        return None

    def next(self, now: float) -> float:
        """When `start` would give something if no request under way ended; inf: never."""
        if self.running >= self._concurrency:
            return math.inf
        wanting = [queue for queue in self._queues.values() if queue.size]
        return max(now, min((self._opens(queue, wanting) for queue in wanting), default=math.inf))

    def took(self, turn: Turn, step: Step | BaseException, now: float) -> None:
        """Gives back the slots of a request that `start` gave out, and keeps what came of it."""
        self.running -= 1
        queue = turn.queue
        queue.lane.took(turn.sent, step, now, now - turn.at)
        if isinstance(step, Again):
            queue.parked[turn.position] = _Parked(now + step.wait, turn.job, step)
        if queue.probe == turn.position:
            queue.probe = None
            if queue.lane.circuit.held:
                self._probe_failed(queue, now)

    def forget_parked(self) -> int:
        """Drops the attempts that were to go on; how many."""
        dropped = self.parked
        for queue in self._queues.values():
            queue.parked.clear()
        return dropped

    def _opens(self, queue: Queue, wanting: Sequence[Queue]) -> float:
        """When the queue may send its next request; -inf: any time, inf: only after another one has ended."""
        lane = queue.lane
        if lane.limit.full or lane.circuit.refusal is not None:
            return math.inf
        opens = max(queue.opens, lane.paused_until)
        if lane.circuit.doubtful and any(other.lane.sound for other in wanting):
            return math.inf if lane.limit.running else max(opens, lane.rests_until)
        return opens

    def _fairest(self, ready: Sequence[Queue], wanting: Sequence[Queue], now: float) -> Queue:
        # By name: the two sides of a comparison share one, so that they are asked at the same time.
        names = {queue.name for queue in wanting}
        share = -(-self._concurrency // len(names))
        taken = dict.fromkeys(names, 0)
        for queue in self._queues.values():
            if queue.name in taken:
                taken[queue.name] += queue.lane.limit.running
        return min(ready, key=lambda queue: (taken[queue.name] >= share, queue.position(now)))

    def _probe_failed(self, queue: Queue, now: float) -> None:
        others = (other for other in self._queues.values() if other is not queue)
        if any((other.size or other.lane.limit.running) and other.lane.asked for other in others):
            queue.lane.circuit.probe_at = now + PROBE_SECONDS
        else:
            queue.lane.give_up()


@dataclass(frozen=True, slots=True)
class _Parked:
    due: float
    job: Job
    step: Again


class Queue:
    """The attempts of one lane: those that wait, by their position in the plan, and those that are to go on."""

    __slots__ = ("lane", "name", "parked", "probe", "waiting")

    def __init__(self, name: str, lane: Lane) -> None:
        self.name = name
        self.lane = lane
        self.waiting: deque[tuple[int, Job]] = deque()
        self.parked: dict[int, _Parked] = {}
        self.probe: int | None = None  # position of the attempt whose request tells whether the model answers again

    @property
    def size(self) -> int:
        """Attempts with no request under way."""
        return len(self.waiting) + len(self.parked)

    @property
    def opens(self) -> float:
        """When it has a request to send, as far as the queue alone is concerned; inf: only after one has ended."""
        due = min((parked.due for parked in self.parked.values()), default=math.inf)
        first = -math.inf if self._may_begin else due
        probe_at = self.lane.circuit.probe_at
        if probe_at is None:
            return first
        return max(first, probe_at) if self.probe is None else math.inf

    def position(self, now: float) -> int:
        """Where in the plan the attempt stands that `start` would take."""
        due = (position for position, parked in self.parked.items() if parked.due <= now)
        # What is due goes first: its attempt is older, and its answer may be what all wait for.
        return min(due, default=self.waiting[0][0] if self.waiting else -1)

    def start(self, now: float) -> Turn:
        """Takes out the next request."""
        position = self.position(now) if self.parked else self.waiting[0][0]
        if self.lane.circuit.held:
            self.probe = position
        sent = self.lane.limit.send()
        parked = self.parked.pop(position, None)
        if parked is not None:
            return Turn(parked.job, position, self, sent, now, parked.step.ask)
        return Turn(self.waiting.popleft()[1], position, self, sent, now)

    def refuse(self, refusal: Failure) -> Refused:
        """Takes out an attempt that is not to be asked."""
        if not self.parked:
            return Refused(self.waiting.popleft()[1], Reply(None, refusal, (), 0.0), begins=True)
        _, parked = self.parked.popitem()
        return Refused(parked.job, parked.step.failed or Reply(None, refusal, (), 0.0), begins=False)

    @property
    def _may_begin(self) -> bool:
        """Whether an attempt may begin.

        Not while many others are to go on, and no more at a time than the limit while none is answered: else a server
        that fails at once had all attempts begun and none done, and it took long to see that nobody is there.
        """
        lane, parked = self.lane, len(self.parked)
        if lane.circuit.doubtful:
            return bool(self.waiting) and parked + lane.limit.running < lane.limit.ceiling
        return bool(self.waiting) and parked < max(lane.limit.ceiling, DOWN)
