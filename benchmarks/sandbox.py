"""What the sandbox costs, beside the usual way to run a program: a new folder, a small environment, a time limit."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from tests.sandbox.toolchains import go_seed, toolchain_path

from llm_testbench.sandbox.languages import LANGUAGES, NoToolchain, Toolchain
from llm_testbench.sandbox.launcher import ENVIRONMENT
from llm_testbench.sandbox.launching import Launchers, most_at_once
from llm_testbench.sandbox.model import Job, Ran, Step
from llm_testbench.sandbox.programs import Program, run_program, toolchain
from llm_testbench.sandbox.proof import broken, python
from llm_testbench.sandbox.workshop import Mode, opened

RUNS_AT_ONCE = 100
_NUMBERS = count()

C = '#include <stdio.h>\nint main(void) { printf("%%d\\n", %d); }\n'
GO = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(%d) }\n'
TYPESCRIPT = "const answer: number = %d;\nconsole.log(answer);\n"
SOURCES = {"c": (C, 25), "go": (GO, 25), "typescript": (TYPESCRIPT, 15)}
"""Each language's program, in which a number is put so that none is the one before; and how often it is run."""


@dataclass(frozen=True)
class Overhead:
    """Median seconds of the two ways."""

    naive: float
    sandboxed: float

    @property
    def ratio(self) -> float:
        """How many times as long the sandbox takes."""
        return self.sandboxed / self.naive


def start_of_python() -> Overhead:
    """`python3 -c pass`."""
    command = (python(), "-c", "pass")
    with Launchers() as launchers:
        return _overhead(
            40,
            lambda: _naively((command,), {}, ENVIRONMENT),
            lambda: _well(launchers.run(Job((Step(command),)))[0]),
        )


def programs() -> Iterator[tuple[str, Overhead]]:
    """By language: compiled, where that is needed, and run. Go finds its standard library compiled, either way."""
    with Launchers() as launchers, tempfile.TemporaryDirectory() as name:
        cache = Path(name) / "cache"
        shutil.copytree(go_seed(), cache)
        for path in (cache, *cache.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)
        for language, (source, times) in SOURCES.items():
            found = toolchain(launchers, language, toolchain_path(), go_seed())
            if isinstance(found, NoToolchain):
                raise RuntimeError(f"{language}: {found.reason}")  # noqa: TRY004 -- nobody gave a wrong argument
            # The usual way writes to its cache, so it has one of its own, and it keeps an index of packages there.
            environment = {**ENVIRONMENT, **found.environment, "GOCACHE": str(cache), "GODEBUG": ""}
            yield language, _compared(launchers, language, source, found, environment, times)


def _compared(
    launchers: Launchers, language: str, source: str, found: Toolchain, environment: Mapping[str, str], times: int
) -> Overhead:
    known = LANGUAGES[language]
    built = ((found.program, *known.compile), ("./program",))
    commands = built if known.compile else ((found.program, known.source),)

    def naive() -> None:
        _naively(commands, {known.source: source % next(_NUMBERS)}, environment)

    def sandboxed() -> None:
        finished = run_program(launchers, Program(language, source % next(_NUMBERS)), found)
        _well(finished.ran or finished.compiled)

    return _overhead(times, naive, sandboxed)


def proof() -> float:
    """Median seconds of trying the forbidden acts, at the start of every run that will execute code."""
    with Launchers() as launchers:
        return median(_seconds(lambda: broken(launchers)) for _ in range(7))


def opening() -> float:
    """Median seconds until the first program can start: launcher, layers and proof."""

    def open_and_close() -> None:
        with opened(Mode.PREFER, ""):
            pass

    return median(_seconds(open_and_close) for _ in range(7))


def per_second() -> float:
    """Runs of `python3 -c pass` a second, as many side by side as the sandbox allows."""
    command = (python(), "-c", "pass")

    def run(launchers: Launchers) -> None:
        _well(launchers.run(Job((Step(command),)))[0])

    with Launchers() as launchers, ThreadPoolExecutor(most_at_once()) as pool:
        list(pool.map(run, [launchers] * most_at_once()))
        return RUNS_AT_ONCE / _seconds(lambda: list(pool.map(run, [launchers] * RUNS_AT_ONCE)))


def _overhead(times: int, naive: Callable[[], object], sandboxed: Callable[[], object]) -> Overhead:
    """In turns, so that a busy moment of the machine meets both; the first of each is not counted."""
    taken = [(_seconds(naive), _seconds(sandboxed)) for _ in range(times + 1)][1:]
    return Overhead(median(one for one, _ in taken), median(one for _, one in taken))


def _seconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _naively(commands: tuple[tuple[str, ...], ...], files: Mapping[str, str], environment: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, "utf-8")
        for command in commands:
            around = {**environment, "HOME": folder}
            subprocess.run(command, cwd=folder, env=around, capture_output=True, timeout=60, check=True)


def _well(ran: Ran | None) -> None:
    if ran is None or not ran.ok:
        raise RuntimeError(f"the program of the benchmark did not end well: {ran}")
