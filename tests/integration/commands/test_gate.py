"""The story of a gate run, from the command line to the files and the exit code."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from tests.integration.commands.bench import SUITE, Bench

from llm_testbench import schemas


def test_an_unchanged_model_passes_and_leaves_three_valid_files(world: Bench) -> None:
    assert world.asking("run", "--out", "base.json").code == 0

    done = world.asking("gate", "--baseline", "base.json")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("No drop found")
    artifact, comparison = (
        world.json("llm-testbench-results/artifact.json"),
        world.json("llm-testbench-results/comparison.json"),
    )
    Draft202012Validator(schemas.load("artifact")).validate(artifact)
    Draft202012Validator(schemas.load("comparison")).validate(comparison)
    assert comparison["verdict"] == "pass"
    assert (artifact["meta"]["role"], artifact["meta"]["repeat"], len(artifact["results"])) == ("gate", 3, 6)
    assert "No drop found" in (world.folder / "llm-testbench-results/report.md").read_text()
    assert not list(world.folder.glob("**/*.journal.jsonl*")), "a whole run leaves no journal"


def test_a_broken_must_pass_test_fails_the_gate_and_shows_both_answers(world: Bench) -> None:
    world.asking("run", "--out", "base.json")
    world.answers["2 + 2"] = "It is 5."

    done = world.asking("gate", "--baseline", "base.json")

    assert done.code == 1
    assert done.out.startswith("Fail: 1 must-pass test did not pass")
    assert "two-and-two" in done.out
    assert "suite.yaml:4" in done.out
    assert "It is 5." in done.out
    assert world.json("llm-testbench-results/comparison.json")["verdict"] == "fail"


@pytest.mark.parametrize(
    ("options", "code", "verdict"),
    [
        pytest.param([], 0, "pass", id="a drop is shown and not judged"),
        pytest.param(["--max-drop", "0.4"], 1, "fail", id="more than max_drop"),
        pytest.param(["--max-drop", "0.5"], 0, "pass", id="no more than max_drop"),
        pytest.param(["--min-score", "0.6"], 1, "fail", id="below min_score"),
        pytest.param(["--min-score", "0.6", "--fail-on", "never"], 0, "fail", id="fail_on never keeps the word"),
    ],
)
def test_rules_decide_what_a_drop_means(world: Bench, options: list[str], code: int, verdict: str) -> None:
    world.asking("run", "--out", "base.json")
    world.answers["capital"] = "Lyon"

    done = world.asking("gate", "--baseline", "base.json", *options)

    assert (done.code, world.json("llm-testbench-results/comparison.json")["verdict"]) == (code, verdict)


def test_an_edited_prompt_is_compared_and_marked(world: Bench) -> None:
    world.asking("run", "--out", "base.json")
    world.write("suite.yaml", SUITE.replace("One word.", "Just the name."))

    done = world.asking("gate", "--baseline", "base.json")

    rows = {row["test_id"]: row for row in world.json("llm-testbench-results/comparison.json")["tests"]}
    assert rows["capital"]["status"] == "stable"
    assert rows["capital"]["badges"] == ["prompt changed"]
    assert "1 prompt changed" in done.out


def test_an_edited_check_scores_the_stored_answers_again(world: Bench) -> None:
    world.answers["capital"] = "Lyon"
    world.asking("run", "--out", "base.json")
    assert world.json("base.json")["results"][0]["score"] == 0
    world.write("suite.yaml", SUITE.replace("equals: Paris", "equals: Lyon"))

    done = world.asking("gate", "--baseline", "base.json", "--max-drop", "0.1")

    rows = {row["test_id"]: row for row in world.json("llm-testbench-results/comparison.json")["tests"]}
    assert rows["capital"]["status"] == "stable"
    assert rows["capital"]["badges"] == ["check changed"]
    assert rows["capital"]["baseline"] == {"mean": 1.0, "n": 1}
    assert "1 check changed (the stored answers were scored again)" in done.out


def test_the_report_shows_the_baseline_as_the_edited_check_scores_it(world: Bench) -> None:
    world.asking("run", "--out", "base.json")
    world.answers["capital"] = "Rome"
    world.write("suite.yaml", SUITE.replace("equals: Paris", "contains_any: [Paris, Lyon]"))

    done = world.asking("gate", "--baseline", "base.json", "--max-drop", "0.1")

    assert done.code == 1
    assert "capital on m: 1 of 1 → 0 of 3" in done.out
    assert "Before: attempt 1, score 1.00" in done.out


def test_an_edited_check_without_stored_answers_is_changed_and_not_compared(world: Bench) -> None:
    world.asking("run", "--out", "base.json", "--store-responses", "none")
    world.write("suite.yaml", SUITE.replace("equals: Paris", "equals: Lyon"))

    world.asking("gate", "--baseline", "base.json")

    rows = {row["test_id"]: row for row in world.json("llm-testbench-results/comparison.json")["tests"]}
    assert rows["capital"]["status"] == "changed"
    assert rows["two-and-two"]["status"] == "stable"


def test_a_test_that_the_filters_leave_out_is_not_selected_and_a_deleted_one_removed(world: Bench) -> None:
    world.asking("run", "--out", "base.json")

    world.asking("gate", "--baseline", "base.json", "--tests", "capital")
    filtered = {row["test_id"]: row["status"] for row in world.json("llm-testbench-results/comparison.json")["tests"]}
    world.write("suite.yaml", SUITE[: SUITE.index("  - id: capital")])
    world.asking("gate", "--baseline", "base.json")
    deleted = {row["test_id"]: row["status"] for row in world.json("llm-testbench-results/comparison.json")["tests"]}

    assert filtered == {"capital": "stable", "two-and-two": "not_selected"}
    assert deleted == {"capital": "removed", "two-and-two": "stable"}


def test_without_a_baseline_the_report_says_how_one_comes_to_be(world: Bench) -> None:
    done = world.asking("gate")

    assert done.code == 0
    assert done.out.startswith("No baseline")
    assert "llmtest run" in done.out


def test_an_artifact_that_exists_is_judged_without_asking(world: Bench) -> None:
    world.asking("run", "--out", "base.json")
    world.answers["2 + 2"] = "5"
    world.asking("run", "--out", "now.json")
    asked = len(world.server.requests)

    done = world.llmtest("gate", "--current", "now.json", "--baseline", "base.json")

    assert done.code == 1
    assert len(world.server.requests) == asked


def test_the_json_report_is_the_comparison_file(world: Bench) -> None:
    world.asking("run", "--out", "base.json")

    done = world.asking("gate", "--baseline", "base.json", "--format", "json")

    assert json.loads(done.out) == world.json("llm-testbench-results/comparison.json")


def test_a_streamed_run_scores_like_a_plain_one(world: Bench) -> None:
    world.asking("run", "--out", "base.json")

    done = world.asking("gate", "--baseline", "base.json", "--stream")

    assert done.code == 0
    rows = world.json("llm-testbench-results/artifact.json")["results"]
    assert all(row["ttft_ms"] is not None and row["passed"] for row in rows)
    assert all(request.body["stream"] is True for request in world.server.requests[2:])


def test_the_key_is_sent_in_the_header_and_written_nowhere(world: Bench) -> None:
    key = "sk-canary-0123456789abcdef"
    world.answers["capital"] = f"Your key is {key}"

    done = world.asking("gate", environ={"LLMTB_API_KEY": key})

    assert world.server.requests[0].headers["authorization"] == f"Bearer {key}"
    written = "".join(path.read_text() for path in world.folder.rglob("*") if path.is_file())
    assert key not in written + done.out + done.err
    assert "Your key is ***" in written


def test_it_says_where_the_results_are(world: Bench) -> None:
    done = world.llmtest("gate", "--endpoint", world.server.url, "--models", "m", "--suites", "suite.yaml")

    assert done.err.splitlines()[-1] == "results: llm-testbench-results"


def test_a_header_value_that_is_part_of_a_model_name_costs_no_comparison(world: Bench) -> None:
    config = (
        "endpoint: URL\nmodels: [{name: platform-m, id: m, extra_headers: {X-Team: platform}}]\nsuites: [suite.yaml]\n"
    )
    world.write("llm-testbench.yaml", config.replace("URL", world.server.url))
    world.llmtest("run", "--out", "base.json", "--quiet")

    done = world.llmtest("gate", "--baseline", "base.json", "--quiet")

    assert done.code == 0, done
    assert world.json("llm-testbench-results/comparison.json")["models"][0]["model"] == "platform-m"


def test_an_artifact_that_exists_is_compared_by_its_own_checks(world: Bench) -> None:
    world.answers["capital"] = "Lyon"
    world.asking("run", "--out", "base.json")
    world.write("suite.yaml", SUITE.replace("equals: Paris", "equals: Lyon"))
    world.asking("run", "--out", "now.json")

    world.llmtest("gate", "--current", "now.json", "--baseline", "base.json")

    rows = {row["test_id"]: row for row in world.json("llm-testbench-results/comparison.json")["tests"]}
    assert (rows["capital"]["status"], rows["capital"]["baseline"]["mean"]) == ("stable", 1.0)
    assert world.json("llm-testbench-results/artifact.json") == world.json("now.json")


def test_a_gate_that_ends_before_its_report_leaves_none_of_another_run(world: Bench) -> None:
    world.asking("gate")

    assert world.asking("gate", "--tests", "nothing").code == 2
    assert not (world.folder / "llm-testbench-results/comparison.json").exists()
    assert not (world.folder / "llm-testbench-results/report.md").exists()
