"""run, list, compare, health, rescore, validate, schema and version, on real files."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.integration.commands.bench import SUITE, Bench

from llm_testbench import __version__, schemas
from llm_testbench.sandbox import workshop


def test_a_run_reports_and_keeps_an_artifact_when_asked(world: Bench) -> None:
    silent = world.asking("run")
    kept = world.asking("run", "--out", "deep/out.json.gz")

    assert silent.code == kept.code == 0
    assert "2 tests, 1 model, 1 attempt each" in kept.out
    assert json.loads(gzip.decompress((world.folder / "deep/out.json.gz").read_bytes()))["meta"]["role"] == "run"


def test_the_json_report_of_a_run_is_the_artifact(world: Bench) -> None:
    done = world.asking("run", "--out", "out.json", "--format", "json")

    assert json.loads(done.out) == world.json("out.json")


def test_a_wrong_answer_is_no_failure_of_a_run(world: Bench) -> None:
    world.answers.clear()

    assert world.asking("run").code == 0


def test_a_plan_asks_nothing(world: Bench) -> None:
    done = world.asking("run", "--plan", "--repeat", "7")

    assert done.code == 0
    assert done.out.startswith("14 requests")
    assert world.server.requests == []


def test_progress_goes_to_stderr_and_quiet_silences_it(world: Bench) -> None:
    loud = world.llmtest("run", "--endpoint", world.server.url, "--models", "m", "--suites", "suite.yaml")

    assert "100%  2/2" in loud.err
    assert "100%" not in loud.out
    assert world.asking("run").err == ""


def test_list_shows_tests_in_each_form(world: Bench) -> None:
    table = world.llmtest("list", "--suites", "suite.yaml")
    data = world.llmtest("list", "--suites", "suite.yaml", "--tests", "cap*", "--format", "json")

    assert "two-and-two" in table.out
    assert "2 tests" in table.out
    assert [test["id"] for test in json.loads(data.out)] == ["capital"]


def test_a_filter_that_matches_nothing_is_said_beside_one_that_does(world: Bench) -> None:
    done = world.llmtest("list", "--suites", "suite.yaml", "--tests", "capital,two-and-tow")

    assert done.code == 0
    assert "warning: tests: 'two-and-tow' matches no test; did you mean 'two-and-two'?" in done.err


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--fail-on", "regression"], 1), (["--fail-on", "never"], 0)])
def test_compare_judges_only_when_asked(world: Bench, options: list[str], code: int) -> None:
    world.asking("run", "--out", "base.json")
    world.answers["2 + 2"] = "5"
    world.asking("run", "--out", "now.json")

    done = world.llmtest("compare", "base.json", "now.json", *options)

    assert done.code == code
    assert "two-and-two" in done.out


def test_compare_takes_each_cell_from_the_first_base_that_has_it(world: Bench) -> None:
    world.asking("run", "--tests", "capital", "--out", "first.json")
    world.answers["2 + 2"] = "5"
    world.asking("run", "--out", "second.json")
    # Two runs that began in the same second would be taken for one.
    second = world.json("second.json")
    second["meta"]["started_at"] = "2026-01-01T00:00:00Z"
    world.write("second.json", json.dumps(second))

    done = world.llmtest("compare", "first.json", "second.json", "second.json", "--format", "json")

    found = json.loads(done.out)
    assert {row["test_id"]: row["status"] for row in found["tests"]} == {"capital": "stable", "two-and-two": "stable"}
    assert [(run["source"], run["cells"], run["pooled"], run["used"], run["why"]) for run in found["pooled"]] == [
        ("first.json", 1, 0, True, ""),
        ("second.json", 1, 1, True, ""),
    ]


def test_health_names_what_carries_no_signal(world: Bench) -> None:
    world.asking("run", "--out", "base.json")

    assert "2 tests saturated" in world.llmtest("health", "base.json").out
    assert json.loads(world.llmtest("health", "base.json", "--format", "json").out)["tests"]


def test_rescore_applies_the_checks_of_today(world: Bench) -> None:
    world.answers["capital"] = "Lyon"
    world.asking("run", "--out", "base.json")
    world.write("suite.yaml", SUITE.replace("equals: Paris", "equals: Lyon"))
    asked = len(world.server.requests)

    done = world.llmtest("rescore", "base.json", "--suites", "suite.yaml", "--out", "new.json")

    assert done.code == 0
    assert [row["score"] for row in world.json("base.json")["results"]] == [0, 1]
    assert [row["score"] for row in world.json("new.json")["results"]] == [1, 1]
    assert len(world.server.requests) == asked


def test_rescore_says_what_it_could_not_score(world: Bench) -> None:
    world.asking("run", "--out", "base.json", "--store-responses", "none")

    done = world.llmtest("rescore", "base.json")

    assert done.code == 0
    assert "capital on m keeps its old score" in done.err


def test_validate_proves_suites_config_and_artifacts(world: Bench) -> None:
    world.asking("run", "--out", "base.json")
    world.write("llm-testbench.yaml", "endpoint: http://localhost:1/v1\nmodels: [m]\nsuites: [suite.yaml]\n")

    named = world.llmtest("validate", "suite.yaml", "llm-testbench.yaml", "base.json")
    unnamed = world.llmtest("validate")

    assert (named.code, unnamed.code) == (0, 0)
    assert "2 tests with 4 examples" in named.out
    assert "2 tests with 4 examples" in unnamed.out
    assert "an artifact with 2 attempts" in named.out


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        pytest.param("s.yaml", SUITE.replace('"5", score: 0', '"5", score: 1'), "s.yaml:10:", id="a wrong example"),
        pytest.param("s.yaml", SUITE.replace("prompt:", "promt:"), "did you mean 'prompt'?", id="an unknown key"),
        pytest.param("s.yaml", "tests: [", "not YAML", id="no YAML"),
        pytest.param("c.yaml", "modles: [m]\n", "did you mean 'models'?", id="a bad config"),
        pytest.param("a.json", '{"schema_version": 1}', "meta", id="a bad artifact"),
        pytest.param("a.json", "{", "not JSON", id="no JSON"),
    ],
)
def test_validate_ends_with_2_and_a_table(world: Bench, name: str, text: str, says: str) -> None:
    world.write(name, text)

    done = world.llmtest("validate", name)
    data = world.llmtest("validate", name, "--format", "json")

    assert done.code == data.code == 2
    assert says in " ".join(done.out.split())
    assert json.loads(data.out)["valid"] is False


COMPUTED = """
category: c
subcategory: s
tests:
  - id: sum
    prompt: What is 2 + 3?
    evaluate: {numeric: 5}
    ground_truth: print(2 + 3)
    examples: [{response: "5", score: 1}, {response: "6", score: 0}]
  - id: echo
    prompt: Write a bash script that prints five.
    evaluate: {code: {language: bash, stdout: five}}
    examples: [{response: echo five, score: 1}, {response: echo six, score: 0}]
