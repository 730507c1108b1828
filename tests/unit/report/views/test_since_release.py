"""Below the models: how far the means are from the last release."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from jsonschema import Draft202012Validator
from tests.unit.compare.artifacts import artifact
from tests.unit.compare.test_since_release import BETTER, RUN, WORSE, beside
from tests.unit.hostile_text import texts
from tests.unit.report.views.shown import in_order, shown
from tests.unit.report.views.test_hostile import MARK, check_markdown, check_terminal

from llm_testbench import schemas
from llm_testbench.compare.compare import compare
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.model import Comparison
from llm_testbench.compare.options import GateOptions
from llm_testbench.report.document import Document
from llm_testbench.report.views.gate import gate_report

SCHEMA = Draft202012Validator(schemas.load("comparison"))
LOWER = artifact(WORSE)
DROPPED = beside(artifact(BETTER), LOWER)


def report(comparison: Comparison) -> Document:
    return gate_report(comparison, LOWER, LOWER)


def test_it_stands_below_the_models_with_tag_and_age() -> None:
    in_order(
        shown(report(DROPPED)),
        "Models",
        "Since release v1.2.0 (41 days)",
        "model  then  now  change in points  tests",
        "chat  1.00  0.50  −50.0, between ",
        "20  50.0 points lower (95 %: ",
        "For information: no option makes it fail the gate.",
    )


def test_a_proven_drop_stands_in_the_first_lines() -> None:
    in_order(shown(report(DROPPED)), "No drop found", "since release v1.2.0", "Models", "Since release")


def test_nothing_is_told_where_nobody_looked() -> None:
    assert "ince release" not in shown(report(compare(LOWER, LOWER, GateOptions())))


def test_what_chance_may_explain_is_no_news() -> None:
    comparison = beside(LOWER, LOWER)
    in_order(shown(report(comparison)), "Since release v1.2.0 (41 days)", "no change proven")


def test_a_release_that_is_newer_than_the_run_has_no_age() -> None:
    comparison = beside(artifact(BETTER), LOWER, run=replace(RUN, age=-5.0))
    assert "Since release v1.2.0\n" in shown(report(comparison))


def test_what_is_left_out_is_counted() -> None:
    less = artifact({name: scores for name, scores in BETTER.items() if name != "a-0"})
    assert "1 test is left out: new, edited or accepted since, or not scored" in shown(report(beside(less, LOWER)))


def test_nothing_in_common_is_one_line() -> None:
    comparison = beside(artifact({"b-one": [1.0]}), LOWER)
    assert "No test that was scored is as it was in that release." in shown(report(comparison))


@given(texts)
@settings(max_examples=20)
def test_a_hostile_tag_is_code_in_the_title_and_in_the_warning(bad: str) -> None:
    comparison = beside(artifact(BETTER), LOWER, run=replace(RUN, tag=MARK + bad))
    assert "since_release" in {warning.code for warning in comparison.warnings}
    check_markdown(report(comparison))
    check_terminal(report(comparison))
    SCHEMA.validate(comparison_to_json(comparison))


def test_as_data_it_holds_to_the_schema() -> None:
    data = comparison_to_json(DROPPED)
    SCHEMA.validate(data)
    found = data["since_release"]
    assert isinstance(found, dict)
    assert (found["tag"], found["sha"], found["age_s"], found["left_out"]) == ("v1.2.0", "a" * 40, 41 * 86400.0, 0)
    assert isinstance(found["overall"], dict)
    assert (found["overall"]["delta"], found["overall"]["status"]) == (-0.5, "regression")
