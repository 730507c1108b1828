"""The permissions that docs/github-action.md names are those that GitHub wants, and the examples have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.integration.commands.bench import Bench, Done
from tests.integration.commands.job import ASSET, job
from tests.integration.commands.two_stages import two_stages
from tests.servers.github import FakeGitHub
from tests.unit.messages import quoted

from llm_testbench.github.api import GitHub
from llm_testbench.github.event import Event
from llm_testbench.github.permissions import permissions
from llm_testbench.github.session import session_for

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/github-action.md").read_text("utf-8")
LOWER = {"write": "read", "read": "none"}


def table(first: str) -> list[list[str]]:
    """The rows below the head that begins with this cell."""
    (found,) = re.findall(rf"^\| {first} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found.splitlines()]


def named(cell: str) -> tuple[str, str]:
    name, _, level = cell.strip("`").partition(": ")
    return name, level


TOLD = [(*named(cells[0]), *cells[1:]) for cells in table("permission")]
ALL: Mapping[str, str] = {name: level for name, level, *_ in sorted(TOLD, key=lambda row: row[1])}
"""All that the page names, in its higher level."""

Granted = Mapping[str, str]
Feature = Callable[[Bench, Granted], Done]


def gates(world: Bench, granted: Granted, payload: str = "pull_request", **inputs: str) -> Done:
    with job(world) as step:
        step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
        if payload == "release":
            step.add_release_of_the_event()
        step.github.granted = granted
        return step.gate(payload, **inputs)


def gates_by_recordings(world: Bench, granted: Granted) -> Done:
    with job(world) as step:
        step.record_on_main(step.recorded())
        step.github.granted = granted
        return step.gate()


def leaves_a_check(world: Bench, granted: Granted) -> Done:
    return gates(world, granted, INPUT_CHECK_RUN="true")


def records_a_release(world: Bench, granted: Granted) -> Done:
    return gates(world, granted, "release")


def records_on_a_branch(world: Bench, granted: Granted) -> Done:
    return gates(world, granted, "push", LLMTB_RECORD_TO="ref:kept")


def publishes(world: Bench, granted: Granted) -> Done:
    with two_stages(world) as stages:
        stages.release()
        stages.leave(stages.measured())
        stages.github.granted = granted
        return stages.publish()


FEATURES: list[Feature] = [
    gates,
    gates_by_recordings,
    publishes,
    gates,
    leaves_a_check,
    records_a_release,
    records_on_a_branch,
]
"""By row of the table: something that needs this permission."""
CASES = [
    pytest.param(feature, *row[:2], row[3], id=f"{row[0]}: {row[1]}, {feature.__name__}")
    for feature, row in zip(FEATURES, TOLD, strict=True)
]


def warned(done: Done) -> list[str]:
    return [line for line in done.err.splitlines() if line.startswith(("::warning", "::error"))]


@pytest.mark.parametrize("feature", dict.fromkeys(FEATURES), ids=lambda feature: feature.__name__)
def test_what_the_table_names_is_enough(world: Bench, feature: Feature) -> None:
    done = feature(world, ALL)
    assert (done.code, warned(done)) == (0, [])


@pytest.mark.parametrize(("feature", "name", "level", "told"), CASES)
def test_without_it_happens_what_the_table_tells(
    world: Bench, feature: Feature, name: str, level: str, told: str
) -> None:
    done = feature(world, {**ALL, name: LOWER[level]})
    (message,) = re.findall("`([^`]+)`", told)
    pattern = ".+".join(re.escape(part) for part in message.split("…"))
    assert re.search(pattern, "\n".join(warned(done)))
    assert f'lacks "{name}: {level}"' in done.err
    assert done.code == (3 if "exit code 3" in told else 0)
    assert all(any(entry.search(line) for entry in quoted().values()) for line in warned(done))


@pytest.mark.parametrize("level", ["contents", "actions"])
def test_where_another_source_has_a_baseline_a_permission_to_read_is_but_a_warning(world: Bench, level: str) -> None:
    with job(world) as step:
        recorded = step.recorded()
        if level == "actions":
            step.github.add_release("v1.2.0", assets={ASSET: recorded})
        step.record_on_main(recorded)
        step.github.granted = {**ALL, level: "none"}
        # Another source than those that need the permission: of a record, the file that was recorded.
        step.world.write("baseline.json", (step.world.folder / "made.json").read_text("utf-8"))
        sources = "release, baseline.json" if level == "contents" else "base, baseline.json"
        done = step.gate(INPUT_BASELINE=sources)
    assert done.code == 0
    assert [f'lacks "{level}: read"' in line for line in warned(done)] == [True]


def test_doctor_tries_what_the_table_names() -> None:
    with FakeGitHub() as github:
        event = Event(repository="octo/shop", api_url=github.url)
        found = permissions(GitHub(event, github.token, session=session_for(github.url, None)), github.token)
    assert {one.key for one in found} == {f"{name}: {level}" for name, level, *_ in TOLD}


def workflow(name: str) -> dict[str, Any]:
    folder = ROOT / "examples/workflows"
    return dict(yaml.load((folder / name).read_text("utf-8"), Loader=yaml.BaseLoader))


def test_each_job_of_the_examples_has_the_permissions_that_the_table_tells() -> None:
    heads = re.findall(r"`([\w-]+)`", re.findall(r"^\| job \|(.*)$", PAGE, re.MULTILINE)[0])
    told: dict[tuple[str, str], dict[str, str]] = {}
    for cells in table("job"):
        rights = {name: level for name, level in zip(heads, cells[1:], strict=True) if level != "–"}
        for file, only in re.findall(r"\[([\w.-]+)\]\([^)]*\)(?: `(\w+)`)?", cells[0]):
            told |= {(file, name): rights for name in workflow(file)["jobs"] if only in ("", name)}
    examples = sorted(path.name for path in (ROOT / "examples/workflows").glob("*.yml"))
    assert told == {
        (file, name): one["permissions"] for file in examples for name, one in workflow(file)["jobs"].items()
    }


def test_this_repositorys_own_gate_has_those_of_a_gate_and_only_its_release_has_others() -> None:
    own = {
        path.name: yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
        for path in (ROOT / ".github/workflows").glob("*.yml")
    }
    (gate,) = [one for one in own["pull-request.yml"]["jobs"].values() if "llm-testbench" in str(one.get("steps"))]
    assert gate["permissions"] == {"contents": "read", "actions": "read", "pull-requests": "write"}
    images = {"packages", "id-token", "attestations"}
    having = {
        name: {key for one in file["jobs"].values() for key in one.get("permissions", {})} & images
        for name, file in own.items()
    }
    assert {name: keys for name, keys in having.items() if keys} == {"release.yml": images}
