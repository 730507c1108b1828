"""The workflows that README and examples show are what GitHub takes, and use the action as it is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from llm_testbench.github.action_outputs import OUTPUTS
from llm_testbench.github.pull_lookup import NOT_RUN
from llm_testbench.github.results import FILE_NAMES, RESULTS_NAME
from llm_testbench.github.wanted import ARTIFACT_NAME
from llm_testbench.settings.options import OPTIONS

ROOT = Path(__file__).parents[2]
OURS = "org/llm-testbench@v1"
IMAGE = "docker://ghcr.io/org/llm-testbench"
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")


def readme_workflow() -> str:
    (shown,) = re.findall(r"```yaml\n(name: Model gate\n.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    return str(shown)


WORKFLOWS = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "examples/workflows").glob("*.yml"))}
WORKFLOWS["README.md"] = readme_workflow()
IN_SEVERAL = ("split-run.yml", "fork-measure.yml", "fork-publish.yml")
IN_ONE_STEP = [name for name in WORKFLOWS if name not in IN_SEVERAL]


def loaded(text: str) -> dict[str, Any]:
    # Not YAML's own reading of `on` as true.
    return dict(yaml.load(text, Loader=yaml.BaseLoader))


def steps(text: str) -> Iterator[dict[str, Any]]:
    for job in loaded(text)["jobs"].values():
        yield from job["steps"]


def test_there_is_one_for_each_task() -> None:
    in_one = {"README.md", "gate.yml", "release-baseline.yml", "nightly.yml", "merge-queue.yml", "fork-approved.yml"}
    assert set(WORKFLOWS) == {*in_one, *IN_SEVERAL}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_it_keeps_to_the_schema_of_workflows(name: str, tmp_path: Path) -> None:
    path = tmp_path / "workflow.yml"
    path.write_text(WORKFLOWS[name], "utf-8")
    checked = check(path)
    assert checked.returncode == 0, checked.stdout


def test_the_schema_would_see_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "workflow.yml"
    path.write_text(WORKFLOWS["gate.yml"].replace("timeout-minutes: 30", "timeout-minuets: 30"), "utf-8")
    assert check(path).returncode == 1


def check(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", IN_ONE_STEP)
def test_it_gives_the_action_inputs_that_it_has(name: str) -> None:
    known = set(loaded((ROOT / "action.yml").read_text("utf-8"))["inputs"])
    given = [step["with"] for step in steps(WORKFLOWS[name]) if step.get("uses") == OURS]
    assert len(given) == 1
    assert set(given[0]) <= known
    assert given[0]["api_key"].startswith("${{ secrets.")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_other_actions_are_pinned_by_commit(name: str) -> None:
    others = [step["uses"] for step in steps(WORKFLOWS[name]) if step.get("uses") not in (OURS, IMAGE, None)]
    assert others
    assert all(PINNED.fullmatch(one) for one in others)


@pytest.mark.parametrize("name", IN_ONE_STEP)
def test_it_has_a_time_limit_and_the_rights_it_needs_and_no_more(name: str) -> None:
    workflow = loaded(WORKFLOWS[name])
    (job,) = workflow["jobs"].values()
    rights = job.get("permissions", workflow["permissions"])
    wanted = {"contents": "write" if "release" in workflow["on"] else "read", "actions": "read"}
    if {"pull_request", "pull_request_target"} & workflow["on"].keys():
        wanted["pull-requests"] = "write"
    assert rights == wanted
    assert int(job["timeout-minutes"]) > 0


@pytest.mark.parametrize("name", IN_ONE_STEP)
def test_the_results_are_kept_even_when_the_gate_fails(name: str) -> None:
    last = list(steps(WORKFLOWS[name]))[-1]
    assert last["uses"].startswith("actions/upload-artifact@")
    assert last["if"] == "always()"
    assert last["with"]["path"] == "llm-testbench-results/"
    # What was measured of a fork is nobody's baseline.
    assert (ARTIFACT_NAME in last["with"]["name"]) == (name != "fork-approved.yml")


def test_a_run_in_parts_may_write_nothing_but_the_comment_and_that_from_one_job() -> None:
    jobs = loaded(WORKFLOWS["split-run.yml"])["jobs"]
    assert jobs["measure"]["permissions"] == {"contents": "read"}
    assert jobs["gate"]["permissions"] == {"contents": "read", "actions": "read", "pull-requests": "write"}
    assert all(int(job["timeout-minutes"]) > 0 for job in jobs.values())
    assert [job["steps"][-1]["if"] for job in jobs.values()] == ["always()", "always()"]


def test_the_parts_of_a_matrix_are_all_parts_each_once() -> None:
    shards = loaded(WORKFLOWS["split-run.yml"])["jobs"]["measure"]["strategy"]["matrix"]["shard"]
    assert shards == [f"{number}/{len(shards)}" for number in range(1, len(shards) + 1)]


class TestForksInTwoStages:
    def test_the_first_has_no_right_and_no_key_and_measures_forks_alone(self) -> None:
        text = WORKFLOWS["fork-measure.yml"]
        (job,) = loaded(text)["jobs"].values()
        assert loaded(text)["on"].keys() == {"pull_request"}
        assert job["permissions"] == {"contents": "read"}
        assert "secrets." not in text
        assert "env:" not in text
        assert job["if"] == "github.event.pull_request.head.repo.id != github.event.pull_request.base.repo.id"

    def test_the_second_may_write_the_comment_and_checks_out_nothing_of_the_fork(self) -> None:
        text = WORKFLOWS["fork-publish.yml"]
        (job,) = loaded(text)["jobs"].values()
        assert loaded(text)["on"].keys() == {"workflow_run"}
        assert job["permissions"] == {"contents": "read", "actions": "read", "pull-requests": "write"}
        assert "secrets." not in text
        (checkout,) = [step for step in job["steps"] if step["uses"].startswith("actions/checkout@")]
        assert checkout["with"] == {"persist-credentials": "false"}
        # Nothing of the event is put into a command or an input.
        assert [step.get("run") for step in job["steps"]] == [None, None, None]
        assert re.findall(r"\$\{\{ *(.*?) *\}\}", text) == ["github.event.workflow_run.id", "github.token"]

    def test_they_find_each_other(self) -> None:
        first, second = (loaded(WORKFLOWS[name]) for name in ("fork-measure.yml", "fork-publish.yml"))
        assert second["on"]["workflow_run"] == {"workflows": [first["name"]], "types": ["completed"]}
        left = list(steps(WORKFLOWS["fork-measure.yml"]))[-1]
        assert left["if"] == "always()"
        assert left["with"]["name"] == RESULTS_NAME
        assert Path(left["with"]["path"]).name in FILE_NAMES
        (measuring,) = [step["with"]["args"] for step in steps(WORKFLOWS["fork-measure.yml"]) if step["uses"] == IMAGE]
        assert measuring.endswith(f"--out {left['with']['path']}")

    def test_what_the_second_leaves_behind_is_nobodys_baseline(self) -> None:
        left = list(steps(WORKFLOWS["fork-publish.yml"]))[-1]
        assert left["with"]["name"] not in (RESULTS_NAME, ARTIFACT_NAME)

    def test_both_have_a_time_limit_and_the_second_knows_runs_that_measured_nothing(self) -> None:
        jobs = [job for name in IN_SEVERAL[1:] for job in loaded(WORKFLOWS[name])["jobs"].values()]
        assert all(int(job["timeout-minutes"]) > 0 for job in jobs)
        assert set(re.findall(r'"(\w+)"', jobs[1]["if"])) <= NOT_RUN

    @pytest.mark.parametrize("name", ["fork-measure.yml", "fork-publish.yml"])
    def test_an_audit_finds_nothing_once_our_image_is_pinned(self, name: str, tmp_path: Path) -> None:
        assert audited(WORKFLOWS[name], tmp_path) == []

    def test_the_audit_would_see_what_the_comment_explains(self, tmp_path: Path) -> None:
        bare = re.sub(" # zizmor: ignore.*", "", WORKFLOWS["fork-publish.yml"])
        assert audited(bare, tmp_path) == ["dangerous-triggers"]
        assert re.findall(r"# zizmor: ignore\[(.*?)\] \w+", WORKFLOWS["fork-publish.yml"]) == ["dangerous-triggers"]
        assert "zizmor" not in WORKFLOWS["fork-measure.yml"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_run_is_left_without_a_limit_or_with_more_rights_than_it_names(name: str) -> None:
    workflow = loaded(WORKFLOWS[name])
    assert "concurrency" in workflow or name == "README.md"
    for job in workflow["jobs"].values():
        assert int(job["timeout-minutes"]) > 0
        assert "permissions" in job or workflow["permissions"]
    checkouts = [step for step in steps(WORKFLOWS[name]) if step.get("uses", "").startswith("actions/checkout@")]
    # In a shell nothing of an event is code.
    assert not [step for step in steps(WORKFLOWS[name]) if "${{" in step.get("run", "")]
    assert all("ref" not in step.get("with", {}) for step in checkouts)
    if name != "README.md":
        assert all(step["with"]["persist-credentials"] == "false" for step in checkouts)


class TestForksWithAKey:
    def test_the_queue_needs_the_name_that_pull_requests_have(self) -> None:
        workflow = loaded(WORKFLOWS["merge-queue.yml"])
        assert workflow["on"].keys() == {"pull_request", "merge_group", "push"}
        (job,) = workflow["jobs"].values()
        # One that is skipped counts as passed.
        assert "if" not in job

    def test_an_approval_is_of_one_run_of_a_forks_pull_request(self) -> None:
        workflow = loaded(WORKFLOWS["fork-approved.yml"])
        assert workflow["on"].keys() == {"pull_request_target"}
        assert workflow["on"]["pull_request_target"]["branches"] == ["main"]
        assert "synchronize" in workflow["on"]["pull_request_target"]["types"]
        (job,) = workflow["jobs"].values()
        assert job["if"] == "github.event.pull_request.head.repo.id != github.event.pull_request.base.repo.id"
        assert job["environment"] == {"name": "forks", "deployment": "false"}
        assert workflow["concurrency"]["cancel-in-progress"] == "true"

    def test_what_is_taken_is_bound_to_the_commit_of_the_event(self) -> None:
        job = loaded(WORKFLOWS["fork-approved.yml"])["jobs"]["gate"]
        checkout, take, gate, _ = job["steps"]
        assert checkout["with"] == {"persist-credentials": "false"}
        assert take["env"]["COMMIT"] == "${{ github.event.pull_request.head.sha }}"
        # Key and models are the workflow's; the key is in no step but the gate.
        assert {"endpoint", "models", "suites", "api_key"} <= gate["with"].keys()
        assert WORKFLOWS["fork-approved.yml"].count("secrets.") == 1

    def test_its_limits_are_options(self) -> None:
        gate = next(one for one in steps(WORKFLOWS["fork-approved.yml"]) if one.get("uses") == OURS)
        known = {option.env[0] for option in OPTIONS if "env" in option.sources}
        assert set(gate["env"]) == {"LLMTB_MAX_REQUESTS", "LLMTB_MAX_PLANNED_TOKENS", "LLMTB_MAX_TOKENS_LIMIT"}
        assert set(gate["env"]) <= known

    @pytest.mark.parametrize("name", ["merge-queue.yml", "fork-approved.yml"])
    def test_an_audit_finds_nothing_once_our_action_is_pinned(self, name: str, tmp_path: Path) -> None:
        assert audited(WORKFLOWS[name], tmp_path) == []

    def test_the_audit_would_see_what_the_comment_explains(self, tmp_path: Path) -> None:
        bare = re.sub(" # zizmor: ignore.*", "", WORKFLOWS["fork-approved.yml"])
        assert audited(bare, tmp_path) == ["dangerous-triggers"]
        assert re.findall(r"# zizmor: ignore\[(.*?)\] \w+", WORKFLOWS["fork-approved.yml"]) == ["dangerous-triggers"]
        assert "zizmor" not in WORKFLOWS["merge-queue.yml"]


def audited(text: str, folder: Path) -> list[str]:
    """What zizmor, at its strictest, holds against the workflow with what a user pins our image and action to."""
    path = folder / "workflow.yml"
    pinned = text.replace(IMAGE, f"{IMAGE}@sha256:{'0' * 64}").replace(OURS, f"org/llm-testbench@{'0' * 40} # v1.0.0")
    path.write_text(pinned, "utf-8")
    program = Path(sysconfig.get_path("scripts")) / "zizmor"
    command = [
        str(program),
        "--offline",
        "--no-config",
        "--persona=pedantic",
        "--format=json",
        "--no-exit-codes",
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [str(found["ident"]) for found in json.loads(done.stdout) if not found["ignored"]]


def test_the_page_on_github_tells_every_output() -> None:
    page = (ROOT / "docs/github-action.md").read_text("utf-8")
    told = [name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert set(OUTPUTS) <= set(told)
