"""Trouble with the comment is a warning: the verdict, the exit code and every other sink stay what they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.integration.commands.bench import Bench
from tests.integration.commands.job import PULL, Job, job
from tests.integration.github.test_comment_trouble import FINAL, NEEDS, PASSING, STEPS, Trouble

from llm_testbench.github.api import TOTAL_WAIT
from llm_testbench.github.comment import marker
from llm_testbench.github.event import Event

# The whole table is tried with the client alone; here one of each kind.
LASTING = {
    name: {**FINAL, **PASSING}[name]
    for name in ("no permission", "locked", "busy for an hour", "secondary limit that says nothing", "502")
}


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        yield made


def put(trouble: Trouble, at: str, step: Job, times: int = 99) -> None:
    if at in ("graphql", "update"):
        step.github.add_comment(PULL, f"{marker('default', Event(run_id=9, run_attempt=1))}\n\n## Before")
    trouble.put(step.github, at, times)


@pytest.mark.parametrize("at", STEPS)
@pytest.mark.parametrize("name", LASTING)
def test_trouble_with_the_comment_changes_no_verdict(step: Job, at: str, name: str) -> None:
    step.world.answers["2 + 2"] = "5"
    put(LASTING[name], at, step)

    done = step.gate()

    assert (done.code, step.outputs["verdict"], step.outputs["comment_url"]) == (1, "fail", "")
    assert "## " in step.summary
    assert (step.world.folder / "llm-testbench-results/report.md").is_file()
    warnings = [line for line in done.err.splitlines() if line.startswith("::warning")]
    assert len(warnings) == 1
    assert "the comment was not written: " in warnings[0]
    assert (NEEDS in warnings[0]) == (name == "no permission")
    assert sum(step.world.slept) <= TOTAL_WAIT


@pytest.mark.parametrize("at", STEPS)
@pytest.mark.parametrize("name", ["secondary limit", "502", "cut connection"])
def test_trouble_that_passes_is_not_even_told(step: Job, at: str, name: str) -> None:
    put(PASSING[name], at, step, times=1)

    done = step.gate()

    assert (done.code, step.outputs["verdict"]) == (0, "no_baseline")
    assert len(step.comments) == 1
    assert "## No baseline" in step.comments[0]
    assert "::warning" not in done.err
