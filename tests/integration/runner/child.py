"""A run in a process of its own, to be sent signals.

Calls wait until a line comes in on stdin. stdout tells each call, why the run stops, and the result.
"""

from __future__ import annotations

import json
import os
import sys
import threading

from tests.unit.runner.samples import a_job, says

from llm_testbench.gateway.model import ChatRequest, ModelOptions, Reply
from llm_testbench.runner.interrupt import Stop, install
from llm_testbench.runner.job import RunOptions
from llm_testbench.runner.run import run


def tell(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def main(jobs: int, concurrency: int, grace: float) -> int:
    go = threading.Event()

    def ask(_model: ModelOptions, _request: ChatRequest, attempt: int) -> Reply:
        tell(f"asked {attempt}")
        go.wait()
        return says()

    def listen() -> None:
        # Not sys.stdin: its lock would be held at the end of the interpreter.
        if os.read(0, 1):
            go.set()

    threading.Thread(target=listen, daemon=True).start()
    stop = Stop()
    with install(stop, os.environ, grace=grace):
        result = run(
            [a_job(number) for number in range(jobs)],
            ask=ask,
            options=RunOptions(concurrency=concurrency),
            on_row=lambda row: None,
            stop=stop,
            on_stopping=lambda why, in_flight: tell(f"stopping {why} {in_flight}"),
        )
        answer = {"rows": len(result.rows), "ended": result.ended, "abandoned": result.abandoned, "pid": os.getpid()}
        tell(json.dumps(answer))
    return 130 if result.ended == "interrupted" else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
