"""What is said of the sandbox, in every report and every sink."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.compare.artifacts import artifact
from tests.unit.report.views.shown import shown

from llm_testbench.artifact.confined import NOTHING_RAN, Confined
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.stats import stats
from llm_testbench.compare.compare import compare
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.options import GateOptions
from llm_testbench.report import html, markdown
from llm_testbench.report.document import Document
from llm_testbench.report.views.gate import gate_report
from llm_testbench.report.views.run import run_report

OFF = Confined("off", ("watch",), {}, (), {"files": "switched off"})
PREFER = Confined("prefer", ("watch",), {}, (), {"files": "no Landlock"})
LAYER = Confined("require", ("watch",), {"own_uid": "not root"}, ("files",), {})
SAID = {
    "off": (OFF, "the sandbox is off: programs that models wrote run with all rights"),
    "prefer": (PREFER, "programs that models wrote run though the sandbox cannot keep all its promises: files: "),
    "layer": (LAYER, "the sandbox keeps its promises without all of its layers: own_uid: "),
}


def run_in(confined: Confined) -> Artifact:
    run = artifact({"t": [1.0]})
    return replace(run, stats=stats(run.results), meta=replace(run.meta, sandbox=confined))


def gated(now: Artifact, before: Artifact | None) -> Document:
    return gate_report(compare(before, now, GateOptions()), now, before)


REPORTS: dict[str, Callable[[Artifact], Document]] = {
    "run": run_report,
    "gate": lambda run: gated(run, run_in(NOTHING_RAN)),
    "first gate": lambda run: gated(run, None),
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize(("confined", "words"), SAID.values(), ids=SAID)
def test_what_is_missing_is_told(report: Callable[[Artifact], Document], confined: Confined, words: str) -> None:
    document = report(run_in(confined))
    assert words in shown(document)
    assert words in markdown.render(document)
    assert words not in shown(report(run_in(NOTHING_RAN)))


def test_what_a_programs_rights_are_stands_above_the_scores() -> None:
    for confined, words in (SAID["off"], SAID["prefer"]):
        for report in REPORTS.values():
            text = shown(report(run_in(confined)))
            assert text.index(words) < text.index("chat")


@pytest.mark.parametrize(("confined", "words"), SAID.values(), ids=SAID)
def test_the_page_and_the_data_hold_it_too(confined: Confined, words: str) -> None:
    now, before = run_in(confined), run_in(NOTHING_RAN)
    comparison = compare(before, now, GateOptions())
    document = gate_report(comparison, now, before)
    assert words in html.render(document, comparison, now, before, GateOptions())
    assert words in str(comparison_to_json(comparison)["warnings"])


def test_another_runs_sandbox_is_no_warning_about_this_one() -> None:
    assert "sandbox" not in shown(gated(run_in(NOTHING_RAN), run_in(OFF)))
