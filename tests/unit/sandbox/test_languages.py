"""Which compiler or interpreter a program gets, and with what it is compiled and run."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from llm_testbench.sandbox import languages
from llm_testbench.sandbox.languages import (
    LANGUAGES,
    Ask,
    NoToolchain,
    Toolchain,
    compile_step,
    find,
    run_step,
)
from llm_testbench.sandbox.model import MIB, Ran, Step

PYTHON, GO, C = LANGUAGES["python"], LANGUAGES["go"], LANGUAGES["c"]
TYPESCRIPT, BASH = LANGUAGES["typescript"], LANGUAGES["bash"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, as pytest's own are not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(autouse=True)
def no_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this machine has is not looked at."""
    monkeypatch.setattr(languages, "_SYSTEM_PATH", "/nowhere")


def program(path: Path) -> str:
    """Makes a file there that could be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", "ascii")
    path.chmod(0o755)
    return str(path)


def saying(*texts: str) -> Ask:
    """Answers the first question with the first text, and so on."""
    left = iter(texts)
    return lambda _step: Ran(exit=0, stdout=next(left).encode())


def refusal(found: Toolchain | NoToolchain) -> str:
    assert isinstance(found, NoToolchain)
    return found.reason


class TestWhereItIsLookedFor:
    def test_the_first_on_the_path_is_taken(self, tmp_path: Path) -> None:
        first, second = (program(tmp_path / name / "bin" / "python3") for name in ("a", "b"))
        path = f"{Path(first).parent}:{Path(second).parent}"
        assert find(PYTHON, path, own_uid=False) == Toolchain(first, (str(tmp_path / "a" / "bin"),))

    def test_before_the_system_s_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(languages, "_SYSTEM_PATH", "/usr/bin:/bin")
        name = program(tmp_path / "bin" / "bash")
        found = find(BASH, str(tmp_path / "bin"), own_uid=False)
        assert isinstance(found, Toolchain)
        assert found.program == name

    def test_then_the_system_s_folders(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(languages, "_SYSTEM_PATH", "/usr/local/bin:/usr/bin:/bin")
        found = find(BASH, str(tmp_path), own_uid=True)
        assert isinstance(found, Toolchain)
        assert (Path(found.program).name, found.reads) == ("bash", ())

    def test_by_its_better_name_first(self, tmp_path: Path) -> None:
        names = [program(tmp_path / "bin" / name) for name in ("cc", "gcc")]
        assert find(C, str(tmp_path / "bin"), own_uid=False) == Toolchain(names[1], (str(tmp_path / "bin"),))
        Path(names[1]).unlink()
        assert find(C, str(tmp_path / "bin"), own_uid=False) == Toolchain(names[0], (str(tmp_path / "bin"),))

    def test_where_a_link_leads(self, tmp_path: Path) -> None:
        real = program(tmp_path / "lib" / "python-3" / "bin" / "python3.11")
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "python3").symlink_to(real)
        found = find(PYTHON, str(tmp_path / "bin"), own_uid=False)
        assert found == Toolchain(real, (str(tmp_path / "lib" / "python-3" / "bin"),))

    @pytest.mark.parametrize("path", ["", ".", "bin", "../bin"])
    def test_never_relative_to_the_current_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
    ) -> None:
        program(tmp_path / "bin" / "python3")
        monkeypatch.chdir(tmp_path / "bin")
        assert refusal(find(PYTHON, path, own_uid=False)) == "python3 is not on PATH"

    def test_also_in_the_root_of_all_folders(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(languages, "_candidates", lambda *_: iter(["/python3"]))
        found = find(PYTHON, "/", own_uid=False)
        assert isinstance(found, Toolchain)
        assert "/" not in found.reads
        assert refusal(find(GO, "/", own_uid=False)).startswith("go is a program that starts another go")

    def test_what_may_not_be_run_is_none(self, tmp_path: Path) -> None:
        Path(program(tmp_path / "python3")).chmod(0o644)
        assert refusal(find(PYTHON, str(tmp_path), own_uid=False)) == "python3 is not on PATH"

    def test_other_users_have_to_get_there(self, open_folder: Path) -> None:
        inner = Path(program(open_folder / "closed" / "tools" / "bin" / "python3"))
        path = str(inner.parent)
        assert isinstance(find(PYTHON, path, own_uid=True), Toolchain)
        (open_folder / "closed").chmod(0o700)
        assert find(PYTHON, path, own_uid=True) == NoToolchain(
            "python3 lies in a folder that other users may not enter, as programs here have to",
            str(open_folder / "closed"),
        )
        assert isinstance(find(PYTHON, path, own_uid=False), Toolchain)

    def test_the_next_one_will_do(self, open_folder: Path) -> None:
        closed = program(open_folder / "closed" / "bin" / "python3")
        (open_folder / "closed").chmod(0o700)
        other = program(open_folder / "other" / "bin" / "python3")
        found = find(PYTHON, f"{Path(closed).parent}:{Path(other).parent}", own_uid=True)
        assert isinstance(found, Toolchain)
        assert found.program == other


class TestWhatItMayRead:
    def test_its_folder_and_the_libraries_beside_it(self, tmp_path: Path) -> None:
        for name in ("lib", "include", "share", ".ssh", "lib64"):
            (tmp_path / name).mkdir()
        name = program(tmp_path / "bin" / "python3")
        read = tuple(str(tmp_path / part) for part in ("bin", "lib", "lib64", "include"))
        assert find(PYTHON, str(tmp_path / "bin"), own_uid=False) == Toolchain(name, read)

    @pytest.mark.parametrize(
        ("private", "opened"),
        [
            ("lib", True),
            ("lib/x/workspace", True),
            ("bin", True),
            ("", False),
            ("workspace", False),
            ("library", False),
        ],
    )
    def test_nothing_private_lies_in_it(self, tmp_path: Path, private: str, opened: bool) -> None:
        (tmp_path / "lib").mkdir()
        program(tmp_path / "bin" / "python3")
        found = find(PYTHON, str(tmp_path / "bin"), own_uid=False, private=("/elsewhere", str(tmp_path / private)))
        assert isinstance(found, NoToolchain) == opened
        if isinstance(found, NoToolchain):
            why = "python3 is not used where it lies: what is private would be open to programs"
            assert found == NoToolchain(why, str(tmp_path / private.partition("/")[0]))

    def test_what_lies_in_the_way_is_never_asked_for_its_version(self, tmp_path: Path) -> None:
        program(tmp_path / "bin" / "python3")
        found = find(PYTHON, str(tmp_path / "bin"), own_uid=False, private=(str(tmp_path / "bin"),), ask=saying())
        assert isinstance(found, NoToolchain)


class TestItsVersion:
    @pytest.mark.parametrize(
        ("language", "said", "version"),
        [
            ("python", "Python 3.11.2\n", "3.11.2"),
            ("python", "Python 3.14.0rc1+", "3.14.0"),
            ("go", "go version go1.27.3 linux/amd64\n", "1.27.3"),
            ("go", "go version go1.24 linux/arm64\n", "1.24"),
            ("c", 'typedef int x;\nextern int printf (const char *f, ...);\n"12.2.0"\n', "12.2.0"),
            ("c", 'int puts(const char *);\n"Debian Clang 14.0.6"\n', "14.0.6"),
            ("javascript", "v24.19.0\n", "24.19.0"),
            ("bash", "5.2.15(1)-release\n", "5.2.15"),
        ],
    )
    def test_is_in_the_last_line_that_it_prints(self, tmp_path: Path, language: str, said: str, version: str) -> None:
        (tmp_path / "VERSION").touch()
        name = program(tmp_path / "bin" / LANGUAGES[language].commands[0])
        found = find(LANGUAGES[language], str(tmp_path / "bin"), own_uid=False, ask=saying(said))
        assert isinstance(found, Toolchain)
        assert (found.program, found.version) == (name, version)

    @pytest.mark.parametrize(
        ("version", "enough"),
        [
            ("18.20.8", False),
            ("20.20.2", False),
            ("22.17.9", False),
            ("22.18.0", True),
            ("22.22.0", True),
            ("23.0.0", False),
            ("23.5.0", False),
            ("23.6.0", True),
            ("24.0.0", True),
            ("26.1.0", True),
            ("100.0.0", True),
        ],
    )
    def test_typescript_needs_a_node_that_leaves_out_types(self, tmp_path: Path, version: str, enough: bool) -> None:
        program(tmp_path / "node")
        found = find(TYPESCRIPT, str(tmp_path), own_uid=False, ask=saying(f"v{version}"))
        assert isinstance(found, Toolchain) == enough
        if isinstance(found, NoToolchain):
            assert found.reason == f"node {version} is too old for typescript: 22.18 or 23.6 is needed"
        assert isinstance(find(LANGUAGES["javascript"], str(tmp_path), own_uid=False, ask=saying(version)), Toolchain)

    @pytest.mark.parametrize(
        ("name", "version", "knows"),
        [
            ("typescript", "22.18.0", True),
            ("typescript", "24.19.0", True),
            ("typescript", "25.9.9", True),
            ("typescript", "26.0.0", False),
            ("typescript", "100.0.0", False),
            ("javascript", "24.19.0", False),
        ],
    )
    def test_node_makes_code_of_enums_as_long_as_it_can(
        self, tmp_path: Path, name: str, version: str, knows: bool
    ) -> None:
        node = program(tmp_path / "node")
        found = find(LANGUAGES[name], str(tmp_path), own_uid=False, ask=saying(f"v{version}"))
        assert isinstance(found, Toolchain)
        options = ("--experimental-transform-types", "--disable-warning=ExperimentalWarning") if knows else ()
        assert run_step(LANGUAGES[name], found, b"", 5.0).argv == (node, *options, LANGUAGES[name].source)

    def test_the_first_that_is_new_enough_is_taken(self, tmp_path: Path) -> None:
        names = [program(tmp_path / name / "node") for name in "abc"]
        path = ":".join(str(Path(name).parent) for name in (names[0], *names))
        found = find(TYPESCRIPT, path, own_uid=False, ask=saying("v20.1.0", "v24.1.0", "v26.0.0"))
        assert isinstance(found, Toolchain)
        assert found.program == names[1]

    @pytest.mark.parametrize(
        "ran",
        [
            Ran(exit=1, stdout=b"v24.1.0"),
            Ran(exit=127, stderr=b"libnode.so.24: cannot open shared object file"),
            Ran(exit=0, stdout=b"no number"),
            Ran(exit=0, stdout=b"v24.1.0\nand then words"),
            Ran(exit=0, stdout=b"v24.1.0", limit_hit="wall"),
            Ran(not_started="execve: Permission denied"),
        ],
    )
    def test_one_that_does_not_work_is_none(self, tmp_path: Path, ran: Ran) -> None:
        program(tmp_path / "node")
        why = "node does not work in the sandbox: is it installed whole, with headers and libraries?"
        assert find(TYPESCRIPT, str(tmp_path), own_uid=False, ask=lambda _: ran) == NoToolchain(why)

    def test_all_reasons_are_told_once(self, tmp_path: Path) -> None:
        path = ":".join(str(Path(program(tmp_path / name / "node")).parent) for name in "abc")
        said = refusal(find(TYPESCRIPT, path, own_uid=False, ask=saying("v20.1.0", "?", "v20.1.0")))
        assert [part.partition(": ")[0] for part in said.split("; ")] == [
            "node 20.1.0 is too old for typescript",
            "node does not work in the sandbox",
        ]

    def test_no_reason_names_a_path(self, open_folder: Path) -> None:
        """Reasons are kept in artifacts."""
        closed = open_folder / "closed" / "bin"
        for name in ("node", "go"):
            program(closed / name)
        private = program(open_folder / "private" / "bin" / "node")
        old = program(open_folder / "old" / "bin" / "node")
        (open_folder / "closed").chmod(0o700)
        path = f"{closed}:{Path(private).parent}:{Path(old).parent}:{open_folder}"
        program(open_folder / "go")
        for language in (TYPESCRIPT, GO):
            found = find(language, path, own_uid=True, private=(str(Path(private).parent),), ask=saying("1.0"))
            assert "/" not in refusal(found)

    def test_it_is_asked_where_programs_run(self, tmp_path: Path) -> None:
        asked: list[Step] = []

        def ask(step: Step) -> Ran:
            asked.append(step)
            return Ran(exit=0, stdout=b"12.2.0")

        name = program(tmp_path / "bin" / "gcc")
        find(C, str(tmp_path / "bin"), own_uid=False, ask=ask)
        (step,) = asked
        assert (step.argv[0], step.reads) == (name, (str(tmp_path / "bin"),))
        assert b"#include <stdio.h>" in step.stdin


class TestGo:
    def go(self, root: Path) -> str:
        (root / "src").mkdir(parents=True, exist_ok=True)
        (root / "VERSION").write_text("go1.27.3", "ascii")
        return program(root / "bin" / "go")

    def seed(self, folder: Path, mode: int = 0o555) -> str:
        for number in range(256):
            (folder / f"{number:02x}").mkdir(parents=True)
        folder.chmod(mode)
        return str(folder)

    def test_all_of_it_is_read(self, tmp_path: Path) -> None:
        name = self.go(tmp_path / "go")
        found = find(GO, str(Path(name).parent), own_uid=False)
        assert found == Toolchain(name, (str(tmp_path / "go"),), {"GOROOT": str(tmp_path / "go")})

    def test_one_that_starts_another_is_not_taken_for_it(self, tmp_path: Path) -> None:
        program(tmp_path / "bin" / "go")
        why = "go is a program that starts another go: put the folder of that one on PATH"
        assert find(GO, str(tmp_path / "bin"), own_uid=False) == NoToolchain(why)

    @pytest.mark.parametrize(
        ("mode", "used"),
        [(0o555, True), (0o500, True), (0o755, False), (0o575, False), (0o557, False), (0o777, False)],
    )
    def test_a_cache_is_used_if_it_is_read_only(self, tmp_path: Path, mode: int, used: bool) -> None:
        path = str(Path(self.go(tmp_path / "go")).parent)
        seed = self.seed(tmp_path / "seed", mode)
        found = find(GO, path, own_uid=False, go_cache=seed)
        assert isinstance(found, Toolchain)
        assert (found.environment.get("GOCACHE") == seed, seed in found.reads) == (used, used)
        # Else Go keeps an index there, and cannot.
        assert found.environment.get("GODEBUG") == ("goindex=0" if used else None)

    @pytest.mark.parametrize("whole", [True, False])
    def test_its_index_is_used_if_it_is_whole(self, tmp_path: Path, whole: bool) -> None:
        path = str(Path(self.go(tmp_path / "go")).parent)
        asked: list[Step] = []

        def ask(step: Step) -> Ran:
            asked.append(step)
            return Ran(exit=0 if len(asked) == 1 or whole else 1, stdout=b"go version go1.27.3 linux/amd64")

        seed = self.seed(tmp_path / "seed")
        found = find(GO, path, own_uid=False, go_cache=seed, ask=ask)
        assert isinstance(found, Toolchain)
        assert ("GODEBUG" in found.environment, found.environment["GOCACHE"]) == (not whole, seed)
        assert asked[1].argv[1:] == ("list", "std")
        assert (asked[1].environment, asked[1].reads) == ({"GOROOT": f"{tmp_path}/go", "GOCACHE": seed}, found.reads)

    def test_and_other_users_may_enter_it(self, open_folder: Path) -> None:
        path = str(Path(self.go(open_folder / "go")).parent)
        seed = self.seed(open_folder / "seed")
        for mode, used in ((0o555, True), (0o550, False)):
            Path(seed).chmod(mode)
            found = find(GO, path, own_uid=True, go_cache=seed)
            assert isinstance(found, Toolchain)
            assert ("GOCACHE" in found.environment) == used

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")
    @pytest.mark.parametrize(("owner", "used"), [(0, True), (61100, False)])
    def test_and_nobody_else_owns_it(self, tmp_path: Path, owner: int, used: bool) -> None:
        path = str(Path(self.go(tmp_path / "go")).parent)
        seed = self.seed(tmp_path / "seed")
        os.chown(seed, owner, owner)
        found = find(GO, path, own_uid=False, go_cache=seed)
        assert isinstance(found, Toolchain)
        assert ("GOCACHE" in found.environment) == used

    @pytest.mark.parametrize("make", [lambda _: None, lambda path: path.touch(0o444), lambda path: path.mkdir(0o555)])
    def test_and_it_is_one(self, tmp_path: Path, make: Callable[[Path], None]) -> None:
        path = str(Path(self.go(tmp_path / "go")).parent)
        make(tmp_path / "seed")
        found = find(GO, path, own_uid=False, go_cache=str(tmp_path / "seed"))
        assert isinstance(found, Toolchain)
        assert "GOCACHE" not in found.environment


class TestSteps:
    @pytest.mark.parametrize("name", ["python", "typescript", "javascript", "bash"])
    def test_an_interpreter_runs_the_source(self, name: str) -> None:
        language, toolchain = LANGUAGES[name], Toolchain("/usr/bin/it", ("/opt/it",), {"A": "b"})
        assert compile_step(language, toolchain) is None
        step = run_step(language, toolchain, b"in", 12.0)
        assert step.argv == ("/usr/bin/it", language.source)
        assert (step.stdin, step.reads, step.environment, step.chmod) == (b"in", ("/opt/it",), {"A": "b"}, False)
        assert (step.limits.wall, step.limits.cpu) == (12.0, 24.0)

    @pytest.mark.parametrize(("name", "wall"), [("go", 120.0), ("c", 30.0)])
    def test_a_compiler_has_a_step_of_its_own(self, name: str, wall: float) -> None:
        language, toolchain = LANGUAGES[name], Toolchain("/usr/bin/it", ("/opt/it",), {"A": "b"})
        step = compile_step(language, toolchain)
        assert step is not None
        assert step.argv[0] == "/usr/bin/it"
        assert {"./program", language.source} < set(step.argv)
        assert (step.limits.wall, step.chmod, step.reads, step.environment) == (wall, True, ("/opt/it",), {"A": "b"})

    @pytest.mark.parametrize("name", ["go", "c"])
    def test_what_it_made_knows_nothing_of_it(self, name: str) -> None:
        step = run_step(LANGUAGES[name], Toolchain("/usr/bin/it", ("/opt/it",), {"A": "b"}), b"in", 5.0)
        assert (step.argv, step.stdin, step.reads, step.environment) == (("./program",), b"in", (), {})
        assert (step.limits.wall, step.limits.cpu, step.chmod) == (5.0, 10.0, False)

    def test_node_reserves_more_than_it_uses(self) -> None:
        limits = {name: language.run_limits for name, language in LANGUAGES.items()}
        assert limits["typescript"] == limits["javascript"] == replace(limits["c"], memory=768 * MIB, open_files=128)

    @pytest.mark.parametrize("name", LANGUAGES)
    def test_node_alone_looks_at_itself(self, name: str) -> None:
        step = run_step(LANGUAGES[name], Toolchain("/usr/bin/it"), b"", 5.0)
        assert step.own_proc == (name in {"typescript", "javascript"})

    def test_every_language_is_documented_by_its_name(self) -> None:
        assert list(LANGUAGES) == ["python", "go", "c", "typescript", "javascript", "bash"]
        assert all(re.fullmatch(r"main\.[a-z]+", language.source) for language in LANGUAGES.values())
