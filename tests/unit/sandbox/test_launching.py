"""Launchers: one call that runs programs, from many threads, whatever becomes of the processes in between."""

from __future__ import annotations

import os
import resource
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.sandbox.attack import rules
from tests.unit.sandbox.inside import (
    PATIENCE,
    SWARM,
    children,
    guardians,
    has_ended,
    marked,
    ran,
    said,
    step,
    wait_until,
)

from llm_testbench.sandbox import launching, wire
from llm_testbench.sandbox.launching import Launchers, barred, most_at_once
from llm_testbench.sandbox.model import Job, Layer, Limits, SandboxError, Step

HELLO = Job((Step(("/bin/echo", "hello")),))
SWARM_SIZE = 7
SOURCE = str(Path(launching.__file__).resolve().parents[2])


@contextmanager
def opened(
    *, at_once: int = 1, without: frozenset[str] = frozenset()
) -> Iterator[tuple[Launchers, Callable[[], list[int]]]]:
    """Launchers of a test's own, and which guardians they have."""
    others = guardians()

    def own() -> list[int]:
        return [pid for pid in guardians() if pid not in others]

    with Launchers(at_once=at_once, without=without) as launchers:
        yield launchers, own
    assert own() == []


def hello(launchers: Launchers) -> bool:
    (found,) = launchers.run(HELLO)
    return found.ok and found.stdout == b"hello\n"


@contextmanager
def swarming(launchers: Launchers) -> Iterator[tuple[str, Future[object]]]:
    """While a swarm runs in another thread: its mark, and what becomes of the call."""
    mark = secrets.token_hex(8)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(launchers.run, Job((step(SWARM, mark, limits=Limits(wall=60.0)),)))
        try:
            wait_until(lambda: len(marked(mark)) >= SWARM_SIZE, "the swarm is there")
            yield mark, future  # type: ignore[misc]  # whatever run returns
        finally:
            for pid in marked(mark):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def wait_for(guardian: int) -> None:
    """Until it has ended; whoever started it still has to take note. Its arguments are gone earlier."""
    os.waitid(os.P_PID, guardian, os.WEXITED | os.WNOWAIT)


@contextmanager
def untold(number: signal.Signals) -> Iterator[None]:
    """While the signal does what it does by itself, for new processes, too."""
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)


def open_files() -> set[str]:
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.add(f"{path.name} {path.readlink()}")
    return found


class TestRunning:
    def test_steps_share_a_folder_and_go_on_while_all_is_well(self, launchers: Launchers) -> None:
        steps = (
            step("open('made', 'w').write(open('given/x').read() * 2)"),
            step("print(open('made').read()); raise SystemExit(3)"),
            step("print('never')"),
        )
        found = launchers.run(Job(steps, {"given/x": b"ab"}))
        assert [(one.exit, one.stdout) for one in found] == [(0, b""), (3, b"abab\n")]

    def test_the_folder_is_new_and_the_programs_own(self, launchers: Launchers) -> None:
        code = "import os; print(sorted(os.listdir()), os.getcwd() == os.environ['HOME']); open('x', 'w')"
        assert said(launchers, code) == said(launchers, code) == "['.tmp'] True\n"

    def test_a_folder_is_always_removed(self) -> None:
        with Launchers(at_once=1) as launchers:
            base = Path(said(launchers, "import os; print(os.getcwd())").strip()).parent
            for code in (
                "import os; os.mkdir('a', 0); os.chmod('.', 0)",
                "import os\nfor _ in range(60): os.mkdir('d'); os.chdir('d')",
                "import time; open('x', 'w'); time.sleep(30)",
                "raise SystemExit(1)",
            ):
                ran(launchers, code, limits=Limits(wall=0.5))
            assert list(base.iterdir()) == []
            with pytest.raises(SandboxError):
                launchers.run(Job(HELLO.steps, {"../x": b""}))
            assert list(base.iterdir()) == []
        assert not base.exists()

    def test_the_program_may_be_missing(self, launchers: Launchers) -> None:
        (found,) = launchers.run(Job((Step(("/nowhere/program",)),)))
        assert not found.ok
        assert found.not_started is not None
        assert found.not_started.startswith("the program: [Errno 2]")

    @pytest.mark.parametrize("argv", [(), ("",), ("/bin/echo", "a\0b"), ("\ud800",)])
    def test_the_command_may_be_none(self, launchers: Launchers, argv: tuple[str, ...]) -> None:
        (found,) = launchers.run(Job((Step(argv),)))
        assert found.not_started is not None
        assert hello(launchers)

    def test_a_missing_program_with_a_long_and_foreign_name(self, launchers: Launchers) -> None:
        (found,) = launchers.run(Job((Step((("/" + "\N{OWL}" * 60) * 8,)),)))
        assert found.not_started is not None
        assert found.not_started.startswith("the program: ")

    def test_where_the_ends_of_children_are_ignored(self) -> None:
        before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        try:
            with opened() as (launchers, _):
                assert hello(launchers)
        finally:
            signal.signal(signal.SIGCHLD, before)

    def test_a_file_that_cannot_be_made_is_an_error_of_one_line(self, launchers: Launchers) -> None:
        for path in ("../x", "\ud800", "a" * 5000, "../\n::error::x"):
            with pytest.raises(SandboxError) as error:
                launchers.run(Job(HELLO.steps, {path: b"x"}))
            assert "\n" not in str(error.value)
            assert len(str(error.value)) <= 600
        assert hello(launchers)

    def test_files_are_read_back(self, launchers: Launchers) -> None:
        code = (
            "import os; open('out', 'w').write('x' * 100); os.symlink('/etc/passwd', 'link'); os.mkfifo('fifo');"
            "os.link('out', 'second'); open('own', 'w').write('own')"
        )
        wanted = ("own", "link", "fifo", "second", "missing", "../x", "a\0b", "\ud800", ".")
        assert ran(launchers, code, collect=wanted).collected == {"own": b"own"}
        long = ran(launchers, "open('out', 'w').write('x' * 5000)", collect=("out",), limits=Limits(output=1000))
        assert long.collected == {"out": b"x" * 1000}


