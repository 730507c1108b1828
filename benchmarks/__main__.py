"""Prints each budget beside what was measured. Never fails: a busy machine breaks budgets that a quiet one keeps."""

from __future__ import annotations

import compileall
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from benchmarks import decision, evaluators, sandbox, throttled
from benchmarks.process import Usage, measure, median
from benchmarks.suites import write_artifact, write_suite

LLMTEST = (sys.executable, "-m", "llm_testbench")
LATENCY = 0.2  # seconds that the test gateway takes for an answer
CONCURRENCY = 64
REPEAT = 10
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, as text, beside its budget."""

    what: str
    measured: str
    budget: str
    kept: bool


def at_most(what: str, value: float, limit: float, unit: str) -> Figure:
    """A figure that must not exceed `limit`."""
    return Figure(what, f"{value:.2f} {unit}", f"≤ {limit:g} {unit}", value <= limit)


@contextmanager
def gateway(*options: str) -> Iterator[str]:
    """The test gateway in a process of its own; yields the base URL."""
    command = [sys.executable, "-m", "tests.servers.gateway", "--port", "0", "--latency", str(LATENCY), *options]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def run_figures(folder: Path) -> Iterator[Figure]:
    """`llmtest run` against the test gateway, as whole processes, start-up included."""
    with gateway() as url:
        for requests, ratio, memory, stream in (
            (7500, 1.10, 120, False),
            (750, 1.25, 80, False),
            (750, 1.30, 80, True),
        ):
            usage = _run(folder, url, requests, stream=stream)
            name = f"run, {requests} requests of {LATENCY:g} s at {CONCURRENCY}{', streamed' if stream else ''}"
            ideal = requests * LATENCY / CONCURRENCY
            yield at_most(f"{name}: wall", usage.wall / ideal, ratio, "× ideal")
            yield at_most(f"{name}: peak memory", usage.peak_mb, memory, "MB")
            if requests == 7500:
                yield at_most(f"{name}: CPU", usage.cpu / requests * 1000, 2, "ms a request")


def _run(folder: Path, url: str, requests: int, *, stream: bool) -> Usage:
    suite = folder / f"suite-{requests}.yaml"
    write_suite(suite, requests // REPEAT)
    options = ["--endpoint", url, "--models", "m", "--suites", str(suite), "--repeat", str(REPEAT)]
    options += ["--concurrency", str(CONCURRENCY), "--out", str(folder / "run.json"), "--quiet"]
    command = [*LLMTEST, "run", *options, *(["--stream"] if stream else [])]
    return median(command, folder, 3) if requests < 1000 else measure(command, folder)


def command_figures(folder: Path) -> Iterator[Figure]:
    """Commands that ask nothing."""
    yield at_most("--help", median([*LLMTEST, "--help"], folder, 5).wall, 0.25, "s")
    write_suite(folder / "thousand.yaml", 1000)
    usage = median([*LLMTEST, "list", "--suites", str(folder / "thousand.yaml")], folder, 5)
    yield at_most("list, 1,000 tests", usage.wall, 0.8, "s")
    small: Usage | None = None
    for rows in (4000, 16000):
        base, current = folder / f"base-{rows}.json", folder / f"current-{rows}.json"
        write_artifact(base, folder / "run.json", rows, score=1.0)
        write_artifact(current, folder / "run.json", rows, score=0.5)
        usage = median([*LLMTEST, "compare", str(base), str(current)], folder, 3)
        if small is None:
            small = usage
    yield at_most("compare of two 16,000-row artifacts", usage.wall, 2, "s")
    if small is not None:
        yield at_most("compare, memory: 16,000 rows to 4,000", usage.peak_mb / small.peak_mb, 4, "×")


def throttled_figures(folder: Path) -> Iterator[Figure]:
    """Against a gateway that answers 8 at a time and refuses the rest: not knowing it, beside capped by hand."""
    by_hand = throttled.throughput(folder, throttled.ALLOWED)
    unknowing = throttled.throughput(folder, CONCURRENCY)
    share = unknowing.per_second / by_hand.per_second
    name = f"run at {CONCURRENCY}, {throttled.ALLOWED} allowed"
    yield Figure(f"{name}: throughput", f"{share:.2f} × of capped by hand", "≥ 0.9 ×", share >= 0.9)
    answered = f"{unknowing.answered} of {unknowing.attempts}, {unknowing.refused} tries refused"
    yield Figure(f"{name}: answered", answered, "all", unknowing.answered == unknowing.attempts)


def decision_figures() -> Iterator[Figure]:
    """The statistics alone, without files."""
    yield at_most("decision on 1,000 tests × 3 models × 5 attempts", decision.usual(), 1, "s")
    yield at_most("the same, every score graded to 0.01", decision.worst(), 2, "s")


def evaluator_figures() -> Iterator[Figure]:
    """The dearest evaluator and shape of an answer of 1 MiB."""
    unit = evaluators.yardstick()
    for of, costs in (
        ("text", evaluators.texts()),
        ("tool calls", evaluators.calls()),
        ("output of programs", evaluators.outputs()),
    ):
        worst = costs[0]
        what = f"evaluators, 1 MiB of {of}, worst of {len(costs)}: {worst.check}, {worst.shape}"
        yield at_most(f"{what} ({worst.seconds / unit:.1f} × str.split)", worst.seconds * 1000, 100, "ms of CPU")


def sandbox_figures() -> Iterator[Figure]:
    """What confining a program costs, beside the usual way of running it."""
    yield _overhead("python3 -c pass", sandbox.start_of_python(), 2.5)
    budgets = {"c": 2.2, "go": 1.1}
    for language, overhead in sandbox.programs():
        yield _overhead(f"a program in {language}, from its source", overhead, budgets.get(language))
    yield at_most("sandbox: proof that it holds, once a run", sandbox.proof(), 0.2, "s")
    yield _told("sandbox: opened, the proof included", f"{sandbox.opening():.2f} s")
    yield _told("sandbox: python3 -c pass, as many at once as allowed", f"{sandbox.per_second():.0f} a second")


def _overhead(what: str, overhead: sandbox.Overhead, limit: float | None) -> Figure:
    name = f"sandbox: {what}, {overhead.naive * 1000:.0f} ms without it"
    if limit is None:
        return _told(name, f"{overhead.ratio:.2f} ×")
    return at_most(name, overhead.ratio, limit, "×")


def _told(what: str, measured: str) -> Figure:
    return Figure(what, measured, "none", kept=True)


def main() -> None:
    """All figures as one table."""
    # An installed tool has its bytecode beside it; a checkout may not, where PYTHONDONTWRITEBYTECODE is set.
    compileall.compile_dir(ROOT / "src", quiet=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = [*run_figures(folder), *command_figures(folder), *throttled_figures(folder)]
        figures += [*decision_figures(), *evaluator_figures(), *sandbox_figures()]
    rows = [(f.what, f.measured, f.budget, "kept" if f.kept else "BROKEN") for f in figures]
    print(tabulate(rows, headers=("what", "measured", "budget", ""), tablefmt="github"))


main()
