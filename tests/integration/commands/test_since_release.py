"""A gate that compares with recordings of main also looks how far the means are from the last release."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integration.commands.bench import Bench
from tests.integration.commands.job import ASSET, BASE, OLD, Job, job

SIZE = 40
TESTS = "\n".join(
    f"  - {{id: t-{number:02}, prompt: 'Say {number:02}.', evaluate: {{equals: 'yes {number:02}'}},"
    f" examples: [{{response: 'yes {number:02}', score: 1}}, {{response: 'no', score: 0}}]}}"
    for number in range(SIZE)
)
SUITE = f"category: words\nsubcategory: said\ntests:\n{TESTS}\n"


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    world.write("suite.yaml", SUITE)
    with job(world) as made:
        broken(made, 0)
        yield made


def broken(step: Job, first: int) -> None:
    """The model answers the first so many tests wrong."""
    step.world.answers.clear()
    step.world.answers.update({f"Say {at:02}": f"yes {at:02}" if at >= first else "no" for at in range(SIZE)})


def ratchet(step: Job) -> None:
    """All was well at the release; main lost a quarter of the tests since, and the pull request changes nothing."""
    then = step.recorded(finished_at="2026-01-01T00:00:00Z", git={"sha": OLD})
    step.github.add_release("v1.2.0", assets={ASSET: then})
    broken(step, 10)
    step.record_on_main(step.recorded(), sha=BASE)


def comparison(step: Job) -> Any:
    return step.world.json("llm-testbench-results/comparison.json")


def warned(step: Job) -> list[str]:
    return [one["message"] for one in comparison(step)["warnings"] if one["code"] == "since_release"]


def asked_for_releases(step: Job) -> int:
    return sum(seen.path.endswith("/releases") for seen in step.github.requests)


def test_a_slow_ratchet_is_told_though_each_step_passes(step: Job) -> None:
    ratchet(step)
    done = step.gate(INPUT_BASELINE="base")
    assert done.code == 0
    found = comparison(step)["since_release"]
    assert (found["tag"], found["sha"], found["left_out"]) == ("v1.2.0", OLD, 0)
    assert found["age_s"] > 0
    assert found["overall"]["delta"] == found["models"][0]["delta"] == -0.25
    assert found["models"][0]["status"] == "regression"
    assert step.outputs["baseline_tag"] == ""
    assert step.outputs["verdict"] == "pass"
    (warning,) = warned(step)
    assert warning.startswith("m: 25.0 points lower (95 %: ")
    for told in (step.comments[0], step.summary, done.out):
        first, _, rest = told.partition("Models")
        assert "No drop found" in first
        assert "25.0 points lower" in first
        assert "Since release" in rest


def test_no_rule_of_the_user_looks_at_it(step: Job) -> None:
    ratchet(step)
    assert step.gate(INPUT_BASELINE="base", INPUT_MAX_DROP="0.01", INPUT_FAIL_ON="suspected").code == 0
    assert len(warned(step)) == 1


def test_a_recording_tells_it_too(step: Job) -> None:
    ratchet(step)
    assert step.gate("push", INPUT_BASELINE="base").code == 0
    assert comparison(step)["role"] == "record"
    assert len(warned(step)) == 1
    assert "Since release" in step.summary


def test_beside_a_release_nothing_further_is_asked_for(step: Job) -> None:
    ratchet(step)
    broken(step, 0)
    assert step.gate().code == 0
    assert step.outputs["baseline_tag"] == "v1.2.0"
    assert comparison(step)["since_release"] is None
    assert asked_for_releases(step) == 1


def test_a_release_that_the_search_has_read_is_not_read_again(step: Job) -> None:
    ratchet(step)
    whole = json.loads(gzip.decompress(step.recorded()))
    few = [row for row in whole["results"] if row["test_id"] < "t-15"]
    step.github.add_release("v1.3.0", assets={ASSET: gzip.compress(json.dumps({**whole, "results": few}).encode())})
    assert step.gate(INPUT_BASELINE="release, base").code == 0
    found = comparison(step)["since_release"]
    assert (found["tag"], found["overall"]["current"]["n"], found["left_out"]) == ("v1.3.0", 15, 25)
    assert asked_for_releases(step) == 1


def test_releases_that_were_looked_at_in_vain_are_not_looked_at_again(step: Job) -> None:
    step.record_on_main(step.recorded(), sha=BASE)
    assert step.gate().code == 0
    assert comparison(step)["since_release"] is None
    assert asked_for_releases(step) == 1


def test_without_a_release_nothing_is_said(step: Job) -> None:
    step.record_on_main(step.recorded(), sha=BASE)
    done = step.gate(INPUT_BASELINE="base")
    assert (done.code, comparison(step)["since_release"]) == (0, None)
    assert "release" not in done.err
    assert asked_for_releases(step) == 1


def test_the_newest_release_that_can_be_used_is_taken(step: Job) -> None:
    ratchet(step)
    step.github.add_release("v1.3.0", assets={ASSET: b"broken"}, published_at="2026-11-01T00:00:00Z")
    assert step.gate(INPUT_BASELINE="base").code == 0
    assert comparison(step)["since_release"]["tag"] == "v1.2.0"


def test_releases_are_chosen_as_baselines_are(step: Job) -> None:
    ratchet(step)
    step.github.add_release("eval-2", assets={ASSET: step.recorded()})
    assert step.gate(INPUT_BASELINE="base", INPUT_BASELINE_TAG="v*").code == 0
    assert comparison(step)["since_release"]["tag"] == "v1.2.0"


def test_trouble_with_github_is_a_note_and_the_row_is_missing(step: Job) -> None:
    ratchet(step)
    step.github.fail("GET", "/releases$", 403, body={"message": "Resource not accessible by integration"}, times=9)
    done = step.gate(INPUT_BASELINE="base")
    assert (done.code, comparison(step)["since_release"]) == (0, None)
    (note,) = [line for line in done.err.splitlines() if line.startswith("note: how far")]
    assert 'lacks "contents: read"' in note
    assert "::warning" not in done.err


def test_a_file_is_compared_with_and_nobody_is_asked(step: Job) -> None:
    ratchet(step)
    step.world.asking("run", "--repeat", "2", "--out", "base.json")
    before = len(step.github.requests)
    assert step.gate("push_branch", INPUT_BASELINE="base.json").code == 0
    assert comparison(step)["since_release"] is None
    assert len(step.github.requests) == before


def test_tests_that_were_edited_since_the_release_are_left_out(step: Job) -> None:
    ratchet(step)
    suite = SUITE.replace("Say 39.", "Please say 39.").replace("equals: 'yes 38'", "contains_all: ['yes 38']")
    step.world.write("suite.yaml", suite)
    step.world.answers["Please say 39"] = "yes 39"
    assert step.gate(INPUT_BASELINE="base").code == 0
    assert comparison(step)["since_release"]["left_out"] == 2
    assert "2 tests are left out" in step.comments[0]
