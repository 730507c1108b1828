"""When a run stops asking because nobody answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.runner.samples import a_job, model

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row
from llm_testbench.runner.give_up import LIMIT, GiveUp
from llm_testbench.runner.job import Job

REFUSED = Row("m", "t", "c", "s", 0, Outcome.NETWORK, error="connection refused")
ANSWERED = replace(REFUSED, outcome=Outcome.ANSWERED, error=None)


def jobs(*names: str, each: int = 50) -> list[Job]:
    return [a_job(attempt, model=model(name)) for attempt in range(each) for name in names]


def settled(watch: GiveUp, *rows: Row) -> list[bool]:
    return [watch.see(row) for row in rows]


def test_it_gives_up_at_the_limit_and_names_the_first_failure() -> None:
    watch = GiveUp.watching(jobs("m"))

    assert settled(watch, REFUSED, *[replace(REFUSED, error="later")] * (LIMIT - 1)) == [False] * (LIMIT - 1) + [True]
    assert watch.reason == "no model answers: all of 8 attempts failed; the first: network: connection refused"


def test_a_short_run_gives_up_at_its_end() -> None:
    watch = GiveUp.watching(jobs("m", each=1))

    assert watch.see(REFUSED)
    assert watch.reason == "no model answers: the only attempt failed; the first: network: connection refused"


@pytest.mark.parametrize(
    "sign",
    [
        pytest.param(ANSWERED, id="an answer"),
        pytest.param(replace(REFUSED, outcome=Outcome.REJECTED), id="a rejected request: somebody is there"),
        pytest.param(replace(REFUSED, outcome=Outcome.RATE_LIMITED), id="a rate limit: somebody is there"),
        pytest.param(replace(REFUSED, outcome=Outcome.EVALUATOR_CRASH), id="an answer that crashed its evaluator"),
    ],
)
def test_one_sign_of_life_keeps_the_run_going_for_good(sign: Row) -> None:
    watch = GiveUp.watching(jobs("m"))

    assert not any(settled(watch, *[REFUSED] * (LIMIT - 1), sign, *[REFUSED] * 50))
    assert watch.reason is None


def test_a_slow_model_that_has_not_ended_yet_keeps_the_run_going() -> None:
    watch = GiveUp.watching(jobs("m", "slow"))

    assert not any(settled(watch, *[REFUSED] * 50))


def test_all_models_dead_ends_the_run() -> None:
    watch = GiveUp.watching(jobs("m", "n"))
    other = replace(REFUSED, model="n")

    assert settled(watch, *[REFUSED] * LIMIT, *[other] * LIMIT)[-1]


def test_it_settles_once() -> None:
    watch = GiveUp.watching(jobs("m", each=1))

    assert settled(watch, REFUSED, REFUSED) == [True, False]


def test_each_side_of_a_comparison_counts_for_itself() -> None:
    both = [*jobs("m"), *(replace(job, side="baseline") for job in jobs("m"))]
    old = replace(REFUSED, side="baseline")

    assert not any(settled(GiveUp.watching(both), *[REFUSED] * 50)), "the other side is slow, and has not ended yet"
    assert settled(GiveUp.watching(both), *[REFUSED] * LIMIT, *[old] * LIMIT)[-1]
