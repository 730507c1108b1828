# ruff: noqa: PTH116, PTH123, PTH208
"""The processes of an attack, known by the mark in their environment: found, measured and ended.

Read fifty times a second while the machine is short of everything: hence os.listdir and os.stat.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from llm_testbench.sandbox import uids
from llm_testbench.sandbox.uids import COUNT, FIRST, become

_LOOK_EACH, _WALK_EACH = 0.02, 0.1  # seconds
_LENT = range(FIRST, FIRST + COUNT)
_LONGEST_END = 3.0


@dataclass
class Peaks:
    """The most that was seen at once, in bytes and counts; names as in `success: exceeds`."""

    most: dict[str, int] = field(default_factory=dict)

    def note(self, name: str, value: int) -> None:
        """Keeps the higher one."""
        self.most[name] = max(self.most.get(name, 0), value)


class Marked:
    """The processes with that mark. Those that were there before never have it."""

    def __init__(self, mark: str) -> None:
        self._mark = f"ATTACK_MARK={mark}".encode()
        self._before = set(_pids())
        self.uids: set[int] = set()
        """Those of the sandbox that they have or had."""

    def pids(self) -> list[int]:
        """Alive, zombies not."""
        present = set(_pids())
        self._before &= present  # a number may be given anew
        return [pid for pid in present - self._before if self._has_mark(pid) and _alive(pid)]

    def end(self) -> None:
        """Kills them all, those too that they start meanwhile."""
        until = time.monotonic() + _LONGEST_END
        while (found := self.pids()) and time.monotonic() < until:
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in found:
                    with suppress(OSError):
                        os.kill(pid, number)
            time.sleep(0.01)

    def strangers(self) -> bool:
        """Whether any process at all has one of their uids that is lent to nobody now: none hides by hopping."""
        for uid in self.uids:
            with _lease(uid) as ours:
                if ours and _any_process_of(uid):
                    return True
        return False

    def _has_mark(self, pid: int) -> bool:
        try:
            owner = os.stat(f"/proc/{pid}").st_uid
        except OSError:
            return False
        environment = _environment(pid)
        if environment is None and owner in _LENT and os.geteuid() == 0:
            environment = _told_by(owner, lambda: _environment(pid) or b"")
        if environment is None or self._mark not in environment.split(b"\0"):
            return False
        if owner in _LENT:
            self.uids.add(owner)
        return True


class Sampler:
    """A thread that measures the processes of an attack and its folder, until it is stopped. A context.

    `seen`: called with the peaks after each look. `alone`: nothing else of note runs on the machine, so that what the
    whole of it lost is counted, too.
    """

    def __init__(self, marked: Marked, token: str, seen: Callable[[Peaks], None], *, alone: bool) -> None:
        self.peaks = Peaks()
        self._marked = marked
        self._token = token.encode()
        self._seen = seen
        self._alone = alone
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._shared, self._elsewhere = _of_machine()

    def __enter__(self) -> Peaks:
        self._thread.start()
        return self.peaks

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        next_walk = 0.0
        while not self._stop.is_set():
            pids = self._marked.pids()
            self._processes(pids)
            if time.monotonic() >= next_walk:
                self._folder(pids)
                next_walk = time.monotonic() + _WALK_EACH
            if self._alone:
                shared, elsewhere = _of_machine()
                self.peaks.note("memory", shared - self._shared)
                self.peaks.note("kernel", elsewhere - self._elsewhere)
            self._seen(self.peaks)
            self._stop.wait(_LOOK_EACH)

    def _processes(self, pids: list[int]) -> None:
        tasks = memory = 0
        for pid in pids:
            with suppress(OSError):
                tasks += len(os.listdir(f"/proc/{pid}/task"))
            with suppress(OSError, ValueError, IndexError):
                memory += _resident(pid)
            self.peaks.note("files", _as_owner(pid, _descriptors))
        self.peaks.note("processes", tasks)
        self.peaks.note("memory", memory)

    def _folder(self, pids: list[int]) -> None:
        size = sum(_as_owner(pid, _unlinked) for pid in pids)
        folder = self._find()
        if folder is not None:
            below, entries = _usage(folder)
            size += below
            self.peaks.note("entries", entries)
        self.peaks.note("disk", size)

    def _find(self) -> Path | None:
        """The scratch folder: the one whose target.json speaks of this attack's stage."""
        patterns = ("llm-testbench-*/*/target.json", "naive-*/target.json")
        temporary = {tempfile.gettempdir(), "/tmp"}
        for target in (path for folder in temporary for pattern in patterns for path in _below(Path(folder), pattern)):
            with suppress(OSError):
                if self._token in target.read_bytes():
                    return target.parent
        return None


