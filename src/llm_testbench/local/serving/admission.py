"""How many questions are being answered at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Admission:
    """Lets in `most` at a time, None: any number. Thread-safe."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._inside = 0

    @contextmanager
    def enter(self) -> Iterator[bool]:
        """Whether there is room; who got in has left behind the `with`."""
        with self._lock:
            admitted = self._most is None or self._inside < self._most
            self._inside += admitted
        try:
            yield admitted
        finally:
            with self._lock:
                self._inside -= admitted
