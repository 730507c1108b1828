"""What a run's own answers make necessary is asked in the same run: in rounds, within its limits, and never lost."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.integration.commands.bench import Bench
from tests.integration.commands.rounds import Next, confirmed, each_again, measured
from tests.servers.gateway import Reply, completion

from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import read
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.measure import Measured
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.local.weights import available
from llm_testbench.runner.job import Job
from llm_testbench.suite.model import Test

ROOT = Path(__file__).parents[3]
PATIENCE = 20  # seconds
PLANNED = 4  # two tests, two attempts


class Clock:
    """A clock that a test can move on."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


class Run:
    """One run of the bench's suite; `calls`: how often it was asked what follows."""

    def __init__(self, world: Bench) -> None:
        self.world = world
        self.clock = Clock()
        self.stderr = io.StringIO()
        self.calls = 0

    def measure(self, following: Next, **options: str) -> Measured:
        def counted(run: Artifact, tests: Sequence[Test], model: ModelOptions) -> Sequence[Job]:
            self.calls += 1
            return following(run, tests, model)

        edges = Edges(stderr=self.stderr, environ={}, cwd=self.world.folder, clock=self.clock)
        return measured(self.world.folder, self.world.server.url, counted, edges, **options)

    @property
    def saved(self) -> Artifact:
        return read(self.world.folder / "out.json")

    @property
    def journal(self) -> Path:
        return self.world.folder / "out.json.journal.jsonl"

    @property
    def said(self) -> list[str]:
        return self.stderr.getvalue().splitlines()


@pytest.fixture
def run(world: Bench) -> Run:
    return Run(world)


class Died(Exception):  # noqa: N818 -- what a test does to a run
    """Stands for the death of the process."""


def dies_in_round(number: int, following: Next) -> Next:
    rounds = iter(range(1, number + 1))

    def dying(run: Artifact, tests: Sequence[Test], model: ModelOptions) -> Sequence[Job]:
        if next(rounds) == number:
            raise Died
        return following(run, tests, model)

    return dying


class TestRounds:
    def test_are_asked_until_nothing_more_is_wanted_over_the_same_connection(self, run: Run) -> None:
        done = run.measure(each_again(3))

        assert [(row.test_id, row.attempt) for row in confirmed(run.saved.results)] == [
            (test, attempt) for test in ("capital", "two-and-two") for attempt in (2, 3, 4)
        ]
        assert done.artifact.results == run.saved.results
        assert (run.calls, run.world.server.connections, len(run.world.server.requests)) == (4, 1, PLANNED + 6)
        assert (done.interrupted, done.artifact.meta.interrupted, done.troubles) == (False, False, ())
        assert not run.journal.exists()

    def test_are_told_by_a_line_each_and_counted(self, run: Run) -> None:
        run.measure(each_again(2))

        assert run.said == [
            "100%  4/4  0s",
            "asking again: 2 attempts",
            "asking again: 2 attempts",
            "100%  8/8  0s",
        ]

    def test_that_nobody_wants_are_not_spoken_of(self, run: Run) -> None:
        run.measure(each_again(0))

        assert (run.calls, run.said) == (1, ["100%  4/4  0s"])

    def test_follow_from_what_the_artifact_holds_and_the_file_has_it_already(self, run: Run) -> None:
        run.world.server.answer = lambda body: completion("4", id="two" if "2 + 2" in str(body) else "capital")

        def looks(so_far: Artifact, tests: Sequence[Test], model: ModelOptions) -> Sequence[Job]:
            assert run.saved.results == so_far.results
            assert [row.copy for row in so_far.results] == [None, "id"] * 2
            return ()

        run.measure(looks)
        assert run.calls == 1

    def test_end_when_all_that_is_wanted_is_there(self, run: Run) -> None:
        run.measure(lambda so_far, tests, model: [Job(model, tests[0], 2, phase="confirm")])

        assert (run.calls, len(confirmed(run.saved.results))) == (2, 1)

    def test_ask_no_more_than_max_requests_in_all(self, run: Run) -> None:
        done = run.measure(each_again(3), max_requests="7")

        assert len(run.world.server.requests) == 7
        assert not done.interrupted

    def test_send_each_side_what_its_job_says(self, run: Run) -> None:
        old = ModelOptions("m", "old-id", run.world.server.url)

        def both(so_far: Artifact, tests: Sequence[Test], model: ModelOptions) -> list[Job]:
            return [Job(model, tests[0], 2, "confirm"), Job(old, tests[0], 0, "confirm", "baseline")]

        run.measure(both)

        assert [request.body["model"] for request in run.world.server.requests[PLANNED:]] == ["m", "old-id"]
        assert [(row.side, row.served_model) for row in confirmed(run.saved.results)] == [
            ("baseline", "old-id"),
            ("current", "m"),
        ]
        assert run.saved.meta.served_models == {"m": ("m",)}


