"""What a gate marks on the lines of a pull request: annotations of the step, and the check run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integration.commands.bench import SUITE, Bench, Done
from tests.integration.commands.job import ASSET, HEAD, TIP, Job, job
from tests.integration.commands.two_stages import FORKS_RUN, Stages, two_stages
from tests.servers.github.state import CheckRun
from tests.unit.github.runner import Command, obeyed
from tests.unit.hostile_text import HOSTILE

CHECK = {"INPUT_CHECK_RUN": "true"}
LINES = {name: number for number, line in enumerate(SUITE.splitlines(), 1) for name in [line.partition("id: ")[2]]}


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        made.github.add_release("v1.2.0", assets={ASSET: made.recorded()})
        yield made


def worse(step: Job) -> None:
    step.world.answers.update({"2 + 2": "five", "capital": "Lyon"})


def at_lines(done: Done) -> list[Command]:
    """What GitHub shows at a test, not of the job as a whole."""
    return [one for one in obeyed(done.err) if one.properties["title"] != "llm-testbench"]


def check(step: Job) -> CheckRun:
    (one,) = step.github.checks.values()
    return one


def builtin(step: Job, **inputs: str) -> Done:
    named = ("--endpoint", step.world.server.url, "--models", "m", "--suites", "builtin:smoke", "--quiet")
    return step.world.llmtest("gate", *named, "--min-score", "0.5", environ=step.environ("pull_request") | inputs)


def many(number: int, head: str = "category: c\nsubcategory: s\ntests:\n") -> str:
    """Tests that must pass, and do when they are answered with `right`, one a line."""
    return head + "".join(
        f"  - {{id: t{at}, prompt: ask {at}, must_pass: true, evaluate: {{equals: right}},"
        " examples: [{response: right, score: 1}, {response: wrong, score: 0}]}\n"
        for at in range(number)
    )


# --- Annotations


def test_a_test_that_got_worse_is_marked_at_its_line(step: Job) -> None:
    step.world.answers["capital"] = "Lyon"
    (said,) = at_lines(step.gate())
    assert said.name == "error"
    assert said.properties == {
        "file": "suite.yaml",
        "line": str(LINES["capital"]),
        "title": "llm-testbench: Worse, though nothing was changed here: capital",
    }
    assert said.data.startswith("capital on m dropped from 1.00 to 0.00, also when asked again")
    assert ". Now: " in said.data


def test_the_annotations_stand_outside_the_fence_of_the_report(step: Job) -> None:
    worse(step)
    done = step.gate()
    assert obeyed(done.out) == []
    assert len(at_lines(done)) == 2
    assert "::error" not in done.out


def test_nothing_is_marked_where_nothing_is_wrong_or_where_that_is_not_wanted(step: Job) -> None:
    assert at_lines(step.gate()) == []
    worse(step)
    assert at_lines(step.gate(INPUT_ANNOTATIONS="false")) == []
    step.world.write("llm-testbench.yaml", "gate: {annotations: false}\n")
    assert at_lines(step.gate()) == []
    assert at_lines(step.gate(INPUT_ANNOTATIONS="true")) != []
    outside = step.world.asking("gate", "--baseline", "none", environ={"LLMTB_REPEAT": "2"})
    assert "::" not in outside.err


def test_a_gate_that_only_reports_marks_nothing_red(step: Job) -> None:
    worse(step)
    done = step.gate(INPUT_FAIL_ON="never")
    assert done.code == 0
    assert {one.name for one in at_lines(done)} == {"warning"}


def test_an_accepted_drop_is_not_marked(step: Job) -> None:
    step.world.answers["capital"] = "Lyon"
    assert len(at_lines(step.gate())) == 1
    accepted = step.world.llmtest("accept", "llm-testbench-results/comparison.json", "--reason", "we moved")
    assert accepted.code == 0, accepted.err
    done = step.gate()
    assert (done.code, at_lines(done)) == (0, [])


def test_a_builtin_suite_has_no_file_that_anybody_could_edit(step: Job) -> None:
    step.world.answers = {}
    done = builtin(step)
    assert done.code == 1  # some of them must pass
    found = at_lines(done)
    assert found
    assert all("file" not in one.properties and "line" not in one.properties for one in found)


def test_the_place_is_named_from_the_root_of_the_checkout(step: Job) -> None:
    worse(step)
    root = {"GITHUB_WORKSPACE": str(step.world.folder.parent)}
    named = {one.properties["file"] for one in at_lines(step.gate(**root))}
    assert named == {f"{step.world.folder.name}/suite.yaml"}


@pytest.mark.parametrize("file", ["../secret.yaml", "gone.yaml", "x" * 5000, "a\x00b", "::error::x", "link.yaml"])
def test_a_file_that_is_not_of_the_checkout_is_named_in_words_alone(step: Job, file: str) -> None:
    made = step.world.folder.parent / "secret.yaml"
    made.write_text("x")
    (step.world.folder / "link.yaml").symlink_to(made)
    worse(step)
    assert step.gate().code == 1
    artifact = step.world.json("llm-testbench-results/artifact.json")
    for test in artifact["tests"]:
        test["suite_file"] = file
    given = step.world.write("given.json", json.dumps(artifact))
    done = step.gate("pull_request", "--current", str(given))
    found = at_lines(done)
    assert len(found) == 2
    assert all("file" not in one.properties and "line" not in one.properties for one in found)


@pytest.mark.parametrize(("broken", "shown"), [(8, 8), (9, 8), (30, 8)])
def test_of_many_tests_ten_errors_are_shown_with_the_headline_and_the_last_says_what_is_left(
    step: Job, broken: int, shown: int
) -> None:
    step.world.write("suite.yaml", many(broken))
    step.world.answers = {"ask": "right"}
    step.github.releases.clear()
    step.github.add_release("v1.3.0", assets={ASSET: step.recorded()})
    step.world.answers = {"ask": "wrong"}
    done = step.gate()
    errors = [one for one in obeyed(done.err) if one.name == "error"]
    assert len(errors) <= 10
    assert errors[-1].properties == {"title": "llm-testbench"}
    assert len(errors) == shown + 1
    left = [one.data for one in errors if "not marked here" in one.data]
    rest = broken - (shown - 1)
    words = f"{rest} more {'test is' if rest == 1 else 'tests are'} not marked here"
    where = "in the summary of this job and in llm-testbench-results/report.md"
    assert left == ([] if broken == shown else [f"{words}: the report has all, {where}"])


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_a_model_says_commands_nothing(step: Job, bad: str) -> None:
    step.world.answers["capital"] = bad
    done = step.gate()
    commands = obeyed(done.err)
    assert {one.name for one in commands} <= {"error", "warning"}
    assert all(len(line.encode()) < 5_000 for line in done.err.splitlines() if line.startswith("::"))
    assert [one.properties.get("file") for one in at_lines(done)] == ["suite.yaml"]


def test_secrets_are_not_told(step: Job) -> None:
    key = "sk-0123456789abcdef"
    step.world.write("suite.yaml", SUITE.replace("equals: Paris", f"equals: {key}"))
    step.world.answers["capital"] = f"the key is {key}"
    done = step.gate(INPUT_API_KEY=key, INPUT_CHECK_RUN="true", INPUT_MIN_SCORE="1")
    assert done.code == 1
    assert key not in done.err
    assert key not in str(check(step).summary) + json.dumps(check(step).annotations)


# --- The check run


def test_a_check_run_stands_on_the_commit_that_was_measured(step: Job) -> None:
    done = step.gate(**CHECK)
    made = check(step)
    assert done.code == 0
    assert (made.head_sha, made.name, made.status) == (HEAD, "llm-testbench", "completed")
    assert made.conclusion == "success"
    assert made.external_id == f"{step.run_id}/1"
    assert made.details_url == f"{step.github.url}/octo/shop/actions/runs/{step.run_id}"
    assert str(made.title).startswith("No drop found")
    assert made.summary == step.summary


def test_without_being_asked_for_there_is_none(step: Job) -> None:
    worse(step)
    step.gate()
    assert step.github.checks == {}


def test_what_the_check_run_marks_is_not_said_twice(step: Job) -> None:
    worse(step)
    done = step.gate(**CHECK)
    assert check(step).conclusion == "failure"
    assert [(one["path"], one["annotation_level"]) for one in check(step).annotations] == [
        ("suite.yaml", "failure")
    ] * 2
    assert {one["start_line"] for one in check(step).annotations} == {LINES["two-and-two"], LINES["capital"]}
    assert at_lines(done) == []
    assert [one.name for one in obeyed(done.err)] == ["error"]  # the headline


def test_a_check_run_can_do_without_marks(step: Job) -> None:
    worse(step)
    done = step.gate(**CHECK, INPUT_ANNOTATIONS="false")
    assert (check(step).conclusion, check(step).annotations, at_lines(done)) == ("failure", [], [])


def test_a_test_without_a_file_is_told_in_the_log_for_a_check_run_takes_none(step: Job) -> None:
    step.world.answers = {}
    done = builtin(step, **CHECK)
    assert check(step).annotations == []
    assert at_lines(done) != []


REFUSALS = {
    "no permission": (403, {}),
    "not to be seen": (404, {}),
    "refused": (422, {}),
    "too many": (429, {"headers": {"Retry-After": "600"}}),
    "broken": (500, {}),
    "down": (503, {}),
}


@pytest.mark.parametrize(("status", "more"), REFUSALS.values(), ids=REFUSALS.keys())
@pytest.mark.parametrize("answer", ["Paris", "Lyon"])
def test_trouble_is_a_warning_that_names_the_permission_and_changes_no_verdict(
    step: Job, status: int, more: dict[str, Any], answer: str
) -> None:
    step.world.answers["capital"] = answer
    step.github.fail("POST", "/check-runs$", status, times=9, **more)
    done = step.gate(**CHECK)
    assert done.code == (0 if answer == "Paris" else 1)
    (warning,) = [one.data for one in obeyed(done.err) if one.name == "warning" and "check run" in one.data]
    assert warning.startswith('the check run was not left, which takes "checks: write": ')
    assert f"HTTP {status}" in warning
    # The lines are marked all the same.
    assert len(at_lines(done)) == (answer == "Lyon")
    assert step.outputs["verdict"] == ("pass" if answer == "Paris" else "fail")


def test_a_fork_is_told_that_it_cannot(step: Job) -> None:
    step.github.fail("POST", "/(comments|check-runs)$", 403, times=2)
    done = step.gate("pull_request_fork", **CHECK)
    assert done.code == 0
    assert 'which takes "checks: write" (GitHub lets no run of a fork or of Dependabot write): ' in done.err


def test_without_a_token_it_says_so(step: Job) -> None:
    done = step.gate(**CHECK, INPUT_TOKEN="", INPUT_BASELINE="none")
    assert "no check run: no token of GitHub is given" in done.err
    assert done.code == 0


@pytest.mark.parametrize(
    ("payload", "sha"), [("push", TIP), ("merge_group", "d" * 40), ("schedule", TIP), ("release", TIP)]
)
def test_other_events_have_one_too(step: Job, payload: str, sha: str) -> None:
    step.add_release_of_the_event()
    step.gate(payload, **CHECK)
    assert (check(step).head_sha, check(step).conclusion) == (sha, "success")


def test_a_job_that_is_run_again_leaves_one(step: Job) -> None:
    step.gate(**CHECK)
    step.run_id -= 1
    step.gate(**CHECK, GITHUB_RUN_ATTEMPT="2", INPUT_ON_INCONCLUSIVE="warn")
    assert check(step).external_id == f"{step.run_id}/2"


def test_a_gate_that_asked_nothing_leaves_one_that_says_why(step: Job) -> None:
    step.github.releases.clear()
    step.github.add_release("v1.3.0", assets={ASSET: b"no artifact"})
    done = step.gate(**CHECK, INPUT_COMMENT_KEY="nightly")
    assert done.code == 3
    assert (check(step).conclusion, check(step).name) == ("failure", "llm-testbench (nightly)")
    assert check(step).title == "Can't tell: the baseline cannot be used"


# --- What a fork measured


@pytest.fixture
def two(world: Bench) -> Iterator[Stages]:
    with two_stages(world) as made:
        made.release()
        yield made


def test_what_a_fork_measured_is_judged_on_its_commit_without_a_green_tick(two: Stages) -> None:
    two.leave(two.measured())
    done = two.publish(INPUT_CHECK_RUN="true")
    (made,) = two.github.checks.values()
    assert done.code == 0, done.err
    assert (made.head_sha, made.conclusion) == (HEAD, "neutral")
    assert str(made.title).startswith("Self-reported: No drop found")
    assert made.external_id == f"{FORKS_RUN}/1"


def test_lines_of_the_base_are_not_marked_for_a_fork(two: Stages) -> None:
    two.world.answers["2 + 2"] = "five"  # must pass
    two.leave(two.measured())
    done = two.publish(INPUT_CHECK_RUN="true")
    (made,) = two.github.checks.values()
    assert (done.code, made.conclusion, made.annotations) == (1, "failure", [])
    assert "two-and-two" not in done.err


def test_a_pull_request_that_has_moved_on_gets_none(two: Stages) -> None:
    two.leave(two.measured())
    two.github.pulls[17].head_sha = "9" * 40
    done = two.publish(INPUT_CHECK_RUN="true")
    assert two.github.checks == {}
    assert "check run" not in done.err


def test_where_the_pull_request_is_not_known_nothing_is_left_on_the_default_branch(two: Stages) -> None:
    given = two.world.write("fork.json.gz", "")
    made = two.measured()
    given.write_bytes(json.dumps(made).encode())
    two.github.fail("GET", "/pulls", 500, times=20)
    done = two.publish("fork.json", INPUT_CHECK_RUN="true")
    assert "no check run: which commit was measured is not known" in done.err
    assert two.github.checks == {}
