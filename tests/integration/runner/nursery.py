"""Forks one journalled run after another, each to be killed by the test; forking spares 30 starts of Python.

stdin: one line for each run, the paths of the artifact and of the file that the run's stdout goes to.
stdout: the pid of the run as it begins, and a line when it has gone.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tests.unit.runner.samples import a_test, model, says

from llm_testbench.artifact.model import Row
from llm_testbench.gateway.model import ChatRequest, ModelOptions, Reply
from llm_testbench.runner.interrupt import Stop
from llm_testbench.runner.job import Job, RunOptions
from llm_testbench.runner.journal import Journal, run_key
from llm_testbench.runner.plan import plan, remaining
from llm_testbench.runner.run import run

TESTS = tuple(a_test(f"t{number}") for number in range(10))
KEY = run_key({"endpoint": "http://127.0.0.1:1/v1"}, TESTS)
CALL_SECONDS = 0.003
LINGER_SECONDS = 60


def jobs() -> tuple[Job, ...]:
    return plan((model("a"), model("b", concurrency=1)), TESTS, repeat=4)


def ask(options: ModelOptions, request: ChatRequest, attempt: int) -> Reply:
    time.sleep(CALL_SECONDS)
    return says(f"hello from {options.name}, attempt {attempt}")


def journalled_run(artifact: Path, stdout: int) -> tuple[Row, ...]:
    """Resumes the artifact's journal; tells each finished attempt on `stdout` after it was journalled."""
    journal = Journal.open(artifact, KEY, resume=True)

    def on_row(row: Row) -> None:
        journal.append(row)
        os.write(stdout, f"{row.model} {row.test_id} {row.attempt}\n".encode())

    left = remaining(jobs(), journal.reused)
    result = run(left, ask=ask, options=RunOptions(concurrency=4), on_row=on_row, stop=Stop())
    journal.close()
    return (*journal.reused, *result.rows)


def main() -> None:
    for line in sys.stdin:
        artifact, output = line.split()
        pid = os.fork()
        if pid == 0:
            journalled_run(Path(artifact), os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND))
            # Still there to be killed: the test must never hit a pid that belongs to another process by now.
            time.sleep(LINGER_SECONDS)
            os._exit(0)
        print(pid, flush=True)  # noqa: T201 -- a protocol of one word
        os.waitpid(pid, 0)
        print("gone", flush=True)  # noqa: T201 -- as above


if __name__ == "__main__":
    main()
