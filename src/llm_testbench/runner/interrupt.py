"""What SIGINT and SIGTERM do: stop dispatching first, abandon what is in flight second.

A signal handler runs between two instructions of the main thread, whatever lock that holds. So the
handler takes no lock and starts no thread (threading.Event and threading.Timer do both, and would
deadlock now and then): it sets flags, and wakes the run through its Inbox, whose put may interrupt itself.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType

# A cancelled job of GitHub Actions gets SIGINT, after 7.5 s SIGTERM, after another 2.5 s SIGKILL.
CI_GRACE = 7.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Level(IntEnum):
    """How far a run shall stop; it only ever rises."""

    RUNNING = 0
    STOPPING = 1  # no further calls; those in flight may finish
    ABANDONING = 2  # calls in flight are thrown away


class Stop:
    """The wish to stop, shared by whoever may utter it and the run that obeys."""

    def __init__(self) -> None:
        # Two flags that only go up, instead of one level: no order of writers can lower it.
        self._stopping = False
        self._abandoning = False
        self._wakers: tuple[Callable[[], None], ...] = ()
        self.deadline: float | None = None
        """When the run shall abandon what is in flight, on the clock of `install`; None: never by itself."""
        self.attended = False
        """A run has begun: from now on a signal asks it to stop, instead of ending the command at once."""

    @property
    def level(self) -> Level:
        """The highest level asked for so far."""
        if self._abandoning:
            return Level.ABANDONING
        return Level.STOPPING if self._stopping else Level.RUNNING

    def stop(self) -> None:
        """Asks for no further calls."""
        self._stopping = True
        self._wake()

    def abandon(self) -> None:
        """Asks to throw away the calls in flight as well."""
        self._abandoning = True
        self._wake()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Calls `wake` whenever the level may have risen; it must be safe inside a signal handler."""
        self.attended = True
        self._wakers = (*self._wakers, wake)
        try:
            yield
        finally:
            self._wakers = tuple(waker for waker in self._wakers if waker is not wake)

    def _wake(self) -> None:
        for wake in self._wakers:
            wake()


@contextmanager
def install(
    stop: Stop,
    environ: Mapping[str, str],
    grace: float = CI_GRACE,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Handles SIGINT and SIGTERM inside the `with`, and puts the former handlers back behind it.

    Before a run has begun a signal raises KeyboardInterrupt. From then on the first one stops it,
    the second abandons what is in flight, and a third raises KeyboardInterrupt, for a person who
    waits on something that hangs. With `CI` set, the run abandons by itself `grace` seconds after
    the first. The handlers are explicit because the kernel gives process 1 of a container no
    default action. Does nothing outside the main thread, which alone receives signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received = 0

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal received
        if not stop.attended:
            raise KeyboardInterrupt
        received += 1
        if received > 2:
            raise KeyboardInterrupt
        if received == 2:
            stop.abandon()
            return
        if in_ci(environ):
            stop.deadline = clock() + grace
        stop.stop()

    former = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in former.items():
            # None: a handler that C code installed, which Python cannot put back.
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether a CI system runs this: `CI` is set, and not to a no."""
    return environ.get("CI", "").strip().lower() not in ("", "0", "false", "no")
