"""The worker threads of a run: each takes the next job, asks, scores, and hands in the row."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from llm_testbench.artifact.model import Row
from llm_testbench.errors import InconclusiveError
from llm_testbench.gateway.model import ChatRequest, ModelOptions, Reply
from llm_testbench.runner.attempt import crashed, request_of, row_of
from llm_testbench.runner.job import Job, RunOptions
from llm_testbench.runner.schedule import Schedule

Ask = Callable[[ModelOptions, ChatRequest, int], Reply]


class Crew:
    """Runs the jobs and puts one row for each job begun into `rows`, in order of completion.

    The threads are daemons and none of concurrent.futures, whose threads are joined when the
    interpreter exits: a call that hangs must not keep an abandoned run alive.
    """

    def __init__(self, jobs: Sequence[Job], ask: Ask, options: RunOptions, rows: SimpleQueue[Row | None]) -> None:
        self._schedule = Schedule(jobs, options.concurrency)
        self._size = min(options.concurrency, len(jobs))
        self._ask = ask
        self._store = options.store_responses
        self._rows = rows
        self._lock = threading.Lock()
        self._idle = 0  # threads that wait for a slot, each for one word in `_wakes`
        self._wakes: SimpleQueue[None] = SimpleQueue()
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
            idle, self._idle = self._idle, 0
        for _ in range(idle):
            self._wakes.put(None)

    @property
    def in_flight(self) -> int:
        """Calls that have begun and not ended."""
        with self._lock:
            return self._schedule.running

    @property
    def waiting(self) -> int:
        """Jobs not begun."""
        with self._lock:
            return self._schedule.waiting

    def owes(self, received: int) -> bool:
        """Whether rows beyond the `received` ones are to come."""
        with self._lock:
            return self._begun > received or (self._schedule.waiting > 0 and not self._closed)

    def scoring(self, received: int) -> bool:
        """Whether calls have ended whose rows are not among the `received` ones."""
        with self._lock:
            return self._begun - self._schedule.running > received

    def _work(self) -> None:
        while (job := self._take()) is not None:
            reply: Reply | BaseException
            try:
                reply = self._ask(job.model, request_of(job.test), job.attempt)
            except BaseException as error:  # whatever it is: a dead thread would let the run wait for ever
                reply = error
            self._give_back(job)
            self._rows.put(self._row(job, reply))

    def _take(self) -> Job | None:
        """Waits until a job may start; None when there will be none."""
        while True:
            with self._lock:
                if self._closed or not self._schedule.waiting:
                    return None
                job = self._schedule.start()
                if job is not None:
                    self._begun += 1
                    return job
                self._idle += 1
            # Not a Condition: its lock, taken again by each thread that wakes, held up all others
            # when many calls end at once.
            self._wakes.get()

    def _give_back(self, job: Job) -> None:
        """Frees the slots before the answer is scored, so that a slow check keeps no server waiting."""
        with self._lock:
            self._schedule.finish(job)
            if self._idle == 0:
                return
            # One freed slot lets at most one more job start.
            self._idle -= 1
        self._wakes.put(None)

    def _row(self, job: Job, reply: Reply | BaseException) -> Row:
        if isinstance(reply, BaseException):
            return crashed(job, reply)
        try:
            return row_of(job, reply, self._store)
        except BaseException as error:  # as above
            return crashed(job, error)