class TestManyAtOnce:
    def test_each_gets_its_own_answer_and_no_more_run_than_allowed(self) -> None:
        with opened(at_once=3) as (launchers, own), ThreadPoolExecutor(9) as pool:
            code = "import sys, time; time.sleep(0.05); print(sys.argv[1])"
            found = list(pool.map(lambda number: said(launchers, code, str(number)), range(18)))
            assert found == [f"{number}\n" for number in range(18)]
            assert 1 <= len(own()) <= 3

    def test_none_hurts_another(self) -> None:
        kill_all = "import os, signal\nif os.fork() == 0: os.kill(-1, signal.SIGKILL)\nos.wait()"
        with Launchers(at_once=3) as launchers, ThreadPoolExecutor(3) as pool:
            if not launchers.layers[Layer.OWN_UID].active and not launchers.layers[Layer.SCOPE].active:
                pytest.skip("every process has the user's own id here")
            sleeping = [pool.submit(ran, launchers, "import time; time.sleep(0.5)") for _ in range(2)]
            for _ in range(4):
                ran(launchers, kill_all, limits=Limits(wall=1.0))
            assert [one.result().ok for one in sleeping] == [True, True]

    def test_how_many(self) -> None:
        assert [most_at_once(cores) for cores in (1, 2, 4, 5, 16, 400)] == [2, 2, 2, 2, 8, 32]
        assert most_at_once() >= 2


