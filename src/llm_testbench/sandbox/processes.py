"""The processes of a run: found by their parents, counted, and ended, all of them."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from llm_testbench.sandbox.uids import become

_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LONGEST_KILL = 5.0  # seconds
_FULL_SCAN_EACH = 25
_ENDED = (b"Z", b"X")
_ALL_CHILDREN = 0x40000000  # __WALL: those too that were cloned without a signal


@dataclass(frozen=True, slots=True)
class Process:
    """A line of the table: bytes resident, seconds on the processor, its own and those of children it waited for."""

    parent: int
    state: bytes
    tasks: int
    memory: int
    cpu: float

    @property
    def alive(self) -> bool:
        """Not ended; a zombie is."""
        return self.state not in _ENDED


class Descendants:
    """All below this process, which has to be a subreaper: orphans come to it, so that none leaves the tree.

    Not by their uid: a process that is not dumpable looks like root's. `ours`: children that are part of the sandbox.
    """

    def __init__(self, ours: Iterable[int] = ()) -> None:
        self._me = os.getpid()
        self._ours = {self._me, *ours}
        self._foreign: set[int] = set()
        self._scans = 0

    def scan(self, *, full: bool = False) -> dict[int, Process]:
        """By pid, zombies too. Processes once seen outside the tree are not read again until the next full scan."""
        self._scans += 1
        if full or self._scans % _FULL_SCAN_EACH == 0:
            self._foreign.clear()
        table: dict[int, Process] = {}
        present: set[int] = set()
        for pid in _all():
            present.add(pid)
            if pid in self._foreign or pid in self._ours:
                continue
            process = _read(pid)
            if process is not None:
                table[pid] = process
        self._foreign &= present
        mine = _below(self._me, table)
        self._foreign.update(pid for pid in table if pid not in mine)
        return mine


class GuardianEndedError(Exception):
    """The guardian is gone; without it nothing may run."""


class Reaper:
    """Reaps the children of this process. While `held` is not reaped it names its process group."""

    def __init__(self, held: int, ours: frozenset[int]) -> None:
        self.held: int | None = held
        self.main_ended = False
        self.status: int | None = None
        self.cpu = 0.0
        self.peak_memory = 0
        self._main = held
        self._ours = ours

    def __call__(self) -> None:
        """All that have ended by now; the main one only once nothing holds it."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT | _ALL_CHILDREN)
            except ChildProcessError:
                return
            if ended is None:
                return
            if ended.si_pid in self._ours:
                raise GuardianEndedError
            if ended.si_pid == self._main:
                self.main_ended = True
                if self.held is not None:
                    return
            pid, status, used = os.wait4(ended.si_pid, os.WNOHANG | _ALL_CHILDREN)
            if pid == self._main:
                self.status = status
            self.cpu += used.ru_utime + used.ru_stime
            self.peak_memory = max(self.peak_memory, used.ru_maxrss * 1024)


def shared_memory(pids: Iterable[int]) -> int | None:
    """Bytes that these use together, pages that they share counted once; None where that may not be read."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", "rb") as file:  # noqa: PTH123
                for line in file:
                    if line.startswith(b"Pss:"):
                        total += int(line.split()[1]) * 1024
                        break
        except OSError as error:
            if error.errno not in (errno.ESRCH, errno.ENOENT):
                return None
    return total


def uids_in_use() -> frozenset[int]:
    """The owners of all processes."""
    used = set()
    for pid in _all():
        with suppress(OSError):
            used.add(os.stat(f"/proc/{pid}").st_uid)  # noqa: PTH116
    return frozenset(used)


def tasks_of(uid: int) -> int:
    """How many threads all processes of that user have."""
    total = 0
    for pid in _all():
        with suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid == uid:  # noqa: PTH116
                total += len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208
    return total


def kill_group(leader: int) -> None:
    """SIGKILL to the whole process group at once; the leader must not be reaped yet, or its number may be another's."""
    with suppress(OSError):
        os.kill(-leader, signal.SIGKILL)


def end_all(descendants: Descendants, uid: int | None, reap: Reaper) -> int:
    """Kills and reaps until none is alive; returns how many still are after five seconds. `uid`: theirs alone."""
    until = time.monotonic() + _LONGEST_KILL
    pause = 0.0
    while True:
        if uid is not None:
            _kill_user(uid)
        reap()
        alive = [pid for pid, process in descendants.scan(full=True).items() if process.alive]
        if alive and uid is None:
            # First all of them stop, so that none forks while others are killed.
            _signal_all(alive, signal.SIGSTOP)
            alive = [pid for pid, process in descendants.scan(full=True).items() if process.alive]
        _signal_all(alive, signal.SIGKILL)
        reap()
        if not alive or time.monotonic() > until:
            return len(alive)
        time.sleep(pause)
        pause = min(0.02, pause + 0.001)


def _kill_user(uid: int) -> None:
    """SIGKILL to every process of `uid` in one call, which no fork outruns; a child does it, as that user."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            become(uid)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    with suppress(ChildProcessError):
        os.waitpid(child, 0)


def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, number)


def _all() -> Iterator[int]:
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            yield int(name)


def _read(pid: int) -> Process | None:
    """proc(5), /proc/PID/stat: the fields behind the name, which may hold anything."""
    try:
        with open(f"/proc/{pid}/stat", "rb", 0) as file:  # noqa: PTH123
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if len(fields) < 22:
        return None
    ticks = sum(int(fields[place]) for place in (11, 12, 13, 14))
    return Process(int(fields[1]), fields[0], int(fields[17]), int(fields[21]) * _PAGE, ticks / _CLOCK_TICKS)


def _below(root: int, table: Mapping[int, Process]) -> dict[int, Process]:
    children: dict[int, list[int]] = {}
    for pid, process in table.items():
        children.setdefault(process.parent, []).append(pid)
    mine: dict[int, Process] = {}
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            mine[pid] = table[pid]
            waiting.append(pid)
    return mine
