"""A gate that knows noise, from the command line: suspects are asked again, and the report says how sure it is."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from tests.integration.commands.bench import Bench

TESTS = 20


def suite(edited: str = "", must_pass: str = "") -> str:
    """Sums, of which `edited` is asked in other words than the baseline was."""
    lines = ["category: sums", "subcategory: small", "tests:"]
    for number in range(TESTS):
        name = f"sum-{number}"
        question = f"Tell me about {number} and 1." if name == edited else f"What is {number} + 1?"
        lines += [
            f"  - id: {name}",
            f"    prompt: {question} Answer with the number alone.",
            f"    must_pass: {'true' if name == must_pass else 'false'}",
            f"    evaluate: {{numeric: {number + 1}}}",
            f"    examples: [{{response: '{number + 1}', score: 1}}, {{response: 'none', score: 0}}]",
        ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def recorded(world: Bench) -> Bench:
    """A recording of ten attempts of each test, all right, by the model that every test then gates."""
    world.write("suite.yaml", suite())
    world.answers = {f"What is {number} + 1?": str(number + 1) for number in range(TESTS)}
    assert world.asking("run", "--repeat", "10", "--out", "base.json").code == 0
    return world


def gate(world: Bench, *arguments: str) -> tuple[int, str, Any]:
    done = world.asking("gate", "--baseline", "base.json", *arguments)
    return done.code, done.out, world.json("llm-testbench-results/comparison.json")


def row(found: Any, test_id: str) -> Any:
    return next(one for one in found["tests"] if one["test_id"] == test_id)


def asked(world: Bench, test_id: str, side: str) -> list[Any]:
    rows = world.json("llm-testbench-results/artifact.json")["results"]
    return [one for one in rows if one["test_id"] == test_id and one["side"] == side and one["phase"] == "confirm"]


def test_a_prompt_edit_that_broke_a_test_is_proven_by_asking_the_old_prompt_too(recorded: Bench) -> None:
    recorded.write("suite.yaml", suite(edited="sum-3"))

    code, out, found = gate(recorded)

    assert code == 1
    assert out.startswith("Worse: 1 test regressed, also when asked again")
    broken = row(found, "sum-3")
    assert (broken["status"], broken["confirmed"]) == ("regression", True)
    assert broken["asked_again"]["variant"] == "both"
    assert (broken["asked_again"]["current"]["mean"], broken["asked_again"]["baseline"]["mean"]) == (0, 1)
    assert "with the old prompt" in out
    assert len(asked(recorded, "sum-3", "baseline")) == broken["asked_again"]["needed"]
    old = [one for one in recorded.server.requests if "What is 3 + 1?" in json.dumps(one.body)]
    assert len(old) == 10 + broken["asked_again"]["needed"]


def test_a_test_that_fails_with_the_old_prompt_too_is_not_blamed_on_the_edit(recorded: Bench) -> None:
    recorded.write("suite.yaml", suite(edited="sum-3"))
    recorded.answers["What is 3 + 1?"] = "many"  # the server changed under the same name

    code, _, found = gate(recorded)

    suspect = row(found, "sum-3")
    assert (suspect["status"], suspect["confirmed"]) == ("suspected", False)
    assert "the baseline's side fails too now" in suspect["settle"]
    assert all(reason["test_id"] is None for reason in found["reasons"])
    assert code == 1  # the model's mean is lower all the same


def test_noise_of_an_unchanged_model_passes(recorded: Bench) -> None:
    chance = random.Random(7)
    recorded.server.answer = lambda body: recorded.answer(body) if chance.random() < 0.95 else "hm"

    code, out, found = gate(recorded)

    assert code == 0, out
    assert found["counts"]["lower"] > 0
    assert found["mde"]["m"] > 0
    assert "would have been seen" in out.splitlines()[0]


def test_attempts_asked_again_have_seeds_of_their_own(recorded: Bench) -> None:
    recorded.write("suite.yaml", suite(edited="sum-3"))
    gate(recorded, "--seed", "100")

    rows = recorded.json("llm-testbench-results/artifact.json")["results"]
    numbers = [one["attempt"] for one in rows if (one["test_id"], one["side"]) == ("sum-3", "current")]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 3
    old = [one["attempt"] for one in rows if (one["test_id"], one["side"]) == ("sum-3", "baseline")]
    assert min(old) == 10, "the recording has used the seeds of attempts 0 to 9"


@pytest.mark.parametrize(("passes", "code", "more"), [(0, 1, 0), (2, 0, 5)])
def test_a_test_that_must_pass_is_asked_more_often_where_that_can_still_decide(
    recorded: Bench, passes: int, code: int, more: int
) -> None:
    recorded.write("suite.yaml", suite(must_pass="sum-3"))
    said = iter(
        [*("4" for _ in range(passes)), *("no" for _ in range(3 - passes)), *(("4",) * 9 if passes else ("no",) * 99)]
    )
    answer = recorded.answer
    recorded.server.answer = lambda body: next(said) if "What is 3 + 1?" in json.dumps(body) else answer(body)

    ended, _, found = gate(recorded)

    assert ended == code
    assert any(reason["code"] == "must_pass" for reason in found["reasons"]) == (code == 1)
    assert len(asked(recorded, "sum-3", "current")) >= more


GRADED = """\
  - id: graded
    prompt: Name alpha and beta.
    evaluate: {mean: [{contains_all: alpha}, {contains_all: beta}]}
    examples: [{response: alpha beta, score: 1}, {response: alpha, score: 0.5}, {response: gamma, score: 0}]