class TestEnding:
    def test_closed_while_a_program_runs(self) -> None:
        with opened(at_once=2) as (launchers, _), swarming(launchers) as (mark, future):
            launchers.close()
            assert marked(mark) == []
            with pytest.raises(SandboxError, match="closed"):
                future.result(PATIENCE)

    def test_closed_twice_and_then_asked(self) -> None:
        launchers = Launchers()
        launchers.close()
        launchers.close()
        with pytest.raises(SandboxError, match="the sandbox is closed"):
            launchers.run(HELLO)

    @pytest.mark.parametrize("without", [(), ("seccomp",), ("seccomp", "own_uid")], ids=" ".join)
    @pytest.mark.parametrize("whom", ["launcher", "guardian"])
    def test_killed_in_mid_run(self, without: tuple[str, ...], whom: str) -> None:
        with opened(without=frozenset(without)) as (launchers, own):
            with swarming(launchers) as (mark, future):
                (guardian,) = own()
                (launcher,) = children(guardian)
                os.kill(launcher if whom == "launcher" else guardian, signal.SIGKILL)
                with pytest.raises(SandboxError):
                    future.result(PATIENCE)
                assert marked(mark) == []
                # Whichever of them is left removes it: the tool lives, and would see to it at its end only.
                assert list(Path(launchers._base).iterdir()) == []
            assert hello(launchers)
            assert len(own()) == 1

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    def test_signals_that_ask_to_leave(self, number: signal.Signals) -> None:
        # Who starts the tests by nohup has SIGHUP ignored, and so would the launcher.
        with untold(number), opened() as (launchers, own):
            with swarming(launchers) as (mark, future):
                (guardian,) = own()
                for pid in (guardian, *children(guardian)):
                    os.kill(pid, number)
                with pytest.raises(SandboxError):
                    future.result(PATIENCE)
                assert marked(mark) == []
            assert hello(launchers)

    @pytest.mark.parametrize("whom", ["launcher", "guardian"])
    def test_killed_while_nothing_runs(self, whom: str) -> None:
        with opened() as (launchers, own):
            (guardian,) = own()
            (launcher,) = children(guardian)
            os.kill(launcher if whom == "launcher" else guardian, signal.SIGKILL)
            wait_for(guardian)
            assert hello(launchers)

    def test_killed_while_its_guardian_is_not_done(self) -> None:
        with opened() as (launchers, own):
            (guardian,) = own()
            (launcher,) = children(guardian)
            os.kill(guardian, signal.SIGSTOP)
            going_on = threading.Timer(0.3, os.kill, (guardian, signal.SIGCONT))
            try:
                os.kill(launcher, signal.SIGKILL)
                going_on.start()
                wait_until(lambda: has_ended(launcher), "the launcher has ended")
                assert hello(launchers)
            finally:
                going_on.join()

    def test_one_that_cannot_begin_says_why(self, monkeypatch: pytest.MonkeyPatch) -> None:
        broken = "from llm_testbench.sandbox import launcher; launcher.probe = lambda *_: open('/nowhere'); "
        monkeypatch.setattr(launching, "_BOOT", launching._BOOT.replace("from ", f"{broken}from ", 1))
        with pytest.raises(SandboxError, match=r"FileNotFoundError: .*/nowhere"):
            Launchers()

    def test_the_tool_killed_in_mid_run(self, tmp_path: Path) -> None:
        mark = secrets.token_hex(8)
        (tmp_path / "tool.py").write_text(
            "import sys\n"
            "from llm_testbench.sandbox.launching import Launchers\n"
            "from llm_testbench.sandbox.model import Job, Limits, Step\n"
            "launchers = Launchers()\n"
            "print(launchers._base, flush=True)\n"
            "launchers.run(Job((Step(tuple(sys.argv[1:]), Limits(wall=30.0)),)))\n"
        )
        command = [sys.executable, str(tmp_path / "tool.py"), *step(SWARM, mark).argv]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": SOURCE, **os.environ}) as tool:
            assert tool.stdout is not None
            base = tool.stdout.readline().decode().strip()
            wait_until(lambda: len(marked(mark)) >= SWARM_SIZE + 1, "the swarm is there")
            family = [*guardians(tool.pid), *(pid for one in guardians(tool.pid) for pid in children(one))]
            tool.kill()
        wait_until(lambda: not marked(mark), "nothing of the program lives")
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), "nor of the sandbox")
        assert not Path(base).exists()

    def test_one_that_stays_silent_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with opened() as (launchers, own):
            (guardian,) = own()
            (launcher,) = children(guardian)
            os.kill(launcher, signal.SIGSTOP)
            monkeypatch.setattr(launching, "_GRACE", 0.1)
            with pytest.raises(SandboxError, match="without an answer"):
                launchers.run(Job((Step(HELLO.steps[0].argv, Limits(wall=0.1)),)))
            monkeypatch.setattr(launching, "_GRACE", 30.0)
            assert hello(launchers)

    def test_a_step_has_its_whole_time_before_that(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with opened() as (launchers, _):
            monkeypatch.setattr(launching, "_GRACE", 0.3)
            assert said(launchers, "import time; time.sleep(0.6); print('x')", limits=Limits(wall=5.0)) == "x\n"
            monkeypatch.setattr(launching, "_GRACE", 30.0)

    @pytest.mark.parametrize("lack", ["descriptors", "threads"])
    def test_one_that_cannot_be_started_is_an_error_of_one_line(
        self, monkeypatch: pytest.MonkeyPatch, lack: str
    ) -> None:
        def no_thread(_: threading.Timer) -> None:
            raise RuntimeError("can't start new thread")

        with opened() as (launchers, own):
            (guardian,) = own()
            os.kill(guardian, signal.SIGKILL)
            wait_for(guardian)
            before = open_files()
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            if lack == "descriptors":
                resource.setrlimit(resource.RLIMIT_NOFILE, (len(before) - 1, hard))
            else:
                monkeypatch.setattr(threading.Timer, "start", no_thread)
            try:
                with pytest.raises(SandboxError, match="open files" if lack == "descriptors" else "new thread"):
                    launchers.run(HELLO)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
                monkeypatch.undo()
            assert open_files() <= before
            assert hello(launchers)

    def test_one_that_breaks_off_is_an_error_of_one_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with opened() as (launchers, _):
            monkeypatch.setattr(wire, "_MOST", 10)
            with pytest.raises(SandboxError, match="the launcher broke off: a message that is too long"):
                launchers.run(HELLO)
            monkeypatch.undo()
            assert hello(launchers)

    def test_no_descriptor_is_left_open(self) -> None:
        before = open_files()
        for _ in range(2):
            with opened(at_once=2) as (launchers, own):
                hello(launchers)
                with pytest.raises(SandboxError):
                    launchers.run(Job(HELLO.steps, {"../x": b""}))
                with swarming(launchers) as (_, future):
                    (guardian,) = own()
                    os.kill(children(guardian)[0], signal.SIGKILL)
                    assert isinstance(future.exception(PATIENCE), SandboxError)
                hello(launchers)
        assert open_files() == before

    def test_no_thread_is_left(self) -> None:
        with Launchers() as launchers:
            hello(launchers)
        assert [one for one in threading.enumerate() if isinstance(one, threading.Timer)] == []


class TestApart:
    def test_neither_keys_nor_signals_of_a_terminal_reach_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LLMTB_API_KEY", "secret")
        with opened() as (_, own):
            (guardian,) = own()
            family = (guardian, *children(guardian))
            assert os.getsid(guardian) not in (os.getsid(0), 0)
            if os.geteuid() == 0:  # who is no root may not look: neither is dumpable
                assert [Path(f"/proc/{pid}/environ").read_bytes() for pid in family] == [b"", b""]


class TestWithout:
    @pytest.mark.parametrize("name", rules())
    def test_without_any_layer_or_rule_programs_run(self, name: str) -> None:
        with Launchers(at_once=1, without=frozenset([name])) as launchers:
            assert hello(launchers)
            if name in set(Layer):
                assert not launchers.layers[Layer(name)].active

    def test_without_all_of_them(self) -> None:
        with Launchers(at_once=1, without=frozenset(rules())) as launchers:
            (found,) = launchers.run(HELLO)
        assert (found.ok, found.layers) == (True, ())

    @pytest.mark.parametrize("version", range(8))
    def test_with_an_older_landlock(self, version: int) -> None:
        with Launchers(at_once=1, newest_landlock=version) as launchers:
            assert hello(launchers)
            on = {layer for layer in (Layer.FILES, Layer.NETWORK, Layer.SCOPE) if launchers.layers[layer].active}
        offered = {Layer.FILES: 1, Layer.NETWORK: 4, Layer.SCOPE: 6}
        assert on <= {layer for layer, since in offered.items() if version >= since}

    def test_layers_that_need_another_are_off_with_it(self) -> None:
        with Launchers(at_once=1, without=frozenset(["no_new_privileges"])) as launchers:
            off = {layer for layer, state in launchers.layers.items() if state.detail == "needs no_new_privileges"}
        assert off == {Layer.FILES, Layer.NETWORK, Layer.SCOPE, Layer.CALLS}


class TestBarred:
    def test_the_first_folder_that_others_may_not_enter(self, tmp_path: Path) -> None:
        inner = tmp_path / "a" / "b"
        inner.mkdir(parents=True)
        for folder in (tmp_path / "a", inner):
            folder.chmod(0o755)
        assert barred(str(inner)) != str(inner)
        (tmp_path / "a").chmod(0o700)
        assert barred("/usr/bin") is None
        found = barred(str(inner))
        assert found is not None
        assert Path(found) in (*tmp_path.parents, tmp_path, tmp_path / "a")

    def test_temporary_files_go_where_others_can_get_to(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        tmp_path.chmod(0o700)
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr("tempfile.tempdir", None)
        with Launchers(at_once=1) as launchers:
            where = said(launchers, "import os; print(os.getcwd())")
        assert where.startswith(str(tmp_path)) == (os.geteuid() != 0)

    def test_nowhere_to_put_them(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root needs a folder for others")
        monkeypatch.setattr(launching, "barred", lambda path: path)
        with pytest.raises(SandboxError, match="set TMPDIR"):
            Launchers()
