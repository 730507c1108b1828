"""One file out of a zip archive that nobody trusts: nothing is unpacked to disk, and no more than is allowed."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence

MAX_DIRECTORY = 1024 * 1024  # bytes: some 10,000 entries

_END = b"PK\x05\x06"
_END64 = b"PK\x06\x07"
_END_SIZE = 22  # bytes, without the comment
_MAX_COMMENT = 0xFFFF
_ENCRYPTED = 0x1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class ArchiveError(ValueError):
    """The archive cannot be used; `str()` is a few words that quote nothing of it."""


def one_file(data: bytes, names: Sequence[str], limit: int) -> bytes:
    """The content of the first of `names` that the archive holds, at its top; at most `limit` bytes.

    Other entries are not looked at. ArchiveError when none is there, or it is no plain file.
    """
    _check_directory(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entry = _entry(archive.infolist(), names, limit)
            with archive.open(entry) as file:
                # The size in the directory may be a lie: without a bound all is unpacked, and then cut to that size.
                content = file.read(limit + 1)
    except ArchiveError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        RuntimeError,
        struct.error,
    ):
        raise ArchiveError("is a damaged zip archive") from None
    if len(content) != entry.file_size:
        raise ArchiveError("is a damaged zip archive")
    return content


def _check_directory(data: bytes) -> None:
    """zipfile builds an object for each entry before anybody can ask how many there are."""
    at = data.rfind(_END, max(0, len(data) - _END_SIZE - _MAX_COMMENT))
    if at < 0 or len(data) < at + _END_SIZE:
        raise ArchiveError("is no zip archive")
    size = int.from_bytes(data[at + 12 : at + 16], "little")
    if size > MAX_DIRECTORY or data[max(0, at - 20) :].startswith(_END64):
        raise ArchiveError("is a zip archive of too many files")


def _entry(entries: Sequence[zipfile.ZipInfo], names: Sequence[str], limit: int) -> zipfile.ZipInfo:
    for name in names:
        found = [entry for entry in entries if entry.filename == name]
        if len(found) > 1:
            raise ArchiveError("is a zip archive that holds two files of one name")
        if found:
            _check_plain(found[0], limit)
            return found[0]
    raise ArchiveError(f"is a zip archive without {' or '.join(names)} in it")


def _check_plain(entry: zipfile.ZipInfo, limit: int) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise ArchiveError("is a zip archive in which the file is a link or no file at all")
    if entry.flag_bits & _ENCRYPTED:
        raise ArchiveError("is a zip archive with a password")
    if entry.compress_type not in _METHODS:
        raise ArchiveError("is a zip archive packed in an unusual way")
    if entry.file_size > limit:
        raise ArchiveError(f"unpacks to more than {limit >> 20} MiB")
