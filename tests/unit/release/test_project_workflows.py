"""The project's own workflows: what each may do, how long, with which Actions and scripts."""

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
from scripts.action_pins import read

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".github/workflows"
TEXTS = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.iterdir())}
EACH = pytest.mark.parametrize("name", TEXTS)
PINS = {pin.action: pin for pin in read((ROOT / "requirements/actions.lock").read_text("utf-8"))}
COPIED = [*sorted((ROOT / "examples/workflows").glob("*.yml")), ROOT / "README.md"]
CHECKS = "$/.github/workflows/checks.yml"

# What each job may do, and nothing else.
RIGHTS: dict[str, dict[str, dict[str, str]]] = {
    "checks.yml": {
        "static": {"contents": "read"},
        "security": {"contents": "read"},
        "tests": {"contents": "read"},
        "oldest": {"contents": "read"},
        "coverage": {"contents": "read", "pull-requests": "write"},
        "container": {"contents": "read"},
        "full": {"contents": "read"},
    },
    "pull-request.yml": {
        "checks": {"contents": "read", "pull-requests": "write"},
        "codeql": {"contents": "read", "actions": "read", "security-events": "write"},
        "gate": {"contents": "read", "actions": "read", "pull-requests": "write"},
    },
    "release.yml": {
        "checks": {"contents": "read", "pull-requests": "write"},
        "plan": {"contents": "read"},
        "baseline": {"contents": "read", "actions": "read"},
        "images": {"contents": "read", "packages": "write", "id-token": "write", "attestations": "write"},
        "publish": {"contents": "write", "actions": "read"},
        "tag-images": {"contents": "read", "packages": "write"},
    },
    "autoupdate.yml": {
        "refresh": {"contents": "read"},
        "pull-request": {"contents": "write", "pull-requests": "write"},
    },
}


def loaded(name: str) -> dict[str, Any]:
    # Not YAML's own reading of `on` as true.
    return dict(yaml.load(TEXTS[name], Loader=yaml.BaseLoader))


def jobs(name: str) -> dict[str, dict[str, Any]]:
    return dict(loaded(name)["jobs"])


def steps(name: str) -> Iterator[dict[str, Any]]:
    for job in jobs(name).values():
        yield from job.get("steps", [])


def test_there_are_four() -> None:
    assert TEXTS.keys() == RIGHTS.keys()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("checks.yml", {"workflow_call"}),
        ("pull-request.yml", {"pull_request", "push"}),
        ("release.yml", {"push", "workflow_dispatch"}),
        ("autoupdate.yml", {"schedule", "workflow_dispatch"}),
    ],
)
def test_each_starts_when_it_should(name: str, expected: set[str]) -> None:
    assert set(loaded(name)["on"]) == expected


def test_the_details_of_their_starts() -> None:
    assert loaded("pull-request.yml")["on"] == {
        "pull_request": {"branches": ["main"]},
        "push": {"branches-ignore": ["main"]},
    }
    release = loaded("release.yml")["on"]["push"]
    assert release["branches"] == ["main"]
    assert set(release["paths"]) >= {"src/**", "requirements/*.lock", "Dockerfile", "action.yml", "schemas/**"}
    assert loaded("autoupdate.yml")["on"]["schedule"] == [{"cron": "0 3 * * *"}]
    assert set(loaded("checks.yml")["on"]["workflow_call"]["inputs"]) == {"coverage", "full"}


@EACH
def test_every_path_of_the_release_is_there(name: str) -> None:
    paths = loaded(name)["on"].get("push", {}).get("paths", []) if "push" in loaded(name)["on"] else []
    assert [path for path in paths if not list(ROOT.glob(path))] == []


@EACH
def test_nothing_is_allowed_but_what_a_job_needs(name: str) -> None:
    assert loaded(name)["permissions"] == {}
    assert {job: each["permissions"] for job, each in jobs(name).items()} == RIGHTS[name]


