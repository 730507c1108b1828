"""Runs a command as a whole process and reads what the kernel accounted for it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """Seconds of wall clock and of CPU (user and system), and the peak resident set in MB (10^6 bytes)."""

    wall: float
    cpu: float
    peak_mb: float


def measure(command: Sequence[str], cwd: Path) -> Usage:
    """Runs `command` to its end; RuntimeError with its output unless it exits 0."""
    log = cwd / "command.log"
    with log.open("wb") as output:
        started = time.monotonic()
        child = subprocess.Popen(command, cwd=cwd, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        tail = log.read_text("utf-8", "replace")[-2000:]
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}:\n{tail}")
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def median(command: Sequence[str], cwd: Path, runs: int) -> Usage:
    """The run with the median wall clock of `runs`, after one that is not counted."""
    measure(command, cwd)
    return sorted((measure(command, cwd) for _ in range(runs)), key=lambda usage: usage.wall)[runs // 2]
