"""Programs for the sandbox, and what can be seen of them from outside."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job, Ran, Step
from llm_testbench.sandbox.proof import python

PATIENCE = 20.0  # seconds; only what hangs ever takes them

SWARM = """
import os, sys, time
for kind in range(6):
    if os.fork() == 0:
        if kind % 2:
            os.setsid()
        if kind % 3 and os.fork():
            os._exit(0)
        time.sleep(60)
        os._exit(0)
open("ready", "w").close()
time.sleep(60)
"""
"""Several processes, orphans and would-be daemons among them. Its second argument is a mark."""


def step(code: str, *arguments: str, **options: Any) -> Step:
    """A Python program as a step."""
    return Step((python(), "-I", "-S", "-c", code, *arguments), **options)


def ran(launchers: Launchers, code: str, *arguments: str, files: dict[str, bytes] | None = None, **options: Any) -> Ran:
    """What became of a Python program."""
    (one,) = launchers.run(Job((step(code, *arguments, **options),), files or {}))
    return one


def said(launchers: Launchers, code: str, *arguments: str, **options: Any) -> str:
    """What it printed; it has to end well."""
    found = ran(launchers, code, *arguments, **options)
    assert found.ok, found
    return found.stdout.decode()


def marked(mark: str) -> list[int]:
    """Living processes with that among their arguments, but for this one."""
    return [pid for pid, (_, arguments) in _processes() if mark in arguments and pid != os.getpid()]


def children(pid: int) -> list[int]:
    """Of that process, living ones."""
    return [other for other, (parent, _) in _processes() if parent == pid]


def guardians(tool: int | None = None) -> list[int]:
    """Processes that guard launchers of that process, this one by default."""
    tool = os.getpid() if tool is None else tool
    return [
        pid for pid, (parent, arguments) in _processes() if parent == tool and "sandbox.launcher" in " ".join(arguments)
    ]


def _processes() -> Iterator[tuple[int, tuple[int, list[str]]]]:
    """Living ones: pid, parent and arguments."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            arguments = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            state, parent, *_ = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            if state not in (b"Z", b"X"):
                yield int(folder.name), (int(parent), arguments)


def asleep(seconds: str) -> list[int]:
    """Processes that sleep for as long."""
    return [pid for pid, (_, arguments) in _processes() if arguments == ["sleep", seconds, ""]]


def has_ended(pid: int) -> bool:
    """Whether its first thread has, and nobody has taken note yet (proc(5), stat)."""
    return b") Z" in Path(f"/proc/{pid}/stat").read_bytes()


def wait_until(holds: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
    """Fails when it does not hold within `patience` seconds."""
    until = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < until, f"still not: {what}"
        time.sleep(0.01)