def _below(folder: Path, pattern: str) -> list[Path]:
    """Others come and go beside it, on which glob() stumbles."""
    with suppress(OSError):
        return list(folder.glob(pattern))
    return []


def _resident(pid: int) -> int:
    """Shared pages once each where that is told, else those that are the process' own."""
    # A process whose first thread has ended shows nothing under its own number.
    for thread in _threads(pid):
        with suppress(OSError):
            for line in _read(f"/proc/{pid}/task/{thread}/smaps_rollup").splitlines():
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
        with suppress(OSError):
            for line in _read(f"/proc/{pid}/task/{thread}/status").splitlines():
                if line.startswith(b"RssAnon:"):
                    return int(line.split()[1]) * 1024
    return 0


def _descriptors(pid: int) -> int:
    """How many it has open. Raises OSError."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def _unlinked(pid: int) -> int:
    """Bytes of its open files that have no name any more. Raises OSError."""
    size = 0
    for name in os.listdir(f"/proc/{pid}/fd"):
        with suppress(OSError):
            found = os.stat(f"/proc/{pid}/fd/{name}")
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                size += found.st_blocks * 512
    return size


def _usage(folder: Path) -> tuple[int, int]:
    size = entries = 0
    waiting = [str(folder)]
    while waiting and entries < 100_000:
        with suppress(OSError), os.scandir(waiting.pop()) as listing:
            for entry in listing:
                entries += 1
                with suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return size, entries


def _of_machine() -> tuple[int, int]:
    """Bytes of shared memory in use, and of all memory that is in no process and no file, shared memory too."""
    found = {}
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        found[name] = int(value.split()[0]) * 1024
    in_files = found["Buffers"] + found["Cached"] - found["Shmem"] + found["SReclaimable"]
    return found["Shmem"], found["MemTotal"] - found["MemFree"] - found["AnonPages"] - in_files


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _alive(pid: int) -> bool:
    try:
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return False
    # Of a process whose first thread has ended others may go on.
    return len(fields) > 17 and (fields[0] not in (b"Z", b"X") or int(fields[17]) > 1)


def _environment(pid: int) -> bytes | None:
    """Raises nothing; None: it may not be read, or there is none."""
    for thread in _threads(pid):
        with suppress(OSError):
            if found := _read(f"/proc/{pid}/task/{thread}/environ"):
                return found
    return None


def _threads(pid: int) -> list[str]:
    """At most a few: one that lives is enough."""
    try:
        return os.listdir(f"/proc/{pid}/task")[:4]
    except OSError:
        return []


def _read(path: str) -> bytes:
    with open(path, "rb", 0) as file:
        return file.read()


def _as_owner(pid: int, ask: Callable[[int], int]) -> int:
    """What it tells of that process, asked as its owner where root may not: so it is in a container. 0: nothing."""
    try:
        return ask(pid)
    except PermissionError:
        try:
            owner = os.stat(f"/proc/{pid}").st_uid
        except OSError:
            return 0
        if os.geteuid() != 0 or owner not in _LENT:
            return 0
        return int(_told_by(owner, lambda: b"%d" % ask(pid)) or 0)
    except OSError:
        return 0


def _told_by(uid: int, ask: Callable[[], bytes]) -> bytes:
    """What that user finds out; at most what fits into a pipe."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            become(uid)
            os.write(writing, ask()[:60_000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        content = file.read()
    os.waitpid(child, 0)
    return content


def _any_process_of(uid: int) -> bool:
    """Told by the limit on its processes, which counts exactly: with none but the one that asks it may start another.

    (kill(-1, 0) would not do: it is answered with success even where nothing may be signalled.)
    """
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException):
            become(uid)
            resource.setrlimit(resource.RLIMIT_NPROC, (2, 2))
            try:
                started = os.fork()
            except BlockingIOError:
                os._exit(0)
            if started == 0:
                os._exit(0)
            os.waitpid(started, 0)
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


@contextmanager
def _lease(uid: int) -> Iterator[bool]:
    """The same lock as uids.leased(), of this one uid; False: another run has it."""
    lock = os.open(f"{uids._folder()}/{uid}", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(lock)
