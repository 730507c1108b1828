"""The worker threads of a run: each takes what is next to be asked, asks, scores, and hands in the row.

Answers whose check runs a program are scored by others (checking.py).
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from llm_testbench.artifact.model import Row
from llm_testbench.errors import InconclusiveError
from llm_testbench.gateway.model import Again, ChatRequest, ModelOptions, Reply, Step
from llm_testbench.runner.attempt import crashed, request_of, row_of, unchecked, waits_for_programs
from llm_testbench.runner.checking import Checking
from llm_testbench.runner.inbox import Inbox
from llm_testbench.runner.job import Job, RunOptions
from llm_testbench.runner.schedule import Schedule, Turn
from llm_testbench.runner.traffic import Traffic
from llm_testbench.sandbox.launching import most_at_once
from llm_testbench.sandbox.programs import CLOSED, Workshop

Ask = Callable[[ModelOptions, ChatRequest, int], Step]


class Crew:
    """Runs the jobs and puts one row for each job begun into `rows`, in order of completion.

    An attempt that is to go on later holds no thread meanwhile; once the crew is closed it leaves no row. A None in
    `rows` says that something else has changed.

    The threads are daemons and none of concurrent.futures, whose threads are joined when the
    interpreter exits: a call that hangs must not keep an abandoned run alive.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        ask: Ask,
        options: RunOptions,
        rows: Inbox,
        *,
        traffic: Traffic | None = None,
        clock: Callable[[], float] = time.monotonic,
        workshop: Workshop = CLOSED,
    ) -> None:
        self._schedule = Schedule(jobs, options.concurrency, traffic)
        self._size = min(options.concurrency, len(jobs))
        self._ask = ask
        self._store = options.store_responses
        self._rows = rows
        self._workshop = workshop
        self._checking = Checking(most_at_once(), self._row, rows.put)
        self._clock = clock
        self._lock = threading.Lock()
        self._idle: deque[threading.Lock] = deque()  # the bell of each thread that waits for something to send
        self._alarm = math.inf  # when an idle thread wakes by itself
        self._begun = 0
        self._closed = False

    def start(self) -> None:
        """Starts the threads, fewer when the machine allows no more; InconclusiveError when it allows none."""
        for number in range(self._size):
            try:
                threading.Thread(target=self._work, name=f"llmtest-{number}", daemon=True).start()
            except RuntimeError as error:  # such as the limit of processes of a container
                if number == 0:
                    raise InconclusiveError(
                        f"no thread can be started ({error}): raise the limit of processes"
                    ) from error
                return

    def close(self) -> None:
        """Nothing further is begun."""
        with self._lock:
            self._closed = True
            self._begun -= self._schedule.forget_parked()
            while self._idle:
                self._wake_one()

    def refuse(self, received: int) -> Row | None:
        """The row of an attempt that is not asked, since nothing of its model is; None when there is none now.

        Whoever receives the rows takes these one by one, after those of all calls that have ended, and may stop in
        between: there may be thousands.
        """
        with self._lock:
            if self._closed or self._ended > received or (refused := self._schedule.refuse()) is None:
                return None
            self._begun += refused.begins
        return self._row(refused.job, refused.reply)

    def leave_unchecked(self, *, begun: bool) -> tuple[Row, ...]:
        """The rows of answers that still wait for a program to check them, which no other row follows.

        `begun`: with those whose check runs already.
        """
        return tuple(unchecked(job, reply, self._store) for job, reply in self._checking.take_back(begun=begun))

    @property
    def in_flight(self) -> int:
        """Calls that have begun and not ended."""
        with self._lock:
            return self._schedule.running

    @property
    def waiting(self) -> int:
        """Attempts not begun, and those that are to go on later."""
        with self._lock:
            return self._schedule.waiting

    @property
    def unchecked(self) -> bool:
        """Whether answers wait for their check to begin."""
        return self._checking.waiting > 0

    def owes(self, received: int) -> bool:
        """Whether rows beyond the `received` ones are to come."""
        with self._lock:
            return self._begun > received or (self._schedule.waiting > 0 and not self._closed)

    def scoring(self, received: int) -> bool:
        """Whether calls have ended whose rows are not among the `received` ones."""
        with self._lock:
            return self._ended > received

    @property
    def _ended(self) -> int:
        return self._begun - self._schedule.running - self._schedule.parked

    def _work(self) -> None:
        bell = threading.Lock()
        bell.acquire()
        while (turn := self._take(bell)) is not None:
            step: Step | BaseException
            try:
                step = self._send(turn)
            except BaseException as error:  # whatever it is: a dead thread would let the run wait for ever
                step = error
            self._give_back(turn, step)
            if isinstance(step, Again):
                self._rows.put(None)  # its row comes later, but the run may have to end before
            elif isinstance(step, Reply) and waits_for_programs(turn.job, step):
                self._check_later(turn.job, step)
            else:
                self._rows.put(self._row(turn.job, step))

    def _check_later(self, job: Job, reply: Reply) -> None:
        with self._lock:
            closed = self._closed
        if closed:
            self._rows.put(unchecked(job, reply, self._store))
        else:
            self._checking.add(job, reply)

    def _send(self, turn: Turn) -> Step:
        if turn.again is not None:
            return turn.again()
        return self._ask(turn.job.model, request_of(turn.job.test), turn.job.attempt)

    def _take(self, bell: threading.Lock) -> Turn | None:
        """Waits until there is something to send; None when there will be nothing."""
        while True:
            with self._lock:
                if self._closed or not self._schedule.waiting:
                    return None
                now = self._clock()
                turn = self._schedule.start(now)
                if turn is not None:
                    self._begun += turn.begins
                    if self._idle and self._schedule.next(now) < self._alarm:
                        self._wake_one()
                    return turn
                self._idle.append(bell)
                moment = self._schedule.next(now)
                alarm = moment if moment < self._alarm else None
                if alarm is not None:
                    self._alarm = alarm
            self._sleep(bell, alarm, now)

    def _sleep(self, bell: threading.Lock, alarm: float | None, now: float) -> None:
        """Waits until the bell is rung, or until `alarm`: one thread alone keeps the time for all that are idle."""
        # A bell a thread, and no Condition: its lock, taken again by each thread that wakes, held up all others
        # when many calls end at once. No SimpleQueue either, see Inbox.
        if alarm is None:
            bell.acquire()
            return
        rung = bell.acquire(timeout=min(max(alarm - now, 0.0), threading.TIMEOUT_MAX))
        with self._lock:
            if self._alarm == alarm:
                self._alarm = math.inf
            if not rung and bell in self._idle:
                self._idle.remove(bell)
                rung = True
        if not rung:
            bell.acquire()  # rung in that very moment

    def _give_back(self, turn: Turn, step: Step | BaseException) -> None:
        """Frees the slots before the answer is scored, so that a slow check keeps no server waiting."""
        with self._lock:
            self._schedule.took(turn, step, self._clock())
            if self._closed:
                self._begun -= self._schedule.forget_parked()
            if self._idle:
                # If more than one may start now, the one that wakes sees to the next.
                self._wake_one()

    def _wake_one(self) -> None:
        self._idle.popleft().release()

    def _row(self, job: Job, reply: Reply | BaseException) -> Row:
        if isinstance(reply, BaseException):
            return crashed(job, reply)
        try:
            return row_of(job, reply, self._store, self._workshop)
        except BaseException as error:  # as above
            return crashed(job, error)