@EACH
def test_every_job_ends_in_time(name: str) -> None:
    for job, each in jobs(name).items():
        if "uses" not in each:  # the called workflow's jobs have their own limits
            assert 0 < int(each["timeout-minutes"]) <= 350, job


@EACH
def test_runs_do_not_pile_up(name: str) -> None:
    assert loaded(name)["concurrency"].keys() == {"group", "cancel-in-progress"}


def test_a_release_is_never_cancelled_half_way() -> None:
    assert loaded("release.yml")["concurrency"] == {"group": "release", "cancel-in-progress": "false"}


@EACH
def test_actions_are_those_of_the_lock(name: str) -> None:
    used = re.findall(r"uses: (\S+)(?: # (\S+))?", TEXTS[name])
    assert used
    for reference, tag in used:
        if reference == CHECKS:
            continue
        action, commit = reference.split("@")
        pin = PINS["/".join(action.split("/")[:2])]
        assert (commit, tag) == (pin.commit, pin.tag), reference


@pytest.mark.parametrize(
    "path", [*(ROOT / "examples/workflows").glob("*.yml"), ROOT / "README.md"], ids=lambda p: p.name
)
def test_what_users_copy_names_the_same_commits(path: Path) -> None:
    for action, commit, tag in re.findall(r"uses: ([\w-]+/[\w-]+)@([0-9a-f]{40}) # (\S+)", path.read_text("utf-8")):
        assert (commit, tag) == (PINS[action].commit, PINS[action].tag), action


@EACH
def test_checkouts_leave_no_credentials_behind(name: str) -> None:
    checkouts = [step for step in steps(name) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] == "false" for step in checkouts)


@EACH
def test_no_secret_is_used_but_the_one_that_autoupdate_may_have(name: str) -> None:
    used = set(re.findall(r"secrets\.(\w+)", TEXTS[name]))
    assert used == ({"AUTOUPDATE_TOKEN"} if name == "autoupdate.yml" else set())
    assert "secrets: inherit" not in TEXTS[name]


@EACH
def test_scripts_hold_the_logic_and_expressions_stay_out_of_them(name: str) -> None:
    for step in steps(name):
        script = step.get("run", "")
        assert "${{" not in script
        assert len(script.splitlines()) <= 3, script


@EACH
def test_what_is_run_exists(name: str) -> None:
    runs = [step["run"] for step in steps(name) if "run" in step]
    for script in runs:
        for path in re.findall(r"(?m)^\s*((?:scripts|\.ci)/\S+)", script):
            assert (ROOT / path).stat().st_mode & 0o111, path
        for module in re.findall(r"-m (scripts\S*)", script):
            path = ROOT / module.replace(".", "/")
            assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module
        for path in re.findall(r"-r (\S+)", script):
            assert (ROOT / path).is_file(), path
        first = script.split()[0]
        assert first.startswith(("scripts/", ".ci/")) or first in ("python3", "docker"), script


@EACH
def test_what_a_script_expands_was_handed_over(name: str) -> None:
    for step in steps(name):
        wanted = set(re.findall(r"\$([A-Z_]+)", step.get("run", ""))) - {"RUNNER_TEMP"}
        assert wanted <= step.get("env", {}).keys(), step["name"]


@EACH
def test_what_is_handed_over_is_used(name: str) -> None:
    for step in (one for one in steps(name) if "run" in one):
        first = ROOT / step["run"].split()[0]
        script = step["run"] + (first.read_text("utf-8") if first.is_file() else "")
        unused = {key for key in step.get("env", {}) if not re.search(rf"\b{key}\b", script)} - {
            "PYTHONPATH",
            "GITHUB_TOKEN",
        }
        assert unused == set(), step["name"]


@pytest.mark.parametrize("name", ["pull-request.yml", "release.yml"])
def test_the_checks_are_called_first(name: str) -> None:
    called = jobs(name)["checks"]
    assert called["uses"] == CHECKS
    asked = {pair for rights in RIGHTS["checks.yml"].values() for pair in rights.items()}
    assert set(called["permissions"].items()) == asked


