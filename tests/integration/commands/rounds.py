"""Asks the suite of the bench, then each test again in rounds of one attempt; also as a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.measure import Measured, measure
from llm_testbench.commands.selection import selected
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.runner.job import Job
from llm_testbench.settings.resolve import resolve
from llm_testbench.suite.model import Test

Next = Callable[[Artifact, Sequence[Test], ModelOptions], Sequence[Job]]


def confirmed(rows: Sequence[Row], test_id: str = "") -> list[Row]:
    """The rows of attempts that were asked again, of one test or of all."""
    return [row for row in rows if row.phase == "confirm" and test_id in ("", row.test_id)]


def each_again(times: int, prompt: str = "") -> Next:
    """Every test is asked `times` more, one attempt a round, with `prompt` in place of its own where given."""

    def following(run: Artifact, tests: Sequence[Test], model: ModelOptions) -> list[Job]:
        jobs = []
        for test in tests:
            done = len(confirmed(run.results, test.id))
            asked = replace(test, messages=({"role": "user", "content": prompt},)) if prompt else test
            if done < times:
                jobs.append(Job(model, asked, run.meta.repeat + done, phase="confirm"))
        return jobs

    return following


def measured(folder: Path, url: str, following: Next, edges: Edges, **options: str) -> Measured:
    """The suite of `folder`, two attempts of each test unless `options` say otherwise, then `following`."""
    flags: Mapping[str, str] = {
        "endpoint": url,
        "models": "m",
        "suites": "suite.yaml",
        "repeat": "2",
        "concurrency": "1",
        "max_retries": "0",
        **options,
    }
    settings = resolve("gate", flags, {}, folder)
    tests = selected(settings, edges).tests
    return measure(
        settings,
        tests,
        folder / "out.json",
        "gate",
        edges,
        more=lambda run: following(run, tests, settings.models[0]),
    )


def main(url: str, times: str, *resume: str) -> int:
    """As the gate ends: 130 when it was interrupted."""
    options = {"resume": "true"} if resume else {}
    done = measured(Path.cwd(), url, each_again(int(times)), Edges(environ={}), **options)
    return 130 if done.interrupted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
