"""Which compilers and interpreters this machine has, by what they say about their version."""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TOOLCHAINS: Mapping[str, tuple[str, ...]] = {
    "cc": ("--version",),
    "c++": ("--version",),
    "go": ("version",),
    "node": ("--version",),
    "bash": ("--version",),
}
"""By command, how it is asked for its version."""
LONGEST = 3.0  # seconds for one of them

_MAX_OUTPUT = 4096  # bytes that are read
_KEPT_VARIABLES = ("PATH", "HOME", "LANG", "TMPDIR")  # a key is nothing for them


@dataclass(frozen=True)
class Toolchain:
    """`version`: the first line that it prints, untrusted; "" when it printed none in time. `found`: it is on PATH."""

    name: str
    found: bool
    version: str = ""


def toolchains(environ: Mapping[str, str], wanted: Mapping[str, Sequence[str]] = TOOLCHAINS) -> tuple[Toolchain, ...]:
    """Each of them, in order; starts those that are on the PATH of `environ`, LONGEST seconds each at most."""
    return tuple(_toolchain(name, arguments, environ) for name, arguments in wanted.items())


def _toolchain(name: str, arguments: Sequence[str], environ: Mapping[str, str]) -> Toolchain:
    program = shutil.which(name, path=environ.get("PATH", os.defpath))
    if program is None:
        return Toolchain(name, found=False)
    kept = {key: environ[key] for key in _KEPT_VARIABLES if key in environ}
    reading, writing = os.pipe()
    try:
        process = subprocess.Popen(
            [program, *arguments], stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.DEVNULL, env=kept
        )
    except OSError:  # a file that is no program
        os.close(reading)
        return Toolchain(name, found=True)
    finally:
        os.close(writing)
    try:
        return Toolchain(name, found=True, version=_first_line(reading, time.monotonic() + LONGEST))
    finally:
        process.kill()
        process.wait()
        os.close(reading)


def _first_line(reading: int, until: float) -> str:
    """What comes before the first line end, the end of output, or `until` (monotonic clock)."""
    received = b""
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        while b"\n" not in received and len(received) < _MAX_OUTPUT:
            if not selector.select(max(until - time.monotonic(), 0.0)):
                break
            chunk = os.read(reading, _MAX_OUTPUT)
            if not chunk:
                break
            received += chunk
    return received.partition(b"\n")[0].decode("utf-8", "replace").strip()