"""


def test_an_accepted_drop_passes_and_a_further_one_fails(world: Bench) -> None:
    world.write("suite.yaml", suite() + GRADED)
    world.answers = {f"What is {number} + 1?": str(number + 1) for number in range(TESTS)} | {"alpha": "alpha beta"}
    assert world.asking("run", "--repeat", "10", "--out", "base.json").code == 0

    world.answers["alpha"] = "alpha"
    fails, out, found = gate(world)
    assert (fails, row(found, "graded")["status"]) == (1, "drift")
    assert world.llmtest("accept", "llm-testbench-results/comparison.json", "--reason", "alpha is enough").code == 0
    assert "llmtest accept" in out

    accepted, _, found = gate(world)
    assert (accepted, row(found, "graded")["status"]) == (0, "accepted")

    world.answers["alpha"] = "gamma"
    further, _, found = gate(world)
    assert (further, row(found, "graded")["status"]) == (1, "drift")
    assert row(found, "graded")["baseline"]["mean"] == 0.5

    world.answers["alpha"] = "alpha beta"
    recovered, _, found = gate(world)
    assert recovered == 0
    assert "accepted_can_go" in {warning["code"] for warning in found["warnings"]}


def test_a_stored_comparison_can_be_made_again_from_its_artifacts(recorded: Bench) -> None:
    recorded.write("suite.yaml", suite(edited="sum-3"))
    _, _, found = gate(recorded)

    done = recorded.llmtest("compare", "base.json", "llm-testbench-results/artifact.json", "--format", "json")

    again = json.loads(done.out)
    assert done.code == 0
    for part in ("verdict", "headline", "overall", "models", "categories", "tests", "mde", "confirmation"):
        assert again[part] == found[part], part


def test_a_single_attempt_says_in_the_first_line_what_it_could_not_have_seen(recorded: Bench) -> None:
    assert recorded.asking("run", "--repeat", "1", "--out", "base.json").code == 0

    code, out, found = gate(recorded)

    assert code == 0
    assert "1 attempt before and 3 now cannot prove one broken test" in out.splitlines()[0]
    assert found["blind"]


def test_live_asks_both_sides_in_one_run(recorded: Bench) -> None:
    recorded.write(
        "llm-testbench.yaml",
        f"gate:\n  baseline: live\n  against:\n    m: {{id: old-model, endpoint: '{recorded.server.url}'}}\n",
    )
    answer = recorded.answer

    def two_models(body: Any) -> str:
        return "worse" if body["model"] == "m" and "What is 3 + 1?" in json.dumps(body) else answer(body)

    recorded.server.answer = two_models

    done = recorded.asking("gate")

    found = recorded.json("llm-testbench-results/comparison.json")
    assert done.code == 1, done.out
    assert row(found, "sum-3")["status"] == "regression"
    assert row(found, "sum-3")["asked_again"]["variant"] == "both"
    rows = recorded.json("llm-testbench-results/artifact.json")["results"]
    main = [one for one in rows if one["phase"] == "main"]
    assert sum(one["side"] == "baseline" for one in main) == sum(one["side"] == "current" for one in main) == 3 * TESTS

    # Judged again from its artifact alone, which knows nothing of `against`.
    assert recorded.asking("gate", "--current", "llm-testbench-results/artifact.json").code == 1
    again = recorded.json("llm-testbench-results/comparison.json")
    assert (again["tests"], again["models"][0]["status"]) == (found["tests"], found["models"][0]["status"])


def test_an_unchanged_run_that_fails_is_called_drift(recorded: Bench) -> None:
    recorded.answers["What is 3 + 1?"] = "many"

    code, _, found = gate(recorded)

    assert code == 1
    assert "drift" in found["headline"]
    assert row(found, "sum-3")["status"] == "drift"


def test_drift_can_be_told_to_warn_only(recorded: Bench) -> None:
    recorded.answers["What is 3 + 1?"] = "many"
    recorded.write("llm-testbench.yaml", "gate: {advanced: {fail_on_drift: false}}\n")

    code, out, found = gate(recorded)

    assert (code, found["verdict"]) == (0, "pass")
    assert out.startswith("Pass, though")
    assert {warning["code"] for warning in found["warnings"]} >= {"drift"}


def test_html_and_junit_stand_beside_the_report_where_they_are_asked_for(recorded: Bench) -> None:
    gate(recorded, "--html", "--junit")
    folder = recorded.folder / "llm-testbench-results"
    assert (folder / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert (folder / "junit.xml").read_text("utf-8").startswith("<?xml")
