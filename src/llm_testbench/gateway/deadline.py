"""The clock over every call in flight: total deadline, time to connect, silence, abort.

A socket timeout only measures one silence: a server that sends a byte now and then is never cut by it.
So one thread watches all calls and shuts the socket of an overdue one down, which wakes whatever blocks
on it: TLS handshake, status line, headers, body, sending.
"""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from enum import Enum

_LONGEST_SLEEP = 5.0  # seconds


class Cut(Enum):
    """Why a call was ended from outside."""

    CONNECT = "connect"
    TOTAL = "total"
    IDLE = "idle"
    ABORT = "abort"


class CutError(OSError):
    """Raised where a cut call would begin to wait."""


class Line:
    """The watchdog's own handle on one connection: a duplicate, since TLS takes the first one over.

    It lives until the connection is closed and no call uses it any more; a response that announced
    `Connection: close` is still being read after its connection object was closed.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._handle = sock.dup()
        self._reading = sock
        self._lock = threading.Lock()
        self._owner: Call | None = None
        self._closed = False

    def reads_from(self, sock: socket.socket) -> None:
        """What the answer is read from, where that is not the socket itself: TLS."""
        self._reading = sock

    def wait_at_most(self, seconds: float) -> None:
        """Each read from here on takes no longer, also of an answer whose connection object was closed."""
        self._reading.settimeout(seconds)

    def take(self, call: Call) -> None:
        """From here on a cut of this call ends the connection."""
        with self._lock:
            self._owner = call
        call.hold(self)

    def give_back(self, call: Call) -> None:
        """The call is over: its cut must not hit the next one on the same connection."""
        with self._lock:
            if self._owner is call:
                self._owner = None
            if self._closed and self._owner is None:
                self._handle.close()

    def cut(self, call: Call) -> None:
        """Ends the connection, if the call still owns it."""
        with self._lock:
            if self._owner is call:
                # The other side may have been faster.
                with suppress(OSError):
                    self._handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """The connection object was closed."""
        with self._lock:
            self._closed = True
            if self._owner is None:
                self._handle.close()


class Call:
    """The timers of one try. `began`: a reading of the clock; `cut`: why it was ended, None while it runs."""

    def __init__(self, clock: Callable[[], float], connect: float, total: float, idle: float) -> None:
        """`connect`, `total`, `idle`: seconds; an idle time of infinity is none."""
        self._clock = clock
        self._idle = idle
        self._line: Line | None = None
        self._lock = threading.Lock()
        self.began = now = clock()
        self._total_due = now + total
        self._connect_due = now + connect
        self._idle_due = now + idle
        self.cut: Cut | None = None

    def due(self) -> float:
        """When the first of the timers runs out."""
        return min(self._total_due, self._connect_due, self._idle_due)

    def connected(self) -> None:
        """The time to connect is over; silence counts from here."""
        self._connect_due = math.inf
        self.touch()

    def touch(self) -> None:
        """The server showed a sign of life."""
        self._idle_due = self._clock() + self._idle

    def check(self) -> None:
        """CutError when the call was cut."""
        if self.cut is not None:
            raise CutError(self.cut.value)

    def time_to_connect(self) -> float:
        """Seconds left to connect; CutError when there are none."""
        self.check()
        left = min(self._connect_due, self._total_due) - self._clock()
        if left <= 0:
            self.end_if_due()
            self.check()
        return max(left, 0.001)

    def hold(self, line: Line) -> None:
        """The connection to end on a cut, at once if that came first."""
        with self._lock:
            before, self._line = self._line, line
            cut = self.cut
        if before is not None and before is not line:
            before.give_back(self)
        if cut is not None:
            line.cut(self)

    def wait_at_most(self, seconds: float) -> None:
        """Each read of the answer from here on takes no longer."""
        if self._line is not None:
            self._line.wait_at_most(seconds)

    def finish(self) -> None:
        """The call is over."""
        with self._lock:
            line, self._line = self._line, None
        if line is not None:
            line.give_back(self)

    def end(self, why: Cut) -> None:
        """Cuts the call; the first reason stays."""
        with self._lock:
            if self.cut is None:
                self.cut = why
            line = self._line
        if line is not None:
            line.cut(self)

    def end_if_due(self) -> None:
        """Cuts the call when a timer has run out."""
        now = self._clock()
        timers = ((Cut.TOTAL, self._total_due), (Cut.CONNECT, self._connect_due), (Cut.IDLE, self._idle_due))
        for why, due in timers:
            if due <= now:
                self.end(why)
                return


class Watchdog:
    """Watches every call in flight. Its thread begins with the first call and ends with `close`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._calls: set[Call] = set()
        self._wakes_at = math.inf
        self._aborted = False
        self._closed = False
        self._thread: threading.Thread | None = None

    def open(self, *, connect: float, total: float, idle: float = math.inf) -> Call:
        """Starts the timers of one call; `done` ends them."""
        call = Call(self._clock, connect, total, idle)
        with self._changed:
            self._calls.add(call)
            aborted = self._aborted
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._watch, name="gateway-watchdog", daemon=True)
                self._thread.start()
            # Most calls are due after the next look anyway: waking the thread for each would cost more than the call.
            if call.due() < self._wakes_at:
                self._changed.notify()
        if aborted:
            call.end(Cut.ABORT)
        return call

    def done(self, call: Call) -> None:
        """The call is over, however it ended."""
        with self._changed:
            self._calls.discard(call)
        call.finish()

    def abort(self) -> None:
        """Cuts every call in flight and each that begins later."""
        with self._changed:
            self._aborted = True
            calls = tuple(self._calls)
        for call in calls:
            call.end(Cut.ABORT)

    def close(self) -> None:
        """Ends the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def _watch(self) -> None:
        with self._changed:
            while not self._closed:
                now = self._clock()
                for call in self._calls:
                    if call.cut is None and call.due() <= now:
                        call.end_if_due()
                # At the latest in a moment: then few calls that begin meanwhile are due sooner and have to wake it.
                self._wakes_at = min((call.due() for call in self._calls if call.cut is None), default=math.inf)
                self._wakes_at = min(self._wakes_at, now + _LONGEST_SLEEP)
                self._changed.wait(max(self._wakes_at - self._clock(), 0.0))
