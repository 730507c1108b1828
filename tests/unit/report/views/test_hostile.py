"""Hostile text in every field of every artifact: no report lets any of it through."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from tests.unit.compare.artifacts import artifact, entry, row
from tests.unit.hostile_text import HOSTILE, texts
from tests.unit.rendered_markdown import rendered
from tests.unit.report.views.test_tests_list import suite_test

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.confined import Confined
from llm_testbench.artifact.health import health
from llm_testbench.artifact.model import Artifact, Throttled
from llm_testbench.artifact.stats import stats
from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import BaselineRun
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.scope import Scope
from llm_testbench.gateway.model import Try
from llm_testbench.report import markdown, terminal
from llm_testbench.report.document import Document
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views import tests_list
from llm_testbench.report.views.gate import gate_report
from llm_testbench.report.views.health import health_report
from llm_testbench.report.views.merge import Part, merge_report, part_of
from llm_testbench.report.views.run import run_report

MARK = "FOREIGN"
"""In every hostile text, so that a report without it shows that a field is not covered."""


def hostile_run(bad: str, *, spoiled: bool) -> Artifact:
    bad = MARK + bad
    test = entry(
        bad,
        category=bad,
        subcategory=bad,
        suite_file=bad,
        request={"messages": [{"role": bad, "content": f"{bad} {spoiled}"}], "parameters": {bad: bad}},
        request_hash=str(spoiled),
        check={bad: bad},
        must_pass=True,
    )
    quiet = entry(f"{bad} quiet", category=bad, quarantine=True)
    once = entry(f"{bad} {spoiled}", category=bad)
    answer = row(test, bad, 0, 0.0 if spoiled else 1.0, truncated=True)
    tried = (Try(503, Outcome.SERVER, 0.0, 1.0, bad), Try(200, Outcome.ANSWERED, 0.0, 1.0))
    answer = replace(answer, tries=tried, quirks=(bad,))
    answer = replace(answer, response_text=bad, reason=bad, tool_calls=(ToolCall(bad, None, bad),), response_id=bad)
    again = replace(answer, attempt=1, score=0.5, passed=False)
    refused = replace(row(once, bad, 0, Outcome.REJECTED), error=bad)
    other = row(test, f"{bad} other", 0, 1.0)
    elsewhere = row(test, f"{bad} only {spoiled}", 0, 1.0)
    rows = (answer, again, refused, other, elsewhere, row(quiet, bad, 0, 1.0))
    return replace(
        artifact(
            {},
            test,
            quiet,
            once,
            rows=rows,
            models={bad: f"{bad} {spoiled}", f"{bad} other": bad},
            endpoint=f"{bad} {spoiled}",
            version=f"{bad} {spoiled}",
            started_at=bad,
            served_models={bad: (f"{bad} {spoiled}",)},
            fingerprints={bad: (f"{bad} {spoiled}",)},
            adaptations={bad: (f"{bad} {spoiled}",)},
            throttled={bad: Throttled(5, 1)},
            sandbox=Confined("prefer", (bad,), {"own_uid": bad, bad: bad}, (bad,), {"files": bad, bad: bad}),
        ),
        stats=stats(rows),
    )


def hostile_baselines(bad: str) -> tuple[BaselineRun, ...]:
    passed_over = BaselineRun(bad, bad, bad, bad, why=bad)
    used = BaselineRun(bad, bad, bad, bad, bad, 3600.0, 5, used=True)
    return passed_over, replace(used, tag=""), used, replace(passed_over, tag="")


def hostile_surroundings(bad: str) -> Rerun:
    flags = ((f"--{bad}", bad),)
    return Rerun(
        on_github=True,
        image=bad,
        config=bad,
        suites=(bad, bad),
        models=(bad,),
        baseline=(bad,),
        options=flags,
        chosen=flags,
        environment=(bad, f"{bad}={bad}"),
    )


def all_reports(bad: str) -> dict[str, Document]:
    before, now = hostile_run(bad, spoiled=False), hostile_run(bad, spoiled=True)
    rules = GateOptions(min_score=0.9, max_drop=0.0)
    listed = suite_test(MARK + bad, category=bad, subcategory=bad, tags=(bad,), suite_file=bad, description=bad)
    runs = hostile_baselines(bad)
    around = hostile_surroundings(bad)
    return {
        "fail": gate_report(compare(before, now, rules), now, before),
        "on github": gate_report(compare(before, now, rules, Scope(baselines=runs)), now, before, around=around),
        "recorded": gate_report(
            compare(None, now, GateOptions(role="record"), Scope(baselines=runs[3:])), now, None, around=around
        ),
        "pass": gate_report(compare(before, before, GateOptions(max_error_rate=1, min_coverage=0)), before, before),
        "inconclusive": gate_report(compare(before, before, GateOptions()), before, before),
        "no baseline": gate_report(compare(None, now, GateOptions()), now, None),
        "run": run_report(now),
        "health": health_report(health([before, now]), [bad, bad]),
        "list": tests_list.tests_report([listed]),
        "merge": merge_report([Part(MARK + bad, bad, (MARK + bad,), 1, 1, interrupted=True)], part_of(bad, now)),
    }


OURS = {
    "p", "h1", "h2", "h3", "h4", "ul", "li", "code", "pre", "strong", "details", "summary",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def check_markdown(document: Document) -> None:
    found = rendered(markdown.render(document))
    assert set(found.tags) <= OURS
    assert set(found.attributes) <= {"align", "lang"}
    assert found.unbalanced == []
    assert found.tags.count("details") == found.tags.count("summary")
    for one in found.tables:
        assert len({len(cells) for cells in one}) == 1
    assert MARK not in found.prose
    assert MARK in "".join(found.code)


def check_terminal(document: Document) -> None:
    for line in terminal.render(document, 80, color=False).split("\n"):
        assert not line.strip().startswith("::")
        assert re.search(r"##\w*\[", line) is None
        assert not any(
            unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in line if c != "\u200b"
        )


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE.keys())
def test_every_trick_in_every_field(bad: str) -> None:
    for document in all_reports(bad).values():
        check_markdown(document)
        check_terminal(document)


@given(texts)
@settings(max_examples=10)  # each renders nine reports
def test_tricks_mixed(bad: str) -> None:
    for document in all_reports(bad).values():
        check_markdown(document)
        check_terminal(document)


def test_mentions_issues_and_links_never_stand_in_prose() -> None:
    for document in all_reports("@someone #12 GH-12 www.evil.example https://evil.example a@evil.example").values():
        found = rendered(markdown.render(document))
        assert not re.search(r"@|#\d|GH-|www\.|https?:|evil", found.prose)


def test_a_headline_holds_no_foreign_text() -> None:
    before, now = hostile_run("x", spoiled=False), hostile_run("x", spoiled=True)
    for options in (GateOptions(), GateOptions(min_score=1, max_drop=0)):
        for baseline in (before, None):
            assert MARK not in compare(baseline, now, options).headline
