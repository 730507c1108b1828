"""Rows on their way to the main thread, put there by workers and by signal handlers."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from queue import Empty

from llm_testbench.artifact.model import Row


class Inbox:
    """A queue that one thread takes from. `put` may interrupt itself: a signal handler calls it, too.

    Not queue.SimpleQueue: its `get` computes what is left of the timeout anew when it wakes for nothing, and takes a
    negative rest for no timeout at all (CPython 3.11 and 3.12), so it may wait for ever.
    """

    def __init__(self) -> None:
        self._rows: deque[Row | None] = deque()
        self._bell = threading.Lock()
        self._bell.acquire()

    def put(self, row: Row | None) -> None:
        """Adds a row; None only wakes whoever waits."""
        self._rows.append(row)
        with suppress(RuntimeError):  # rung already
            self._bell.release()

    def get(self, timeout: float) -> Row | None:
        """The next one; queue.Empty when there is none for `timeout` seconds."""
        until = time.monotonic() + timeout
        while not self._rows:
            left = until - time.monotonic()
            if left <= 0 or not (self._bell.acquire(timeout=left) or self._rows):
                raise Empty
        return self._rows.popleft()
