"""One step, from its start to the end of its last process: what it used, and which limit it broke."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from llm_testbench.sandbox import scratch
from llm_testbench.sandbox.confine import Plan, Streams, confine_and_execute, prepared
from llm_testbench.sandbox.guardian import Guardian
from llm_testbench.sandbox.model import MIB, Layer, Limits, Ran, SandboxError
from llm_testbench.sandbox.processes import Descendants, Reaper, end_all, kill_group, shared_memory, unlinked

_LOOK_EACH = 0.02  # seconds, between two looks at the processes
_FIRST_WALK, _NEXT_WALK, _SLOWEST_WALK = 0.1, 0.1, 0.5  # seconds, for the folder
_CHUNK = 65536
_READS_A_TURN = 64
_DISCARDED = 64  # times the kept output: then it is a flood, and ends
_CPU_SLACK = 0.5  # seconds, so that the kernel's own limit comes first
_ZOMBIES_EACH, _ZOMBIES_MORE = 4, 64  # a number is a resource, too
_LEAST_MEMORY, _LEAST_DISK = 256 * MIB, 512 * MIB  # what is left to the machine
# What may be lost beside the limits, to others too: a share of the limit, and bytes.
_KERNEL_MEMORY, _ELSEWHERE_MEMORY, _OPEN_DISK = 1 / 8, 512 * MIB, 256 * MIB
_NOISE = 128 * MIB  # what other programs' tables take and give back


@dataclass
class _Stream:
    """Keeps the first bytes, and reads the rest away: the program sees full writes."""

    descriptor: int
    most: int
    kept: bytearray = field(default_factory=bytearray)
    discarded: int = 0
    open: bool = True

    def drain(self) -> None:
        """What is there now; not for ever."""
        for _ in range(_READS_A_TURN):
            try:
                chunk = os.read(self.descriptor, _CHUNK)
            except BlockingIOError:
                return
            except OSError:
                chunk = b""
            if not chunk:
                self.open = False
                return
            room = max(self.most - len(self.kept), 0)
            self.kept += chunk[:room]
            self.discarded += len(chunk[room:])


@dataclass
class _Machine:
    """What it had when the step began: memory of the kernel and unlinked files show in no process and no folder."""

    folder: str
    disk: int = 0
    inodes: int = 0
    memory: _Memory | None = None

    def __post_init__(self) -> None:
        found = os.statvfs(self.folder)
        self.disk, self.inodes = found.f_bavail * found.f_frsize, found.f_ffree
        self.memory = _memory()

    def lost(self, limits: Limits) -> bool:
        """Whether the file system lost as much as the step may use: a look that costs nothing, before a walk."""
        found = os.statvfs(self.folder)
        used = self.disk - found.f_bavail * found.f_frsize
        return self.inodes - found.f_ffree > limits.entries or used > limits.scratch

    def out_of_disk(self, limits: Limits) -> bool:
        """Whether little is left, or more is gone than any honest step takes."""
        found = os.statvfs(self.folder)
        disk = found.f_bavail * found.f_frsize
        return disk < _LEAST_DISK or self.disk - disk > 2 * limits.scratch + _OPEN_DISK

    def out_of_memory(self, limits: Limits) -> bool:
        """Whether little is left, or more of what shows in no process is gone than the step may use. Others may share
        in that, so that it is never called the step's own fault."""
        now, before = _memory(), self.memory
        if now is None or before is None:
            return False
        return (
            now.available < _LEAST_MEMORY
            or now.kernel - before.kernel > max(limits.memory, _NOISE) * (1 + _KERNEL_MEMORY)
            or now.elsewhere - before.elsewhere > limits.memory + _ELSEWHERE_MEMORY
        )


@dataclass
class _Use:
    """So far, of all processes."""

    cpu: float = 0.0
    memory: int = 0


def watched(plan: Plan, guardian: Guardian, descendants: Descendants, cancelled: int) -> Ran:
    """Runs the step of the plan. `cancelled`: a descriptor that becomes readable when nobody wants it any more.

    Raises SandboxError when its processes cannot be ended, or the guardian is gone.
    """
    ready = prepared(plan)
    descendants.forget_ended()
    with ExitStack() as stack:
        stdin = stack.enter_context(_input(plan.step.stdin))
        stdout, to_stdout = stack.enter_context(_pipe())
        stderr, to_stderr = stack.enter_context(_pipe())
        trouble, to_trouble = stack.enter_context(_pipe())
        streams = tuple(_Stream(one, plan.step.limits.output) for one in (stdout, stderr))
        machine = _Machine(plan.folder)
        started = time.monotonic()
        if plan.uid is not None:
            for end in (to_stdout, to_stderr):
                os.fchown(end.fileno(), plan.uid, plan.uid)  # so that it may open /dev/stdout
        launcher = os.getpid()
        main = os.fork()
        if main == 0:
            given = Streams(stdin, to_stdout.fileno(), to_stderr.fileno(), to_trouble.fileno())
            confine_and_execute(plan, ready, given, guardian, launcher)
        step = _Step(plan, main, machine, streams, descendants, started=started)
        try:
            for end in (to_stdout, to_stderr, to_trouble):
                end.close()
            limit_hit = step.watch(cancelled, guardian.told)
        finally:
            # Whatever happened: nothing of the program lives behind this.
            wall = time.monotonic() - started
            step.end()
        guardian.ended()
        return step.outcome(limit_hit, wall, _read_all(trouble))


