"""Launchers from the tool's side: started when needed, kept warm, at most so many at once."""

from __future__ import annotations

import os
import select
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from llm_testbench.sandbox import scratch, wire
from llm_testbench.sandbox.model import Job, Layer, Ran, SandboxError, State
from llm_testbench.sandbox.uids import COUNT

_BOOT = "import sys; sys.path.append(sys.argv[1]); from llm_testbench.sandbox.launcher import serve; serve()"
_PACKAGES = str(Path(__file__).resolve().parents[2])
_GRACE = 30.0  # seconds beyond what the steps may take, before a launcher is given up
_LEAVES_WITHIN = 5.0
_NEWEST_LANDLOCK = 99


def most_at_once(cores: int | None = None) -> int:
    """How many jobs may run side by side: more would turn right answers into time-outs, or have no user id left."""
    return min(COUNT // 2, max(2, (cores if cores is not None else len(os.sched_getaffinity(0))) // 2))


class Launchers:
    """Runs jobs, each in a launcher of its own for as long; from any thread. A context: leaving it ends them all.

    `without`, `newest_landlock`: hide layers and rules, for tests of the sandbox and `doctor`. Raises SandboxError, and
    OSError where no folder can be made for them.
    """

    def __init__(
        self,
        *,
        at_once: int | None = None,
        without: frozenset[str] = frozenset(),
        newest_landlock: int = _NEWEST_LANDLOCK,
    ) -> None:
        self._free = threading.BoundedSemaphore(at_once or most_at_once())
        self._lock = threading.Lock()
        self._idle: list[_Launcher] = []
        self._all: set[_Launcher] = set()
        self._closed = False
        self._options = {"without": sorted(without), "newest_landlock": newest_landlock}
        self._base = _base()
        try:
            first = self._start()
        except BaseException:
            scratch.remove(self._base)
            raise
        self.layers: Mapping[Layer, State] = first.layers
        self._idle.append(first)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(self, job: Job) -> Sequence[Ran]:
        """What became of each step, in order; steps behind one that was not ok are missing. Raises SandboxError."""
        with self._free:
            launcher = self._taken()
            try:
                answer = _unless_failed(launcher.ask(wire.job_to_json(job), _longest(job)))
            except BaseException:
                # What went wrong may have left it in a state that nobody foresaw.
                self._drop(launcher)
                raise
            found = tuple(map(wire.ran_from_json, answer["ran"]))
            # It was asked to leave, and told what it had before it went.
            leaving = any(ran.limit_hit == "cancelled" for ran in found)
            if leaving:
                self._drop(launcher)
            with self._lock:
                if self._closed:
                    raise SandboxError("the sandbox was closed")
                if leaving:
                    raise SandboxError("the launcher was ended while it ran a program")
                self._idle.append(launcher)
        return found

    def close(self) -> None:
        """Ends all launchers and what they run, and removes their folders. Idempotent."""
        with self._lock:
            ending, self._closed = list(self._all), True
            self._all.clear()
            self._idle.clear()
        for launcher in ending:
            launcher.end()
        with suppress(OSError):
            scratch.remove(self._base)

    def _taken(self) -> _Launcher:
        with self._lock:
            if self._closed:
                raise SandboxError("the sandbox is closed")
            launcher = self._idle.pop() if self._idle else None
        if launcher is None:
            return self._start()
        if launcher.ended():
            self._drop(launcher)
            return self._taken()
        return launcher

    def _start(self) -> _Launcher:
        try:
            launcher = _Launcher({**self._options, "base": self._base})
        except OSError as error:
            raise SandboxError(f"a launcher could not be started: {error}") from None
        with self._lock:
            if not self._closed:
                self._all.add(launcher)
                return launcher
        launcher.end()
        raise SandboxError("the sandbox is closed")

    def _drop(self, launcher: _Launcher) -> None:
        with self._lock:
            self._all.discard(launcher)
        launcher.end()


class _Launcher:
    """One launcher, below its guardian, which is our child; asked by one thread at a time."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        # Not subprocess.PIPE: where the system has no descriptors left for the second pipe, Popen leaves the first one
        # open before Python 3.11.4.
        with ExitStack() as opened:
            its_stdin, self._stdin = _pipe(opened)
            self._stdout, its_stdout = _pipe(opened)
            # No coverage either: its hook would need the environment that is kept away.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, _PACKAGES],
                stdin=its_stdin,
                stdout=its_stdout,
                stderr=subprocess.DEVNULL,
                env={},
                start_new_session=True,
            )
            opened.pop_all()
        its_stdin.close()
        its_stdout.close()
        self._launcher: int | None = None  # a descriptor of its process
        self._ending = threading.Lock()
        try:
            told = _unless_failed(self.ask(options, 0))
            self.layers = wire.layers_from_json(told["layers"])
            self._launcher = os.pidfd_open(told["pid"])
        except ProcessLookupError:
            self.end()
            raise SandboxError("the launcher ended at once") from None
        except BaseException:
            self.end()
            raise

    def ended(self) -> bool:
        """Whether it is no more; its guardian may still be at work then."""
        with self._ending:
            if self._launcher is None:
                return True
            launcher = select.poll()
            launcher.register(self._launcher, select.POLLIN)
            return bool(launcher.poll(0)) or self._process.poll() is not None

    def ask(self, value: Any, seconds: float) -> Any:
        """Its answer; SandboxError when it is gone, or silent for longer than `seconds` and some grace."""
        # A kill ends the wait below, whatever it waits for.
        alarm = threading.Timer(seconds + _GRACE, self._kill)
        alarm.daemon = True
        try:
            alarm.start()
            wire.send(self._stdin, value)
            answer = wire.receive(self._stdout)
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: there is no thread for the alarm
            raise SandboxError(f"the launcher broke off: {error}") from None
        finally:
            alarm.cancel()
        if answer is None:
            raise SandboxError("the launcher ended without an answer")
        return answer

    def end(self) -> None:
        """It leaves when its stdin ends, having ended what it ran; if not, it is killed, and its guardian does that."""
        for stream in (self._stdin, self._stdout):
            with suppress(OSError):
                stream.close()
        for kill in (self._kill, self._process.kill):
            try:
                self._process.wait(_LEAVES_WITHIN)
                break
            except subprocess.TimeoutExpired:
                kill()
        self._process.wait()
        with self._ending:
            if self._launcher is not None:
                os.close(self._launcher)
                self._launcher = None

    def _kill(self) -> None:
        with self._ending:
            if self._launcher is None:
                self._process.kill()
                return
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._launcher, signal.SIGKILL)


def _pipe(opened: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """Its end to read and its end to write."""
    read, write = os.pipe()
    return opened.enter_context(os.fdopen(read, "rb")), opened.enter_context(os.fdopen(write, "wb"))


def _unless_failed(answer: Any) -> Any:
    """What a launcher answered; SandboxError with what it says went wrong."""
    if "failed" in answer:
        raise SandboxError(str(answer["failed"]))
    return answer


def _longest(job: Job) -> float:
    return sum(step.limits.wall for step in job.steps)


def _base() -> str:
    """A new folder for the folders of runs, which every user may enter and nobody list."""
    folder = tempfile.mkdtemp(prefix="llm-testbench-", dir=reachable())
    Path(folder).chmod(0o711)
    return folder


def reachable() -> str:
    """Where temporary files go, unless another user's way there is barred: then the system's own place."""
    if os.geteuid() != 0:
        return tempfile.gettempdir()
    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp"):  # noqa: S108 -- a new folder with a random name in it
        if barred(place) is None:
            return place
    raise SandboxError("no folder for temporary files can be entered by other users: set TMPDIR to one that can")


def barred(path: str) -> str | None:
    """The first folder on the way that other users may not enter, or the path itself if they may not; None: open."""
    found = Path(path).resolve()
    for part in (*reversed(found.parents), found):
        mode = part.stat().st_mode
        if stat.S_ISDIR(mode) and not mode & 0o001:
            return str(part)
    return None
