"""A gateway that answers so many requests at a time and refuses the others: what a client loses by not knowing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import measure
from benchmarks.suites import write_suite
from llm_testbench.artifact.read import read

LLMTEST = (sys.executable, "-m", "llm_testbench")
ALLOWED = 8  # requests at a time; the others get 429 at once
LATENCY = 0.2  # seconds an answer takes
TESTS = 100
REPEAT = 10


@dataclass(frozen=True)
class Throughput:
    """Answers a second, how many of the attempts were answered, and how many tries were refused."""

    per_second: float
    answered: int
    attempts: int
    refused: int


@contextmanager
def limited(folder: Path, suite: Path) -> Iterator[str]:
    """`llmtest serve` with the limit; yields its endpoint."""
    command = [*LLMTEST, "serve", "--port", "0", "--quiet", "--examples", "--suites", str(suite)]
    command += ["--latency", f"{LATENCY * 1000:g}ms", "--max-in-flight", str(ALLOWED)]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().partition(": ")[2].strip()
    finally:
        server.terminate()
        server.wait()


def throughput(folder: Path, concurrency: int) -> Throughput:
    """One run against a fresh server, the start of the process included."""
    suite, out = folder / "limited.yaml", folder / f"limited-{concurrency}.json"
    write_suite(suite, TESTS)
    with limited(folder, suite) as url:
        command = [*LLMTEST, "run", "--endpoint", url, "--models", "m", "--suites", str(suite), "--quiet"]
        command += ["--repeat", str(REPEAT), "--concurrency", str(concurrency), "--out", str(out)]
        wall = measure(command, folder).wall
    rows = read(out).results
    answered = sum(row.scored for row in rows)
    refused = sum(one.status == 429 for row in rows for one in row.tries)
    return Throughput(answered / wall, answered, len(rows), refused)
