"""A compiler that is not there is named, with the tests that nobody could check for that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from tests.unit.compare.artifacts import artifact
from tests.unit.report.views.shown import shown

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.artifact.stats import stats
from llm_testbench.compare.compare import compare
from llm_testbench.compare.lacking import MOST_REASONS, lacking
from llm_testbench.compare.options import GateOptions
from llm_testbench.report.document import Document
from llm_testbench.report.views.gate import gate_report
from llm_testbench.report.views.run import run_report

MISSING = Outcome.TOOLCHAIN_MISSING


def skipped(reasons: Mapping[str, str]) -> list[Row]:
    """Two attempts of each test, skipped for this reason; and one test that was scored."""
    run = artifact({**{test_id: [MISSING, MISSING] for test_id in reasons}, "scored": [1.0]})
    return [replace(row, reason=reasons.get(row.test_id, "")) for row in run.results]


@pytest.mark.parametrize(
    ("reasons", "messages"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"a": "go is not on PATH"}, ["1 test was skipped: go is not on PATH; a"], id="one"),
        pytest.param({"a": ""}, ["1 test was skipped: a compiler or interpreter is missing; a"], id="no reason"),
        pytest.param(
            {"a": "no gcc", "b": "no go", "c": "no go"},
            ["2 tests were skipped: no go; b, c", "1 test was skipped: no gcc; a"],
            id="the most frequent one first",
        ),
        pytest.param(
            dict.fromkeys("abcdefg", "no go"),
            ["7 tests were skipped: no go; a, b, c, d, e and 2 more"],
            id="many tests",
        ),
    ],
)
def test_what_was_missing_is_told(reasons: dict[str, str], messages: list[str]) -> None:
    assert [finding.message for finding in lacking(skipped(reasons))] == messages


def test_what_somebody_else_wrote_is_bounded() -> None:
    found = lacking(skipped({f"t{number}": f"{number}" + "x" * 5000 for number in range(20)}))
    assert len(found) == MOST_REASONS
    assert all(len(finding.message) < 300 for finding in found)


def test_what_was_asked_again_and_what_failed_otherwise_is_not_counted() -> None:
    rows = skipped({"a": "no go"})
    assert lacking([replace(row, phase="confirm") for row in rows]) == ()
    assert lacking([replace(row, outcome=Outcome.NO_SANDBOX) for row in rows]) == ()


@pytest.mark.parametrize("report", [run_report, lambda run: gate_report(compare(None, run, GateOptions()), run, None)])
def test_every_report_names_it(report: Callable[[Artifact], Document]) -> None:
    run = artifact({"a": [MISSING], "b": [1.0]})
    run = replace(run, results=tuple(skipped({"a": "no go"})), stats=stats(run.results))
    assert "1 test was skipped: no go; a" in shown(report(run))
