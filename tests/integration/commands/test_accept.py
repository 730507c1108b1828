"""`llmtest accept`: a drop that is wanted no longer fails the gate, a further one does."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.integration.commands.bench import Bench, Done

from llm_testbench.cli import main
from llm_testbench.commands.edges import Edges
from llm_testbench.compare.model import Acceptance
from llm_testbench.settings.accepted_file import read_accepted

RESULTS = "llm-testbench-results/comparison.json"


def comparison(*entries: Any, **changes: Any) -> str:
    return json.dumps({"schema_version": 1, "verdict": "fail", "accept": list(entries), **changes})


def of_cell(test: str, *scores: float, model: str = "m") -> dict[str, Any]:
    return {"model": model, "test": test, "scores": list(scores)}


ROW = {"model": "m", "tests": {"a": [0], "b": [1, 0]}}


def entries(world: Bench, name: str = "accepted.yaml") -> tuple[Acceptance, ...]:
    return read_accepted(world.folder / name)


def test_the_drops_of_a_comparison_are_written_beside_the_config(world: Bench) -> None:
    world.write(".github/llm-testbench.yaml", "suites: [suite.yaml]\n")
    world.write("c.json", comparison(of_cell("a", 0, 0.5), ROW))

    done = world.llmtest("accept", "c.json", "--reason", "a smaller model, #12", "--until", "2999-12-31")

    assert done.code == 0
    assert done.out.splitlines() == [
        ".github/accepted.yaml: 2 drops accepted",
        "- a on m: 0.25 in 2 attempts",
        "- m: 0.25 over 2 tests",
    ]
    assert (world.folder / ".github/accepted.yaml").read_text("utf-8") == (
        '- model: "m"\n  test: "a"\n  scores: [0, 0.5]\n'
        '  reason: "a smaller model, #12"\n  until: "2999-12-31"\n'
        '- model: "m"\n  reason: "a smaller model, #12"\n  until: "2999-12-31"\n'
        '  tests:\n    "a": [0]\n    "b": [1, 0]\n'
    )


def test_what_stands_in_the_file_stays(world: Bench) -> None:
    before = "# agreed in June\n- {model: m, test: b, scores: [0.5], reason: old}\n- {model: m, test: a, scores: [1]}\n"
    world.write("accepted.yaml", before)
    world.write("c.json", comparison(of_cell("a", 0), of_cell("z", 0)))

    assert world.llmtest("accept", "c.json").code == 0

    text = (world.folder / "accepted.yaml").read_text("utf-8")
    assert text.startswith("# agreed in June\n- {model: m, test: b, scores: [0.5], reason: old}\n")
    assert [(entry.test, *entry.tests.values()) for entry in entries(world)] == [
        ("b", (0.5,)),
        ("a", (0,)),
        ("z", (0,)),
    ]


def test_a_byte_order_mark_does_no_harm(world: Bench) -> None:
    world.write("accepted.yaml", "\ufeff# agreed\n- {model: m, test: b, scores: [1]}\n")
    world.write("c.json", comparison(of_cell("a", 0)))

    assert world.llmtest("accept", "c.json").code == 0

    assert (world.folder / "accepted.yaml").read_text("utf-8").startswith("# agreed\n- {model: m")
    assert len(entries(world)) == 2


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        pytest.param("a", [{"a": (0,)}, {"a": (0,)}], id="one, of a model's too"),
        pytest.param("c[*],b", [{"c[x]": (1,)}, {"b": (1, 0)}], id="globs, brackets as they are"),
    ],
)
def test_tests_can_be_chosen(world: Bench, patterns: str, kept: list[Mapping[str, Any]]) -> None:
    world.write("c.json", comparison(of_cell("a", 0), of_cell("c[x]", 1), ROW))

    assert world.llmtest("accept", "c.json", "--tests", patterns).code == 0

    assert [entry.tests for entry in entries(world)] == kept


def test_another_file_can_be_named(world: Bench) -> None:
    world.write("c.json", comparison(of_cell("a", 0)))

    assert world.llmtest("accept", "c.json", "--out", "deep/other.yaml").out.startswith("deep/other.yaml: 1 drop")

    assert len(entries(world, "deep/other.yaml")) == 1
    assert not (world.folder / "accepted.yaml").exists()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(comparison(), id="no drop"),
        pytest.param('{"schema_version": 1, "verdict": "fail"}', id="of a version that offered none"),
    ],
)
def test_a_comparison_without_a_drop_is_no_failure(world: Bench, text: str) -> None:
    world.write("c.json", text)

    done = world.llmtest("accept", "c.json")

    assert (done.code, done.out) == (0, "nothing to accept: c.json holds no drop that failed the gate\n")
    assert not (world.folder / "accepted.yaml").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("{", "c.json: is not JSON", id="no JSON"),
        pytest.param("[" * 100_000, "c.json: is not JSON: nested deeper", id="deep"),
        pytest.param("[1]", "c.json: is no comparison: expected the comparison.json that a gate writes", id="a list"),
        pytest.param(
            '{"schema_version": 1, "meta": {}, "tests": [], "results": []}',
            "c.json: is no comparison",
            id="an artifact",
        ),
        pytest.param(
            comparison(schema_version="1"), "c.json: is no comparison: expected a schema_version", id="version"
        ),
        pytest.param(comparison(schema_version=True), "is no comparison: expected a schema_version", id="no number"),
        pytest.param(comparison(schema_version=0), "is no comparison: expected a schema_version", id="no version"),
        pytest.param(comparison(schema_version=2), "written by a newer llmtest (schema_version 2)", id="newer"),
        pytest.param(comparison(verdict="great"), "c.json: verdict: expected one of pass, fail", id="no verdict"),
        pytest.param(comparison(accept={}), "c.json: accept: expected a list, got a mapping", id="no list"),
        pytest.param(
            comparison(of_cell("a", 2)), "c.json: accept[0].scores[0]: expected a number from 0 to 1", id="score"
        ),
        pytest.param(comparison(of_cell("\ud800", 0)), "c.json: accept[0].test: expected whole characters", id="half"),
        pytest.param(comparison({"model": "m", "oops": 1}), "accept[0].oops: unknown key", id="a key of its own"),
    ],
)
def test_what_is_no_comparison_ends_with_one_line_and_2(world: Bench, text: str, says: str) -> None:
    world.write("c.json", text)

    done = world.llmtest("accept", "c.json")

    assert done.code == 2
    assert done.errors[0].startswith("error: c.json: ")
    assert says in done.errors[0]
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["nothing.json"], "nothing.json: there is no such file", id="no file"),
        pytest.param(["c.json", "--tests", "refnud"], "'refnud'; did you mean 'refund'?", id="a typing error"),
        pytest.param(
            ["c.json", "--tests", "zzz"], "no drop of this comparison is of 'zzz'; there are refund", id="none"
        ),
        pytest.param(
            ["c.json", "--until", "2020-01-01"], "flag --until: 2020-01-01 is over", id="a day that has passed"
        ),
        pytest.param(["c.json", "--until", "soon"], "flag --until: expected a day as YYYY-MM-DD", id="no day"),
        pytest.param(["c.json", "--out", "suite.yaml"], "suite.yaml:1:1: expected a list", id="a file of another kind"),
        pytest.param(["c.json", "--out", "."], "cannot be read", id="a folder"),
    ],
)
def test_wrong_input_writes_nothing(world: Bench, arguments: list[str], says: str) -> None:
    world.write("c.json", comparison(of_cell("refund", 0)))
    suite = (world.folder / "suite.yaml").read_text("utf-8")

    done = world.llmtest("accept", *arguments)

    assert done.code == 2
    assert says in done.errors[0]
    assert not (world.folder / "accepted.yaml").exists()
    assert (world.folder / "suite.yaml").read_text("utf-8") == suite


def test_today_is_not_over(world: Bench) -> None:
    world.write("c.json", comparison(of_cell("a", 0)))
    now = datetime(2030, 5, 31, 23, 59, tzinfo=UTC)
    edges = Edges(stdout=io.StringIO(), stderr=io.StringIO(), environ={}, cwd=world.folder, now=lambda: now)

    assert main(["accept", "c.json", "--until", "2030-05-31"], edges=edges) == 0
    assert main(["accept", "c.json", "--until", "2030-05-30"], edges=edges) == 2


def test_a_file_that_could_not_be_read_again_is_not_written(world: Bench) -> None:
    old = "- {model: m, test: old, scores: [1]}\n"
    world.write("accepted.yaml", old)
    many = {f"test-{number}": [0.12345678] * 20 for number in range(6000)}
    world.write("c.json", comparison({"model": "m", "tests": many}))

    done = world.llmtest("accept", "c.json")

    assert done.code == 2
    assert "accepted.yaml: would not be readable with all that" in done.errors[0]
    assert (world.folder / "accepted.yaml").read_text("utf-8") == old


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_an_error(world: Bench) -> None:  # pragma: no cover
    world.write("c.json", comparison(of_cell("a", 0)))
    world.folder.chmod(0o500)
    try:
        assert "cannot be written" in world.llmtest("accept", "c.json").errors[0]
    finally:
        world.folder.chmod(0o700)


def test_a_path_that_is_no_file_is_an_error(world: Bench) -> None:
    world.write("c.json", comparison(of_cell("a", 0)))

    done = world.llmtest("accept", "c.json", "--out", "suite.yaml/accepted.yaml")

    assert done.code == 2
    assert len(done.errors) == 1


def test_hostile_names_are_shown_on_one_line(world: Bench) -> None:
    world.write("c.json", comparison(of_cell("\n::error::x\x1b[31m", 0, model="##[error]x")))

    done = world.llmtest("accept", "c.json")

    assert done.code == 0
    assert not any(line.startswith("::") or "##[" in line or "\x1b" in line for line in done.out.split("\n"))
    assert entries(world)[0].model == "##[error]x"


def test_validate_looks_at_accepted_drops(world: Bench) -> None:
    world.write("llm-testbench.yaml", "suites: [suite.yaml]\nendpoint: http://localhost:1/v1\nmodels: [m]\n")
    world.write("accepted.yaml", "- {model: m, test: a, scores: [1]}\n")
    world.write("other.yaml", "- {model: m, tests: {}}\n")
    world.write("deep/accepted.yaml", "model: m\n")

    assert "1 accepted drop" in world.llmtest("validate").out
    assert "1 accepted drop" in world.llmtest("validate", "accepted.yaml").out
    assert "expected 1 to 10000 tests" in " ".join(world.llmtest("validate", "other.yaml").out.split())
    assert "expected a list" in " ".join(world.llmtest("validate", "deep/accepted.yaml").out.split())
    world.write("accepted.yaml", "- {modle: m}\n")
    assert world.llmtest("validate").code == 2


def gate(world: Bench) -> Done:
    return world.asking("gate", "--baseline", "base.json")


def statuses(world: Bench) -> tuple[str, str]:
    """Of the model, and of the test that drops."""
    found = world.json(RESULTS)
    (capital,) = (row for row in found["tests"] if row["test_id"] == "capital")
    return found["models"][0]["status"], capital["status"]


@pytest.mark.parametrize(
    ("level", "dropped", "told"),
    [
        pytest.param("model", ("regression", "suspected"), "- m: 0.75 over 2 tests", id="a model's"),
        pytest.param("test", ("suspected", "regression"), "- capital on m: 0.50 in 7 attempts", id="a test's"),
    ],
)
def test_an_accepted_drop_passes_and_a_further_one_fails(
    world: Bench, level: str, dropped: tuple[str, str], told: str
) -> None:
    """A test that scored 1 drops to 0.5; that is accepted; then it drops to 0."""
    world.write("llm-testbench.yaml", f"gate: {{advanced: {{gate_levels: [{level}]}}}}\n")
    suite = (world.folder / "suite.yaml").read_text("utf-8")
    world.write("suite.yaml", suite.replace("{equals: Paris}", "{contains_all: [Paris, city]}"))
    world.answers = {"2 + 2": "4", "capital of France": "Paris, a city", "name the capital": "Lyon, a city"}
    world.asking("run", "--repeat", "10", "--out", "base.json")

    path = world.folder / "suite.yaml"
    world.write(
        "suite.yaml", path.read_text("utf-8").replace("What is the capital of France?", "Please name the capital.")
    )
    assert gate(world).code == 1
    assert statuses(world) == dropped

    done = world.llmtest("accept", RESULTS, "--reason", "the shorter prompt is worth it")
    assert (done.code, done.out.splitlines()) == (0, ["accepted.yaml: 1 drop accepted", told])
    assert gate(world).code == 0
    assert statuses(world) == ("stable", "accepted")

    world.answers["name the capital"] = "Lyon"
    assert gate(world).code == 1
    assert statuses(world) == dropped
    (entry,) = world.json(RESULTS)["accept"]
    assert set(entry.get("scores") or entry["tests"]["capital"]) == {0}


def test_an_entry_whose_drop_is_made_up_for_is_told_to_go(world: Bench) -> None:
    world.asking("run", "--repeat", "10", "--out", "base.json")
    world.write("accepted.yaml", "- {model: m, test: capital, scores: [0, 0, 0]}\n")

    done = gate(world)

    assert done.code == 0
    assert [one["message"] for one in world.json(RESULTS)["warnings"] if one["code"] == "accepted_can_go"] == [
        "the accepted drop of capital on m is made up for: its entry can go"
    ]


def test_a_broken_file_ends_a_gate_before_it_asks(world: Bench) -> None:
    world.asking("run", "--repeat", "10", "--out", "base.json")
    asked = len(world.server.requests)
    world.write("accepted.yaml", "- {model: m, test: capital, scores: []}\n")

    done = gate(world)

    assert done.code == 2
    assert done.errors == ["error: accepted.yaml:1:29: [0].scores: expected at least 1 item, got 0"]
    assert len(world.server.requests) == asked
