"""Which tests a report shows as evidence, and what it says of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry, row
from tests.unit.report.views.shown import as_markdown, in_order, shown
from tests.unit.report.views.side_by_side import side_by_side

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.compare.model import AskedAgain, Comparison, Confirmation, Finding, Side, Status, Verdict
from llm_testbench.report.document import Document
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.certainty import graded
from llm_testbench.report.views.evidence import failing, in_question
from llm_testbench.report.views.worse import Explained

WORSE: Mapping[str, Any] = {"status": Status.REGRESSION}
SUSPECTED: Mapping[str, Any] = {"status": Status.SUSPECTED}
BEFORE = artifact({test_id: [1.0, 1.0] for test_id in "abcdefgh"})
NOW = artifact({"a": [1.0, 1.0], "b": [0.0, 0.0], "c": [0.0, 1.0], "d": [0.5, 0.5], "e": [0.0, 0.5], "f": [1.0, 1.0]})


def reason(code: str, test_id: str | None = None) -> Finding:
    return Finding(code, ("words",), "chat", test_id)


def document(before: Artifact | None, now: Artifact, comparison: Comparison, around: Rerun | None = None) -> Document:
    return Document(tuple(Explained(comparison, now, before, around, graded(before, now)).blocks()))


def explained(before: Artifact | None, now: Artifact, rows: Mapping[str, Any] | None = None, **more: Any) -> str:
    """Of a failing gate; every test that scored lower regressed unless `rows` says what became of them."""
    if rows is None:
        rows = {row.test_id or "": WORSE for row in side_by_side(before, now).tests if (row.delta or 0.0) < 0}
    return shown(document(before, now, side_by_side(before, now, rows, **{"verdict": Verdict.FAIL} | more)))


@pytest.mark.parametrize(
    ("rows", "more", "why"),
    [
        ({}, {"verdict": Verdict.PASS}, {}),
        ({"c": WORSE, "b": {"status": Status.DRIFT}}, {}, {"b": "drift", "c": "worse"}),
        ({"c": WORSE}, {"reasons": (reason("regression", "c"), reason("must_pass", "a"))}, {"c": "worse", "a": "rule"}),
        ({"b": SUSPECTED}, {}, {}),
        ({"b": SUSPECTED}, {"reasons": (reason("suspected", "b"),)}, {"b": "suspected"}),
        ({"b": SUSPECTED}, {"reasons": (reason("must_pass", "b"),)}, {"b": "rule"}),
        # A test that is named explains the drop of its model: mere drops would weaken it.
        ({"c": WORSE}, {"model": WORSE}, {"c": "worse"}),
        (
            {"e": SUSPECTED},
            {"model": WORSE},
            {"e": "suspected", "b": "drop", "c": "drop", "d": "drop"},
        ),
        ({}, {"reasons": (reason("max_drop"),)}, {"b": "drop", "e": "drop", "c": "drop", "d": "drop"}),
        ({}, {"reasons": (reason("min_score"),)}, {"b": "drop", "e": "drop", "c": "drop", "d": "drop"}),
        ({}, {"reasons": (reason("coverage"),), "verdict": Verdict.INCONCLUSIVE}, {}),
    ],
)
def test_what_is_proven_is_shown_and_mere_drops_only_where_nothing_else_explains_the_verdict(
    rows: Mapping[str, Any], more: Mapping[str, Any], why: Mapping[str, str]
) -> None:
    found = failing(side_by_side(BEFORE, NOW, rows, **{"verdict": Verdict.FAIL} | dict(more)))
    assert list(found.items()) == [(("chat", test_id), kind) for test_id, kind in why.items()]


def test_only_tests_of_the_model_that_got_worse_explain_it() -> None:
    before = artifact({(model, test_id): [1.0] for model in ("m", "n") for test_id in "ab"})
    now = artifact({(model, test_id): [0.5] for model in ("m", "n") for test_id in "ab"})
    comparison = side_by_side(before, now, verdict=Verdict.FAIL)
    models = (replace(comparison.models[0], status=Status.REGRESSION), comparison.models[1])
    assert list(failing(replace(comparison, models=models))) == [("m", "a"), ("m", "b")]
    category = replace(comparison.models[1], category="a", status=Status.REGRESSION)
    assert list(failing(replace(comparison, categories=(category,)))) == [("n", "a"), ("n", "b")]
    whole = replace(comparison.overall, status=Status.DRIFT)
    assert len(failing(replace(comparison, overall=whole))) == 4


def test_below_min_score_without_a_drop_the_weakest_are_shown() -> None:
    weak = artifact({"a": [0.5], "b": [0.0], "c": [1.0], "q": [0.0], "r": [0.0]})
    rows: dict[str, dict[str, Any]] = {"q": {"status": Status.QUARANTINED}, "r": {"badges": ("quarantined",)}}
    found = failing(side_by_side(weak, weak, rows, reasons=(reason("min_score"),), verdict=Verdict.FAIL))
    assert list(found) == [("chat", "b"), ("chat", "a")]
    text = explained(weak, weak, rows, reasons=(reason("min_score"),))
    in_order(text, "What failed", "b on chat: 0 of 1 → 0 of 1", "a on chat: 0.50 over 1 → 0.50 over 1")


def test_what_is_suspected_is_in_question_too() -> None:
    comparison = side_by_side(BEFORE, NOW, {"c": WORSE, "b": SUSPECTED, "e": SUSPECTED}, verdict=Verdict.FAIL)
    assert in_question(comparison) == (("chat", "c"), ("chat", "b"), ("chat", "e"))


@pytest.mark.parametrize(
    ("rows", "more", "title"),
    [
        ({"b": WORSE}, {}, "What got worse"),
        ({"b": WORSE}, {"reasons": (reason("must_pass", "a"),)}, "What failed or got worse"),
        ({}, {"reasons": (reason("must_pass", "a"),)}, "What failed"),
        ({"b": SUSPECTED}, {"reasons": (reason("suspected", "b"),)}, "What may have got worse"),
        ({"b": SUSPECTED}, {"model": WORSE}, "What dropped most"),
        ({}, {"reasons": (reason("max_drop"),)}, "What dropped most"),
        (
            {},
            {"reasons": (reason("must_pass_unscored", "a"),), "verdict": Verdict.INCONCLUSIVE},
            "What has no score",
        ),
        ({"b": SUSPECTED}, {"verdict": Verdict.PASS}, "Suspected, not proven"),
    ],
)
def test_the_heading_says_no_more_than_is_known(rows: Mapping[str, Any], more: Mapping[str, Any], title: str) -> None:
    assert explained(BEFORE, NOW, rows, **dict(more)).split("\n")[0] == title


def test_examples_of_a_diffuse_drop_are_called_that() -> None:
    line = "No single test stands out: 4 of 6 tests scored lower, 0 higher. Examples of those that scored lower:"
    assert line in explained(BEFORE, NOW, {}, model=WORSE)
    assert "No single" not in explained(BEFORE, NOW, {"b": WORSE}, model=WORSE)
    suspected = explained(BEFORE, NOW, {"b": SUSPECTED}, model=WORSE)
    assert "No single test is proven worse by itself: 4 of 6 tests" in suspected


def test_at_most_five_tests_are_shown_and_the_rest_counted() -> None:
    ids = [f"a-{number}" for number in range(8)]
    now = artifact({test_id: [number / 10] for number, test_id in enumerate(ids)})
    text = explained(artifact({test_id: [1.0] for test_id in ids}), now)
    assert [test_id for test_id in ids if f"{test_id} on chat:" in text] == ids[:5]
    assert "And 3 more: see the tables below." in text


def test_what_is_suspected_is_folded_where_there_is_room() -> None:
    rows = {"b": WORSE, "c": SUSPECTED, "d": SUSPECTED}
    text = explained(BEFORE, NOW, rows)
    in_order(text, "b on chat: 2 of 2 → 0 of 2", "Suspected, not proven", "▾ c on chat: what was asked and answered")
    full = dict.fromkeys("abcdef", WORSE) | {"b": SUSPECTED}
    assert "▾ b on chat" not in explained(BEFORE, NOW, full)
    assert "- b on chat: 2 of 2 → 0 of 2" in explained(BEFORE, NOW, full)


@pytest.mark.parametrize(
    ("rows", "tests"), [({"b": WORSE, "c": SUSPECTED}, "b"), ({"c": SUSPECTED, "e": SUSPECTED}, "e,c"), ({}, None)]
)
def test_one_command_asks_again_what_is_proven_else_what_is_suspected(
    rows: Mapping[str, Any], tests: str | None
) -> None:
    text = shown(document(BEFORE, NOW, side_by_side(BEFORE, NOW, rows, verdict=Verdict.FAIL), Rerun()))
    assert text.count("llmtest gate") == (tests is not None)
    assert tests is None or f"--tests {tests} --models chat" in text


def test_short_answers_of_the_first_test_are_seen_without_a_click() -> None:
    text = explained(BEFORE, NOW, {"b": WORSE, "d": WORSE})
    in_order(text, "b on chat", "\nBefore:", "\nNow:", "d on chat", "▾ Answers before and after")
    assert text.count("Answers before and after") == 1


def test_where_no_answer_came_the_old_one_is_folded() -> None:
    now = artifact({"a": [Outcome.REJECTED]})
    text = explained(BEFORE, now, {"a": {"status": Status.REJECTED}}, reasons=(reason("rejected", "a"),))
    in_order(text, "a on chat: 2 of 2 → –", "▾ Answers before and after", "no answer came")


@pytest.mark.parametrize("answer", ["x" * 700, "x\n" * 12 + "x"])
def test_long_answers_are_folded(answer: str) -> None:
    now = artifact({}, entry("a"), rows=[replace(row(entry("a"), "chat", 0, 0.0), response_text=answer)])
    assert "▾ Answers before and after" in explained(BEFORE, now)


def test_a_changed_prompt_is_shown_as_a_diff() -> None:
    asked = {"messages": [{"role": "user", "content": "first\nold"}]}
    edited = {"messages": [{"role": "user", "content": "first\nnew"}]}
    before = artifact({"t": [1.0]}, entry("t", request=asked))
    now = artifact({"t": [0.0]}, entry("t", request=edited, request_hash="x"))
    written = as_markdown(document(before, now, side_by_side(before, now, {"t": WORSE}, verdict=Verdict.FAIL)))
    assert "The prompt that changed:\n\n```diff\n [user]\n first\n-old\n+new\n```" in written


@pytest.mark.parametrize("content", ["\n".join(["many", "lines", "of", "a", "prompt"] * 4), "one long line" * 100])
def test_a_long_edit_of_a_prompt_is_folded(content: str) -> None:
    asked = {"messages": [{"role": "user", "content": "short"}]}
    now = entry("t", request={"messages": [{"role": "user", "content": content}]}, request_hash="x")
    text = explained(artifact({"t": [1.0]}, entry("t", request=asked)), artifact({"t": [0.0]}, now))
    in_order(text, "▾ The prompt that changed", "│ -short")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"response_text": ""}, "the answer was empty"),
        ({"response_text": None}, "the answer was not stored"),
        ({"tool_calls": (ToolCall("f", {"x": 1}, '{"x": 1}'),), "response_text": ""}, '│ → f({"x": 1})'),
        ({"reason": ""}, "- now: no reason given"),
        ({"reason": "", "outcome": Outcome.REFUSED}, "- now: refused"),
        ({"reason": "why", "outcome": Outcome.TRUNCATED}, "- now: truncated: why"),
        ({"response_text": "x" * 5000}, "x" * 1199 + "…"),
    ],
)
def test_what_an_answer_was(changes: Mapping[str, Any], words: str) -> None:
    now = artifact({}, entry("t"), rows=[replace(row(entry("t"), "chat", 0, 0.0), **changes)])
    assert words in explained(artifact({"t": [1.0]}), now)


def test_a_foreign_baseline_knows_no_places() -> None:
    now = artifact({"t": [0.0]}, entry("t", suite_file="", line=0, check=None))
    in_order(explained(artifact({"t": [1.0]}, foreign=True), now), "t on chat: 1 of 1 → 0 of 1\n\n- now: scored 0.0")


def test_of_graded_scores_it_says_how_many_attempts_passed() -> None:
    text = explained(artifact({"t": [1.0, 0.5]}), artifact({"t": [0.5, 0.0]}))
    in_order(text, "t on chat: 0.75 over 2 → 0.25 over 2", "- now: 0 of 2 passed, before 1 of 2; scored 0.0")


def again(attempt: int, score: float | Outcome, side: str = "current", **changes: Any) -> Row:
    return row(entry("t"), "chat", attempt, score, phase="confirm", side=side, **changes)


def of_confirmed(*rows: Row, **changes: Any) -> str:
    before, now = artifact({"t": [1.0] * 3}), artifact({"t": [1.0, 0.0]}, rows=rows)
    return explained(before, now, {"t": {**WORSE, **changes}})


def test_fresh_attempts_are_evidence_and_copies_and_errors_are_not() -> None:
    text = of_confirmed(again(2, 0.0), again(3, 1.0), again(4, Outcome.TIMEOUT), again(5, 1.0, copy="id"))
    assert "- now: 2 of 4 passed (2 of them asked again), before 3 of 3; scored 0.0" in text


def test_the_worst_answer_may_be_a_fresh_one() -> None:
    before, now = artifact({"t": [1.0]}), artifact({"t": [0.5]}, rows=[again(1, 0.0)])
    assert "Now: attempt 2 (asked again), score 0.00" in explained(before, now, {"t": WORSE})


@pytest.mark.parametrize(
    ("badges", "words"),
    [(("prompt changed",), "The old prompt"), ((), "The baseline's model")],
)
def test_what_was_compared_with_is_shown_as_it_answers_today(badges: tuple[str, ...], words: str) -> None:
    rows = [again(0, 0.0, "baseline"), replace(again(1, 1.0, "baseline"), response_text="today's")]
    in_order(
        of_confirmed(*rows, badges=badges),
        "Before: attempt 1",
        f"{words}, asked again today: attempt 2, score 1.00",
        "│ today's",
        "Now: attempt 2",
    )


def test_an_undecided_test_says_what_would_settle_it_and_says_it_once() -> None:
    said = {"status": Status.SUSPECTED, "settle": "record with repeat 10", "expected": 1.2}
    text = explained(BEFORE, NOW, {"b": said}, reasons=(reason("suspected", "b"),))
    in_order(text, "b on chat", "- chance alone would give 1.2 such tests", "- record with repeat 10", "- now:")
    kept = Confirmation(suspects=1, why_not="record with repeat 10")
    once = explained(BEFORE, NOW, {"b": said}, reasons=(reason("suspected", "b"),), confirmation=kept)
    assert "record with repeat 10" not in once
    noted = {**said, "asked": AskedAgain("current", 5, Side(0.0, 1), note="record with repeat 10")}
    assert explained(BEFORE, NOW, {"b": noted}, reasons=(reason("suspected", "b"),)).count("record with") == 1