class _Step:
    """A step that runs."""

    def __init__(
        self,
        plan: Plan,
        main: int,
        machine: _Machine,
        streams: tuple[_Stream, ...],
        descendants: Descendants,
        *,
        started: float,
    ) -> None:
        self._plan = plan
        self._limits = plan.step.limits
        self._main = main
        self._machine = machine
        self._started = started
        self._streams = streams
        self._descendants = descendants
        self._reaper = Reaper(main)
        self._use = _Use()
        self._processes: tuple[int, ...] = ()
        self._hidden: frozenset[int] = frozenset()
        self._next_look = started + _LOOK_EACH / 2
        self._next_walk = started + _FIRST_WALK
        self._last_walk, self._filled = started, 0.0

    def watch(self, cancelled: int, guardian: int) -> str | None:
        """Until the main process ends or a limit is broken; returns which. `guardian`: the pipe to it."""
        with _ended_by(self._main) as ended:
            return self._watch(ended, cancelled, guardian)

    def _watch(self, ended: int, cancelled: int, guardian: int) -> str | None:
        poll = select.poll()
        for descriptor in (ended, cancelled, *(stream.descriptor for stream in self._streams)):
            poll.register(descriptor, select.POLLIN)
        poll.register(guardian, 0)
        polled = {stream.descriptor: stream for stream in self._streams}
        watches = self._plan.has(Layer.WATCH)
        while True:
            for descriptor, _ in poll.poll(int(_LOOK_EACH * 1000)):
                if descriptor == cancelled:
                    return "cancelled"
                if descriptor == guardian:
                    raise SandboxError("the guardian of the sandbox ended")
                stream = polled.get(descriptor)
                if stream is not None:
                    stream.drain()
                    if not stream.open:
                        poll.unregister(descriptor)
            self._reaper()
            if self._reaper.main_ended:
                return None
            now = time.monotonic()
            if now >= self._started + self._limits.wall:
                return "wall"
            if any(stream.discarded > _DISCARDED * stream.most for stream in self._streams):
                return "output"
            broken = self._broken(now) if watches else None
            if broken is not None:
                return broken

    def _broken(self, now: float) -> str | None:
        if now >= self._next_look:
            broken = self._of_processes()
            if broken is not None:
                return broken
            if self._machine.out_of_memory(self._limits):
                return "machine"
            if self._machine.lost(self._limits):
                self._next_walk = min(self._next_walk, now)
            self._next_look = now + max(_LOOK_EACH, 5 * (time.monotonic() - now))
        if now >= self._next_walk:
            filled = self._filled
            broken = self._of_folder()
            if broken is not None:
                return broken
            if self._machine.out_of_disk(self._limits):
                return "machine"
            self._next_walk = now + _until_next_walk(
                took=time.monotonic() - now, since_last=now - self._last_walk, filled=self._filled, before=filled
            )
            self._last_walk = now
        return None

    def _of_processes(self) -> str | None:
        processes = self._descendants.scan()
        self._processes = tuple(pid for pid, process in processes.items() if process.alive)
        memory = sum(process.memory for process in processes.values())
        tasks = sum(process.tasks for process in processes.values() if process.alive)
        cpu = self._reaper.cpu + sum(process.cpu for process in processes.values())
        self._use.cpu = max(self._use.cpu, cpu)
        if memory > self._limits.memory:
            # Pages that they share are counted once each there.
            exact = shared_memory(processes) if len(processes) > 1 else None
            memory = memory if exact is None else exact
        self._use.memory = max(self._use.memory, memory)
        if memory > self._limits.memory:
            return "memory"
        if cpu > self._limits.cpu + _CPU_SLACK:
            return "cpu"
        most = self._limits.processes
        if tasks > most + 1 or len(processes) > _ZOMBIES_EACH * most + _ZOMBIES_MORE:
            return "processes"
        return None

    def _of_folder(self) -> str | None:
        used = scratch.usage(self._plan.folder, self._limits.scratch, self._limits.entries)
        self._filled = max(used.size / max(self._limits.scratch, 1), used.entries / max(self._limits.entries, 1))
        if used.over or not self._processes or not self._machine.lost(self._limits):
            return used.over
        more, hidden = unlinked(self._processes, self._plan.folder, self._limits.file_size, self._plan.uid)
        if used.size + more > self._limits.scratch:
            return "scratch"
        # Others may have taken the room; but who hides twice in a row does not just begin or end.
        hides, self._hidden = hidden & self._hidden, hidden
        return "machine" if hides else None

    def end(self) -> None:
        """Nothing of the program is alive when this returns; else it raises SandboxError."""
        kill_group(self._main)
        self._reaper.held = False
        survivors = end_all(self._descendants, self._plan.uid, self._reaper)
        if survivors:
            raise SandboxError(f"{survivors} processes of a program could not be ended")

    def outcome(self, limit_hit: str | None, wall: float, trouble: bytes) -> Ran:
        """What became of it, once it is at its end."""
        self._processes = ()
        for stream in self._streams:
            stream.drain()
        if self._plan.has(Layer.WATCH):
            limit_hit = limit_hit or self._of_folder()
        status = self._reaper.status
        code = os.waitstatus_to_exitcode(status) if status is not None else None
        cpu = max(self._use.cpu, self._reaper.cpu)
        number = -code if code is not None and code < 0 else None
        if limit_hit is None and number is not None:
            limit_hit = self._limit_of(number, cpu)
        if limit_hit is None and self._plan.has(Layer.WATCH) and self._reaper.peak_memory > self._limits.memory:
            limit_hit = "memory"  # for a shorter time than between two looks; the kernel saw it
        stdout, stderr = self._streams
        return Ran(
            exit=code if number is None and limit_hit is None else None,
            signal=number,
            stdout=bytes(stdout.kept),
            stderr=bytes(stderr.kept),
            limit_hit=limit_hit,
            output_capped=bool(stdout.discarded or stderr.discarded),
            wall=wall,
            cpu=cpu,
            peak_memory=max(self._use.memory, self._reaper.peak_memory),
            leftover=self._reaper.killed,
            not_started=": ".join(json.loads(trouble)) if trouble else None,
            layers=tuple(layer for layer in Layer if self._plan.has(layer)),
        )

    def _limit_of(self, number: int, cpu: float) -> str | None:
        if number == signal.SIGXCPU or (number == signal.SIGKILL and cpu >= self._limits.cpu):
            return "cpu"
        return "file_size" if number == signal.SIGXFSZ else None


