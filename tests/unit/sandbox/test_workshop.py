"""The place where programs run: opened once, after its promises were tried."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.sandbox.toolchains import go_seed, toolchain_path
from tests.unit.sandbox.inside import asleep, wait_until

from llm_testbench.answer.outcome import Outcome
from llm_testbench.sandbox import workshop
from llm_testbench.sandbox.languages import Toolchain
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job, Layer, Promise, SandboxError, State, Step
from llm_testbench.sandbox.programs import Program, Unavailable
from llm_testbench.sandbox.workshop import Mode, Opened, opened

SYSTEM = "/usr/local/bin:/usr/bin:/bin"
HELLO = Program("python", "print('hello')")
PATIENCE = 10.0  # seconds; only what hangs ever takes them


@contextmanager
def lacking(monkeypatch: pytest.MonkeyPatch, mode: Mode, *layers: Layer) -> Iterator[Opened]:
    """A workshop on a machine without some layers."""
    hidden = frozenset(layer.value for layer in layers)

    def launchers(without: frozenset[str]) -> Launchers:
        return Launchers(without=without | hidden)

    monkeypatch.setattr(workshop, "Launchers", launchers)
    with opened(mode, SYSTEM) as found:
        yield found


def said(found: Opened) -> str:
    """What a program prints there, or why it did not run."""
    finished = found.workshop.run(HELLO)
    if isinstance(finished, Unavailable):
        assert finished.outcome is Outcome.NO_SANDBOX
        return finished.reason
    assert finished.ran is not None
    return finished.ran.stdout.decode()


class TestWhereAllHolds:
    def test_programs_run(self) -> None:
        with opened(Mode.REQUIRE, SYSTEM) as found:
            assert said(found) == "hello\n"
        assert (found.refusal, dict(found.missing), set(found.promises)) == ("", {}, set(Promise))
        assert found.landlock > 0
        assert {layer for layer, state in found.layers.items() if state.active} >= {Layer.CALLS, Layer.FILES}

    def test_so_do_the_steps_of_a_check(self) -> None:
        with opened(Mode.REQUIRE, SYSTEM) as found:
            ran = found.workshop.run_steps(Job((Step(("/bin/echo", "x")),)))
        assert not isinstance(ran, Unavailable)
        assert ran[0].stdout == b"x\n"

    def test_a_toolchain_that_is_nowhere_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("llm_testbench.sandbox.languages._SYSTEM_PATH", "/nowhere")
        with opened(Mode.REQUIRE, "/nowhere") as found:
            finished = found.workshop.run(Program("go", "package main"))
        assert finished == Unavailable(Outcome.TOOLCHAIN_MISSING, "go is not on PATH")

    def test_a_toolchain_is_looked_for_once(self) -> None:
        with opened(Mode.REQUIRE, SYSTEM) as found:
            assert found.toolchain("bash") is found.toolchain("bash")

    def test_go_gets_the_cache_that_is_named(self) -> None:
        with opened(Mode.REQUIRE, toolchain_path(), go_seed()) as found:
            go = found.toolchain("go")
        assert isinstance(go, Toolchain)
        assert go.environment["GOCACHE"] == go_seed()

    def test_nothing_runs_once_it_is_closed(self) -> None:
        with opened(Mode.REQUIRE, SYSTEM) as found:
            pass
        with pytest.raises(SandboxError, match="closed"):
            found.workshop.run(HELLO)


class TestWhereAPromiseIsMissing:
    FILES = "landlock_files is missing: switched off"

    def test_require_runs_nothing_and_names_layer_and_option(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with lacking(monkeypatch, Mode.REQUIRE, Layer.FILES) as found:
            assert found.missing[Promise.FILES] == self.FILES
            assert said(found) == found.refusal
        assert f"(files: {self.FILES}" in found.refusal
        assert found.refusal.endswith("; --sandbox prefer runs programs in what there is of it")

    def test_prefer_runs_all_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with lacking(monkeypatch, Mode.PREFER, Layer.FILES) as found:
            assert said(found) == "hello\n"
        assert found.missing[Promise.FILES] == self.FILES

    def test_a_layer_alone_is_no_promise(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with lacking(monkeypatch, Mode.REQUIRE, Layer.SCOPE, Layer.NETWORK) as found:
            assert said(found) == "hello\n"
        assert found.layers[Layer.SCOPE] == State(active=False, detail="switched off")

    @pytest.mark.parametrize(
        ("layer", "promise", "done"),
        [
            (Layer.CALLS, Promise.NETWORK, "a program in the sandbox opens an internet socket"),
            (Layer.FILES, Promise.FILES, "a program in the sandbox reads a file outside"),
        ],
    )
    def test_a_layer_that_claims_to_be_there_is_not_believed(
        self, monkeypatch: pytest.MonkeyPatch, layer: Layer, promise: Promise, done: str
    ) -> None:
        def all_there(without: frozenset[str]) -> Launchers:
            launchers = Launchers(without=without | {layer.value})
            launchers.layers = {**launchers.layers, layer: State(active=True)}
            return launchers

        monkeypatch.setattr(workshop, "Launchers", all_there)
        with opened(Mode.REQUIRE, SYSTEM) as found:
            assert found.missing[promise] == done
            assert said(found) == found.refusal

    def test_a_proof_that_fails_proves_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(_: Launchers) -> Mapping[Promise, str]:
            raise SandboxError("the launcher broke off")

        monkeypatch.setattr(workshop, "broken", fails)
        with opened(Mode.REQUIRE, SYSTEM) as found:
            assert found.missing == dict.fromkeys(Promise, "the proof failed: the launcher broke off")


def test_off_puts_on_nothing_but_limits() -> None:
    with opened(Mode.OFF, SYSTEM) as found:
        assert said(found) == "hello\n"
    assert set(found.missing) == set(Promise)
    assert {layer for layer, state in found.layers.items() if state.active} == {Layer.RESOURCES, Layer.WATCH}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("platform", ["darwin", "win32", "freebsd14"])
def test_programs_run_on_linux_only(mode: Mode, platform: str) -> None:
    with opened(mode, SYSTEM, platform=platform) as found:
        assert said(found) == f"programs are run on Linux only, this is {platform}: use the image"
    assert set(found.missing) == set(Promise)
    assert found.layers == {}


@pytest.mark.parametrize("error", [OSError("no memory"), SandboxError("no memory")])
@pytest.mark.parametrize("mode", Mode)
def test_a_sandbox_that_cannot_be_started_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, mode: Mode, error: Exception
) -> None:
    def fails(**_: object) -> Launchers:
        raise error

    monkeypatch.setattr(workshop, "Launchers", fails)
    with opened(mode, SYSTEM) as found:
        assert said(found) == "the sandbox could not be started: no memory"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, as pytest's own are not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_toolchain_opens_nothing_private(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llm_testbench.sandbox.languages._SYSTEM_PATH", "/nowhere")
    (open_folder / "bin").mkdir()
    (open_folder / "lib").mkdir()
    shutil.copy("/bin/bash", open_folder / "bin")
    with opened(Mode.REQUIRE, str(open_folder / "bin"), private=(str(open_folder / "lib" / "repository"),)) as found:
        finished = found.workshop.run(Program("bash", "echo x"))
    why = "bash is not used where it lies: what is private would be open to programs"
    assert finished == Unavailable(Outcome.TOOLCHAIN_MISSING, why)


class TestNothingIsLeftBehind:
    """By a tool that is ended while a program runs."""

    TOOL = """
import sys, threading
from llm_testbench.sandbox.programs import Program
from llm_testbench.sandbox.workshop import Mode, opened
with opened(Mode.REQUIRE, "/usr/bin:/bin") as found:
    sleeping = Program("bash", "sleep " + sys.argv[1] + " & setsid sleep " + sys.argv[1] + "; wait", timeout=60.0)
    threading.Thread(target=found.workshop.run, args=(sleeping,), daemon=True).start()
    sys.stdin.read()
"""

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
    def test_no_process_and_no_folder(self, open_folder: Path, number: signal.Signals) -> None:
        seconds = f"30.{secrets.randbelow(10**9)}"
        tool = subprocess.Popen(
            [sys.executable, "-c", self.TOOL, seconds],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(open_folder)},
        )
        wait_until(lambda: len(asleep(seconds)) == 2, "two programs run", PATIENCE)
        tool.send_signal(number)
        tool.communicate(timeout=PATIENCE)
        wait_until(lambda: not asleep(seconds), "no program runs", PATIENCE)
        if number == signal.SIGINT:
            assert list(open_folder.iterdir()) == []
        else:
            # The tool itself could remove nothing any more.
            wait_until(lambda: not list(open_folder.glob("*/*")), "nothing is left", PATIENCE)
