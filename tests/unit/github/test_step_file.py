import os
from pathlib import Path

import pytest

from llm_testbench.github import step_file


@pytest.mark.parametrize(
    ("before", "after"), [(b"", b"x\n"), (b"a\n", b"a\nx\n"), (b"a", b"a\nx\n"), (b"\n", b"\nx\n")]
)
def test_what_is_appended_begins_on_a_line_of_its_own(tmp_path: Path, before: bytes, after: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(before)

    step_file.append(path, b"x\n")

    assert path.read_bytes() == after


def test_a_write_in_pieces_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    monkeypatch.setattr(os, "write", lambda file, data: whole(file, data[:3]))

    step_file.append(tmp_path / "file", b"0123456789")

    assert (tmp_path / "file").read_bytes() == b"0123456789"


def full_after(pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    sizes = iter([3] * pieces)

    def write(file: int, data: memoryview) -> int:
        size = next(sizes, 0)
        if not size:
            raise OSError(28, "No space left on device")
        return whole(file, data[:size])

    monkeypatch.setattr(os, "write", write)


@pytest.mark.parametrize("before", [b"", b"a", b"a\n"])
def test_a_disk_that_fills_up_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(before)
    full_after(2, monkeypatch)

    with pytest.raises(OSError, match="No space left"):
        step_file.append(path, b"0123456789")

    assert path.read_bytes() == before


def test_a_pipe_in_place_of_the_file_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        step_file.append(tmp_path / "pipe", b"x\n")
        assert os.read(reader, 10) == b"x\n"
        full_after(0, monkeypatch)
        with pytest.raises(OSError, match="No space left"):
            step_file.append(tmp_path / "pipe", b"x\n")
    finally:
        os.close(reader)
