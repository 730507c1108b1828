"""The processes of a run: found by their parents, counted, and ended, all of them."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from llm_testbench.sandbox.uids import become, look_as

_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LONGEST_KILL = 5.0  # seconds
_FULL_SCAN_EACH = 25
_ENDED = (b"Z", b"X")
_MOMENT = 0.001  # seconds
_ALL_CHILDREN = 0x40000000  # __WALL: those too that were cloned without a signal


@dataclass(frozen=True, slots=True)
class Process:
    """A line of the table: bytes resident, seconds on the processor, its own and those of children it waited for.

    `thread`: one that has not ended, None when all have; the first may end before the others.
    """

    parent: int
    thread: int | None
    tasks: int
    memory: int
    cpu: float

    @property
    def alive(self) -> bool:
        """Not ended; a zombie is."""
        return self.thread is not None


class Descendants:
    """All below this process, which has to be a subreaper: orphans come to it, so that none leaves the tree.

    Not by their uid: a process that is not dumpable looks like root's.
    """

    def __init__(self) -> None:
        self._me = os.getpid()
        self._foreign: set[int] = set()
        self._scans = 0

    def forget_ended(self) -> None:
        """Before a program starts: it must not get the number of a process that was outside the tree."""
        self._foreign &= set(_all())

    def scan(self, *, full: bool = False) -> dict[int, Process]:
        """By pid, zombies too. Processes once seen outside the tree are not read again until the next full scan."""
        self._scans += 1
        if full or self._scans % _FULL_SCAN_EACH == 0:
            self._foreign.clear()
        table: dict[int, Process] = {}
        present: set[int] = set()
        for pid in _all():
            present.add(pid)
            if pid == self._me or pid in self._foreign:
                continue
            process = _read(pid)
            if process is not None:
                table[pid] = process
        self._foreign &= present
        # The table is not of one moment: whose parent has just ended is nobody's now, and is looked at again.
        self._foreign.update(_below((0, *self._foreign), table))
        return _below((self._me,), table)


class Reaper:
    """Reaps the children of this process, a subreaper. While the main one is `held` it is not: it names its group."""

    def __init__(self, main: int, *, held: bool = True) -> None:
        self.held = held
        self.main_ended = False
        self.status: int | None = None
        self.cpu = 0.0
        self.peak_memory = 0
        self.killed = 0
        """Beside the main one, by SIGKILL."""
        self._main = main

    def __call__(self) -> bool:
        """All that have ended by now; whether any child is left. No child: no descendant, says the kernel."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT | _ALL_CHILDREN)
            except ChildProcessError:
                return False
            if ended is None:
                return True
            if ended.si_pid == self._main:
                self.main_ended = True
                if self.held:
                    return True
            pid, status, used = os.wait4(ended.si_pid, os.WNOHANG | _ALL_CHILDREN)
            if pid == self._main:
                self.status = status
            elif os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
                self.killed += 1
            self.cpu += used.ru_utime + used.ru_stime
            self.peak_memory = max(self.peak_memory, used.ru_maxrss * 1024)


def shared_memory(processes: Mapping[int, Process]) -> int | None:
    """Bytes that these use together, pages that they share counted once; None where that may not be read."""
    threads = {pid: process.thread or pid for pid, process in processes.items()}
    try:
        return _shared(threads)
    except OSError:
        # Root in a container may lack the capability to look at others.
        told = _told_as(_owner(threads), lambda: [_shared(threads)])
    return told[0] if told else None


def _owner(pids: Iterable[int]) -> int | None:
    """The user of the first that is still there."""
    for pid in pids:
        with suppress(OSError):
            return os.stat(f"/proc/{pid}").st_uid  # noqa: PTH116
    return None


def _shared(threads: Mapping[int, int]) -> int:
    total = 0
    for pid, thread in threads.items():
        try:
            with open(f"/proc/{pid}/task/{thread}/smaps_rollup", "rb") as file:  # noqa: PTH123
                for line in file:
                    if line.startswith(b"Pss:"):
                        total += int(line.split()[1]) * 1024
                        break
        except OSError as error:
            if error.errno not in (errno.ESRCH, errno.ENOENT):
                raise
    return total


def unlinked(pids: Iterable[int], folder: str, mapped: int, uid: int | None) -> tuple[int, frozenset[int]]:
    """Bytes of files that these have open or mapped and that the folder shows no more; and which of them hide theirs.

    Those are between fork and exec, have just ended, or mean to hide. `mapped`: what a file counts that is not open
    any more. `uid`: theirs, as which a child looks: to look at another's files even root may lack a capability.
    Raises OSError.
    """
    pids = tuple(pids)

    def look() -> list[int]:
        size, hidden = _unlinked(pids, os.fsencode(folder) + b"/", mapped)
        return [size, *hidden]

    told = _told_as(uid, look)
    return (told[0], frozenset(told[1:])) if told else (0, frozenset(pids))