class TestNoRoundFollows:
    """Where the planned attempts are not whole, there is nothing to conclude from them."""

    def test_a_run_that_was_interrupted(self, run: Run) -> None:
        def interrupts(_body: object) -> str:
            os.kill(os.getpid(), signal.SIGINT)
            return "4"

        run.world.server.script.append("4")
        # Answers take their time, so that the signal comes while others are still to be asked.
        run.world.server.answer, run.world.server.latency = interrupts, 0.2
        done = run.measure(each_again(1))

        assert (run.calls, done.interrupted, done.artifact.meta.interrupted) == (0, True, True)
        assert run.journal.exists()

    def test_a_run_that_was_interrupted_during_its_last_call(self, run: Run) -> None:
        def interrupts(_body: object) -> str:
            if len(run.world.server.requests) == PLANNED:
                os.kill(os.getpid(), signal.SIGINT)
            return "4"

        run.world.server.answer, run.world.server.latency = interrupts, 0.1
        done = run.measure(each_again(1))

        assert (run.calls, done.interrupted, done.artifact.meta.interrupted) == (0, True, False)
        assert run.journal.exists()

    def test_a_run_that_nobody_answers(self, run: Run) -> None:
        run.world.server.answer = lambda _body: Reply("", 500)
        done = run.measure(each_again(1))

        assert (run.calls, done.interrupted) == (0, False)
        assert done.gave_up is not None

    def test_a_run_out_of_time(self, run: Run) -> None:
        def slow(_body: object) -> str:
            run.clock.ahead += 40
            return "4"

        run.world.server.answer, run.world.server.latency = slow, 0.05
        done = run.measure(each_again(1), max_duration="60s")

        assert (run.calls, done.artifact.meta.interrupted) == (0, True)
        assert len(run.world.server.requests) < PLANNED


class TestOutOfTime:
    def test_there_is_one_deadline_over_all_and_what_is_there_is_a_whole_run(self, run: Run) -> None:
        def slow(_body: object) -> str:
            run.clock.ahead += 8
            return "4"

        run.world.server.answer, run.world.server.latency = slow, 0.02
        done = run.measure(each_again(20), max_duration="60s")

        asked = len(run.world.server.requests)
        assert PLANNED < asked < 12
        assert len(run.saved.results) == asked
        assert (done.interrupted, done.artifact.meta.interrupted, done.troubles) == (False, False, ())
        assert not run.journal.exists()

    def test_it_ends_a_round_too(self, run: Run) -> None:
        def slow(_body: object) -> str:
            run.clock.ahead += 8
            return "4"

        def many(so_far: Artifact, tests: Sequence[Test], model: ModelOptions) -> list[Job]:
            return [Job(model, tests[0], number, phase="confirm") for number in range(2, 30)]

        run.world.server.answer, run.world.server.latency = slow, 0.02
        done = run.measure(many, max_duration="60s")

        assert PLANNED < len(run.saved.results) < 12
        assert "max_duration is reached: no further calls; 1 call in flight may finish (a second signal ends them)" in (
            run.said
        )
        assert (run.calls, done.interrupted, done.artifact.meta.interrupted) == (1, False, False)

    def test_no_call_begins_after_it(self, run: Run) -> None:
        def thinks_for_long(so_far: Artifact, tests: Sequence[Test], model: ModelOptions) -> Sequence[Job]:
            run.clock.ahead += 100
            return each_again(1)(so_far, tests, model)

        run.measure(thinks_for_long, max_duration="60s")

        assert len(run.world.server.requests) == PLANNED


