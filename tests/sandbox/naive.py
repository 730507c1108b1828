"""The usual way to run a program that nobody trusts: a temporary folder, a small environment, a timeout."""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from llm_testbench.sandbox import scratch
from llm_testbench.sandbox.model import Job, Step

_MOST_COLLECTED = 8 << 20
_SET_FLAGS = 0x40086602  # linux/fs.h, FS_IOC_SETFLAGS
_STALLED = 3.0  # seconds beyond the timeout


@dataclass(frozen=True, slots=True)
class Naively:
    """What the usual way makes of a job. `stays`: why its folder could not be removed; see `force`."""

    said: bytes
    seconds: float
    late: float
    ended: str
    collected: bytes | None
    stays: str | None
    folder: Path


def run(job: Job, give_up: threading.Event) -> Naively:
    """Each step with subprocess.run, then what a step wants collected is read, then the folder removed.

    `give_up`: set when the judge has seen enough; who sets it ends the processes, too.
    """
    folder = Path(tempfile.mkdtemp(prefix="naive-"))
    said, ended, collected = b"", "", None
    late = 0.0
    started = time.monotonic()
    for path, content in job.files.items():
        (folder / path).write_bytes(content)
    for step in job.steps:
        if give_up.is_set():
            break
        began = time.monotonic()
        ended, out, ok = _step(step, folder)
        said += out
        if step.collect:
            collected = _collect(folder / step.collect[0])
        late = max(late, time.monotonic() - began - step.limits.wall)
        if not ok:
            break
    seconds = time.monotonic() - started
    try:
        shutil.rmtree(folder)
        stays = None
    except (OSError, RecursionError) as error:
        stays = f"{type(error).__name__}: {str(error)[:100]}"
    return Naively(said, seconds, late, ended, collected, stays, folder)


def force(folder: Path) -> None:
    """Removes it, though a file in it be immutable (ioctl_iflags(2))."""
    for path in folder.glob("*"):
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.ioctl(descriptor, _SET_FLAGS, struct.pack("l", 0))
            finally:
                os.close(descriptor)
    scratch.remove(str(folder))


def _step(step: Step, folder: Path) -> tuple[str, bytes, bool]:
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        **step.environment,
    }
    try:
        # A group of its own, so that what it sends to its group does not end the tests.
        done = subprocess.run(
            step.argv,
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=step.limits.wall,
            process_group=0,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return "timeout", (error.stdout or b"") + (error.stderr or b""), False
    except OSError as error:
        return type(error).__name__, b"", False
    return f"exit {done.returncode}", done.stdout + done.stderr, done.returncode == 0


def _collect(path: Path) -> bytes | None:
    """Reads it as one usually does, but not for ever: a FIFO that nobody writes to is given up."""
    found: list[bytes] = []

    def read() -> None:
        with suppress(OSError), path.open("rb") as file:
            found.append(file.read(_MOST_COLLECTED))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(_STALLED + 1.5)
    if reader.is_alive():
        with suppress(OSError):
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        reader.join(1.0)
    return found[0] if found else None