"""


def test_validate_runs_what_a_suite_computes_and_the_programs_of_its_examples(world: Bench) -> None:
    world.write("right.yaml", COMPUTED)
    world.write("computed.yaml", COMPUTED.replace("2 + 3)", "2 * 3)"))
    world.write("scored.yaml", COMPUTED.replace("echo six, score: 0", "echo six, score: 1"))

    right, computed, scored = (world.llmtest("validate", f"{name}.yaml") for name in ("right", "computed", "scored"))

    assert (right.code, right.out.split("\n")[0], right.err) == (0, "All valid", "")
    assert computed.code == scored.code == 2
    assert "computed.yaml:8:5 sum the ground_truth prints '6'" in " ".join(computed.out.split())
    assert "example 2 must score 1 but scores 0" in " ".join(scored.out.split())


def test_validate_says_what_it_cannot_prove_where_nothing_is_run(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(workshop, "Launchers", refused)
    world.write("s.yaml", COMPUTED)

    done = world.llmtest("validate", "s.yaml")
    data = world.llmtest("validate", "s.yaml", "--format", "json")

    assert (done.code, done.out.split("\n")[0]) == (0, "No fault found, 2 tests not proven")
    assert json.loads(data.out)["unproven"] == [
        {"file": "s.yaml", "reason": "the sandbox could not be started: no room", "test_ids": ["sum", "echo"]}
    ]


def test_validate_names_a_file_that_is_not_there(world: Bench) -> None:
    assert world.llmtest("validate", "nothing.yaml").code == 2


@pytest.mark.parametrize("name", schemas.NAMES)
def test_schema_prints_the_file(world: Bench, name: str) -> None:
    assert json.loads(world.llmtest("schema", name).out) == schemas.load(name)


def test_version_is_one_word(world: Bench) -> None:
    assert world.llmtest("version").out == f"{__version__}\n"
