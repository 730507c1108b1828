"""User ids of one run alone: leased, so that parallel runs can neither see nor kill each other."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from llm_testbench.sandbox import kernel

FIRST, COUNT = 61184, 64
"""In the range that systemd keeps for users of the moment; the images have a line in /etc/passwd for each."""

_FOLDERS = ("/run/llm-testbench-uids", "/tmp/.llm-testbench-uids")  # noqa: S108 -- checked below to be root's alone


@contextmanager
def leased(used: frozenset[int]) -> Iterator[int]:
    """A uid that nobody else has for as long; `used`: those that processes have now. Raises OSError when none is free.

    The lease is a lock on a file, which ends with this process however that ends.
    """
    folder = _folder()
    start = int.from_bytes(os.urandom(2), "little")
    for step in range(COUNT):
        uid = FIRST + (start + step) % COUNT
        if uid in used:
            continue
        lock = os.open(f"{folder}/{uid}", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        try:
            yield uid
        finally:
            os.close(lock)
        return
    raise OSError(errno.EAGAIN, f"all {COUNT} user ids of the sandbox are in use")


def become(uid: int) -> None:
    """This process is `uid`, in no group, and cannot go back. Raises OSError."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if os.getresuid() != (uid, uid, uid):
        raise OSError(errno.EPERM, "the user id was not taken")


def look_as(uid: int) -> None:
    """Files open to this thread as to `uid`, which can't signal it, as it can one that is that user. Raises OSError."""
    # Neither call says whether it worked, but the next one tells what holds.
    for call in ("setfsgid", "setfsuid"):
        kernel.call(call, uid)
        if kernel.call(call, uid) != uid:
            raise OSError(errno.EPERM, "the user id was not taken for files")


def _folder() -> str:
    trouble: OSError | None = None
    for path in _FOLDERS:
        try:
            os.mkdir(path, 0o700)  # noqa: PTH102 -- pathlib takes ten milliseconds to import, in each launcher
        except FileExistsError:
            pass
        except OSError as error:
            trouble = error
            continue
        found = os.lstat(path)
        if stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and not found.st_mode & 0o077:
            return path
        trouble = OSError(errno.EPERM, f"{path} is not a folder of root alone")
    assert trouble is not None  # noqa: S101  # each turn returns or sets it
    raise trouble
