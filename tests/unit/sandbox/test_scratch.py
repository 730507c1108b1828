"""The folder of a run holds what an attacker left there: it gets no grip on who reads, measures or removes it."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.sandbox import scratch

NAMES = (b"-rf", b" ", b"\n::error::x", b"\xff\xfe", b"\x1b[2J", b"..x", b"*", b"a" * 255, "\u202e".encode())
PLENTY = 1 << 40
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    new = tmp_path / "folder"
    new.mkdir()
    yield new
    if new.exists():
        scratch.remove(str(new))


def nested(folder: Path, depth: int) -> None:
    """Folders below each other, far beyond what a path may have."""
    here = os.open(folder, os.O_DIRECTORY)
    for _ in range(depth):
        os.mkdir("d" * 20, dir_fd=here)
        inner = os.open("d" * 20, os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def odd_names(folder: Path) -> None:
    for name in NAMES:
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"x")


def closed_folders(folder: Path) -> None:
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "x").write_bytes(b"x")
    inner.chmod(0)
    inner.parent.chmod(0)
    folder.chmod(0)


def special_files(folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "dangling").symlink_to("/nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "up").symlink_to("..")
    with socket.socket(socket.AF_UNIX) as one:
        here = os.open(folder, os.O_DIRECTORY)
        one.bind(f"/proc/self/fd/{here}/socket")
        os.close(here)


def many_files(folder: Path) -> None:
    for number in range(2000):
        (folder / str(number)).touch()


def read_only_files(folder: Path) -> None:
    (folder / "x").write_bytes(b"x")
    (folder / "x").chmod(0)
    folder.chmod(0o500)


class TestRemove:
    @pytest.mark.parametrize(
        "hostile",
        [odd_names, closed_folders, special_files, many_files, read_only_files, lambda folder: nested(folder, 4000)],
        ids=["odd names", "modes", "special files", "many files", "read only", "4000 deep"],
    )
    def test_whatever_is_in_it(self, folder: Path, hostile: Callable[[Path], None]) -> None:
        hostile(folder)
        scratch.remove(str(folder))
        assert not folder.exists()

    def test_links_lead_nowhere(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "kept").mkdir(mode=0o750)
        (tmp_path / "kept" / "x").write_bytes(b"x")
        (folder / "a").mkdir()
        for place in (folder / "link", folder / "a" / "link"):
            place.symlink_to(tmp_path / "kept")
        os.link(tmp_path / "kept" / "x", folder / "second")
        scratch.remove(str(folder))
        assert (tmp_path / "kept" / "x").read_bytes() == b"x"
        assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o750

    def test_what_is_gone_already(self, tmp_path: Path) -> None:
        scratch.remove(str(tmp_path / "never"))

    def test_names_like_those_that_it_uses(self, folder: Path) -> None:
        for name in (".gone-1", ".gone-x-2"):
            (folder / name / "inner" / "x").mkdir(parents=True)
        scratch.remove(str(folder))
        assert not folder.exists()


class TestUsage:
    def usage(self, folder: Path, size: int = PLENTY, entries: int = 20_000) -> str | None:
        return scratch.usage(str(folder), size, entries).over

    def test_of_an_ordinary_folder(self, folder: Path) -> None:
        (folder / "a").mkdir()
        (folder / "a" / "x").write_bytes(b"x" * 100_000)
        found = scratch.usage(str(folder), PLENTY, 10)
        assert (found.entries, found.over) == (2, None)
        assert 100_000 <= found.size < 200_000

    def test_too_many_entries(self, folder: Path) -> None:
        many_files(folder)
        assert self.usage(folder, entries=1999) == "entries"
        assert self.usage(folder, entries=2000) is None

    def test_too_many_bytes(self, folder: Path) -> None:
        (folder / "x").write_bytes(b"x" * 100_000)
        assert self.usage(folder, size=50_000) == "scratch"

    def test_holes_take_no_room(self, folder: Path) -> None:
        with (folder / "x").open("wb") as file:
            file.truncate(1 << 30)
        assert self.usage(folder, size=1 << 20) is None

    @pytest.mark.parametrize(("depth", "over"), [(64, None), (65, "depth")])
    def test_as_deep_as_may_be_and_no_deeper(self, tmp_path: Path, depth: int, over: str | None) -> None:
        tmp_path.joinpath(*["d"] * depth).mkdir(parents=True)
        assert scratch.usage(str(tmp_path), 1 << 30, 1000).over == over

    def test_a_file_with_many_names_counts_once(self, folder: Path) -> None:
        (folder / "x").write_bytes(b"x" * 100_000)
        for number in range(50):
            os.link(folder / "x", folder / str(number))
        assert self.usage(folder, size=200_000) is None

    def test_links_are_not_followed(self, folder: Path) -> None:
        (folder / "usr").symlink_to("/usr")
        (folder / "up").symlink_to("..")
        assert self.usage(folder, entries=2) is None

    def test_too_deep(self, folder: Path) -> None:
        nested(folder, scratch.MOST_DEPTH)
        assert self.usage(folder) is None
        scratch.remove(str(folder))
        folder.mkdir()
        nested(folder, 4000)
        assert self.usage(folder) == "depth"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_what_cannot_be_read_counts_as_too_deep(self, folder: Path) -> None:
        (folder / "a").mkdir(mode=0)
        assert self.usage(folder) == "depth"

    def test_of_a_folder_that_is_gone(self, tmp_path: Path) -> None:
        assert self.usage(tmp_path / "never") is None

    def test_odd_names(self, folder: Path) -> None:
        odd_names(folder)
        assert scratch.usage(str(folder), PLENTY, 100).entries == len(NAMES)


class TestReadFile:
    def test_a_plain_file_at_most_as_long_as_asked(self, folder: Path) -> None:
        (folder / "a").mkdir()
        (folder / "a" / "x").write_bytes(b"0123456789" * 20_000)
        assert scratch.read_file(str(folder), "a/x", 1 << 20) == b"0123456789" * 20_000
        assert scratch.read_file(str(folder), "a/x", 15) == b"012345678901234"

    @pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "link", "linked/secret", "a/../../secret", "missing"])
    def test_nothing_outside(self, folder: Path, tmp_path: Path, path: str) -> None:
        (tmp_path / "secret").write_bytes(b"secret")
        (folder / "a").mkdir()
        (folder / "link").symlink_to("../secret")
        (folder / "linked").symlink_to("..")
        with pytest.raises(OSError, match=r"."):
            scratch.read_file(str(folder), path, 100)

    def test_not_even_by_a_link_inside(self, folder: Path) -> None:
        (folder / "x").write_bytes(b"x")
        (folder / "link").symlink_to("x")
        with pytest.raises(OSError, match="symbolic links"):
            scratch.read_file(str(folder), "link", 100)

    def test_no_second_name_of_another_file(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "secret").write_bytes(b"secret")
        os.link(tmp_path / "secret", folder / "x")
        with pytest.raises(OSError, match="second name"):
            scratch.read_file(str(folder), "x", 100)

    @pytest.mark.parametrize("name", ["fifo", "socket", "."])
    def test_plain_files_only(self, folder: Path, name: str) -> None:
        special_files(folder)
        with pytest.raises(OSError, match=r"plain file|No such device"):
            scratch.read_file(str(folder), name, 100)

    def test_a_file_without_end(self, folder: Path) -> None:
        with (folder / "x").open("wb") as file:
            file.truncate(1 << 40)
        assert scratch.read_file(str(folder), "x", 1000) == bytes(1000)


class TestFill:
    def test_files_and_the_folders_that_they_need(self, folder: Path) -> None:
        scratch.fill(str(folder), {"a/b/c.txt": b"1", "a/d": b"2", "e": b""})
        assert (folder / "a/b/c.txt").read_bytes() == b"1"
        assert (folder / "e").read_bytes() == b""

    @pytest.mark.parametrize("path", ["", "/etc/x", "../x", "a/../../x", "a//b", "./a", "a/", "a\0b", "."])
    def test_nothing_outside(self, folder: Path, path: str) -> None:
        with pytest.raises(OSError, match="not a path below the folder") as error:
            scratch.fill(str(folder), {path: b"x"})
        assert error.value.errno == errno.EINVAL
        assert list(folder.iterdir()) == []

    def test_the_error_shows_a_part_of_a_long_name(self, folder: Path) -> None:
        with pytest.raises(OSError, match="not a path") as error:
            scratch.fill(str(folder), {"../" * 100_000: b"x"})
        assert len(str(error.value)) < 300

    def test_one_path_twice_in_different_words(self, folder: Path) -> None:
        with pytest.raises(OSError, match=r"exists|directory"):
            scratch.fill(str(folder), {"a": b"1", "a/b": b"2"})

    @given(path=st.text(min_size=1, max_size=20))
    def test_any_path_is_written_below_or_refused(self, path: str, tmp_path_factory: pytest.TempPathFactory) -> None:
        base = tmp_path_factory.mktemp("fill")
        (base / "folder").mkdir()
        try:
            scratch.fill(str(base / "folder"), {path: b"x"})
        except (OSError, ValueError):
            pass
        else:
            assert scratch.read_file(str(base / "folder"), path, 10) == b"x"
        assert [one.name for one in base.iterdir()] == ["folder"]
        shutil.rmtree(base)


@root
class TestGive:
    def test_all_of_it(self, folder: Path) -> None:
        scratch.fill(str(folder), {"a/b": b"1"})
        scratch.give(str(folder), 61184)
        assert {one.lstat().st_uid for one in (folder, folder / "a", folder / "a/b")} == {61184}

    def test_links_stay_whose_they_point_to(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "kept").write_bytes(b"")
        (folder / "link").symlink_to(tmp_path / "kept")
        scratch.give(str(folder), 61184)
        assert (tmp_path / "kept").stat().st_uid == 0

    def test_no_file_that_has_another_name(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "kept").write_bytes(b"")
        os.link(tmp_path / "kept", folder / "x")
        with pytest.raises(OSError, match="second name"):
            scratch.give(str(folder), 61184)
        assert (tmp_path / "kept").stat().st_uid == 0
