"""The report of `llmtest health`."""

from __future__ import annotations

from tests.unit.compare.artifacts import artifact, entry, row
from tests.unit.report.views.shown import shown

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.health import health
from llm_testbench.report.views.health import MOST_NAMED, health_report


def test_it_names_tests_without_signal_and_the_worst_artifact() -> None:
    first = artifact({("m", "full"): [1.0], ("n", "full"): [1.0], ("m", "zero"): [0.0], ("m", "err"): [Outcome.SERVER]})
    second = artifact({("m", "full"): [1.0, 0.5], ("n", "full"): [1.0], ("m", "zero"): [0.0]})
    text = shown(health_report(health([first, second]), ["one.json", "two.json"]))
    assert text.startswith("Health of 2 tests in 2 artifacts")
    assert "- 1 test weak: no model gets anything right, or the test is broken (zero)" in text
    assert "- 1 test unstable: attempts of the same run disagree (full)" in text
    assert "- 1 test without any score (err)" in text
    assert "truncated:" not in text
    assert "full  sub  1  0.88  1  0  0  1  0" in text
    assert "full  2  0.88  0.25  discriminates, unstable" in text
    assert "full  m  0.75  two.json  1.00" in text


def test_one_artifact_has_no_worst_one() -> None:
    text = shown(health_report(health([artifact({"t": [0.5]})]), ["one.json"]))
    assert "No test is saturated, weak, unstable or truncated." in text
    assert "Worst artifact" not in text


def test_many_named_tests_are_cut_and_cut_off_answers_counted() -> None:
    tests = [entry(f"t-{number:02}") for number in range(MOST_NAMED + 1)]
    rows = [row(test, "chat", 0, 0.5, truncated=True) for test in tests]
    text = shown(health_report(health([artifact({}, *tests, rows=rows)]), ["one.json"]))
    assert "t-19 and 1 more)" in text
    assert "1 of 1 truncated" in text
