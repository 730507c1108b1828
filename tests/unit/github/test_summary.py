from pathlib import Path

import pytest

from llm_testbench.github.summary import SUMMARY_LIMIT, append_summary, room


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(None, "# Worse\n", id="no file"),
        pytest.param("", "# Worse\n", id="empty"),
        pytest.param("tests passed\n", "tests passed\n\n# Worse\n", id="a paragraph before"),
        pytest.param("tests passed", "tests passed\n\n# Worse\n", id="a line without its end before"),
    ],
)
def test_the_report_is_appended_as_a_block_of_its_own(tmp_path: Path, before: str | None, after: str) -> None:
    path = tmp_path / "summary.md"
    if before is not None:
        path.write_text(before)

    append_summary(path, "# Worse\n")

    assert path.read_text() == after


def test_text_is_written_as_utf_8_and_half_a_surrogate_pair_as_its_escape(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"

    append_summary(path, "−2,3 \ud800\n")

    assert path.read_bytes() == b"\xe2\x88\x922,3 \\ud800\n"


@pytest.mark.parametrize("before", [0, 1, 1000, SUMMARY_LIMIT - 10])
def test_the_room_left_is_taken_to_the_last_byte_and_not_beyond(tmp_path: Path, before: int) -> None:
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * before)
    left = room(path)

    with pytest.raises(ValueError, match=rf"^the job summary has {left + 2} bytes, and there is room for {left}$"):
        append_summary(path, "é" * (left // 2) + "a" * (left % 2 + 2))
    assert path.stat().st_size == before
    append_summary(path, "é" * (left // 2) + "a" * (left % 2))

    assert SUMMARY_LIMIT - 3 <= path.stat().st_size <= SUMMARY_LIMIT


@pytest.mark.parametrize("before", [SUMMARY_LIMIT - 1, SUMMARY_LIMIT, SUMMARY_LIMIT + 1])
def test_a_full_file_has_no_room(tmp_path: Path, before: int) -> None:
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * before)

    assert room(path) == 0
    with pytest.raises(ValueError, match=r"^the job summary has 1 bytes, and there is room for 0$"):
        append_summary(path, "x")


def test_a_file_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        append_summary(tmp_path, "x")
