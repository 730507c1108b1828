"""A folder whose contents are hostile: filled, given away, measured, read and removed.

Nothing here follows a link, waits for a FIFO, calls itself, or builds a path of more than a few parts: links, FIFOs,
deep nesting and odd names have no grip.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from llm_testbench.sandbox import kernel

MOST_DEPTH = 64
_MOST_REMOVED = 2_000_000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 65536
_SHOWN = 100
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes on the disk and entries; `over`: `scratch`, `entries` or `depth` when a limit is broken, else None."""

    size: int
    entries: int
    over: str | None


def fill(folder: str, files: Mapping[str, bytes]) -> None:
    """Writes each file below the new, still empty folder. Raises OSError for a path that leads out of it."""
    for path, content in files.items():
        parts = path.split("/")
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise OSError(errno.EINVAL, f"not a path below the folder: {path[:_SHOWN]!r}")
        for depth in range(1, len(parts)):
            inner = "/".join((folder, *parts[:depth]))
            if not os.path.isdir(inner):  # noqa: PTH112 -- as in uids.py
                os.mkdir(inner, 0o755)  # noqa: PTH102
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(f"{folder}/{path}", new, 0o644)
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(descriptor, left) :]
        finally:
            os.close(descriptor)


def give(folder: str, uid: int) -> None:
    """The folder and all in it belong to `uid` from here on; refuses files that have another name elsewhere."""
    os.chown(folder, uid, uid, follow_symlinks=False)
    waiting = [os.fsencode(folder)]
    while waiting:
        path = waiting.pop()
        inner = os.open(path, _FOLDER)
        try:
            for name in map(os.fsencode, os.listdir(inner)):  # noqa: PTH208
                found = os.stat(name, dir_fd=inner, follow_symlinks=False)
                if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
                    raise OSError(errno.EMLINK, "a file in the folder has a second name")
                os.chown(name, uid, uid, dir_fd=inner, follow_symlinks=False)
                if stat.S_ISDIR(found.st_mode):
                    waiting.append(path + b"/" + name)
        finally:
            os.close(inner)


def usage(folder: str, most_bytes: int, most_entries: int) -> Usage:
    """Walks the folder, and stops as soon as a limit is broken. A part that cannot be read counts as too deep."""
    size = entries = 0
    seen: set[int] = set()
    try:
        for found in _walk(folder):
            entries += 1
            if entries > most_entries:
                return Usage(size, entries, "entries")
            if found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode):
                if found.st_ino in seen:
                    continue
                seen.add(found.st_ino)
            size += found.st_blocks * 512
            if size > most_bytes:
                return Usage(size, entries, "scratch")
    except _TooDeepError:
        return Usage(size, entries, "depth")
    return Usage(size, entries, None)


class _TooDeepError(Exception):
    """Data may lie where we do not look."""


def _walk(folder: str) -> Iterator[os.stat_result]:
    """Everything below it; what is gone meanwhile is left out. Raises _TooDeepError."""
    waiting = [(os.fsencode(folder), 0)]
    while waiting:
        path, depth = waiting.pop()
        if depth > MOST_DEPTH:
            raise _TooDeepError
        inner = _unless_gone(partial(os.open, path, _FOLDER))
        if inner is None:
            continue
        try:
            with os.scandir(inner) as listing:
                for entry in listing:
                    found = _unless_gone(partial(entry.stat, follow_symlinks=False))
                    if found is None:
                        continue
                    if stat.S_ISDIR(found.st_mode):
                        waiting.append((path + b"/" + os.fsencode(entry.name), depth + 1))
                    yield found
        finally:
            os.close(inner)


def _unless_gone(look: Callable[[], _Found]) -> _Found | None:
    try:
        return look()
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG):
            raise _TooDeepError from None
        return None


def read_file(folder: str, path: str, most: int) -> bytes:
    """At most `most` bytes of folder/path; OSError for all but a plain file with one name, reached without links."""
    top = os.open(folder, _FOLDER)
    try:
        descriptor = kernel.open_beneath(top, path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    finally:
        os.close(top)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a plain file")
        if found.st_nlink != 1:
            raise OSError(errno.EMLINK, "a file with a second name")
        content = bytearray()
        while len(content) < most:
            chunk = os.read(descriptor, min(_CHUNK, most - len(content)))
            if not chunk:
                break
            content += chunk
        return bytes(content)
    finally:
        os.close(descriptor)


def remove(folder: str) -> None:
    """Removes it, whatever is in it; nothing may live in it any more. Raises OSError when that fails.

    Folders are moved up to the top one by one, so that depth costs neither descriptors nor a long path.
    """
    path = os.fsencode(folder)
    try:
        os.chmod(path, 0o700)  # noqa: PTH101
        top = os.open(path, _FOLDER)
    except FileNotFoundError:
        return
    removed = 0
    token = os.urandom(9).hex().encode()  # names that the program cannot have guessed
    try:
        while names := os.listdir(top):  # noqa: PTH208
            for name in map(os.fsencode, names):
                removed += 1
                if not _is_folder(name, top):
                    os.unlink(name, dir_fd=top)
                    continue
                removed = _empty(name, top, token, removed)
                os.rmdir(name, dir_fd=top)
                if removed > _MOST_REMOVED:
                    raise OSError(errno.EFBIG, "too many files to remove")
    finally:
        os.close(top)
    os.rmdir(path)  # noqa: PTH106


def _empty(name: bytes, top: int, token: bytes, serial: int) -> int:
    """Removes the files of a folder, and moves its folders up; how many were touched is added to `serial`."""
    os.chmod(name, 0o700, dir_fd=top)
    inner = os.open(name, _FOLDER, dir_fd=top)
    try:
        for child in map(os.fsencode, os.listdir(inner)):  # noqa: PTH208
            serial += 1
            if _is_folder(child, inner):
                os.chmod(child, 0o700, dir_fd=inner)
                os.rename(child, b".gone-%s-%d" % (token, serial), src_dir_fd=inner, dst_dir_fd=top)
            else:
                os.unlink(child, dir_fd=inner)
    finally:
        os.close(inner)
    return serial


def _is_folder(name: bytes, folder: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
