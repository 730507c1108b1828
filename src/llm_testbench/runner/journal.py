"""The journal beside an artifact: every finished attempt is on disk before the next one is looked at."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self, cast

from llm_testbench.artifact.fields import members, text_or
from llm_testbench.artifact.model import Row
from llm_testbench.artifact.redact import redact_record
from llm_testbench.artifact.rows import RowKey, row_from_json, row_key, row_to_json
from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON, digest, parse
from llm_testbench.ownership import create
from llm_testbench.redaction import NO_SECRETS, Redactor
from llm_testbench.suite.model import Test

VERSION = 1
SUFFIX = ".journal.jsonl"
_REQUEST = "request_hash"  # of a line, beside the row's own members


def run_key(settings: JSON, tests: Iterable[Test], shard: str | None = None) -> str:
    """Names a run by all that its rows depend on: settings (without secrets), tests, shard. 64 hex digits."""
    described: list[JSON] = [
        [test.id, test.category, test.subcategory, test.rev, test.models, test.request_hash, test.check_hash]
        for test in tests
    ]
    return digest({"settings": settings, "tests": described, "shard": shard})


def journal_path(artifact: Path) -> Path:
    """`FILE.journal.jsonl` beside the artifact FILE."""
    return artifact.with_name(artifact.name + SUFFIX)


class Journal:
    """An open journal. `reused`: rows of an earlier run that need not be asked again; see `open`.
    `requests`: what some of them answer, as `append` was told, by their keys.

    A line goes to the operating system at once, so that no death of this process loses it. It is
    not fsynced: after a power failure or a crash of the machine the last seconds may be missing.
    """

    def __init__(
        self,
        path: Path,
        file: BinaryIO,
        redactor: Redactor,
        kept: _Kept | None = None,
        moved_aside: Path | None = None,
    ) -> None:
        self.path = path
        self.reused = kept.rows if kept is not None else ()
        self.requests: Mapping[RowKey, str] = kept.requests if kept is not None else {}
        self.moved_aside = moved_aside
        """Where a leftover of an earlier run went."""
        self.trouble: str | None = None
        """Why rows could not be written, such as a full disk; the run itself goes on."""
        self._file = file
        self._redactor = redactor
        self._torn = False

    @classmethod
    def open(cls, artifact: Path, run_key: str, *, resume: bool, redactor: Redactor = NO_SECRETS) -> Self:
        """Opens the journal of the artifact file, for a run with this key.

        With `resume`, rows of a leftover are reused unless they are errors, and the journal is
        continued. Without, a leftover is moved aside, to the first free of `….1`, `….2` and so on.
        Raises InputError when the leftover belongs to another run or is no journal, when another
        process is writing it, and when the folder cannot be written.
        """
        path = journal_path(artifact)
        try:
            return cls._open(path, run_key, redactor, resume=resume)
        except OSError as error:
            raise InputError(
                f"the journal of the run cannot be written ({error.strerror or error}): "
                "choose an output folder that exists and is writable",
                Place(str(path)),
            ) from error

    @classmethod
    def _open(cls, path: Path, run_key: str, redactor: Redactor, *, resume: bool) -> Self:
        moved: Path | None = None
        if os.path.lexists(path) and not resume:
            with os.fdopen(_existing(path, os.O_RDONLY), "rb") as leftover:
                _lock(leftover, path)
            moved = _first_free(path)
            path.rename(moved)
        file = os.fdopen(_opened(path), "a+b", buffering=0)
        try:
            _lock(file, path)
            with os.fdopen(os.dup(file.fileno()), "rb") as lines:
                lines.seek(0)
                kept = _read(lines, run_key, path)
            if kept is None:
                file.truncate(0)
                _write(file, _line({"journal": VERSION, "run_key": run_key}))
            else:
                # What follows must not be glued to a torn last line.
                file.truncate(kept.size)
        except BaseException:
            file.close()
            raise
        return cls(path, cast(BinaryIO, file), redactor, kept, moved)

    def append(self, row: Row, request_hash: str = "") -> None:
        """Writes the row, redacted. Never raises OSError: see `trouble`.

        `request_hash`: of what the row answers, where the run's key does not tell it.
        """
        told: dict[str, JSON] = {_REQUEST: request_hash} if request_hash else {}
        line = _line(redact_record(row_to_json(row), self._redactor) | told)
        try:
            _write(self._file, b"\n" + line if self._torn else line)
            self._torn = False
        except OSError as error:
            # Room may come back, so later rows are still tried, on a line of their own.
            self._torn = True
            if self.trouble is None:
                self.trouble = f"{self.path}: the journal cannot be written: {error.strerror or error}"

    def close(self) -> None:
        """Closes the file and leaves it for --resume."""
        with suppress(OSError):
            self._file.close()

    def remove(self) -> None:
        """Closes and deletes the journal: the artifact holds everything now."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        self.close()


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a leftover holds: rows that need not be asked again, and the bytes up to the last whole line."""

    rows: tuple[Row, ...]
    requests: Mapping[RowKey, str]
    size: int


def _read(lines: Iterable[bytes], run_key: str, path: Path) -> _Kept | None:
    """None: nothing was ever finished, not even the first line."""
    size = 0
    rows: dict[RowKey, Row] = {}
    requests: dict[RowKey, str] = {}
    for line in lines:
        if not line.endswith(b"\n"):
            if size == 0 and not _line({"journal": VERSION, "run_key": run_key}).startswith(line):
                _check_head(line, run_key, path)
            break
        if size == 0:
            _check_head(line, run_key, path)
        else:
            # A line inside may be damaged by a disk that was full for a while: that attempt is asked again.
            with suppress(ValueError):
                record = parse(line)
                row, request = row_from_json(record), text_or(members(record), _REQUEST, "")
                rows[row_key(row)], requests[row_key(row)] = row, request
        size += len(line)
    if size == 0:
        return None
    return _Kept(tuple(row for row in rows.values() if row.error is None), requests, size)


def _check_head(line: bytes, run_key: str, path: Path) -> None:
    try:
        head = parse(line)
    except ValueError:
        head = None
    place = Place(str(path), 1)
    if not isinstance(head, dict) or head.get("journal") != VERSION:
        raise InputError(
            f"not a journal of version {VERSION}: run without --resume, which moves the file aside and starts over",
            place,
        )
    if head.get("run_key") != run_key:
        raise InputError(
            "the journal belongs to a run with other settings, tests or shard: restore them to resume it, "
            "or run without --resume, which moves the journal aside and starts over",
            place,
        )


def _line(value: JSON) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def _write(file: BinaryIO, data: bytes) -> None:
    """Unbuffered: the whole of it is with the operating system, or OSError."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def _opened(path: Path) -> int:
    try:
        return create(path, os.O_APPEND)
    except FileExistsError:
        return _existing(path, os.O_RDWR | os.O_APPEND)


def _existing(path: Path, flags: int) -> int:
    """A file that this process did not make: neither followed, when it is a link, nor waited for, when it is a pipe."""
    strange = OSError(errno.EINVAL, "not a regular file", str(path))
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise strange if error.errno == errno.ELOOP else error from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise strange
    return descriptor


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            "another process is writing this journal: wait for it, or choose another output file", Place(str(path))
        ) from None
    except OSError:
        return  # a file system without locks


def _first_free(path: Path) -> Path:
    number = 1
    while os.path.lexists(candidate := path.with_name(f"{path.name}.{number}")):
        number += 1
    return candidate
