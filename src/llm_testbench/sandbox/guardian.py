"""A process that outlives the launcher: ends what the launcher was running, should that be killed."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import NoReturn

from llm_testbench.sandbox import kernel, scratch
from llm_testbench.sandbox.uids import become

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Guardian:
    """Told of each run as it begins and ends; acts when it is told nothing more."""

    def __init__(self) -> None:
        reading, self._told = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._told)
            _guard(reading)
        os.close(reading)

    def begins(self, leader: int, uid: int | None, folder: str) -> None:
        """A program runs: the process group, its user and its folder are what would have to go."""
        os.write(self._told, f"{leader} {uid or 0} {folder}\n".encode())

    def ended(self) -> None:
        """Nothing runs."""
        os.write(self._told, b"\n")


def _guard(reading: int) -> NoReturn:
    last = b""
    with suppress(BaseException):
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        os.setsid()
        kernel.prctl(kernel.SET_PARENT_DEATH_SIGNAL, 0)
        kernel.close_from(0, keep=reading)
        waiting = b""
        while chunk := os.read(reading, 4096):
            *lines, waiting = (waiting + chunk).split(b"\n")
            last = lines[-1] if lines else last
    if last:
        leader, uid, folder = last.split(b" ", 2)
        with suppress(OSError):
            os.kill(-int(leader), signal.SIGKILL)
        if int(uid):
            with suppress(BaseException):
                child = os.fork()
                if child == 0:
                    become(int(uid))
                    os.kill(-1, signal.SIGKILL)
                    os._exit(0)
                os.waitpid(child, 0)
        with suppress(OSError):
            scratch.remove(os.fsdecode(folder))
    os._exit(0)
