"""Runs a list of jobs: rows come in, in the main thread alone, until all are there or it shall stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty
from typing import Literal

from llm_testbench.artifact.model import Row
from llm_testbench.runner.crew import Ask, Crew
from llm_testbench.runner.inbox import Inbox
from llm_testbench.runner.interrupt import Level, Stop
from llm_testbench.runner.job import Job, RunOptions
from llm_testbench.runner.plan import require_at_most
from llm_testbench.runner.traffic import Traffic
from llm_testbench.sandbox.programs import CLOSED, Workshop

TICK = 1.0  # seconds; how often progress may show that time goes on
SCORING_GRACE = 0.5  # seconds an abandoned run waits for answers that are being scored

Ended = Literal["done", "interrupted", "max_duration"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """`rows` in order of completion; `interrupted`: some planned attempts have none; `abandoned`: calls cut off."""

    rows: tuple[Row, ...]
    ended: Ended
    abandoned: int = 0

    @property
    def interrupted(self) -> bool:
        """Not everything that was planned has been asked."""
        return self.ended != "done"


def run(
    jobs: Sequence[Job],
    *,
    ask: Ask,
    options: RunOptions,
    on_row: Callable[[Row], None],
    stop: Stop,
    clock: Callable[[], float] = time.monotonic,
    abandon: Callable[[], None] | None = None,
    on_started: Callable[[], None] | None = None,
    on_tick: Callable[[], None] | None = None,
    on_stopping: Callable[[Ended, int], None] | None = None,
    on_news: Callable[[str], None] | None = None,
    traffic: Traffic | None = None,
    workshop: Workshop = CLOSED,
) -> RunResult:
    """Asks every job within the limits; call it in the main thread, which alone receives signals.

    `on_started` (once, when the first calls are under way), `on_row` and `on_tick` (about once a second)
    run in the calling thread, one at a time.
    `on_stopping` is told once why no further calls begin, and how many are in flight. `abandon`
    cuts these off when the second level of `stop` is reached; they leave no row. An `ask` that
    raises makes an error row. `traffic`: what an earlier run has learned of the models' servers; `on_news` is told
    in one line what changes about it. `workshop`: where checks run programs. Raises InputError when there are more
    jobs than `max_requests`.
    """
    require_at_most(jobs, options.max_requests)
    inbox = Inbox()
    traffic = traffic or Traffic(clock())
    with stop.waking(lambda: inbox.put(None)):
        watch = _Watch(
            crew=Crew(jobs, ask, options, inbox, traffic=traffic, clock=clock, workshop=workshop),
            traffic=traffic,
            inbox=inbox,
            stop=stop,
            clock=clock,
            on_row=on_row,
            on_started=on_started,
            on_tick=on_tick,
            on_stopping=on_stopping,
            on_news=on_news,
        )
        return watch.run(options.max_duration, abandon)


@dataclass(kw_only=True, eq=False)
class _Watch:
    """The main thread's side of a run."""

    crew: Crew
    traffic: Traffic
    inbox: Inbox
    stop: Stop
    clock: Callable[[], float]
    on_row: Callable[[Row], None]
    on_started: Callable[[], None] | None
    on_tick: Callable[[], None] | None
    on_stopping: Callable[[Ended, int], None] | None
    on_news: Callable[[str], None] | None
    rows: list[Row] = field(default_factory=list)
    ended: Ended = "done"

    def run(self, max_duration: float | None, abandon: Callable[[], None] | None) -> RunResult:
        now = self.clock()
        end = now + max_duration if max_duration is not None else None
        next_tick = now + TICK
        try:
            if self.stop.level is Level.RUNNING:
                self.crew.start()
                if self.on_started is not None:
                    self.on_started()
            while True:
                self._obey(end)
                if self.stop.level is Level.ABANDONING:
                    return self._abandon(abandon)
                if not self.crew.owes(len(self.rows)):
                    return RunResult(tuple(self.rows), self.ended)
                refused = self.crew.refuse(len(self.rows))
                if refused is not None:
                    self._keep(refused)
                self._receive(0.0 if refused is not None else self._pause(end, next_tick))
                self._tell_news()
                if self.clock() >= next_tick:
                    next_tick = self.clock() + TICK
                    if self.on_tick is not None:
                        self.on_tick()
        finally:
            self.crew.close()

    def _obey(self, end: float | None) -> None:
        """Brings the crew to what the signals and the clock ask for."""
        if self.stop.deadline is not None and self.clock() >= self.stop.deadline:
            self.stop.abandon()
        if self.stop.level is not Level.RUNNING:
            self._end("interrupted")
        elif end is not None and self.clock() >= end and (self.crew.waiting or self.crew.unchecked):
            self._end("max_duration")

    def _end(self, why: Ended) -> None:
        if self.ended == why:
            return
        first = self.ended == "done"
        # A signal during the last calls of a run that ran out of time: the person's word counts.
        self.ended = why
        self.crew.close()
        for row in self.crew.leave_unchecked(begun=False):
            self._keep(row)
        if first and self.on_stopping is not None:
            self.on_stopping(why, self.crew.in_flight)

    def _pause(self, end: float | None, next_tick: float) -> float:
        """Seconds until the clock itself changes something."""
        now = self.clock()
        # An end that has passed changes nothing any more: all jobs have begun.
        ahead = [moment for moment in (self.stop.deadline, end) if moment is not None and moment > now]
        return max(0.0, min([next_tick, *ahead]) - now)

    def _receive(self, seconds: float) -> bool:
        """Passes on the next row, or returns when woken or after `seconds`; False when there was none."""
        try:
            row = self.inbox.get(timeout=min(seconds, TICK))
        except Empty:
            return False
        if row is not None:
            self._keep(row)
        return True

    def _keep(self, row: Row) -> None:
        self.rows.append(row)
        self.on_row(row)

    def _tell_news(self) -> None:
        while (line := self.traffic.news()) is not None:
            if self.on_news is not None:
                self.on_news(line)

    def _abandon(self, abandon: Callable[[], None] | None) -> RunResult:
        """Keeps what has been answered, cuts off the rest."""
        patience = time.monotonic() + SCORING_GRACE
        while self.crew.scoring(len(self.rows)):
            if not self._receive(max(0.0, patience - time.monotonic())):
                break
        for row in self.crew.leave_unchecked(begun=True):
            self._keep(row)
        abandoned = self.crew.in_flight
        if abandon is not None:
            # It promises not to raise; if it did, the rows would be lost for the sake of calls nobody wants.
            with suppress(Exception):
                abandon()
        return RunResult(tuple(self.rows), self.ended, abandoned)
