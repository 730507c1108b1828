"""The calls that Python has no function for, made for real, in processes of their own where they cannot be undone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.sandbox.bpf_interpreter import ALLOW, ERRNO

from llm_testbench.sandbox import kernel, landlock
from llm_testbench.sandbox.filter import Instruction, packed

SOURCE = str(Path(kernel.__file__).resolve().parents[2])
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities")


def said(code: str, *arguments: str) -> str:
    """What a program prints that has the module at hand."""
    head = "import os, sys\nfrom llm_testbench.sandbox import kernel, landlock\n"
    done = subprocess.run(
        [sys.executable, "-c", head + code, *arguments],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestCalls:
    def test_by_name(self) -> None:
        found = kernel.call("pidfd_open", os.getpid(), 0)
        assert found > 2
        os.close(found)
        with pytest.raises(ProcessLookupError, match="pidfd_open: No such process"):
            kernel.call("pidfd_open", 1 << 22, 0)

    @pytest.mark.skipif(kernel.ARCHITECTURE != "aarch64", reason="x86-64 has them all")
    def test_one_that_this_architecture_lacks(self) -> None:
        with pytest.raises(KeyError):
            kernel.number("chmod")

    def test_one_that_another_machine_has(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kernel, "ARCHITECTURE", "aarch64")
        assert kernel.number("socket") == 198
        with pytest.raises(KeyError):
            kernel.number("chmod")

    def test_without_an_architecture_there_is_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kernel, "ARCHITECTURE", None)
        assert (kernel.has_filters(), landlock.version()) == (False, 0)

    def test_prctl_says_what_went_wrong(self) -> None:
        with pytest.raises(OSError, match="prctl: Invalid argument"):
            kernel.prctl(999_999)

    def test_files_below_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "a/x").write_bytes(b"x")
        (tmp_path / "link").symlink_to("a")
        folder = os.open(tmp_path, os.O_DIRECTORY)
        try:
            found = kernel.open_beneath(folder, "a/x", os.O_RDONLY)
            assert os.read(found, 10) == b"x"
            assert not os.get_inheritable(found)
            os.close(found)
            for path in ("link/x", "../x", "/etc/passwd", "a/../../x"):
                with pytest.raises(OSError, match="openat2: "):
                    kernel.open_beneath(folder, path, os.O_RDONLY)
        finally:
            os.close(folder)


class TestWhatCannotBeUndone:
    def test_descriptors_are_closed_but_for_one(self) -> None:
        code = (
            "for _ in range(10): os.dup(0)\n"
            "kernel.close_from(3, keep=7)\n"
            "def there(n):\n"
            "    try: os.fstat(n); return True\n"
            "    except OSError: return False\n"
            "print([n for n in range(100) if there(n)])\n"
            "kernel.close_from(3, keep=3)\nprint([n for n in range(3, 100) if there(n)])\n"
        )
        assert said(code) == "[0, 1, 2, 7]\n[]\n"

    @pytest.mark.skipif(kernel.ARCHITECTURE is None, reason="no filter for this machine")
    def test_a_filter_refuses(self) -> None:
        assert kernel.has_filters()
        number = kernel.number("setpriority")
        program = packed(
            (
                Instruction(0x20, 0),
                Instruction(0x15, number, no=1),
                Instruction(0x06, ERRNO | 44),
                Instruction(0x06, ALLOW),
            )
        )
        code = (
            "kernel.prctl(kernel.SET_NO_NEW_PRIVILEGES, 1)\n"
            "kernel.install_filter(bytes.fromhex(sys.argv[1]))\n"
            "try: os.setpriority(os.PRIO_PROCESS, 0, 5)\n"
            "except OSError as error: print(error.errno)\n"
            "try: kernel.install_filter(b'\\xff' * 8)\n"
            "except OSError as error: print(error)\n"
        )
        assert said(code, program.hex()) == "44\n[Errno 22] seccomp: Invalid argument\n"

    @root
    def test_capabilities_are_dropped(self) -> None:
        code = (
            "kernel.drop_capabilities(); kernel.clear_capabilities()\n"
            "print({line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')})"
        )
        assert said(code) == "{'0000000000000000'}\n"

    @pytest.mark.skipif(landlock.version() == 0, reason="no Landlock here")
    def test_landlock_holds_from_here_on(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        (tmp_path / "out").mkdir()
        code = (
            "inner, outer, rest = sys.argv[1:]\n"
            "usable = ('/nowhere', sys.prefix, sys.base_prefix, '/usr', rest)\n"
            "allowed = [landlock.Allowed(path, landlock.USE) for path in usable]\n"
            "allowed.append(landlock.Allowed(inner, landlock.OWN, required=True))\n"
            "kernel.prctl(kernel.SET_NO_NEW_PRIVILEGES, 1)\n"
            "landlock.restrict(landlock.version(), allowed, files=True, network=True, scope=True)\n"
            "os.mkdir(inner + '/x')\n"
            "try: os.mkdir(outer + '/x')\n"
            "except PermissionError: print('refused')\n"
            "landlock.restrict(landlock.version(), [], files=False, network=False, scope=False)\n"
            "missing = [landlock.Allowed('/nowhere', 1, required=True)]\n"
            "try: landlock.restrict(1, missing, files=True, network=True, scope=True)\n"
            "except OSError as error: print(type(error).__name__)\n"
        )
        assert said(code, str(tmp_path / "in"), str(tmp_path / "out"), SOURCE) == "refused\nFileNotFoundError\n"


class TestArchitecture:
    @pytest.mark.parametrize(
        ("machine", "bits", "found"),
        [("x86_64", 64, "x86_64"), ("aarch64", 64, "aarch64"), ("x86_64", 32, "None"), ("riscv64", 64, "None")],
    )
    def test_is_one_that_the_tables_know(self, machine: str, bits: int, found: str) -> None:
        code = (
            "import ctypes, importlib, platform\n"
            "platform.machine = lambda: sys.argv[1]\n"
            "sizeof = ctypes.sizeof\nctypes.sizeof = lambda kind: int(sys.argv[2]) // 8\n"
            "print(importlib.reload(kernel).ARCHITECTURE)"
        )
        assert said(code, machine, str(bits)) == f"{found}\n"
