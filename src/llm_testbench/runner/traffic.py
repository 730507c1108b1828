"""What is known of the way to each model, for as long as a command asks: how much it takes, and whether it answers."""

from __future__ import annotations

import math
from collections import deque

from llm_testbench.artifact.model import MOST_LIMITS, Throttled
from llm_testbench.gateway.model import Again, Failure, LaneKey, ModelOptions, Reply, Step
from llm_testbench.runner.circuit import PROBE_SECONDS, Circuit, is_busy
from llm_testbench.runner.limit import Limit, Sent
from llm_testbench.untrusted import Untrusted

REST = 4  # times as long as a try that failed
_NOTE_LIMIT = 300  # characters


class Traffic:
    """The lanes of a run. It may serve several lists of jobs one after another, not two at a time.

    `began`: the moment that the record counts from. Lanes are made in one thread, and only then used by several.
    """

    def __init__(self, began: float = 0.0) -> None:
        self._began = began
        self._lanes: dict[LaneKey, Lane] = {}
        self._news: deque[str] = deque()

    def lane(self, model: ModelOptions, concurrency: int) -> Lane:
        """The model's lane, as it was left. `concurrency`: of the whole run."""
        if model.lane_key not in self._lanes:
            ceiling = min(model.concurrency or concurrency, concurrency)
            self._lanes[model.lane_key] = Lane(model.name, ceiling, self._began, self._news)
        return self._lanes[model.lane_key]

    def throttled(self, model: ModelOptions) -> Throttled | None:
        """How the server held the model back; None when it did not."""
        lane = self._lanes.get(model.lane_key)
        return None if lane is None or not lane.rejected else lane.throttled

    def news(self) -> str | None:
        """The next line for the user that nobody has been told yet; what others wrote in it is made harmless."""
        try:
            return self._news.popleft()
        except IndexError:
            return None


class Lane:
    """The way to one model. Not thread-safe: whoever schedules calls it under a lock."""

    def __init__(self, name: str, ceiling: int, began: float, news: deque[str]) -> None:
        self.limit = Limit(ceiling)
        self.circuit = Circuit()
        self.paused_until = -math.inf
        self.rests_until = -math.inf
        """Until then, models that do answer go before this one, whose last try failed after a while."""
        self.rejected = 0
        self._name = Untrusted(name).log_line()
        self._began = began
        self._news = news
        self._lowest = ceiling
        self._course: list[tuple[float, int]] = []
        self._spacing = 0.1  # seconds at least between two changes that are kept

    @property
    def asked(self) -> bool:
        """Whether its attempts are made, more than a probe now and then."""
        return self.circuit.refusal is None and not self.circuit.held

    @property
    def sound(self) -> bool:
        """Whether nothing speaks against it."""
        return self.asked and not self.circuit.doubtful

    @property
    def throttled(self) -> Throttled:
        """How often it was told to slow down, and what became of its limit."""
        return Throttled(self.rejected, self._lowest, tuple(self._course))

    def took(self, sent: Sent, step: Step | BaseException, now: float, seconds: float) -> None:
        """What came of a request after so many seconds."""
        before = self.limit.now
        if isinstance(step, Reply) and step.failure is None:
            self.limit.accepted(sent)
            self.circuit.answered()
        elif isinstance(step, Again) and step.throttled:
            self._slow_down(sent, now, step.wait)
            self.circuit.throttled()
        elif isinstance(step, Reply) and step.failure is not None and is_busy(step.failure):
            self._slow_down(sent, now, 0.0)
            self._failed(step.failure, now)
        else:
            self.limit.ended()
            self.rests_until = now + REST * seconds
            if isinstance(step, Again):
                self.circuit.stumbled()
            elif isinstance(step, Reply) and step.failure is not None:
                self._failed(step.failure, now)
        if self.limit.now != before:
            self._record(now)

    def give_up(self) -> None:
        """The last probe failed."""
        self.circuit.refuse()
        self._tell_refusal()

    def _slow_down(self, sent: Sent, now: float, wait: float) -> None:
        self.rejected += 1
        if self.rejected == 1:
            self._news.append(f"waiting for {self._name}: rate limited, so fewer requests at a time")
        if self.limit.rejected(sent):
            self.paused_until = max(self.paused_until, now + wait)

    def _failed(self, failure: Failure, now: float) -> None:
        held, refused = self.circuit.held, self.circuit.refusal is not None
        self.circuit.failed(failure, now)
        if not refused and self.circuit.refusal is not None:
            self._tell_refusal()
        elif not held and self.circuit.held:
            said = Untrusted(failure.message).log_line(_NOTE_LIMIT)
            self._news.append(
                f"{self._name} does not answer, and is asked only once in {PROBE_SECONDS:g}s from now on: {said}"
            )

    def _tell_refusal(self) -> None:
        if self.circuit.refusal is not None:
            said = Untrusted(self.circuit.refusal.message).log_line(_NOTE_LIMIT)
            self._news.append(f"{self._name} is not asked any more: {said}")

    def _record(self, now: float) -> None:
        self._lowest = min(self._lowest, self.limit.now)
        at = max(0.0, now - self._began)
        if self._course and at - self._course[-1][0] < self._spacing:
            self._course[-1] = (self._course[-1][0], self.limit.now)
            return
        if len(self._course) == MOST_LIMITS:
            # A long run keeps a coarser course, not its beginning alone.
            self._course = self._course[1::2]
            self._spacing = max(2 * self._spacing, at / MOST_LIMITS)
        self._course.append((round(at, 1), self.limit.now))
