"""An artifact from a file or bytes that nobody trusts: bounded in size, unpacked size and depth."""

from __future__ import annotations

import gc
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from llm_testbench.artifact.document import artifact_from_json
from llm_testbench.artifact.fault import ArtifactError, show_path
from llm_testbench.artifact.foreign import foreign_from_json, is_foreign
from llm_testbench.artifact.model import Artifact
from llm_testbench.json_value import JSON, parse
from llm_testbench.possessive import possessive

__all__ = ["ArtifactError", "from_json", "json_from_bytes", "read", "read_json", "show_path"]

MAX_UNPACKED = 512 * 1024 * 1024
MAX_PACKED = 64 * 1024 * 1024

_GZIP = b"\x1f\x8b"
# One without an end reaches to the end of all: else each quote in it would be looked at as a start of its own.
_QUOTED = re.compile(r'"[^"\\]*+' + possessive(r'\\.[^"\\]*+') + r'(?:"|\\?\Z)', re.DOTALL)


def read(path: Path, *, max_unpacked: int = MAX_UNPACKED, max_packed: int = MAX_PACKED) -> Artifact:
    """The artifact in a file, plain or gzip whatever its name; ArtifactError (one line that starts with the name)."""
    return from_json(read_json(path, max_unpacked=max_unpacked, max_packed=max_packed), path.name)


def read_json(path: Path, *, max_unpacked: int = MAX_UNPACKED, max_packed: int = MAX_PACKED) -> JSON:
    """The JSON in a file, under the bounds of `read` but of any shape: what validate.py looks at."""
    try:
        with path.open("rb") as file:
            return _parsed(file, path.name, max_unpacked, max_packed)
    except FileNotFoundError:
        raise ArtifactError("there is no such file", kind="missing", source=path.name) from None
    except OSError as error:
        raise ArtifactError(f"cannot be read: {error.strerror or error}", source=path.name) from None


def json_from_bytes(
    data: bytes,
    source: str,
    *,
    max_unpacked: int = MAX_UNPACKED,
    max_packed: int = MAX_PACKED,
    max_values: int | None = None,
    unique_keys: bool = False,
) -> JSON:
    """The same from bytes that came from elsewhere; `source` names them in messages.

    `max_values`: commas and brackets outside of texts; None: as many as there is room for.
    """
    return _parsed(io.BytesIO(data), source, max_unpacked, max_packed, max_values, unique_keys=unique_keys)


def from_json(value: JSON, source: str) -> Artifact:
    """The artifact in JSON of one of the readers above; ArtifactError as `read`."""
    try:
        with _collector_paused():
            return foreign_from_json(value) if is_foreign(value) else artifact_from_json(value)
    except ArtifactError as fault:
        raise fault.of(source) from None


def _parsed(
    file: BinaryIO,
    source: str,
    max_unpacked: int,
    max_packed: int,
    max_values: int | None = None,
    *,
    unique_keys: bool = False,
) -> JSON:
    try:
        # utf-8-sig: some editors and shells put a byte order mark in front.
        text = _unpacked(file, max_unpacked, max_packed).decode("utf-8-sig")
        _check_values(text, max_values)
        # The readers bound the depth of the few places where any value may stand, which is
        # cheaper than a walk over all rows.
        with _collector_paused():
            return parse(text, max_depth=None, unique_keys=unique_keys)
    except UnicodeDecodeError as error:
        raise ArtifactError(f"is not UTF-8 at byte {error.start}", source=source) from None
    except ArtifactError as fault:
        raise fault.of(source) from None
    except ValueError as error:
        raise ArtifactError(f"is not JSON: {error}", source=source) from None


def _check_values(text: str, most: int | None) -> None:
    # Looked at again without what stands in quotes: answers hold commas, too.
    if most is not None and _marks(text) > most and _marks(_QUOTED.sub("", text)) > most:
        raise ArtifactError(f"holds more than {most} values")


def _marks(text: str) -> int:
    return sum(map(text.count, ",[{"))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Half a million new objects without a cycle: the collector would walk over them again and again (a third of
    the time of 16,000 rows).
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _unpacked(file: BinaryIO, max_unpacked: int, max_packed: int) -> bytes:
    start = file.read(len(_GZIP))
    if start != _GZIP:
        data = start + file.read(max_unpacked + 1)
    else:
        packed = start + file.read(max_packed + 1)
        if len(packed) > max_packed:
            raise ArtifactError(f"is larger than {max_packed >> 20} MiB")
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
                data = stream.read(max_unpacked + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise ArtifactError("is a gzip file that ends early or is damaged") from None
    if len(data) > max_unpacked:
        raise ArtifactError(f"holds more than {max_unpacked >> 20} MiB")
    return data
