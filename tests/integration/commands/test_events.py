"""`llmtest gate` on every event that starts a workflow, with and without the key that the gateway wants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.fixtures.events.table import Row, rows
from tests.integration.commands.bench import Bench, Done
from tests.integration.commands.job import ASSET, HEAD, Job, job
from tests.servers.gateway import Reply, Scripted

ROWS = rows()
each_event = pytest.mark.parametrize("row", ROWS, ids=[row.payload for row in ROWS])
KEY = "sk-a-key-of-the-gateway"
FORK, DEPENDABOT, OURS = (
    next(row for row in ROWS if row.payload == name)
    for name in ("pull_request_fork", "pull_request_dependabot", "pull_request")
)
without_secrets = pytest.mark.parametrize("row", [FORK, DEPENDABOT], ids=["fork", "Dependabot"])


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        yield made


def guarded(step: Job, *open_to: str) -> None:
    """The gateway wants its key, but for the models `open_to`."""

    def answer(body: dict[str, Any]) -> Scripted:
        given = step.world.server.requests[-1].headers.get("authorization")
        if given == f"Bearer {KEY}" or body["model"] in open_to:
            return step.world.answer(body)
        return Reply({"error": {"message": "no key"}}, 401)

    step.world.server.answer = answer


def run(step: Job, row: Row, models: str = "m", **more: str) -> Done:
    if row.comment == "refused":
        step.github.fail("POST", "/comments$", 403, body={"message": "Resource not accessible by integration"})
    step.run_id += 1
    for name in ("summary.md", "output.txt"):
        step.world.write(name, "")
    there = {"GITHUB_REPOSITORY": step.github.environ["GITHUB_REPOSITORY"]}
    # One request at a time, so that the newest one that came in is the one that is answered.
    environ = step.environ("pull_request") | row.environ | there | {"LLMTB_CONCURRENCY": "1"} | more
    return step.world.llmtest("gate", *named(step, models), environ=environ)


def named(step: Job, models: str) -> tuple[str, ...]:
    return ("--endpoint", step.world.server.url, "--models", models, "--suites", "suite.yaml", "--quiet")


def asked(step: Job) -> set[str]:
    return {str(seen.body["model"]) for seen in step.world.server.requests if seen.method == "POST"}


def comparison(step: Job) -> Mapping[str, Any]:
    found: Mapping[str, Any] = step.world.json("llm-testbench-results/comparison.json")
    return found


@each_event
def test_with_a_key_every_event_is_measured_and_told_where_it_may(step: Job, row: Row) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    guarded(step)
    made = step.add_release_of_the_event()
    done = run(step, row, LLMTB_API_KEY=KEY)
    assert done.code == 0, done.err
    assert step.outputs["verdict"] == "pass"
    assert step.outputs["baseline_tag"] == "v1.2.0"
    assert comparison(step)["role"] == row.role
    git = step.world.json("llm-testbench-results/artifact.json")["meta"]["git"]
    assert (git["sha"], git["ref"]) == (row.measured, row.ref)
    assert len(step.comments) == (row.comment == "yes")
    assert ("GitHub lets no run of a fork or of Dependabot write" in done.err) == (row.comment == "refused")
    assert ("no comment: there is no pull request in the event" in done.err) == (row.comment == "no")
    assert bool(made.assets) == (row.release is not None)


@each_event
def test_without_the_key_a_run_is_skipped_where_github_gives_none_and_else_a_mistake(step: Job, row: Row) -> None:
    guarded(step)
    made = step.add_release_of_the_event()
    done = run(step, row)
    assert step.outputs["verdict"] == row.keyless
    assert done.code == (3 if row.secrets else 0)
    if row.secrets:
        assert "LLMTB_API_KEY" in done.err
        assert "no key is set: put it into LLMTB_API_KEY" in step.summary
    else:
        assert "Skipped: no credentials" in done.out
        assert "docs/forks.md" in step.summary
        assert "::error" not in done.err
    assert made.assets == []


CONFIG = "models:\n  - {name: m, api_key_env: M_KEY}\n"


@each_event
def test_a_key_that_the_config_names_is_missed_before_the_first_call(step: Job, row: Row) -> None:
    step.world.write("llm-testbench.yaml", CONFIG)
    guarded(step)
    done = run(step, row)
    assert step.outputs["verdict"] == row.keyless
    assert done.code == (3 if row.secrets else 0)
    assert bool(asked(step)) == row.secrets
    assert "M_KEY is not set" in step.summary
    assert "M_KEY" in done.err
    assert ("No model was asked." in step.summary) == (not row.secrets)


@without_secrets
def test_a_gateway_without_a_key_is_asked_as_ever(step: Job, row: Row) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    assert run(step, row).code == 0
    assert step.outputs["verdict"] == "pass"


MIXED = "models:\n  - free\n  - {name: paid, api_key_env: PAID_KEY}\n"
HALF = "models: [free, paid]\n"


class TestSomeModelsWantAKey:
    """Of a run that could judge but some models, what it found counts; it is no pass."""

    @pytest.fixture(params=["named in the config", "refused by the gateway"])
    def mixed(self, request: pytest.FixtureRequest, step: Job) -> Job:
        step.github.add_release("v1.2.0", assets={ASSET: self.recorded(step)})
        step.world.write("llm-testbench.yaml", MIXED if request.param == "named in the config" else HALF)
        step.world.server.requests.clear()
        guarded(step, "free")
        return step

    @staticmethod
    def recorded(step: Job) -> bytes:
        done = step.world.llmtest("run", *named(step, "free,paid"), "--repeat", "2", "--out", "made.json.gz")
        assert done.code == 0, done.err
        return (step.world.folder / "made.json.gz").read_bytes()

    @without_secrets
    def test_a_good_run_is_skipped_in_part(self, mixed: Job, row: Row) -> None:
        done = run(mixed, row, "free,paid")
        assert done.code == 0
        assert mixed.outputs["verdict"] == "skipped"
        said = "Skipped in part: no credentials for 1 of 2 models; on the rest, no drop found"
        assert said in mixed.summary
        assert comparison(mixed)["headline"] == said
        assert [found["model"] for found in comparison(mixed)["models"]] == ["free"]

    def test_a_drop_on_the_others_fails_all_the_same(self, mixed: Job) -> None:
        mixed.world.answers["2 + 2"] = "5"
        done = run(mixed, FORK, "free,paid")
        assert done.code == 1
        assert "there is no key for `paid`" in mixed.summary

    def test_elsewhere_it_is_somebodys_mistake(self, mixed: Job) -> None:
        done = run(mixed, OURS, "free,paid")
        assert done.code == 3
        assert "every request to `paid` was refused" in mixed.summary

    def test_a_recording_of_some_models_is_none(self, mixed: Job) -> None:
        merged = next(row for row in ROWS if row.payload == "push_dependabot_merge")
        done = run(mixed, merged, "free,paid")
        assert (done.code, mixed.outputs["verdict"]) == (0, "skipped")
        assert "Skipped: no credentials" in mixed.summary


def test_a_side_without_its_key_takes_its_model_along(step: Job) -> None:
    step.world.write(
        "llm-testbench.yaml",
        "models: [m]\ngate: {baseline: live, against: {m: {id: old, api_key_env: OLD_KEY}}}\n",
    )
    assert run(step, FORK).code == 0
    assert asked(step) == set()
    assert "OLD_KEY is not set" in step.summary


def test_on_pull_request_target_the_comment_says_what_was_judged(step: Job) -> None:
    target = next(row for row in ROWS if row.payload == "pull_request_target_fork")
    run(step, target)
    (comment,) = step.comments
    assert f"judged for the commit `{HEAD[:12]}` of the pull request" in comment
    assert f"head={HEAD}" in comment.splitlines()[0]