def _until_next_walk(*, took: float, since_last: float, filled: float, before: float) -> float:
    """Seconds: rarely where walks are slow, but at half of what is left at the pace of growth since the last walk.
    `filled`, `before`: shares of the limit."""
    usual = min(_SLOWEST_WALK, max(_NEXT_WALK, 4 * took))
    if filled <= before:
        return usual
    return min(usual, max(took + _LOOK_EACH / 4, since_last * (1 - filled) / (filled - before) / 2))


@contextmanager
def _input(content: bytes) -> Iterator[int]:
    """A descriptor that reads as the content and can be changed by nobody."""
    if not content:
        descriptor = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    else:
        import fcntl  # noqa: PLC0415 -- few programs read anything

        descriptor = os.memfd_create("stdin", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        left = memoryview(content)
        while left:
            left = left[os.write(descriptor, left) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        fcntl.fcntl(
            descriptor,
            fcntl.F_ADD_SEALS,
            fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE,
        )
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _pipe() -> Iterator[tuple[int, _End]]:
    """The end to read, which does not block, and the one to hand over."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    end = _End(writing)
    try:
        yield reading, end
    finally:
        end.close()
        os.close(reading)


class _End:
    """A descriptor that is closed once, early or late."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def fileno(self) -> int:
        """The descriptor; it must be open."""
        assert self._descriptor is not None  # noqa: S101
        return self._descriptor

    def close(self) -> None:
        """Idempotent."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@contextmanager
def _ended_by(pid: int) -> Iterator[int]:
    descriptor = os.pidfd_open(pid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read_all(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except BlockingIOError:
        return b""


@dataclass(frozen=True, slots=True)
class _Memory:
    """Bytes. `kernel`: tables, and pages shared by nobody who has them mapped. `elsewhere`: all in no process and no
    file, buffers of sockets and pipes too."""

    available: int
    kernel: int
    elsewhere: int


def _memory() -> _Memory | None:
    """Of the machine (proc(5), meminfo); None where that is not told."""
    try:
        with open("/proc/meminfo", "rb") as file:  # noqa: PTH123
            told = {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(b":") for line in file)}
        kernel = told[b"Shmem"] + told[b"PageTables"] + told[b"KernelStack"] + told[b"SUnreclaim"]
        in_files = told[b"Buffers"] + told[b"Cached"] - told[b"Shmem"] + told[b"SReclaimable"]
        elsewhere = told[b"MemTotal"] - told[b"MemFree"] - told[b"AnonPages"] - in_files
        return _Memory(told[b"MemAvailable"], kernel, elsewhere)
    except (OSError, KeyError):
        return None