def _told_as(uid: int | None, look: Callable[[], Sequence[int]]) -> list[int]:
    """What `look` returns in a child that looks as `uid`; nothing if it fails. Raises OSError."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            if uid is not None:
                look_as(uid)  # and not become(): no signal of a program reaches it
            os.write(writing, b" ".join(b"%d" % number for number in look()))
        os._exit(0)
    os.close(writing)
    try:
        return list(map(int, os.read(reading, 65536).split()))
    finally:
        os.close(reading)
        os.waitpid(child, 0)


def _unlinked(pids: Iterable[int], folder: bytes, mapped: int) -> tuple[int, list[int]]:
    sizes: dict[int, int] = {}
    hidden = []
    for pid in pids:
        try:
            sizes.update(_open_files(pid, folder))
            for inode in _mapped_files(pid, folder):
                sizes.setdefault(inode, mapped)
        except PermissionError:
            hidden.append(pid)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return sum(sizes.values()), hidden


def _open_files(pid: int, folder: bytes) -> Iterator[tuple[int, int]]:
    """Inode and bytes of those that were in the folder and have no name any more."""
    for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
        path = f"/proc/{pid}/fd/{name}"
        with suppress(FileNotFoundError):
            found = os.stat(path)  # noqa: PTH116
            if found.st_nlink == 0 and os.fsencode(os.readlink(path)).startswith(folder):  # noqa: PTH115
                yield found.st_ino, found.st_blocks * 512


def _mapped_files(pid: int, folder: bytes) -> Iterator[int]:
    """Inodes of such files (proc(5), maps)."""
    with open(f"/proc/{pid}/maps", "rb") as file:  # noqa: PTH123
        for line in file:
            fields = line.rstrip().split(None, 5)
            if len(fields) == 6 and fields[5].startswith(folder) and fields[5].endswith(b" (deleted)"):
                yield int(fields[4])


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
    """SIGKILL to the whole process group at once; it must have a member, or its number may be another's."""
    with suppress(OSError):
        os.kill(-leader, signal.SIGKILL)


def end_all(descendants: Descendants, uid: int | None, reap: Reaper) -> int:
    """Kills and reaps until this process has no child left; returns how many live after five seconds.

    `uid`: theirs alone. What was killed before needs a moment to end.
    """
    until = time.monotonic() + _LONGEST_KILL
    pause = 0.0002
    while reap():
        if pause > _MOMENT:
            if uid is not None:
                _kill_user(uid)
            alive = _alive(descendants)
            if uid is None:
                # First all of them stop, so that none forks while others are killed.
                _signal_all(alive, signal.SIGSTOP)
                alive = _alive(descendants)
            _signal_all(alive, signal.SIGKILL)
            if time.monotonic() > until:
                return max(1, len(alive))  # there is a child, seen or not
        time.sleep(pause)
        pause = min(0.02, 2 * pause)
    return 0


def _alive(descendants: Descendants) -> list[int]:
    return [pid for pid, process in descendants.scan(full=True).items() if process.alive]


def _kill_user(uid: int) -> None:
    """SIGKILL to every process of `uid` in one call, which no fork outruns; a child does it, as that user.

    Those may stop it first, where no layer keeps them from it: then it is ended, and nobody waits for it.
    """
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            become(uid)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    with suppress(ChildProcessError):
        if os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1]):
            os.kill(child, signal.SIGKILL)
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
    fields = _fields(f"/proc/{pid}/stat")
    if fields is None:
        return None
    thread: int | None = pid
    memory = int(fields[21]) * _PAGE
    if fields[0] in _ENDED:
        thread = None
        if int(fields[17]) > 1:
            # The first thread has ended and no memory shows there, but that of the others does.
            thread, memory = _other_thread(pid)
    ticks = sum(int(fields[place]) for place in (11, 12, 13, 14))
    return Process(int(fields[1]), thread, int(fields[17]), memory, ticks / _CLOCK_TICKS)


def _other_thread(pid: int) -> tuple[int | None, int]:
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            fields = _fields(f"/proc/{pid}/task/{name}/stat")
            if fields is not None and fields[0] not in _ENDED:
                return int(name), int(fields[21]) * _PAGE
    return None, 0


def _fields(path: str) -> list[bytes] | None:
    """proc(5), /proc/PID/stat: the fields behind the name, which may hold anything."""
    try:
        with open(path, "rb", 0) as file:  # noqa: PTH123
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return fields if len(fields) > 21 else None


def _below(roots: Iterable[int], table: Mapping[int, Process]) -> dict[int, Process]:
    """What descends from the roots, which are not in the table."""
    children: dict[int, list[int]] = {}
    for pid, process in table.items():
        children.setdefault(process.parent, []).append(pid)
    found: dict[int, Process] = {}
    waiting = list(roots)
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            found[pid] = table[pid]
            waiting.append(pid)
    return found
