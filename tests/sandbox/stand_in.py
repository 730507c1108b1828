"""A process that stands in for the tool, or for another run's: it holds secrets and notes what is done to it."""

from __future__ import annotations

import hashlib
import os
import resource
import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

DESCRIPTOR, SOCKET = 7, 8
_LIMITS = tuple(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))

# The secrets in memory and in the file are made there, so that they are nowhere else.
_PROGRAM = r"""
import hashlib, os, signal, socket, sys, tempfile
def secret(kind):
    return kind + "-" + hashlib.sha256((kind + sys.argv[1]).encode()).hexdigest()[:24]
in_memory = secret("memory")
with tempfile.TemporaryFile() as file:
    file.write(secret("descriptor").encode())
    file.flush()
    pair = socket.socketpair()
    pair[0].send(secret("socket").encode())
    os.dup2(file.fileno(), 7)
    os.dup2(pair[1].fileno(), 8)
def note(number, frame):
    os.write(1, b"signal %d\n" % number)
for number in range(1, signal.NSIG):
    if number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
        try:
            signal.signal(number, note)
        except (OSError, ValueError):
            pass
os.write(1, b"ready\n")
while True:
    signal.pause()
"""


class StandIn:
    """Started by making it; `end()` ends it."""

    def __init__(self, scratch: Path) -> None:
        seed = os.urandom(12).hex()
        self._secret = {kind: f"{kind}-{os.urandom(12).hex()}" for kind in ("environ", "cmdline", "stdin")}
        for kind in ("memory", "descriptor", "socket"):
            self._secret[kind] = f"{kind}-{hashlib.sha256((kind + seed).encode()).hexdigest()[:24]}"
        standard_input = scratch / f"stdin-{seed}"
        standard_input.touch(0o600)
        standard_input.write_text(self._secret["stdin"], encoding="ascii")
        with standard_input.open("rb") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _PROGRAM, seed, f"--key={self._secret['cmdline']}"],
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"LLM_TESTBENCH_API_KEY": self._secret["environ"], "TMPDIR": str(scratch)},
                start_new_session=True,
            )
        standard_input.unlink()
        assert self._process.stdout is not None
        self._told = self._process.stdout
        self.pid = self._process.pid
        if self._told.readline() != b"ready\n":
            raise RuntimeError("the stand-in did not start")
        self._at_first = self._settings()

    @property
    def secrets(self) -> frozenset[str]:
        """All that it holds."""
        return frozenset(self._secret.values())

    def harm(self, within: float = 0.0) -> str | None:
        """What was done to it; None: nothing. `within`: seconds that it may take to notice a signal."""
        code = self._process.poll()
        if code is not None:
            return f"it ended with {code}"
        if select.select([self._told], [], [], within)[0]:
            return os.read(self._told.fileno(), 100).decode("ascii", "replace").strip()
        state = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        if state in "Tt":
            return "it is stopped"
        now = self._settings()
        changed = [name for name, value in self._at_first.items() if now[name] != value]
        return f"its {changed[0]} changed" if changed else None

    def end(self) -> None:
        """Idempotent."""
        self._process.kill()
        self._process.wait()
        self._told.close()

    def _settings(self) -> dict[str, object]:
        pid = self.pid
        asked: dict[str, Callable[[], object]] = {
            "limits": lambda: [resource.prlimit(pid, which) for which in _LIMITS],
            "nice value": lambda: os.getpriority(os.PRIO_PROCESS, pid),
            "processors": lambda: os.sched_getaffinity(pid),
            "scheduling": lambda: os.sched_getscheduler(pid),
            "place with the oom killer": lambda: Path(f"/proc/{pid}/oom_score_adj").read_text(encoding="ascii"),
        }
        found: dict[str, object] = {}
        for name, ask in asked.items():
            found[name] = None
            with suppress(OSError):
                found[name] = ask()
        return found