class TestResumed:
    def test_a_run_that_died_in_a_round_is_not_asked_twice(self, run: Run) -> None:
        with pytest.raises(Died):
            run.measure(dies_in_round(3, each_again(3)))
        assert len(run.saved.results) == PLANNED
        assert len(run.world.server.requests) == PLANNED + 4

        run.measure(each_again(3), resume="true")

        assert len(run.world.server.requests) == PLANNED + 6
        assert len(run.saved.results) == PLANNED + 6
        assert run.said[-3:] == ["100%  4/4  0s", "asking again: 2 attempts", "100%  10/10  0s"]

    def test_what_is_not_wanted_any_more_is_left_out(self, run: Run) -> None:
        with pytest.raises(Died):
            run.measure(dies_in_round(3, each_again(3)))

        run.measure(each_again(1), resume="true")

        assert len(confirmed(run.saved.results)) == 2

    def test_an_answer_to_another_request_is_not_taken_for_this_one(self, run: Run) -> None:
        with pytest.raises(Died):
            run.measure(dies_in_round(2, each_again(1, prompt="an old prompt")))

        run.measure(each_again(1, prompt="another old prompt"), resume="true")

        asked = [request.body["messages"][-1]["content"] for request in run.world.server.requests[PLANNED:]]
        assert asked == ["an old prompt"] * 2 + ["another old prompt"] * 2
        assert len(confirmed(run.saved.results)) == 2

    def test_failures_of_a_round_are_no_reason_to_give_up(self, run: Run) -> None:
        with pytest.raises(Died):
            run.measure(dies_in_round(1, each_again(1)))
        run.world.server.answer = lambda _body: Reply("", 500)

        done = run.measure(each_again(9), resume="true")

        assert done.gave_up is None
        assert len(confirmed(run.saved.results)) == 18


def start(world: Bench, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.commands.rounds", world.server.url, *arguments],
        cwd=world.folder,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": "", "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"},
    )


class TestAsAProcess:
    def test_a_signal_in_a_round_saves_all_and_leaves_the_rest_to_resume(self, world: Bench) -> None:
        world.server.latency = 0.1
        child = start(world, "10")
        world.server.wait_for(PLANNED + 2)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=PATIENCE)

        asked = len(world.server.requests)
        artifact = world.json("out.json")
        assert child.returncode == 130, err
        assert len(artifact["results"]) == asked < PLANNED + 20
        assert artifact["meta"]["interrupted"] is False
        assert (
            f"all 4 attempts and {asked - PLANNED} of those asked again are saved; --resume goes on from there" in err
        )

        second = start(world, "10", "--resume")
        _, err = second.communicate(timeout=PATIENCE)

        assert second.returncode == 0, err
        assert len(world.server.requests) == len(world.json("out.json")["results"]) == PLANNED + 20
        assert not (world.folder / "out.json.journal.jsonl").exists()

    def test_killed_in_a_round_it_has_lost_nothing(self, world: Bench) -> None:
        world.server.latency = 0.1
        child = start(world, "10")
        world.server.wait_for(PLANNED + 4)
        child.kill()
        child.communicate(timeout=PATIENCE)

        assert [row["phase"] for row in world.json("out.json")["results"]] == ["main"] * PLANNED
        lines = (world.folder / "out.json.journal.jsonl").read_text().splitlines()
        phases = [json.loads(line).get("phase") for line in lines]
        kept = phases.count("confirm")
        assert kept >= 2

        asked = len(world.server.requests)
        second = start(world, "10", "--resume")
        _, err = second.communicate(timeout=PATIENCE)

        assert second.returncode == 0, err
        assert len(world.json("out.json")["results"]) == PLANNED + 20
        assert len(world.server.requests) - asked == 20 - kept


@pytest.mark.skipif(not available(), reason="the embedded model is not installed")
@pytest.mark.parametrize("local", ["current", "baseline"])
def test_the_embedded_model_may_be_either_side_of_a_live_comparison(world: Bench, local: str) -> None:
    endpoints = {"current": world.server.url, "baseline": world.server.url, local: "local"}
    world.write(
        "llm-testbench.yaml",
        f"""\
endpoint: {endpoints["current"]}
models: [{{name: m, id: chat}}]
suites: [suite.yaml]
repeat: 2
gate: {{baseline: live, against: {{m: {{endpoint: "{endpoints["baseline"]}"}}}}}}
""",
    )

    done = world.llmtest("gate", "--quiet")

    assert done.errors == []
    rows = world.json("llm-testbench-results/artifact.json")["results"]
    served = {side: {row["served_model"] for row in rows if row["side"] == side} for side in endpoints}
    other = "baseline" if local == "current" else "current"
    assert served[other] == {"chat"}
    assert served[local] not in (set(), {"chat"}, {None})
    assert sum(row["phase"] == "main" for row in rows) == 8


def test_another_side_is_asked_from_the_start_in_a_live_comparison_only(world: Bench) -> None:
    against = f'{{m: {{id: old, endpoint: "{world.server.url}"}}}}'
    world.write("llm-testbench.yaml", f"gate: {{baseline: none, against: {against}}}\n")

    world.asking("gate", "--repeat", "2")

    assert [request.body["model"] for request in world.server.requests] == ["m"] * PLANNED
