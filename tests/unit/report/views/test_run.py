"""The report of one run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.compare.artifacts import Attempt, artifact, entry, row
from tests.unit.report.views.shown import shown

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.price import Price
from llm_testbench.artifact.stats import stats
from llm_testbench.report.views.models import every_time
from llm_testbench.report.views.run import run_report


def with_stats(run: Artifact) -> Artifact:
    return replace(run, stats=stats(run.results))


def test_it_tells_models_categories_tests_and_what_separates_models() -> None:
    run = with_stats(
        artifact(
            {("m", "a-one"): [1.0, 0.5], ("n", "a-one"): [0.0, 0.0], ("m", "b-two"): [1.0], ("n", "q-q"): [1.0]},
            entry("q-q", quarantine=True),
            repeat=2,
        )
    )
    text = shown(run_report(run))
    assert text.startswith("3 tests, 2 models, 2 attempts each")
    assert "asked http://gateway.example/v1, measured 2026-01-01T00:00:00Z by llm-testbench 1.0.0" in text
    assert "m  0.88  2  1  0  0 %  0  0  0 ms  –  –" in text
    assert "a  1  0.75  0.00\na / sub  1  0.75  0.00\nb  1  1.00  –" in text
    assert "a-one  a  0.75 [0.50-1.00]  0.00" in text
    assert "b-two  b  1.00  N/A" in text
    assert "q-q (quarantined)  q  N/A  1.00" in text
    assert "- 1 of 3 tests tell the models apart: a-one" in text
    assert "- 1 test with attempts that disagree: a-one" in text
    assert "Errors" not in text


def test_errors_are_grouped_with_their_first_words() -> None:
    run = with_stats(artifact({"t": [Outcome.TIMEOUT, Outcome.TIMEOUT, Outcome.AUTH]}))
    text = shown(run_report(run))
    assert "chat  timeout  2  words: timeout\nchat  auth  1  words: auth" in text
    assert "t  t  ERR" in text


def test_a_long_error_message_is_cut() -> None:
    test = entry("t")
    failed = replace(row(test, "chat", 0, Outcome.SERVER), error="e" * 1000)
    assert "e" * 199 + "…" in shown(run_report(with_stats(artifact({}, test, rows=[failed]))))


def test_a_single_model_is_told_apart_from_nobody() -> None:
    text = shown(run_report(with_stats(artifact({"t": [1.0]}))))
    assert "1 test, 1 model, 1 attempt each" in text
    assert "Signal" not in text


def test_many_named_tests_are_cut_and_cut_off_answers_named() -> None:
    tests = [entry(f"t-{number:02}") for number in range(12)]
    rows = [row(test, "chat", 0, 0.0, truncated=True) for test in tests]
    text = shown(run_report(with_stats(artifact({}, *tests, rows=rows))))
    assert "12 tests with answers cut off at the token limit: t-00, t-01, " in text
    assert "t-09 and 2 more" in text


def test_models_that_nobody_separates_are_said_to_be_alike() -> None:
    text = shown(run_report(with_stats(artifact({("m", "t"): [1.0], ("n", "t"): [1.0]}))))
    assert "- 0 of 1 test tell the models apart" in text


def test_cost_is_shown_where_prices_are_known() -> None:
    test = entry("t")
    rows = [row(test, "chat", 0, 1.0, prompt_tokens=1_000_000, completion_tokens=500_000)]
    run = with_stats(artifact({}, test, rows=rows))
    assert "cost" not in shown(run_report(run))
    text = shown(run_report(run, {"chat": Price(input=1.0, output=4.0)}))
    assert "cost" in text
    assert "3.00" in text


def test_an_interrupted_run_says_so() -> None:
    text = shown(run_report(with_stats(artifact({"t": [1.0]}, interrupted=True, endpoint=""))))
    assert "The run ended early" in text
    assert "asked" not in text.split("Models", maxsplit=1)[0]


def test_how_often_a_test_passes_every_time_is_told_where_there_are_several_attempts() -> None:
    cells: dict[tuple[str, str] | str, list[Attempt]] = {
        "a": [1.0, 1.0],
        "b": [1.0, 0.5],
        "c": [1.0, 1.0],
        "late": [1.0, Outcome.TIMEOUT],
        "q": [0.0, 0.0],
    }
    run = with_stats(artifact(cells, entry("q", quarantine=True), repeat=2))
    text = shown(run_report(run))
    assert "passed every time" in text
    assert "chat  0.94  6  1  2  67 %  1" in text
    assert "passed every time: tests that passed in each of 2 attempts." in text
    assert "passed every time" not in shown(run_report(with_stats(artifact({"a": [1.0]}))))


def test_of_more_attempts_than_repeat_each_choice_counts() -> None:
    assert every_time(artifact({"a": [1.0, 1.0, 0.0]}, repeat=2)) == {"chat": pytest.approx(1 / 3)}
    assert every_time(artifact({"a": [1.0]}, repeat=2)) == {}
