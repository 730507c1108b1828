"""User ids of one run alone: never two runs with one."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from llm_testbench.sandbox import uids
from llm_testbench.sandbox.uids import COUNT, FIRST, leased

SOURCE = str(Path(uids.__file__).resolve().parents[2])
ALL = frozenset(range(FIRST, FIRST + COUNT))
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root leases user ids")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Leases of this machine's real runs stay out of it."""
    monkeypatch.setattr(uids, "_FOLDERS", (str(tmp_path / "leases"),))
    return tmp_path / "leases"


@root
class TestLeases:
    def test_each_is_another_until_there_is_none(self) -> None:
        with ExitStack() as stack:
            found = {stack.enter_context(leased(frozenset())) for _ in range(COUNT)}
            assert found == ALL
            with (
                pytest.raises(OSError, match="all 64 user ids of the sandbox are in use") as error,
                leased(frozenset()),
            ):
                pass
            assert error.value.errno == errno.EAGAIN
        with leased(frozenset()) as again:
            assert again in ALL

    def test_none_that_a_process_has_now(self) -> None:
        with leased(ALL - {FIRST + 7}) as found:
            assert found == FIRST + 7
        with pytest.raises(OSError, match="in use"), leased(ALL):
            pass

    def test_another_process_gets_another(self, own_folder: Path) -> None:
        code = (
            "import sys\nfrom llm_testbench.sandbox import uids\nuids._FOLDERS = (sys.argv[1],)\n"
            "with uids.leased(frozenset()) as uid:\n    print(uid, flush=True)\n    sys.stdin.read()\n"
        )
        command = [sys.executable, "-c", code, str(own_folder)]
        environment = {**os.environ, "PYTHONPATH": SOURCE}
        others = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) for _ in range(2)
        ]
        theirs = {int((one.stdout or pytest.fail()).readline()) for one in others}
        free = min(ALL - theirs)
        with leased(ALL - theirs - {free}) as mine:
            assert mine == free
        for one in others:
            one.kill()
            one.communicate()
        # The lease ends with the process, however that ends.
        with leased(ALL - theirs) as freed:
            assert freed in theirs

    def test_no_descriptor_is_left(self) -> None:
        before = sorted(one.name for one in Path("/proc/self/fd").iterdir())
        for _ in range(3):
            with leased(frozenset()):
                pass
        assert sorted(one.name for one in Path("/proc/self/fd").iterdir()) == before

    @pytest.mark.parametrize("trap", ["file", "link", "open to all", "another's"])
    def test_no_folder_that_another_user_may_have_made(self, own_folder: Path, tmp_path: Path, trap: str) -> None:
        if trap == "file":
            own_folder.touch()
        elif trap == "link":
            (tmp_path / "real").mkdir(mode=0o700)
            own_folder.symlink_to("real")
        else:
            own_folder.mkdir(mode=0o700)
            own_folder.chmod(0o777 if trap == "open to all" else 0o700)
            os.chown(own_folder, 1000 if trap == "another's" else 0, 0)
        with pytest.raises(PermissionError, match="not a folder of root alone"), leased(frozenset()):
            pass

    def test_the_second_folder_where_the_first_cannot_be(
        self, own_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uids, "_FOLDERS", ("/nowhere/at/all", str(own_folder)))
        with leased(frozenset()) as uid:
            assert (own_folder / str(uid)).exists()


class TestBecome:
    @root
    def test_there_is_no_way_back(self) -> None:
        code = (
            "import os\nfrom llm_testbench.sandbox.uids import become\nbecome(61234)\n"
            "print(os.getresuid(), os.getresgid(), os.getgroups())\n"
            "try: os.setuid(0)\nexcept PermissionError: print('no way back')"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env={"PYTHONPATH": SOURCE}, text=True, check=True
        )
        assert done.stdout == f"{(61234,) * 3} {(61234,) * 3} []\nno way back\n"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may")
    def test_a_user_cannot(self) -> None:
        with pytest.raises(PermissionError):
            uids.become(61234)

    def test_the_ids_lie_where_nobody_has_an_account(self) -> None:
        assert FIRST >= 61184
        assert FIRST + COUNT <= 65520
