"""One gate in one world, through the product's own comparison and its own asking again."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from benchmarks.calibration.answers import Answers
from benchmarks.calibration.settings import Setting
from benchmarks.calibration.suite import artifact, models, suite
from benchmarks.calibration.world import World, world
from llm_testbench.artifact.build import marked
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.commands.ask_again import Again
from llm_testbench.compare.compare import compare, conclude
from llm_testbench.compare.confirm import State
from llm_testbench.compare.examine import Examined, examine
from llm_testbench.compare.model import Comparison
from llm_testbench.compare.pool import pool
from llm_testbench.compare.scope import Scope
from llm_testbench.runner.job import Job


@dataclass(frozen=True)
class Replayed:
    """What the gate was given and what it made of it. `number`: of the run under test, which follows those before."""

    world: World
    answers: Answers
    number: int
    before: Artifact
    run: Artifact
    comparison: Comparison


def replay(setting: Setting, number: int) -> Replayed:
    """The gate of this number, always the same. Settings that differ in change or gate alone share their worlds."""
    seed = f"{setting.tests} {setting.models} {setting.repeat} {setting.recorded} {setting.server} {number}"
    place = world(
        Random(seed), tests=setting.tests, models=setting.models, change=setting.change, affected=setting.affected
    )
    answers = Answers(place, setting.server, seed)
    edited = setting.gate == "both"
    old = suite(setting.tests, "old wording")
    new = suite(setting.tests, "new wording") if edited else old
    before, now = models(setting.models, ""), models(setting.models, "" if edited else "-next")

    def recorded(run: int) -> Artifact:
        rows = _as_built(answers.main(run, setting.recorded, treated=False))
        return artifact(old, before, rows, number=run, repeat=setting.recorded)

    def measured(rows: tuple[Row, ...]) -> Artifact:
        return artifact(new, now, _as_built(rows), number=setting.runs_before, repeat=setting.repeat)

    joined = pool([recorded(run) for run in range(setting.runs_before)], window=setting.runs_before)
    scope = Scope(parts=joined.parts, further=joined.further)

    examined: list[Examined] = []

    def judge(run: Artifact) -> State:
        examined.append(examine(joined.artifact, run, setting.options, scope))
        return examined[0].state

    def treated(job: Job) -> bool:
        # What was touched is the prompt or the model: whoever asks the old prompt gets the old answers.
        return job.test.request_hash in new.hashes

    again = Again(judge, tests=new.tests, before=joined.artifact, models=now, against={})
    rows = answers.main(setting.runs_before, setting.repeat, treated=True)
    run = judged = measured(rows)
    while jobs := again(run):
        rows += tuple(answers.again(setting.runs_before, job, treated=treated(job)) for job in jobs)
        run = measured(rows)
    if run is judged:
        # Nobody was asked again: the same question, which takes most of the time, needs no second answer.
        comparison = conclude(examined[0], joined.artifact, run, setting.options, scope)
    else:
        comparison = compare(joined.artifact, run, setting.options, scope)
    return Replayed(place, answers, setting.runs_before, joined.artifact, run, comparison)


def _as_built(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """As the product puts rows into an artifact; those that are in order and tell no id are left as they are."""
    plain = all(row.phase == "main" and row.response_id is None for row in rows)
    return rows if plain else marked(rows)
