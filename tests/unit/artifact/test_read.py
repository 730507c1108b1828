import gc
import gzip
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.artifact.samples import FULL_ROW, ROW, artifact, document

from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import ArtifactError, from_json, json_from_bytes, read, read_json

ONE = artifact(ROW, FULL_ROW)
TEXT = json.dumps(document(ONE)).encode()


def from_bytes(data: bytes, source: str, **bounds: Any) -> Artifact:
    return from_json(json_from_bytes(data, source, **bounds), source)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(TEXT, id="plain"),
        pytest.param(gzip.compress(TEXT), id="gzip, whatever the name"),
        pytest.param(gzip.compress(TEXT[:500]) + gzip.compress(TEXT[500:]), id="gzip in two members"),
        pytest.param(b"\xef\xbb\xbf" + TEXT, id="byte order mark"),
        pytest.param(json.dumps(document(ONE), indent=4).encode(), id="indented"),
    ],
)
def test_an_artifact_is_read_however_it_was_stored(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "artifact.json"
    path.write_bytes(data)

    assert read(path) == ONE
    assert from_bytes(data, "asset") == ONE


def nested(depth: int) -> bytes:
    return b'{"meta":' * depth + b"1" + b"}" * depth


@pytest.mark.parametrize(
    ("data", "kind", "line"),
    [
        pytest.param(b"", "broken", "is not JSON: Expecting value: line 1 column 1 (char 0)", id="empty"),
        pytest.param(b"{", "broken", "is not JSON: Expecting property name enclosed in double quotes", id="cut off"),
        pytest.param(b'{"a": NaN}', "broken", "is not JSON: NaN is not JSON", id="NaN"),
        pytest.param(b'"\xff"', "broken", "is not UTF-8 at byte 1", id="no UTF-8"),
        pytest.param(nested(100_000), "broken", "is not JSON: nested deeper than", id="too deep for the stack"),
        pytest.param(
            b"{}", "broken", "is no artifact: neither schema_version nor results is there", id="some other JSON"
        ),
        pytest.param(b"3", "broken", "expected an object, found another number", id="no object"),
        pytest.param(b'{"schema_version": 7}', "too_new", "schema_version: schema_version 7 is newer", id="newer"),
        pytest.param(
            b'{"schema_version": 1, "meta": 3}', "broken", "meta: expected an object, found another number", id="path"
        ),
        pytest.param(
            gzip.compress(TEXT)[:-20], "broken", "is a gzip file that ends early or is damaged", id="cut gzip"
        ),
        pytest.param(b"\x1f\x8b" + TEXT, "broken", "is a gzip file that ends early or is damaged", id="no gzip at all"),
        pytest.param(
            gzip.compress(TEXT)[:50] + b"\0" * 50,
            "broken",
            "is a gzip file that ends early or is damaged",
            id="damaged",
        ),
    ],
)
def test_what_is_no_artifact_is_refused_in_one_line_that_begins_with_the_file(
    tmp_path: Path, data: bytes, kind: str, line: str
) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(data)

    with pytest.raises(ArtifactError) as caught:
        read(path)

    assert caught.value.kind == kind
    assert str(caught.value).startswith(f"baseline.json: {line}")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError) as caught:
        read(tmp_path / "nothing.json")

    assert (caught.value.kind, str(caught.value)) == ("missing", "nothing.json: there is no such file")


def test_a_folder_is_no_artifact(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError) as caught:
        read(tmp_path)

    assert caught.value.kind == "broken"
    assert str(caught.value).endswith(": cannot be read: Is a directory")


def test_a_message_never_holds_the_folder(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError) as caught:
        read(tmp_path / "nothing.json")

    assert os.sep not in str(caught.value)


@pytest.mark.parametrize("pack", [pytest.param(bytes, id="plain"), pytest.param(gzip.compress, id="gzip")])
def test_a_file_that_unpacks_beyond_the_bound_is_refused(pack: Callable[[bytes], bytes]) -> None:
    bomb = pack(b"[" + b" " * 3_000_000 + b"]")

    with pytest.raises(ArtifactError, match=r"^bomb: holds more than 1 MiB$"):
        from_bytes(bomb, "bomb", max_unpacked=1 << 20)


def test_a_packed_file_beyond_its_bound_is_not_unpacked() -> None:
    with pytest.raises(ArtifactError, match=r"^big: is larger than 1 MiB$"):
        from_bytes(b"\x1f\x8b" + b"\0" * (1 << 20), "big", max_packed=1 << 20)


def test_a_file_as_large_as_the_bound_is_read() -> None:
    assert from_bytes(TEXT, "x", max_unpacked=len(TEXT)) == ONE
    packed = gzip.compress(TEXT)
    assert from_bytes(packed, "x", max_packed=len(packed), max_unpacked=len(TEXT)) == ONE


@given(st.binary() | st.binary().map(lambda tail: b"\x1f\x8b\x08\x00" + tail) | st.text().map(str.encode))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        from_bytes(data, "x")
    except ArtifactError as fault:
        assert "\n" not in str(fault)


@given(st.integers(0, len(TEXT) - 1), st.binary(min_size=1, max_size=3))
def test_a_damaged_artifact_is_an_artifact_or_an_artifact_error(at: int, damage: bytes) -> None:
    try:
        from_bytes(TEXT[:at] + damage + TEXT[at + len(damage) :], "x")
    except ArtifactError as fault:
        assert "\n" not in str(fault)


def test_json_of_any_shape_can_be_read_under_the_same_bounds(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[1]")

    assert read_json(path) == [1]
    with pytest.raises(ArtifactError, match="holds more than"):
        read_json(path, max_unpacked=2)


@pytest.mark.parametrize("data", [TEXT, b"{", b"[1]"], ids=["read", "no JSON", "no artifact"])
@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(data: bytes, *, enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    try:
        with suppress(ArtifactError):
            from_bytes(data, "x")
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
