"""The process above the launcher: it outlives it, and ends what the launcher was running, should that be killed."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import NoReturn

from llm_testbench.sandbox import kernel, scratch
from llm_testbench.sandbox.processes import Descendants, Reaper, end_all, kill_group

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Guardian:
    """What the launcher, its child, has of it: a pipe. Told of each run as it begins and ends; acts when that closes.

    The pipe reports an error when the guardian is gone: then nothing may run any more.
    """

    def __init__(self, told: int) -> None:
        self.told = told

    def works_in(self, base: str) -> None:
        """The folder of folders: to be removed if the tool is gone, too. Raises OSError, as all of these."""
        self._tell(f"base {base}")

    def begins(self, leader: int, uid: int | None, folder: str) -> None:
        """A program is about to run: the process group, its user and its folder are what would have to go."""
        self._tell(f"run {leader} {uid or 0} {folder}")

    def ended(self) -> None:
        """Nothing runs."""
        self._tell("end")

    def _tell(self, line: str) -> None:
        os.write(self.told, line.encode() + b"\n")


def guarded() -> Guardian:
    """Forks. The child goes on from here as the launcher; this process stays above it, and never returns."""
    tool = os.getppid()
    reading, told = os.pipe()
    # What the launcher leaves behind comes to this process, whatever group or session it is in.
    kernel.prctl(kernel.SET_SUBREAPER, 1)
    launcher = os.fork()
    if launcher != 0:
        os.close(told)
        _guard(reading, launcher, tool)
    os.close(reading)
    return Guardian(told)


def _guard(reading: int, launcher: int, tool: int) -> NoReturn:
    last, base = b"", b""
    with suppress(BaseException):
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        kernel.close_from(0, keep=reading)
        waiting = b""
        while chunk := os.read(reading, 4096):
            *lines, waiting = (waiting + chunk).split(b"\n")
            for line in lines:
                if line.startswith(b"base "):
                    base = line[5:]
                else:
                    last = line
    with suppress(BaseException):
        descendants = Descendants()
        uid, folder = None, b""
        if last.startswith(b"run "):
            _, leader, uid_text, folder = last.split(b" ", 3)
            uid = int(uid_text) or None
            _kill_all_of(int(leader), descendants)
        end_all(descendants, uid, Reaper(launcher, held=False))
        if folder:
            scratch.remove(os.fsdecode(folder))
    if base and os.getppid() != tool:
        with suppress(OSError):
            os.rmdir(base)  # noqa: PTH106 -- as in uids.py
    os._exit(0)


def _kill_all_of(group: int, descendants: Descendants) -> None:
    """The whole group at once, if there is any of it."""
    for pid in descendants.scan():
        with suppress(OSError):
            if os.getpgid(pid) == group:
                kill_group(group)
                return
