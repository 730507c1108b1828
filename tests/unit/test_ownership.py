from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.artifact.samples import ROW, artifact
from tests.unit.runner.samples import a_row

from llm_testbench import ownership
from llm_testbench.artifact.write import check_writable, write
from llm_testbench.errors import InputError
from llm_testbench.ownership import create, make_folders
from llm_testbench.redaction import NO_SECRETS
from llm_testbench.runner.journal import Journal, journal_path

OWNER, GROUP = 1001, 1002
THEIRS = (OWNER, GROUP)
OURS = (0, 0)
KEY = "k" * 64

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def owner(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_uid, found.st_gid


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder of somebody else, as the checkout is to root in a container."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    if os.geteuid() == 0:
        os.chown(folder, *THEIRS)
    return folder


@contextmanager
def opened(path: Path, *, resume: bool = False) -> Iterator[Journal]:
    journal = Journal.open(path, KEY, resume=resume)
    try:
        yield journal
    finally:
        journal.close()


@ROOT
class TestRootWritesInAFolderOfSomebodyElse:
    def test_an_artifact_and_the_folders_made_for_it_are_theirs(self, workspace: Path) -> None:
        write(artifact(ROW), workspace / "results" / "today" / "a.json", NO_SECRETS)

        made = [workspace / "results", workspace / "results" / "today", workspace / "results" / "today" / "a.json"]
        assert [owner(path) for path in made] == [THEIRS] * 3

    def test_the_folder_of_a_check_is_theirs_before_anything_is_written(self, workspace: Path) -> None:
        check_writable(workspace / "results" / "a.json")

        assert owner(workspace / "results") == THEIRS

    def test_the_journal_is_theirs_and_so_is_the_one_moved_aside(self, workspace: Path) -> None:
        for _ in range(2):
            with opened(workspace / "a.json") as journal:
                journal.append(a_row())

        left = {path.name: owner(path) for path in workspace.iterdir()}
        assert left == {"a.json.journal.jsonl": THEIRS, "a.json.journal.jsonl.1": THEIRS}

    def test_a_file_keeps_the_owner_of_the_one_that_it_replaces(self, workspace: Path) -> None:
        for name, ids in (("root.json", OURS), ("other.json", (1003, 1004))):
            (workspace / name).touch()
            os.chown(workspace / name, *ids)
            write(artifact(ROW), workspace / name, NO_SECRETS)

            assert owner(workspace / name) == ids

    def test_a_journal_that_goes_on_keeps_its_owner(self, workspace: Path) -> None:
        with opened(workspace / "a.json") as journal:
            os.chown(journal.path, *OURS)
        with opened(workspace / "a.json", resume=True) as journal:
            assert owner(journal.path) == OURS

    def test_the_permissions_are_those_of_the_umask(self, workspace: Path) -> None:
        before = os.umask(0o027)
        try:
            os.close(create(workspace / "file"))
            make_folders(workspace / "folder")
        finally:
            os.umask(before)

        modes = [stat.S_IMODE((workspace / name).stat().st_mode) for name in ("file", "folder")]
        assert modes == [0o640, 0o750]

    def test_a_system_that_refuses_to_give_it_away_keeps_the_file(
        self, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refused(descriptor: int, uid: int, gid: int) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "fchown", refused)
        os.close(create(workspace / "file"))

        assert owner(workspace / "file") == OURS


@ROOT
def test_in_a_folder_of_roots_everything_stays_roots(tmp_path: Path) -> None:
    os.chown(tmp_path, 0, GROUP)
    write(artifact(ROW), tmp_path / "results" / "a.json", NO_SECRETS)
    with opened(tmp_path / "results" / "a.json") as journal:
        made = [tmp_path / "results", tmp_path / "results" / "a.json", journal.path]

    assert [owner(path) for path in made] == [OURS] * 3


@ROOT
class TestAHostileWorkspace:
    """It is full of links to what it would like to own."""

    @pytest.fixture
    def prize(self, tmp_path: Path) -> Path:
        folder = tmp_path / "roots"
        folder.mkdir()
        (folder / "prize").write_text("root's")
        return folder

    def test_a_link_to_a_file_of_roots_gives_nothing_away(self, workspace: Path, prize: Path) -> None:
        (workspace / "a.json").symlink_to(prize / "prize")
        write(artifact(ROW), workspace / "a.json", NO_SECRETS)

        assert [owner(path) for path in prize.iterdir()] == [OURS]

    def test_a_link_to_a_folder_of_roots_gives_nothing_away(self, workspace: Path, prize: Path) -> None:
        (workspace / "results").symlink_to(prize)
        write(artifact(ROW), workspace / "results" / "new" / "a.json", NO_SECRETS)

        assert [owner(path) for path in (prize, prize / "new", prize / "new" / "a.json")] == [OURS] * 3

    def test_a_second_name_of_a_file_of_roots_gives_nothing_away(self, workspace: Path, prize: Path) -> None:
        (workspace / "a.json").hardlink_to(prize / "prize")
        write(artifact(ROW), workspace / "a.json", NO_SECRETS)

        assert (prize / "prize").read_text() == "root's"
        assert owner(prize / "prize") == OURS

    @pytest.mark.parametrize("name", ["prize", "missing"])
    @pytest.mark.parametrize("resume", [True, False])
    def test_a_journal_that_is_a_link_is_refused(self, workspace: Path, prize: Path, name: str, resume: bool) -> None:
        link = journal_path(workspace / "a.json")
        link.symlink_to(prize / name)

        with pytest.raises(InputError, match="not a regular file"), opened(workspace / "a.json", resume=resume):
            pass

        assert [(path.name, path.read_text(), owner(path)) for path in prize.iterdir()] == [("prize", "root's", OURS)]

    def test_nothing_is_made_where_something_stands(self, workspace: Path, prize: Path) -> None:
        (workspace / "file").symlink_to(prize / "missing")

        with pytest.raises(FileExistsError):
            create(workspace / "file")

        assert [path.name for path in prize.iterdir()] == ["prize"]

    def test_a_folder_that_turns_into_a_link_is_not_followed(
        self, workspace: Path, prize: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make = os.mkdir

        def raced(name: str, *, dir_fd: int) -> None:
            make(name, dir_fd=dir_fd)
            (workspace / name).rmdir()
            (workspace / name).symlink_to(prize)

        monkeypatch.setattr(os, "mkdir", raced)
        with pytest.raises(NotADirectoryError):
            make_folders(workspace / "results" / "new")

        assert owner(prize) == OURS
        assert [path.name for path in prize.iterdir()] == ["prize"]

    def test_a_link_that_will_be_replaced_says_nothing_about_the_owner(self, workspace: Path, prize: Path) -> None:
        (workspace / "link").symlink_to(prize / "prize")
        os.close(create(workspace / "file", replaces=workspace / "link"))

        assert owner(workspace / "file") == THEIRS


@pytest.mark.parametrize("resume", [True, False])
def test_a_journal_that_is_a_pipe_is_refused_at_once(tmp_path: Path, resume: bool) -> None:
    os.mkfifo(journal_path(tmp_path / "a.json"))

    with pytest.raises(InputError, match="not a regular file"), opened(tmp_path / "a.json", resume=resume):
        pass


def test_any_other_user_gives_nothing_away(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def given(descriptor: int, uid: int, gid: int) -> None:
        raise AssertionError("given away")

    monkeypatch.setattr(os, "fchown", given)
    monkeypatch.setattr(os, "geteuid", lambda: OWNER)
    make_folders(workspace / "folder")
    os.close(create(workspace / "folder" / "file"))

    assert owner(workspace / "folder" / "file") == (os.getuid(), os.getgid())


def test_folders_that_exist_are_no_fault_and_a_file_in_their_place_is(tmp_path: Path) -> None:
    make_folders(tmp_path / "a" / "b")
    make_folders(tmp_path / "a" / "b")
    (tmp_path / "file").touch()

    with pytest.raises(NotADirectoryError):
        make_folders(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        make_folders(tmp_path / "file" / "c")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_that_another_process_makes_first_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = os.mkdir

    def second(name: str, *, dir_fd: int) -> None:
        make(name, dir_fd=dir_fd)
        make(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "mkdir", second)
    make_folders(tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").is_dir()


def test_a_path_of_which_nothing_exists_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(path: Path, flags: int) -> int:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "open", nothing)
    with pytest.raises(FileNotFoundError):
        make_folders(Path("a/b"))


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    make_folders(tmp_path / "a" / "b")
    os.close(create(tmp_path / "a" / "b" / "file"))
    with pytest.raises(FileExistsError):
        ownership.create(tmp_path / "a" / "b" / "file")
    after = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0

    assert after == before
