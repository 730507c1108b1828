"""A file that the Actions runner reads when the step has ended, and that any process of the step may append to."""

from __future__ import annotations

import os
import stat
from pathlib import Path

UNFINISHED = b"\n"  # what `append` adds at most, after a line that another process left without its end


def encoded(text: str) -> bytes:
    """UTF-8; half of a surrogate pair, which has no place there, as its escape."""
    return text.encode("utf-8", "backslashreplace")


def append(path: Path, data: bytes) -> None:
    """Appends whole or not at all, on a line of its own. Raises OSError.

    Half an output would fail the step: what was written before a full disk is taken back.
    """
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        _write(file, data)
    finally:
        os.close(file)


def _write(file: int, data: bytes) -> None:
    status = os.fstat(file)
    size = status.st_size if stat.S_ISREG(status.st_mode) else 0
    if size and os.pread(file, 1, size - 1) != b"\n":
        data = UNFINISHED + data
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(file, left) :]
    except OSError:
        if stat.S_ISREG(status.st_mode):
            os.ftruncate(file, size)
        raise
