"""Reads the files that a suite names: regular ones inside the repository, never through a link."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from llm_testbench.suite.limits import MAX_FILE


class RefusedError(ValueError):
    """Why a file cannot be read, as one clause; `str()` of it goes behind the file's name."""


def repository_of(folder: Path) -> Path | None:
    """The nearest folder at or above `folder` that holds `.git`; None outside any repository."""
    # os.path answers False where Path raises for want of permission.
    return next((above for above in (folder, *folder.parents) if os.path.exists(above / ".git")), None)  # noqa: PTH110


def resolve(folder: Sequence[str], name: str) -> tuple[str, ...]:
    """The parts below the root of the file that a suite in `folder` calls `name`; raises RefusedError.

    `..` is taken as written, which is what the system does too where no links are followed.
    """
    if name.startswith("/"):
        raise RefusedError("expected a path relative to the file that names it")
    if "\0" in name:
        raise RefusedError("a path cannot hold a NUL character")
    parts = list(folder)
    for part in name.split("/"):
        if part == "..":
            if not parts:
                raise RefusedError("the path leads out of the repository")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts)


def read(root: Path, parts: Sequence[str]) -> bytes:
    """The content of the regular file `root/parts…`, at most MAX_FILE bytes; raises RefusedError.

    Each folder is opened from the one before, so that nobody can slip a link in between check and use.
    """
    if any(part.lower() == ".git" for part in parts):
        # actions/checkout leaves the job's token in .git/config.
        raise RefusedError("the inside of .git is never read")
    try:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise RefusedError(_clause(error)) from None
    try:
        for part in parts[:-1]:
            inner = _open(part, folder, os.O_DIRECTORY)
            os.close(folder)
            folder = inner
        # Without O_NONBLOCK the opening of a named pipe would wait for ever.
        return _content(_open(parts[-1] if parts else ".", folder, os.O_NONBLOCK))
    finally:
        os.close(folder)


def _open(part: str, folder: int, flags: int) -> int:
    try:
        return os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR) and _is_link(part, folder):
            raise RefusedError(f"{part!r} is a symbolic link; expected a regular file and folders") from None
        raise RefusedError(_clause(error)) from None


def _is_link(part: str, folder: int) -> bool:
    with contextlib.suppress(OSError):  # gone since
        return stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode)
    return False


def _content(descriptor: int) -> bytes:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RefusedError("expected a regular file")
    try:
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(MAX_FILE + 1)
    except OSError as error:
        raise RefusedError(_clause(error)) from None
    if len(content) > MAX_FILE:
        raise RefusedError(f"the file has more than {MAX_FILE} bytes")
    return content


def _clause(error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "no such file"
    return (error.strerror or "cannot be read").lower()
