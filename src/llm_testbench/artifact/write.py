"""An artifact to a file: redacted, valid against the schema, whole or not at all."""

from __future__ import annotations

import errno
import gzip
import json
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from llm_testbench.artifact.document import entry_to_json, meta_to_json, stat_to_json
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import SCHEMA_VERSION, Artifact, Row
from llm_testbench.artifact.redact import compact, holds_secret, redact_record
from llm_testbench.artifact.rows import row_to_json
from llm_testbench.artifact.validate import RowChecks, check_frame, check_row
from llm_testbench.ownership import create, make_folders
from llm_testbench.redaction import Redactor


def write(artifact: Artifact, path: Path, redactor: Redactor, checked: RowChecks | None = None) -> None:
    """Writes the artifact, gzipped where the name ends in `.gz`; the same artifact gives the same bytes.

    Rows that `checked` holds are not validated again. An existing file stays as it is unless the
    new one is complete on disk. Raises OSError (disk full, folder not writable, not a regular file)
    and ArtifactError (the artifact breaks its own schema).
    """
    with replacing(path) as file:
        if path.suffix == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                _write_lines(packed, lines(artifact, redactor, checked))
        else:
            _write_lines(file, lines(artifact, redactor, checked))


def check_writable(path: Path) -> None:
    """OSError when `write` to this path would fail now; leaves nothing behind but missing parent folders."""
    with _temporary(_target(path)) as (_, descriptor):
        os.close(descriptor)


def _write_lines(file: IO[bytes] | gzip.GzipFile, content: Iterable[bytes]) -> None:
    for line in content:
        file.write(line)


def lines(artifact: Artifact, redactor: Redactor, checked: RowChecks | None = None) -> Iterator[bytes]:
    """What `write` writes, in pieces, so that no second copy of all rows fills memory.

    One test, row or stat a line: a diff of two artifacts shows rows. ArtifactError as in `write`.
    """
    meta = redact_record(meta_to_json(artifact.meta), redactor)
    tests = [redact_record(entry_to_json(test), redactor) for test in artifact.tests]
    stats = [redact_record(stat_to_json(one), redactor) for one in artifact.stats]
    check_frame({"schema_version": SCHEMA_VERSION, "meta": meta, "tests": tests, "results": [], "stats": stats})
    yield b'{\n"schema_version": %d,\n"meta": ' % SCHEMA_VERSION + _encoded(
        json.dumps(meta, ensure_ascii=False, allow_nan=False, indent=2)
    )
    yield b',\n"tests": ['
    yield from _joined(_encoded(compact(test)) for test in tests)
    yield b'],\n"results": ['
    yield from _joined(_row_lines(artifact.results, redactor, checked or RowChecks()))
    yield b'],\n"stats": ['
    yield from _joined(_encoded(compact(one)) for one in stats)
    yield b"]\n}\n"


def _row_lines(rows: Iterable[Row], redactor: Redactor, checked: RowChecks) -> Iterator[bytes]:
    for number, row in enumerate(rows):
        record = row_to_json(row)
        text = compact(record)
        secret = holds_secret(record, redactor, text)
        if secret:
            record = redact_record(record, redactor)
            text = compact(record)
        if secret or not checked.holds(row):
            try:
                check_row(record)
            except ArtifactError as fault:
                raise fault.below("results", number) from None
        yield _encoded(text)


def _joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    separator = b"\n"
    for line in lines:
        yield separator + line
        separator = b",\n"
    if separator != b"\n":
        yield b"\n"


def _encoded(text: str) -> bytes:
    """JSON text as UTF-8. Half of a surrogate pair, as a model may send it, exists there only as an escape."""
    return text.encode("utf-8", "backslashreplace")


def _target(path: Path) -> Path:
    """The file to replace: a link's target rather than the link. OSError when it is no regular file."""
    try:
        target = path.resolve()
    except RuntimeError:  # what Python 3.11 and 3.12 make of a loop
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(target.stat().st_mode):
            # Renaming over it would replace a device or pipe, such as /dev/null.
            raise OSError(errno.EINVAL, "not a regular file", str(path))
    return target


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its place, on disk, when the block ends well, and else is gone."""
    target = _target(path)
    with _temporary(target) as (temporary, descriptor):
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
        _sync_folder(target.parent)


@contextmanager
def _temporary(target: Path) -> Iterator[tuple[Path, int]]:
    """The file and its descriptor, which the block closes."""
    make_folders(target.parent)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    # Not made by tempfile, so that the file gets the permissions of the user's umask.
    descriptor = create(temporary, replaces=target)
    try:
        yield temporary, descriptor
    finally:
        temporary.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    # Some file systems (network, FUSE) refuse this; the file itself is on disk by now.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
