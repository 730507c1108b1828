"""The report of a gate, in reading order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import Attempt, artifact, entry, row
from tests.unit.rendered_markdown import rendered
from tests.unit.report.views.shown import as_markdown, shown

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import BaselineRun, Finding, Quoted
from llm_testbench.compare.options import GateOptions
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.gate import MOST_REASONS, gate_report
from llm_testbench.report.views.tables import MOST_ROWS

GOOD = artifact({"a-t": [1.0, 1.0], "a-u": [1.0]})


RELEASE = BaselineRun("release v1.2.0", "v1.2.0", "a1b2c3d4", age=3 * 24 * 3600.0, cells=2, used=True)


def report(
    baseline: Artifact | None,
    current: Artifact,
    options: GateOptions | None = None,
    around: Rerun | None = None,
    **more: Any,
) -> str:
    comparison = compare(baseline, current, options or GateOptions(), **more)
    return shown(gate_report(comparison, current, baseline, around=around))


def in_order(text: str, *parts: str) -> None:
    position = 0
    for part in parts:
        assert part in text[position:], f"{part!r} does not stand in this order in:\n{text}"
        position = text.index(part, position) + len(part)


def test_a_failure_reads_from_the_verdict_to_the_tables() -> None:
    now = artifact({"a-t": [1.0, 0.0], "a-u": [1.0]}, entry("a-t", must_pass=True, request_hash="x", line=12), repeat=2)
    in_order(
        report(GOOD, now, GateOptions(max_drop=0.1)),
        "Fail: 1 must-pass test did not pass; 1 model dropped by more than max_drop",
        "- a-t on chat must pass and scored 0.50 (needs 0.99) (evals/all.yaml:12)",
        "- chat dropped by 0.25 (1.00 → 0.75) over 2 tests, max_drop is 0.10",
        "What failed or dropped most",
        "a-t on chat: 1.00 → 0.50",
        "- evals/all.yaml:12 (prompt changed, must pass)",
        '- expected: {"contains":"yes"}',
        "- 1 of 2 passed, before 2 of 2; scored 0.0",
        "Before: attempt 1, score 1.00",
        "│ an answer",
        "Now: attempt 2, score 0.00",
        "│ an answer",
        "Mind when comparing",
        "- repeat changed: 1 → 2",
        "Models",
        "chat  1.00  0.75  −0.25  2",
        "Categories",
        "a  chat  1.00  0.75  −0.25  2",
        "1 test differently scored, 1 alike",
        "a-t  chat  1.00  0.50  −0.50  prompt changed, must pass",
        "This run",
    )


def test_the_lines_of_github_stand_in_the_order_of_the_design() -> None:
    ids = [f"tools-{number}" for number in range(4)]
    printed = [
        replace(row(entry(test_id), "chat", 0, 0.0), outcome=Outcome.TOOL_CALL_IN_TEXT, reason=test_id)
        for test_id in ids
    ]
    now = artifact({}, *map(entry, ids), rows=printed, repeat=2)
    in_order(
        report(
            artifact({test_id: [1.0] for test_id in ids}),
            now,
            GateOptions(max_drop=0.1),
            Rerun(on_github=True, image="img@sha256:1"),
            baselines=[RELEASE],
        ),
        "Fail: 1 model dropped by more than max_drop",
        "Compared with release v1.2.0 (a1b2c3d, 3 days old).",
        "In common: 4 of 4 tools tests ended in tool_call_in_text",
        "- chat dropped by 1.00",
        "What failed or dropped most",
        "tools-0 on chat: 1.00 → 0.00",
        "To ask just these 4 tests again:",
        "--tests tools-0,tools-1,tools-2,tools-3",
        "Mind when comparing",
        "Models",
        "This run",
        "To run all of it again",
        "img@sha256:1",
        "--baseline release --baseline-tag v1.2.0",
    )


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
        "What dropped most",
        "Recorded results",
        "chat  0.75  1  1  0",
        "Compared with the baseline",
        "chat  1.00  0.75  −0.25  2",
    )
    assert "Pass" not in text
    assert "This run" not in text


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


def test_where_nothing_was_run_nothing_can_be_run_again() -> None:
    assert "again" not in report(GOOD, artifact({"a-t": [0.0], "a-u": [0.0]}))


def test_a_pass_shows_drops_and_says_that_nobody_judged_them() -> None:
    in_order(
        report(GOOD, artifact({"a-t": [0.5], "a-u": [1.0]}), GateOptions(min_score=0.1)),
        "Pass: no rule was broken; 1 of 2 compared tests scored lower than the baseline (shown, not judged)",
        "What dropped most",
        "a-t on chat: 1.00 → 0.50",
    )


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
        "a-t  chat  0.50",
    )
    assert "- there is no baseline" not in text
    assert "dropped" not in text
    assert "differently scored" not in text


def test_a_failure_without_a_baseline_shows_what_failed() -> None:
    text = report(None, artifact({"a-t": [0.25]}, entry("a-t", must_pass=True)))
    in_order(text, "Fail", "What failed\n", "a-t on chat: 0.25", "0 of 1 passed; scored 0.25", "Now: attempt 1")


def test_a_model_that_is_absent_stands_in_the_first_lines() -> None:
    before = artifact({("old", "a-t"): [1.0], ("chat", "a-t"): [1.0]}, endpoint="http://other")
    text = report(before, artifact({("chat", "a-t"): [1.0]}))
    in_order(
        text, "Pass", "- old is in the baseline and was not run now", "Mind when comparing", "- the endpoint changed"
    )


def test_below_min_score_without_a_drop_the_weakest_tests_are_shown() -> None:
    weak = artifact({"a-t": [0.5], "a-u": [0.0], "a-v": [1.0], "q": [0.0]}, entry("q", quarantine=True))
    text = report(weak, weak, GateOptions(min_score=0.9))
    in_order(text, "What failed or dropped most", "a-u on chat: 0.00 → 0.00", "a-t on chat: 0.50 → 0.50", "Models")
    assert "a-v on chat" not in text
    assert "q on chat" not in text


def test_a_refused_request_carries_the_servers_words() -> None:
    text = report(GOOD, artifact({"a-t": [Outcome.REJECTED], "a-u": [1.0] * 40}), GateOptions(min_coverage=0.1))
    in_order(
        text,
        "- a-t on chat was scored in the baseline, now the server refuses the request: words: rejected ",
        "a-t on chat: 1.00 → –",
        "- 0 of 1 passed, before 2 of 2; rejected: words: rejected",
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


def test_at_most_five_tests_are_shown_and_the_rest_counted() -> None:
    ids = [f"a-{number}" for number in range(8)]
    now = artifact({test_id: [number / 10] for number, test_id in enumerate(ids)})
    text = report(artifact({test_id: [1.0] for test_id in ids}), now)
    assert [test_id for test_id in ids if f"{test_id} on chat:" in text] == ids[:5]
    assert "And 3 more: see the tables below." in text


def test_short_answers_of_the_first_test_are_seen_without_a_click() -> None:
    now = artifact({"a-t": [0.0], "a-u": [0.5]})
    text = report(GOOD, now)
    in_order(text, "a-t on chat", "\nBefore:", "\nNow:", "a-u on chat", "▾ Answers before and after")
    assert text.count("Answers before and after") == 1


def test_where_no_answer_came_the_old_one_is_folded() -> None:
    in_order(report(GOOD, artifact({"a-t": [Outcome.REJECTED]})), "▾ Answers before and after", "no answer came")


@pytest.mark.parametrize("answer", ["x" * 700, "x\n" * 12 + "x"])
def test_long_answers_are_folded(answer: str) -> None:
    now = artifact({}, entry("a-t"), rows=[replace(row(entry("a-t"), "chat", 0, 0.0), response_text=answer)])
    assert "▾ Answers before and after" in report(GOOD, now)


def test_many_reasons_and_many_rows_are_cut_and_counted() -> None:
    ids = [f"a-{number:03}" for number in range(MOST_ROWS + 20)]
    now = artifact({test_id: [0.0] for test_id in ids}, *(entry(test_id, must_pass=True) for test_id in ids))
    text = report(artifact({test_id: [1.0] for test_id in ids}), now)
    assert text.count("must pass and scored") == MOST_REASONS
    assert f"- and {len(ids) - MOST_REASONS} more" in text
    assert "and 20 more: see comparison.json" in text


def test_tests_that_are_not_compared_are_listed_by_what_they_are() -> None:
    before = artifact({"same": [1.0], "gone": [1.0], "off": [1.0], "other": [1.0], "q": [1.0]})
    now = artifact(
        {"same": [1.0], "fresh": [0.0], "other": [0.0], "q": [0.0]}, entry("other", rev=2), entry("q", quarantine=True)
    )
    text = report(before, now, suite_ids={"same", "off", "fresh", "other", "q"})
    for words, line in [
        ("1 test in quarantine: measured, never judged", "q  chat  1.00  0.00  −1.00"),
        ("1 test changed beyond comparison", "other  chat  1.00  0.00  –"),
        ("1 test without a baseline", "fresh  chat  –  0.00  –"),
        ("1 test no longer in the suite", "gone  chat  1.00  –  –"),
        ("1 test not selected in this run", "off  chat  1.00  –  –"),
    ]:
        in_order(text, words, line)


def test_with_several_models_there_is_a_row_for_all_and_cells_are_called_results() -> None:
    cells: dict[tuple[str, str] | str, list[Attempt]] = {("m", "t"): [1.0], ("n", "t"): [0.5]}
    text = report(artifact({**cells, ("n", "t"): [1.0]}), artifact(cells))
    in_order(text, "1 of 2 compared results scored lower", "all  1.00  0.75  −0.25  2", "1 result differently scored")


def test_a_changed_prompt_is_shown_as_a_diff() -> None:
    asked = {"messages": [{"role": "user", "content": "first\nold"}]}
    before = artifact({"t": [1.0]}, entry("t", request=asked))
    now = artifact(
        {"t": [0.0]},
        entry("t", request={"messages": [{"role": "user", "content": "first\nnew"}]}, request_hash="x"),
    )
    document = gate_report(compare(before, now, GateOptions()), now, before)
    in_order(shown(document), "The prompt that changed", "│  first", "│ -old", "│ +new")
    assert "The prompt that changed:\n\n```diff\n [user]\n first\n-old\n+new\n```" in as_markdown(document)


@pytest.mark.parametrize("content", ["\n".join(["many", "lines", "of", "a", "prompt"] * 4), "one long line" * 100])
def test_a_long_edit_of_a_prompt_is_folded(content: str) -> None:
    asked = {"messages": [{"role": "user", "content": "short"}]}
    now = entry("t", request={"messages": [{"role": "user", "content": content}]}, request_hash="x")
    text = report(artifact({"t": [1.0]}, entry("t", request=asked)), artifact({"t": [0.0]}, now))
    in_order(text, "▾ The prompt that changed", "│ -short")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"response_text": ""}, "the answer was empty"),
        ({"response_text": None}, "the answer was not stored"),
        ({"tool_calls": (ToolCall("f", {"x": 1}, '{"x": 1}'),), "response_text": ""}, '│ → f({"x": 1})'),
        ({"reason": ""}, "before 1 of 1; no reason given"),
        ({"reason": "", "outcome": Outcome.REFUSED}, "before 1 of 1; refused"),
        ({"reason": "why", "outcome": Outcome.TRUNCATED}, "before 1 of 1; truncated: why"),
        ({"response_text": "x" * 5000}, "x" * 1199 + "…"),
    ],
)
def test_what_an_answer_was(changes: dict[str, Any], words: str) -> None:
    test = entry("t")
    now = artifact({}, test, rows=[replace(row(test, "chat", 0, 0.0), **changes)])
    assert words in report(artifact({"t": [1.0]}), now)


def test_a_foreign_baseline_knows_no_places() -> None:
    now = artifact({"t": [0.0]}, entry("t", suite_file="", line=0, check=None))
    in_order(
        report(artifact({"t": [1.0]}, foreign=True), now), "t on chat: 1.00 → 0.00\n\n- 0 of 1 passed, before 1 of 1"
    )


def test_a_cell_planned_and_never_asked_is_shown_without_an_answer() -> None:
    now = artifact({"a-u": [1.0]}, entry("a-t", must_pass=True), interrupted=True)
    text = report(GOOD, now, planned=[("chat", "a-t"), ("chat", "a-u")])
    in_order(
        text, "Can't tell", "- a-t on chat must pass and has no score", "a-t on chat: 1.00 → –", "Before:", "Models"
    )
    assert "Now:" not in text


def test_the_markdown_folds_what_is_long() -> None:
    now = artifact({"a-t": [0.0], "a-u": [1.0]})
    found = rendered(as_markdown(gate_report(compare(GOOD, now, GateOptions()), now, GOOD)))
    assert found.unbalanced == []
    assert found.tags.count("details") == 3
    assert found.tags[0] == "h2"
