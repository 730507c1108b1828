"""The report of a gate, in reading order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry, row
from tests.unit.rendered_markdown import rendered
from tests.unit.report.views.shown import as_markdown, in_order, shown
from tests.unit.report.views.side_by_side import side_by_side

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import (
    Acceptance,
    AskedAgain,
    BaselineRun,
    Change,
    Confirmation,
    Finding,
    Quoted,
    Side,
    Status,
    Verdict,
)
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.scope import Scope
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.gate import DRIFTED, MOST_REASONS, gate_report

GOOD = artifact({"a-t": [1.0, 1.0], "a-u": [1.0]})
RELEASE = BaselineRun("release v1.2.0", "v1.2.0", "a1b2c3d4", age=3 * 24 * 3600.0, cells=2, used=True)


def report(
    baseline: Artifact | None,
    current: Artifact,
    options: GateOptions | None = None,
    around: Rerun | None = None,
    **scope: Any,
) -> str:
    """As the gate itself judges."""
    comparison = compare(baseline, current, options or GateOptions(), Scope(**scope))
    return shown(gate_report(comparison, current, baseline, around=around))


def test_a_proven_drop_reads_from_the_verdict_to_the_tables() -> None:
    asked = {"messages": [{"role": "user", "content": "Give the number alone."}]}
    edited = {"messages": [{"role": "user", "content": "Explain the number."}]}
    now_entry = entry("a-t", request=edited, request_hash="x", line=12)
    fresh = [row(now_entry, "chat", 3 + number, 0.0, phase="confirm") for number in range(5)]
    again = [row(now_entry, "chat", 3 + number, 1.0, phase="confirm", side="baseline") for number in range(5)]
    before = artifact({"a-t": [1.0] * 10, "a-u": [1.0] * 10, "a-v": [0.0] * 10}, entry("a-t", request=asked))
    now = artifact({"a-t": [0.0] * 3, "a-u": [1.0] * 3, "a-v": [1.0] * 3}, now_entry, rows=[*fresh, *again], repeat=3)
    comparison = side_by_side(
        before,
        now,
        {
            "a-t": {
                "status": Status.REGRESSION,
                "badges": ("prompt changed",),
                "p_worse": 1 / 286,
                "q": 0.012,
                "ci": (-1.0, -0.2),
                "asked": AskedAgain("both", 5, Side(0.0, 5), Side(1.0, 5), 1 / 252),
            },
            "a-v": {"status": Status.IMPROVEMENT, "p_better": 1 / 286, "p_worse": 1.0},
        },
        verdict=Verdict.FAIL,
        model={"ci": (-0.3, 0.3), "p_worse": 0.5, "p_better": 0.5, "p_adj": 0.5, "delta": -0.001},
        headline="Worse: 1 test regressed, also when asked again",
        reasons=(Finding("regression", (Quoted("a-t"), " dropped by 100.0 points"), "chat", "a-t"),),
        baselines=(RELEASE,),
        mde={"chat": 0.2},
        confirmation=Confirmation(10, 60, 1),
        accept=(Acceptance("chat", {"a-t": (0.0,) * 8}, "a-t"),),
        latency={"chat": Change(840, 910)},
        truncated={"chat": Change(0.0, 0.02)},
    )
    around = Rerun(on_github=True, image="img@sha256:1", config="ci/gate.yaml", accepted="ci/accepted.yaml")
    in_order(
        shown(gate_report(comparison, now, before, around=around)),
        "Worse: 1 test regressed, also when asked again",
        "Compared with release v1.2.0 (a1b2c3d, 3 days old).",
        "- a-t dropped by 100.0 points (evals/all.yaml:12)",
        "What got worse",
        "a-t on chat: 10 of 10 → 0 of 3",
        "- evals/all.yaml:12 (prompt changed)",
        '- expected: {"contains":"yes"}',
        "- asked again: 0 of 5 passed now, 5 of 5 with the old prompt; chance alone would do that in 1 of 252 cases",
        "- now: 0 of 8 passed (5 of them asked again), before 10 of 10; scored 0.0",
        "The prompt that changed",
        "│ -Give the number alone.",
        "Before: attempt 1, score 1.00",
        "The old prompt, asked again today: attempt 4, score 1.00",
        "Now: attempt 1, score 0.00",
        "To ask just this test again:",
        "If you want this drop, accept it",
        "ci/accepted.yaml",
        "Better: 1 test: a-v (0 of 10 → 3 of 3)",
        "Models",
        "median latency",
        "chat  0.67  0.67  −0.1, between −30.0 and +30.0  50 % of cases  3  840 ms → 910 ms  no change proven",
        "By chance alone: how often shuffling before and after gives a change this large. A point is 0.01",
        "- cut off at the token limit on chat: 0 % → 2 % of the answers",
        "What this run could have seen",
        "- A drop of 20.0 points on average would have been seen in 4 of 5 runs; smaller ones can hide.",
        "- Asking again: 1 suspect, with 10 further requests (at most 60 allowed).",
        "▾ Models and categories, with p",
        "▾ 1 test worse",
        "a-t  chat  10 of 10  0 of 3  −100, between −100 and −20.0  0.0035  0.012  prompt changed; asked again: 0 of 5",
        "p: how often shuffling",
        "q: of the tests that stand out",
        "▾ 1 test better",
        "1 test scored as before.",
        "▾ This run",
        "▾ To run all of it again",
        "--baseline release --baseline-tag v1.2.0",
    )


def test_no_word_of_a_statistician_stands_in_a_report() -> None:
    now = artifact({"a-t": [0.0] * 3, "a-u": [1.0] * 3}, repeat=3)
    before = artifact({"a-t": [1.0] * 10, "a-u": [1.0] * 10})
    text = report(before, now).lower()
    for word in ("p-value", "null hypothesis", "significan", "confidence", "permutation", "h0"):
        assert word not in text


def test_a_broken_rule_reads_the_same_way() -> None:
    now = artifact(
        {"a-t": [1.0, 0.0], "a-u": [1.0]}, entry("a-t", must_pass=True, request_hash="x", line=12), endpoint="http://x"
    )
    in_order(
        report(GOOD, now, GateOptions(max_drop=0.1)),
        "1 must-pass test did not pass; 1 model dropped by more than max_drop",
        "- a-t on chat must pass and passed 1 of 2 attempts (80 % needed) (evals/all.yaml:12)",
        "- chat dropped by 0.25 (1.00 → 0.75) over 2 tests, max_drop is 0.10",
        "What failed",
        "a-t on chat: 2 of 2 → 1 of 2",
        "- evals/all.yaml:12 (prompt changed, must pass)",
        "- now: scored 0.0",
        "Mind when comparing",
        "- the endpoint changed",
        "Models",
        "chat  1.00  0.75  −25.0",
        "▾ Models and categories, with p",
        "This run",
    )


def test_what_failures_have_in_common_stands_between_the_reasons_and_the_tests() -> None:
    ids = [f"tools-{number}" for number in range(4)]
    printed = [
        replace(row(entry(test_id), "chat", 0, 0.0), outcome=Outcome.TOOL_CALL_IN_TEXT, reason=test_id)
        for test_id in ids
    ]
    now = artifact({}, *map(entry, ids), rows=printed)
    in_order(
        report(artifact({test_id: [1.0] for test_id in ids}), now, GateOptions(max_drop=0.1), Rerun()),
        "- chat dropped by 1.00",
        "In common: 4 of 4 tools tests ended in tool_call_in_text",
        "What dropped most",
        "tools-0 on chat: 1 of 1 → 0 of 1",
        "To ask just these 4 tests again:",
        "--tests tools-0,tools-1,tools-2,tools-3",
    )


def test_where_nothing_was_changed_the_first_lines_say_whose_change_it_is() -> None:
    rows = {"a-t": {"status": Status.DRIFT}}
    now = artifact({"a-t": [0.0], "a-u": [1.0]})
    text = shown(gate_report(side_by_side(GOOD, now, rows, verdict=Verdict.FAIL), now, GOOD))
    in_order(
        text,
        "The first line",
        DRIFTED,
        "What got worse",
        "a-t on chat",
        "1 test worse, though nothing was changed on your side: the server's model drifted",
    )
    assert DRIFTED not in shown(gate_report(side_by_side(GOOD, now), now, GOOD))


@pytest.mark.parametrize(("headline", "times"), [("No drop found", 1), ("No drop found; 3 attempts cannot", 0)])
def test_what_could_not_be_proven_stands_near_the_top_and_once(headline: str, times: int) -> None:
    comparison = side_by_side(GOOD, GOOD, headline=headline, blind="3 attempts cannot", baselines=(RELEASE,))
    text = shown(gate_report(comparison, GOOD, GOOD))
    assert text.count("3 attempts cannot.") == times
    in_order(text, "3 attempts cannot", "Compared with release")


def test_on_github_a_first_run_says_what_makes_a_baseline() -> None:
    now = artifact({"a-t": [0.5]})
    text = report(None, now, around=Rerun(on_github=True))
    in_order(text, "No baseline", "run on the default branch, where it records one, or publish a release.", "Results")
    assert "llmtest run" not in text


def test_a_first_run_says_what_could_not_be_looked_at_and_what_could_not_be_used() -> None:
    noted = [Finding("baseline_source", ("releases could not be listed: ", Quoted("HTTP 403")))]
    broken = BaselineRun("release v1", "v1", why="damaged")
    text = report(None, artifact({"a-t": [0.5]}), baselines=[broken], noted=noted)
    in_order(text, "1 baseline could not be used:", "- release v1: damaged", "- releases could not be listed: HTTP 403")
    assert "Mind when comparing" not in text


def test_a_recording_shows_its_results_first_and_judges_nothing() -> None:
    recording = GateOptions(role="record")
    text = report(GOOD, artifact({"a-t": [0.5], "a-u": [1.0]}), recording, baselines=[RELEASE])
    in_order(
        text,
        "Recorded: mean 0.75 over 2 tests",
        "For information, compared with release v1.2.0",
        "Recorded results",
        "chat  0.75  1  1  0",
        "Compared with the baseline",
        "chat  1.00  0.75  −25.0",
    )
    assert "Pass" not in text
    assert "This run\n" not in text


@pytest.mark.parametrize(
    ("interrupted", "line"),
    [(False, "Nothing was recorded before: later runs are compared with this one."), (True, "Not fit as a baseline")],
)
def test_a_first_recording_is_the_baseline_of_later_runs_if_it_is_whole(interrupted: bool, line: str) -> None:
    text = report(None, artifact({"a-t": [1.0]}, interrupted=interrupted), GateOptions(role="record"))
    assert line in text
    assert ("later runs" in text) is not interrupted
    assert "llmtest run" not in text


def test_a_recording_that_breaks_a_rule_fails() -> None:
    now = artifact({"a-t": [0.0]}, entry("a-t", must_pass=True))
    in_order(report(None, now, GateOptions(role="record")), "Fail", "What failed\n", "Recorded results")


def test_an_inconclusive_run_without_a_baseline_shows_what_has_no_score() -> None:
    now = artifact({"a-t": [Outcome.AUTH]}, entry("a-t", must_pass=True))
    in_order(report(None, now), "Can't tell", "Errors", "What has no score\n", "a-t on chat: –")


def test_where_nothing_was_run_no_command_runs_it_again() -> None:
    assert "llmtest gate" not in report(GOOD, artifact({"a-t": [0.0], "a-u": [0.0]}))


def test_a_quiet_pass_shows_no_test() -> None:
    before = artifact({"a-t": [1.0] * 9 + [0.0], "a-u": [1.0] * 10})
    text = report(before, artifact({"a-t": [1.0, 0.0, 1.0], "a-u": [1.0] * 3}, role="gate"), around=Rerun())
    in_order(
        text, "No drop found", "Models", "What this run could have seen", "1 test scored differently, no more than"
    )
    assert "a-t on chat" not in text
    assert "To ask just" not in text


def test_without_a_baseline_it_says_how_one_comes_to_be() -> None:
    text = report(None, artifact({"a-t": [0.5]}))
    in_order(
        text,
        "No baseline to compare with: mean 0.50 over 1 test",
        "There is no baseline. It is the artifact of an earlier run",
        "llmtest run --repeat 10 --out baseline.json.gz",
        "Results",
        "chat  0.50  0  1  0",
        "a  chat  0.50  1",
        "1 test, lowest score first",
        "a-t  chat  0.50 over 1",
    )
    assert "- there is no baseline" not in text
    assert "dropped" not in text
    assert "could have seen" not in text


def test_a_failure_without_a_baseline_shows_what_failed() -> None:
    text = report(None, artifact({"a-t": [0.25]}, entry("a-t", must_pass=True)))
    in_order(text, "Fail", "What failed\n", "a-t on chat: 0.25", "0 of 1 passed; scored 0.25", "Now: attempt 1")


def test_a_model_that_is_absent_stands_in_the_first_lines() -> None:
    before = artifact({("old", "a-t"): [1.0], ("chat", "a-t"): [1.0]}, endpoint="http://other")
    text = report(before, artifact({("chat", "a-t"): [1.0]}))
    in_order(
        text, "No drop", "- old is in the baseline and was not run now", "Mind when comparing", "- the endpoint changed"
    )


def test_a_refused_request_carries_the_servers_words() -> None:
    text = report(GOOD, artifact({"a-t": [Outcome.REJECTED], "a-u": [1.0] * 40}), GateOptions(min_coverage=0.1))
    in_order(
        text,
        "- a-t on chat was scored in the baseline, now the server refuses the request: words: rejected ",
        "a-t on chat: 2 of 2 → –",
        "- now: rejected: words: rejected",
        "▾ Answers before and after",
        "Now: attempt 1, no score",
        "no answer came",
        "1 test refused by the server",
        "Errors",
        "chat  rejected  1  words: rejected",
    )


def test_an_inconclusive_run_shows_its_errors_before_the_figures() -> None:
    text = report(GOOD, artifact({"a-t": [Outcome.AUTH], "a-u": [Outcome.AUTH, Outcome.TIMEOUT]}))
    in_order(text, "Can't tell", "- chat: 0 of 2 tests scored", "Errors", "chat  auth  2  words: auth", "Models")
    assert text.count("words: auth") == 1


def test_many_reasons_are_cut_and_counted() -> None:
    many = tuple(Finding("min_score", (f"reason {number}",)) for number in range(MOST_REASONS + 3))
    text = shown(gate_report(side_by_side(GOOD, GOOD, reasons=many, verdict=Verdict.FAIL), GOOD, GOOD))
    in_order(text, f"- reason {MOST_REASONS - 1}", "- and 3 more")
    assert f"reason {MOST_REASONS}" not in text


def test_a_cell_planned_and_never_asked_is_shown_without_an_answer() -> None:
    now = artifact({"a-u": [1.0]}, entry("a-t", must_pass=True), interrupted=True)
    text = report(GOOD, now, planned=[("chat", "a-t"), ("chat", "a-u")])
    in_order(
        text, "Can't tell", "- a-t on chat must pass and has no score", "a-t on chat: 2 of 2 → –", "Before:", "Models"
    )
    assert "Now:" not in text


def test_the_markdown_folds_what_is_long() -> None:
    now = artifact({"a-t": [0.0], "a-u": [1.0]})
    rows = {"a-t": {"status": Status.REGRESSION}}
    found = rendered(as_markdown(gate_report(side_by_side(GOOD, now, rows, verdict=Verdict.FAIL), now, GOOD)))
    assert found.unbalanced == []
    assert found.tags.count("details") == 3
    assert found.tags[0] == "h2"