def test_a_release_is_made_step_by_step() -> None:
    release = jobs("release.yml")
    assert {job: each.get("needs", []) for job, each in release.items()} == {
        "checks": [],
        "plan": "checks",
        "baseline": "plan",
        "images": ["plan", "baseline"],
        "publish": ["plan", "baseline", "images"],
        "tag-images": ["plan", "publish"],
    }
    assert release["checks"]["with"] == {"full": "true"}
    assert release["publish"]["environment"] == "release"


def test_each_target_is_built_for_both_machines_and_attested() -> None:
    found = [step["with"] for step in jobs("release.yml")["images"]["steps"] if "build-push" in step.get("uses", "")]
    image = "${{ needs.plan.outputs.image }}:${{ needs.plan.outputs.version }}"
    assert [(each["target"], each["tags"]) for each in found] == [
        ("default", image),
        ("code", f"{image}-code"),
        ("local", f"{image}-local"),
    ]
    for each in found:
        assert (each["platforms"], each["push"]) == ("linux/amd64,linux/arm64", "true")
        assert "org.opencontainers.image.version=${{ needs.plan.outputs.version }}" in each["labels"]
    attested = [step["with"]["subject-digest"] for step in steps("release.yml") if "attest" in step.get("uses", "")]
    assert attested == [f"${{{{ steps.{target}.outputs.digest }}}}" for target in ("default", "code", "local")]


def test_main_is_recorded_under_the_name_that_gates_look_for() -> None:
    (kept,) = [step["with"] for step in jobs("release.yml")["baseline"]["steps"] if "upload" in step.get("uses", "")]
    assert kept["name"] == "llm-testbench-baseline"


@pytest.mark.parametrize(("name", "job"), [("pull-request.yml", "gate"), ("release.yml", "baseline")])
def test_the_gate_on_itself_runs_what_the_dockerfile_builds_here(name: str, job: str) -> None:
    commands = [step["run"] for step in jobs(name)[job]["steps"] if "run" in step][-2:]
    assert commands == [
        "docker build --target local --tag llm-testbench:gate .",
        "scripts/gate-on-itself llm-testbench:gate",
    ]


@EACH
def test_it_keeps_to_the_schema_of_workflows(name: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, str(FOLDER / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def audited(path: Path, persona: str) -> list[str]:
    zizmor = str(Path(sysconfig.get_path("scripts")) / "zizmor")
    command = [
        zizmor,
        "--quiet",
        "--offline",
        "--no-exit-codes",
        "--no-config",
        "--format=json",
        f"--persona={persona}",
    ]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
    return [f"{found['ident']}: {found['locations'][0]['symbolic']['key']}" for found in json.loads(done.stdout)]


@EACH
def test_an_audit_finds_nothing(name: str) -> None:
    assert audited(FOLDER / name, "regular") == []


@EACH
def test_a_pedantic_audit_finds_only_the_action_that_was_chosen(name: str) -> None:
    # The pull request of autoupdate is opened by peter-evans/create-pull-request, not by `gh`.
    expected = ["superfluous-actions"] if name == "autoupdate.yml" else []
    assert [one.partition(":")[0] for one in audited(FOLDER / name, "pedantic")] == expected


def test_the_audit_would_see_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "gate.yml"
    path.write_text(re.sub("@[0-9a-f]{40}", "@v1", TEXTS["pull-request.yml"]), "utf-8")
    assert any(found.startswith("unpinned-uses") for found in audited(path, "regular"))


def test_nothing_is_exempt_from_the_audit() -> None:
    assert not [name for name, text in TEXTS.items() if "zizmor: ignore" in text]
    assert not [path for path in (ROOT / "zizmor.yml", ROOT / ".github/zizmor.yml") if path.exists()]
