"""SIGINT and SIGTERM sent to a real process, also as process 1 of a PID namespace."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PATIENCE = 30.0  # seconds; only a hanging test ever takes them


class Child:
    """A run of ten jobs, three at a time, whose calls wait."""

    def __init__(self, process: subprocess.Popen[str], pid: int) -> None:
        self._process = process
        self._pid = pid

    def signal(self, number: signal.Signals) -> None:
        os.kill(self._pid, number)

    def let_calls_finish(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def lines(self, number: int) -> list[str]:
        assert self._process.stdout is not None
        return [self._process.stdout.readline().strip() for _ in range(number)]

    def result(self) -> dict[str, object]:
        answer: dict[str, object] = json.loads(self.lines(1)[0])
        assert self._process.wait(PATIENCE) == 130
        assert self._process.stderr is not None
        assert self._process.stderr.read() == ""
        return answer


@contextmanager
def child(*wrapper: str, ci: bool = False, grace: float = 60.0) -> Iterator[Child]:
    environ = {key: value for key, value in os.environ.items() if key != "CI"}
    process = subprocess.Popen(
        [*wrapper, sys.executable, "-m", "tests.integration.runner.child", "10", "3", str(grace)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**environ, **({"CI": "true"} if ci else {})},
    )
    with process:
        try:
            started = Child(process, process.pid)
            assert sorted(started.lines(3)) == ["asked 0", "asked 1", "asked 2"]
            if wrapper:
                children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                started = Child(process, int(children[0]))
            yield started
        finally:
            process.kill()


@cache
def as_process_1() -> tuple[str, ...]:
    """The command that runs another as process 1; empty when this machine does not allow that."""
    if not shutil.which("unshare"):
        return ()
    for command in (["unshare", "-p", "-f"], ["unshare", "-U", "-r", "-p", "-f"]):
        probe = subprocess.run([*command, "--kill-child", "true"], capture_output=True, check=False)
        if probe.returncode == 0:
            return (*command, "--kill-child")
    return ()


BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)


@BOTH
def test_one_signal_lets_the_calls_in_flight_finish(number: signal.Signals) -> None:
    with child() as run:
        run.signal(number)
        assert run.lines(1) == ["stopping interrupted 3"]
        run.let_calls_finish()
        answer = run.result()
    assert (answer["rows"], answer["ended"], answer["abandoned"]) == (3, "interrupted", 0)


@BOTH
def test_a_second_signal_abandons_them(number: signal.Signals) -> None:
    with child() as run:
        run.signal(signal.SIGINT)
        assert run.lines(1) == ["stopping interrupted 3"]
        run.signal(number)
        answer = run.result()
    assert (answer["rows"], answer["ended"], answer["abandoned"]) == (0, "interrupted", 3)


def test_under_ci_the_clock_abandons_them() -> None:
    with child(ci=True, grace=0.05) as run:
        run.signal(signal.SIGINT)
        assert run.lines(1) == ["stopping interrupted 3"]
        answer = run.result()
    assert (answer["rows"], answer["ended"], answer["abandoned"]) == (0, "interrupted", 3)


@BOTH
def test_as_process_1_signals_do_the_same(number: signal.Signals) -> None:
    wrapper = as_process_1()
    if not wrapper:
        pytest.skip("this machine lets nobody make a PID namespace (unshare -p -f), so there is no process 1 to be")
    with child(*wrapper) as run:
        run.signal(number)
        assert run.lines(1) == ["stopping interrupted 3"]
        run.signal(number)
        answer = run.result()
    assert (answer["rows"], answer["abandoned"], answer["pid"]) == (0, 3, 1)
