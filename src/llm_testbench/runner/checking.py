"""Answers whose checks run programs: scored beside the asking, by threads of their own.

A build takes longer than many an answer. If the threads that ask waited for it, a few of them would hold all the
places in the sandbox, the rest would queue for one, and nobody would ask.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from llm_testbench.artifact.model import Row
from llm_testbench.gateway.model import Reply
from llm_testbench.runner.job import Job

Answered: TypeAlias = tuple[Job, Reply]


class Checking:
    """Scores what it is given, in that order, `at_once` at a time, and hands in each row by `put`.

    Its threads are daemons, like those of the crew, and live while there is something to do.
    """

    def __init__(self, at_once: int, score: Callable[[Job, Reply], Row], put: Callable[[Row], None]) -> None:
        self._at_once = at_once
        self._score = score
        self._put = put
        self._lock = threading.Lock()
        self._waiting: deque[Answered] = deque()
        self._begun: dict[int, Answered] = {}  # by a number of its own
        self._count = 0
        self._threads = 0

    def add(self, job: Job, reply: Reply) -> None:
        """Puts it at the end of the queue."""
        with self._lock:
            self._waiting.append((job, reply))
            if self._threads == self._at_once:
                return
            self._threads += 1
        try:
            threading.Thread(target=self._work, name="llmtest-check", daemon=True).start()
        except RuntimeError:  # the machine allows no more of them: then the one that asked does it
            self._work()

    @property
    def waiting(self) -> int:
        """How many are there whose scoring has not begun."""
        with self._lock:
            return len(self._waiting)

    def take_back(self, *, begun: bool) -> tuple[Answered, ...]:
        """What is not scored yet, and leaves no row any more; `begun`: with what is being scored now."""
        with self._lock:
            found = (*self._begun.values(), *self._waiting) if begun else tuple(self._waiting)
            self._waiting.clear()
            if begun:
                self._begun.clear()
        return found

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                self._count += 1
                number = self._count
                job, reply = self._begun[number] = self._waiting.popleft()
            row = self._score(job, reply)
            with self._lock:
                wanted = self._begun.pop(number, None) is not None
            if wanted:
                self._put(row)
