"""Which tests are marked on their lines, in which order, and what is said there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry, row
from tests.unit.report.comparisons import about, compared, comparison

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.model import Comparison, Status, Verdict
from llm_testbench.report.views.marks import MOST_MODELS, Mark, marks

WORSE = compared(Status.REGRESSION, 1.0, 0.0, test_id="total")
LITTLE = compared(Status.REGRESSION, 1.0, 0.5, test_id="items")
DRIFT = compared(Status.DRIFT, 1.0, 0.0, test_id="late")
PERHAPS = compared(Status.SUSPECTED, 1.0, 0.3, test_id="carrier")
REFUSED = compared(Status.REJECTED, 1.0, None, test_id="tools")


def run(*names: str, **answers: str) -> Artifact:
    entries = [entry(name, suite_file="evals/a.yaml", line=number) for number, name in enumerate(names, 1)]
    rows = [row(one, "chat", 0, 0.0) for one in entries]
    rows = [replace(one, reason=answers.get(one.test_id, one.reason)) for one in rows]
    return artifact({}, *entries, rows=tuple(rows))


def marked(found: Comparison, current: Artifact | None = None, *, failing: bool = True) -> list[tuple[str, str]]:
    names = [one.test_id or "" for one in found.tests]
    return [(one.level, one.title) for one in marks(found, current or run(*names), failing=failing)]


@pytest.mark.parametrize(
    ("code", "made", "title"),
    [
        ("regression", WORSE, "Worse: total"),
        ("drift", DRIFT, "Worse, though nothing was changed here: late"),
        ("suspected", PERHAPS, "Perhaps worse: carrier"),
        ("rejected", REFUSED, "Refused by the server: tools"),
        ("must_pass", compared(Status.STABLE, 0.0, 0.0, test_id="greets"), "Must pass, and does not: greets"),
        ("must_pass_unscored", compared(Status.NEW, None, None, test_id="x"), "Must pass, and has no score: x"),
    ],
)
def test_a_reason_that_is_about_a_test_is_marked_as_what_fails(code: str, made: Any, title: str) -> None:
    found = comparison(Verdict.FAIL, [made], reasons=[about(code, made, " dropped")])
    assert marked(found) == [("failure", title)]
    # `fail_on: never`: a red mark would stand beside a job that passed.
    assert marked(found, failing=False) == [("warning", title)]


NOT_REASONS: Mapping[str, tuple[Any, list[tuple[str, str]]]] = {
    "a suspicion": (PERHAPS, [("warning", "Perhaps worse: carrier")]),
    "a drop in a recording": (WORSE, [("warning", "Worse: total")]),
    "drift that does not fail": (DRIFT, [("warning", "Worse, though nothing was changed here: late")]),
    "what was accepted": (replace(WORSE, status=Status.ACCEPTED), []),
    "what is in quarantine": (replace(WORSE, status=Status.QUARANTINED), []),
    "what got better": (compared(Status.IMPROVEMENT, 0.0, 1.0, test_id="x"), []),
    "what is new": (compared(Status.NEW, None, 0.0, test_id="x"), []),
    "what is no more": (compared(Status.REMOVED, 1.0, None, test_id="x"), []),
    "what is stable": (compared(Status.STABLE, 1.0, 0.5, test_id="x"), []),
}


@pytest.mark.parametrize(("made", "expected"), NOT_REASONS.values(), ids=NOT_REASONS.keys())
def test_what_is_no_reason_warns_at_most(made: Any, expected: list[tuple[str, str]]) -> None:
    assert marked(comparison(Verdict.PASS, [made])) == expected


def test_what_fails_comes_first_then_the_largest_drop_then_rules() -> None:
    rows = [PERHAPS, LITTLE, REFUSED, DRIFT, WORSE]
    reasons = [about("rejected", REFUSED), about("regression", LITTLE), about("regression", WORSE)]
    assert [title for _, title in marked(comparison(Verdict.FAIL, rows, reasons=reasons))] == [
        "Worse: total",
        "Worse: items",
        "Refused by the server: tools",
        "Worse, though nothing was changed here: late",
        "Perhaps worse: carrier",
    ]


def test_a_test_is_marked_once_whatever_is_said_of_it_and_on_however_many_models() -> None:
    rows = [replace(WORSE, model=f"m{number}") for number in range(MOST_MODELS + 2)]
    reasons = [about("regression", one, f" on {one.model} dropped") for one in rows]
    (mark,) = marks(
        comparison(Verdict.FAIL, rows, reasons=[*reasons, about("must_pass", rows[0])]), run("total"), failing=True
    )
    assert mark.message.startswith("total on m0 dropped from 1.00 to 0.00; total on m1 dropped")
    assert mark.message.endswith("; and 3 more")
    assert "m5" not in mark.message


def test_it_says_what_the_check_said_of_the_worst_attempt_and_where_the_test_stands() -> None:
    found = comparison(Verdict.FAIL, [WORSE], reasons=[about("regression", WORSE)])
    (mark,) = marks(found, run("other", "total", total="no number\nin the answer"), failing=True)
    said = "total on chat dropped from 1.00 to 0.00. Now: no number\nin the answer"
    assert mark == Mark("failure", "evals/a.yaml", 2, "Worse: total", said)


def test_an_error_is_what_the_server_said_and_a_refusal_says_it_once() -> None:
    refused = about("rejected", REFUSED, " is refused: no tools here")
    attempts = [replace(row(entry("tools"), "chat", 0, Outcome.REJECTED), error="no tools here")]
    current = artifact({}, entry("tools"), rows=tuple(attempts))
    (mark,) = marks(comparison(Verdict.FAIL, [REFUSED], reasons=[refused]), current, failing=True)
    assert mark.message.count("no tools here") == 1
    lost = compared(Status.STABLE, 1.0, None, test_id="tools")
    found = comparison(Verdict.INCONCLUSIVE, [lost], reasons=[about("must_pass_unscored", lost, " has no score")])
    (mark,) = marks(found, current, failing=True)
    assert mark.message == "tools has no score. Now: no tools here"


def test_a_test_that_the_run_does_not_describe_has_no_file() -> None:
    (mark,) = marks(comparison(Verdict.FAIL, [WORSE]), run(), failing=True)
    assert (mark.file, mark.line) == ("", 0)


def test_nothing_is_marked_where_nothing_was_judged() -> None:
    assert marks(comparison(Verdict.SKIPPED, [WORSE]), run("total"), failing=False) == ()
    assert marks(comparison(Verdict.INCONCLUSIVE, [WORSE]), None, failing=True) == ()
