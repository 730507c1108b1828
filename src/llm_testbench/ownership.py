"""What root writes belongs to the owner of the folder that it is written in.

In a container the tool is root while the workspace is the runner's, who could not delete such files. A workspace is
hostile: it may hold links. So only what this process has just made itself changes hands, by its descriptor.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Enough to make entries and to ask for the owner, in a folder that may not be listed too.
_HOLD_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def create(path: Path, flags: int = 0, *, replaces: Path | None = None) -> int:
    """A new file, open for reading and writing; `flags` are added to open()'s.

    It has the permissions of the file that it will replace, which may hold a key, else those of the umask. As root it
    gets the owner of that file, too, if there is one, else of its folder, unless that is root's. Raises
    FileExistsError when anything stands there, a link too, and OSError when it cannot be made.
    """
    folder = os.open(path.parent, _HOLD_FOLDER)
    try:
        replaced = _replaced(replaces)
        new = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        made = os.open(path.name, new | flags, 0o666, dir_fd=folder)
        if replaced is not None:
            # A file system without permissions: the file is there all the same.
            with suppress(OSError):
                os.fchmod(made, stat.S_IMODE(replaced.st_mode) & 0o777)
        _give(made, replaced or os.fstat(folder))
    finally:
        os.close(folder)
    return made


def make_folders(path: Path) -> None:
    """The folder and its missing parents; as root, each new one gets the owner of the folder that it is made in.

    Raises OSError when one cannot be made, or when something else stands in its place.
    """
    missing: list[str] = []
    while (folder := _opened(path)) is None:
        missing.append(path.name)
        path = path.parent
    try:
        while missing:
            inner = _make_folder(missing.pop(), folder)
            os.close(folder)
            folder = inner
    finally:
        os.close(folder)


def _opened(path: Path) -> int | None:
    """None: it does not exist."""
    try:
        return os.open(path, _HOLD_FOLDER)
    except FileNotFoundError:
        if path.parent == path:
            raise
        return None


def _make_folder(name: str, parent: int) -> int:
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:  # another process was quicker
        return os.open(name, _HOLD_FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    made = os.open(name, _OPEN_FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    _give(made, os.fstat(parent))
    return made


def _replaced(path: Path | None) -> os.stat_result | None:
    """The file whose place is taken; a link or anything else is none."""
    if path is not None:
        with suppress(FileNotFoundError):
            found = path.lstat()
            return found if stat.S_ISREG(found.st_mode) else None
    return None


def _give(made: int, like: os.stat_result) -> None:
    if os.geteuid() == 0 and like.st_uid != 0:
        # A file system without owners, or a user that does not exist in here: the file is there all the same.
        with suppress(OSError):
            os.fchown(made, like.st_uid, like.st_gid)
