"""Programs in every language, compiled and run for real."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sandbox.toolchains import go_seed, toolchain_path
from tests.unit.evaluators.workshops import printing

from llm_testbench.answer.outcome import Outcome
from llm_testbench.sandbox.languages import LANGUAGES, NoToolchain, Toolchain
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job
from llm_testbench.sandbox.programs import CLOSED, Finished, Program, Unavailable, run_program, side_by_side, toolchain

HELLO = {
    "python": "print('hello')",
    "go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hello") }\n',
    "c": '#include <stdio.h>\nint main(void) { puts("hello"); }\n',
    "typescript": "const word: string = 'hello';\nconsole.log(word);\n",
    "javascript": "console.log('hello')",
    "bash": "echo hello",
}
BROKEN = {
    "go": "package main\n\nfunc main() { undefined() }\n",
    "c": "int main(void) { return undefined; }\n",
}


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as opened:
        yield opened


def found(launchers: Launchers, language: str, seed: str | None = None) -> Toolchain:
    toolchain_ = toolchain(launchers, language, toolchain_path(), seed or go_seed())
    assert isinstance(toolchain_, Toolchain)
    return toolchain_


def finished(launchers: Launchers, program: Program) -> Finished:
    return run_program(launchers, program, found(launchers, program.language))


@pytest.mark.parametrize("language", LANGUAGES)
class TestEveryLanguage:
    def test_runs(self, launchers: Launchers, language: str) -> None:
        end = finished(launchers, Program(language, HELLO[language]))
        assert end.ran is not None
        assert (end.ran.ok, end.ran.stdout, end.ran.stderr) == (True, b"hello\n", b"")
        assert (end.compiled is not None) == (language in BROKEN)

    def test_tells_the_version_of_its_toolchain(self, launchers: Launchers, language: str) -> None:
        version = found(launchers, language).version
        assert int(version.split(".")[0]) > 0

    def test_is_missing_where_nothing_is_found(
        self, launchers: Launchers, language: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("llm_testbench.sandbox.languages._SYSTEM_PATH", "/nowhere")
        name = LANGUAGES[language].commands[0]
        assert toolchain(launchers, language, "/nowhere") == NoToolchain(f"{name} is not on PATH")


@pytest.mark.parametrize("language", BROKEN)
def test_what_does_not_compile_is_not_run(launchers: Launchers, language: str) -> None:
    end = finished(launchers, Program(language, BROKEN[language]))
    assert end.ran is None
    assert end.compiled is not None
    assert end.compiled.exit == 1
    assert b"undefined" in end.compiled.stderr


def test_it_gets_its_input_and_its_files(launchers: Launchers) -> None:
    source = "import sys; print(sys.stdin.read() + open('data/x.txt').read())"
    end = finished(launchers, Program("python", source, b"in", {"data/x.txt": b"put", "main.py": b"never"}))
    assert end.ran is not None
    assert end.ran.stdout == b"input\n"


def test_its_time_is_its_own(launchers: Launchers) -> None:
    end = finished(launchers, Program("bash", "echo early; sleep 9", timeout=0.2))
    assert end.ran is not None
    assert (end.ran.limit_hit, end.ran.stdout) == ("wall", b"early\n")


def test_a_lone_surrogate_in_it_harms_nobody(launchers: Launchers) -> None:
    end = finished(launchers, Program("python", "print('a\ud800b')"))
    assert end.ran is not None
    assert end.ran.stdout == b"a?b\n"


class TestGo:
    """Its standard library is compiled, too."""

    def test_what_the_read_only_cache_lacks_is_built(self, launchers: Launchers) -> None:
        source = 'package main\n\nimport "container/ring"\n\nfunc main() { println(ring.New(3).Len()) }\n'
        end = finished(launchers, Program("go", source))
        assert end.ran is not None
        assert end.ran.stderr == b"3\n"

    def test_nor_does_it_matter_that_another_go_made_it(self, launchers: Launchers) -> None:
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            for number in range(256):
                Path(folder, f"{number:02x}").mkdir()
            Path(folder).chmod(0o555)
            found_ = found(launchers, "go", folder)
        assert found_.environment["GODEBUG"] == "goindex=0"
        assert "GODEBUG" not in found(launchers, "go").environment

    def test_without_a_cache_all_is_built(self, launchers: Launchers) -> None:
        without = toolchain(launchers, "go", toolchain_path())
        assert isinstance(without, Toolchain)
        assert "GOCACHE" not in without.environment
        end = run_program(launchers, Program("go", "package main\n\nfunc main() { println(3) }\n"), without)
        assert end.ran is not None, end
        assert end.ran.stderr == b"3\n"

    def test_the_cache_stays_as_it_is(self, launchers: Launchers) -> None:
        before = [(entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(go_seed())]
        finished(launchers, Program("go", HELLO["go"]))
        assert [(entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(go_seed())] == before


def test_a_closed_workshop_says_why() -> None:
    unavailable = Unavailable(Outcome.NO_SANDBOX, "no sandbox was opened")
    assert (CLOSED.run(Program("bash", "")), CLOSED.run_steps(Job(()))) == (unavailable, unavailable)


class TestSideBySide:
    def test_as_many_at_once_as_may_run_and_in_their_order(self) -> None:
        meeting = threading.Barrier(2, timeout=20)

        def meet(number: int) -> int:
            meeting.wait()
            return number * 10

        assert side_by_side(meet, range(4), printing("")) == [0, 10, 20, 30]

    def test_one_after_the_other_where_nothing_runs(self) -> None:
        seen: list[int] = []
        assert side_by_side(lambda _: seen.append(threading.get_ident()), range(3), CLOSED) == [None] * 3
        assert set(seen) == {threading.get_ident()}
