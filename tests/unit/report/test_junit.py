"""JUnit XML: what a test page of a CI says must be what the gate says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.compare.artifacts import Attempt, artifact, artifacts, entry, row
from tests.unit.hostile_text import HOSTILE, texts
from tests.unit.report.comparisons import about, compared, comparison, comparisons

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import AskedAgain, ComparedRow, Comparison, Finding, Quoted, Side, Status, Verdict
from llm_testbench.compare.options import GateOptions, Role
from llm_testbench.report import junit

RESULTS = ("failure", "error", "skipped")


def read(comparison: Comparison, current: Artifact | None = None) -> Element:
    return ElementTree.fromstring(junit.render(comparison, current))


def cases(root: Element) -> dict[str, Element]:
    """By name; the names of a file must differ."""
    found = {f"{case.get('classname')} {case.get('name')}": case for case in root.iter("testcase")}
    assert len(found) == len(list(root.iter("testcase")))
    return found


def result(case: Element) -> str:
    return next((tag for tag in RESULTS if case.find(tag) is not None), "passed")


def said(case: Element) -> str:
    return "".join(case.itertext())


def one(
    status: Status,
    *,
    verdict: Verdict = Verdict.PASS,
    code: str = "",
    attempts: Sequence[Attempt] = (0.0,),
    scored: bool = True,
    **more: Any,
) -> Element:
    """The case of the test `a-t`; `code`: of a reason that names it."""
    held = compared(status, 1.0, 0.0, 3 if scored else 0, category="a", test_id="a-t", **more)
    reasons = [about(code, held)] if code else []
    return cases(read(comparison(verdict, [held], reasons=reasons), artifact({"a-t": attempts})))["a.sub a-t"]


FAIL = Verdict.FAIL


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ({"status": Status.STABLE}, "passed"),
        ({"status": Status.IMPROVEMENT}, "passed"),
        ({"status": Status.SUSPECTED}, "passed"),
        ({"status": Status.ACCEPTED}, "passed"),
        ({"status": Status.NEW}, "passed"),
        ({"status": Status.NEW, "verdict": Verdict.NO_BASELINE}, "passed"),
        ({"status": Status.CHANGED}, "passed"),
        ({"status": Status.REGRESSION, "verdict": FAIL, "code": "regression"}, "failure"),
        ({"status": Status.DRIFT, "verdict": FAIL, "code": "drift"}, "failure"),
        ({"status": Status.SUSPECTED, "verdict": FAIL, "code": "suspected"}, "failure"),
        ({"status": Status.STABLE, "verdict": FAIL, "code": "must_pass"}, "failure"),
        ({"status": Status.REJECTED, "verdict": FAIL, "code": "rejected", "scored": False}, "failure"),
        # Another test fails the gate; fail_on_drift is off; a recording is not held to its drops.
        ({"status": Status.STABLE, "verdict": FAIL}, "passed"),
        ({"status": Status.DRIFT, "verdict": Verdict.PASS}, "passed"),
        ({"status": Status.REGRESSION, "verdict": Verdict.PASS}, "passed"),
        ({"status": Status.QUARANTINED}, "skipped"),
        ({"status": Status.NEW, "badges": ("quarantined",)}, "skipped"),
        ({"status": Status.STABLE, "scored": False, "attempts": [Outcome.TIMEOUT]}, "error"),
        ({"status": Status.NEW, "scored": False, "attempts": [Outcome.TOOLCHAIN_MISSING, Outcome.TIMEOUT]}, "error"),
        ({"status": Status.NEW, "scored": False, "attempts": [Outcome.TOOLCHAIN_MISSING]}, "skipped"),
        ({"status": Status.NEW, "scored": False, "attempts": []}, "skipped"),
        (
            {
                "status": Status.STABLE,
                "verdict": FAIL,
                "code": "must_pass_unscored",
                "scored": False,
                "attempts": [Outcome.TIMEOUT],
            },
            "error",
        ),
        (
            {"status": Status.STABLE, "verdict": Verdict.SKIPPED, "scored": False, "attempts": [Outcome.AUTH]},
            "skipped",
        ),
    ],
)
def test_what_becomes_of_a_test(shown: dict[str, Any], expected: str) -> None:
    assert result(one(**shown)) == expected


@pytest.mark.parametrize("status", [Status.REMOVED, Status.NOT_SELECTED])
def test_what_is_not_in_this_run_is_left_out(status: Status) -> None:
    gone = compared(status, 1.0, None, category="a", test_id="a-t")
    assert list(cases(read(comparison(Verdict.PASS, [gone])))) == ["llm-testbench gate"]


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict.PASS, "passed"),
        (Verdict.NO_BASELINE, "passed"),
        (Verdict.FAIL, "failure"),
        (Verdict.INCONCLUSIVE, "error"),
        (Verdict.SKIPPED, "skipped"),
    ],
)
def test_the_gate_is_a_case_of_its_own(verdict: Verdict, expected: str) -> None:
    gate = cases(read(comparison(verdict, headline="what came of it")))["llm-testbench gate"]
    assert result(gate) == expected
    assert "what came of it" in said(gate)


def test_reasons_about_no_test_stand_in_the_gate_and_others_in_their_test() -> None:
    held = compared(Status.REGRESSION, 1.0, 0.0, category="a", test_id="a-t")
    low = Finding("min_score", (Quoted("chat"), " has mean 0.10"), "chat")
    found = cases(read(comparison(FAIL, [held], reasons=[low, about("regression", held, " dropped")])))
    assert said(found["llm-testbench gate"]) == "the first line\nchat has mean 0.10"
    assert said(found["a a-t"]) == "regression: 3 of 3 → 0 of 3, −100 points\na-t dropped"


def test_many_reasons_are_cut() -> None:
    reasons = [Finding("coverage", (f"number {index}.",)) for index in range(junit.MOST_REASONS + 2)]
    gate = cases(read(comparison(Verdict.INCONCLUSIVE, reasons=reasons)))["llm-testbench gate"]
    assert said(gate).endswith("number 99.\nand 2 more: see comparison.json")


def test_a_failure_tells_what_happened() -> None:
    test = entry("a-t", line=12, suite_file="evals/a.yaml")
    answer = replace(row(test, "chat", 1, 0.0), reason="found 80", response_text="<think>hm</think>It is 80.")
    asked = AskedAgain("current", 5, Side(0.0, 5), p=1 / 252)
    held = compared(Status.REGRESSION, 1.0, 0.5, 2, category="a", test_id="a-t", badges=("must pass",), asked=asked)
    now = artifact({}, test, rows=[row(test, "chat", 0, 1.0), answer])
    case = cases(read(comparison(FAIL, [held], reasons=[about("regression", held, " dropped")]), now))["a.sub a-t"]
    assert (case.get("file"), case.get("line")) == ("evals/a.yaml", "12")
    failure = case.find("failure")
    assert failure is not None
    assert failure.attrib == {"type": "regression", "message": "regression: 2 of 2 → 1 of 2, −50.0 points"}
    assert said(case).split("\n") == [
        "regression: 2 of 2 → 1 of 2, −50.0 points",
        "a-t dropped",
        "must pass",
        "Asked again: 0 of 5 passed; with all answers counted, chance alone would do that in 1 of 252 cases.",
        "found 80",
        "attempt 2 answered:",
        "It is 80.",
    ]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"line": 0}, {"file": "evals/all.yaml"}),
        ({"suite_file": ""}, {}),
        ({}, {"file": "evals/all.yaml", "line": "7"}),
    ],
)
def test_where_a_test_is_written(written: dict[str, Any], expected: dict[str, str]) -> None:
    held = compared(Status.STABLE, 1.0, 1.0, category="a", test_id="a-t")
    case = cases(read(comparison(Verdict.PASS, [held]), artifact({}, entry("a-t", **written))))["a.sub a-t"]
    assert {name: case.get(name) for name in ("file", "line") if case.get(name) is not None} == expected


def test_our_words_read_to_the_letter() -> None:
    gate = cases(read(comparison(FAIL, headline='1 < 2 & "so"')))["llm-testbench gate"]
    failure = gate.find("failure")
    assert failure is not None
    assert failure.get("message") == failure.text == '1 < 2 & "so"'


def test_names_stand_on_one_line_and_are_cut() -> None:
    held = compared(Status.STABLE, 1.0, 1.0, category="a", test_id="x\ny" + "z" * 1000)
    shown = junit.render(comparison(Verdict.PASS, [held]), None)
    assert f'name="x y{"z" * (junit.NAME_LIMIT - 4)}…"' in shown


def test_an_error_has_the_words_of_the_server() -> None:
    case = one(Status.STABLE, scored=False, attempts=[Outcome.TIMEOUT])
    error = case.find("error")
    assert error is not None
    assert error.attrib == {"type": "timeout", "message": "no attempt was scored: timeout"}
    assert "words: timeout" in said(case)


def test_a_suspicion_says_what_would_settle_it() -> None:
    case = one(Status.SUSPECTED, settle="8 attempts can prove it", expected=2.0)
    assert said(case).split("\n") == [
        "suspected: 3 of 3 → 0 of 3, −100 points",
        "Chance alone would give 2.0 such tests.",
        "8 attempts can prove it.",
    ]


def test_the_time_of_a_case_is_the_mean_of_its_attempts_in_seconds() -> None:
    test = entry("a-t")
    rows = [row(test, "chat", number, 1.0, latency_ms=ms) for number, ms in enumerate([1000.0, 2000.0])]
    rows.append(row(test, "chat", 2, 1.0, latency_ms=99_000.0, phase="confirm"))
    root = read(
        comparison(Verdict.PASS, [compared(Status.STABLE, 1.0, 1.0, category="a", test_id="a-t")]),
        artifact({}, test, rows=rows),
    )
    assert cases(root)["a.sub a-t"].get("time") == "1.500"
    assert [suite.get("time") for suite in root] == ["0.000", "1.500"]
    assert root.get("time") == "1.500"


def test_a_suite_for_each_model_and_names_that_differ_over_models() -> None:
    # GitLab knows a case by class and name, whatever suite it stands in.
    tests = [compared(Status.STABLE, 1.0, 1.0, model=name, category="a", test_id="a-t") for name in ("chat", "code")]
    root = read(comparison(Verdict.PASS, tests))
    assert [suite.get("name") for suite in root] == ["llm-testbench", "chat", "code"]
    assert list(cases(root)) == ["llm-testbench gate", "a a-t on chat", "a a-t on code"]


def test_a_model_that_is_gone_changes_no_names() -> None:
    tests = [
        compared(Status.STABLE, 1.0, 1.0, category="a", test_id="a-t"),
        compared(Status.REMOVED, 1.0, None, model="old", category="a", test_id="a-t"),
    ]
    assert list(cases(read(comparison(Verdict.PASS, tests)))) == ["llm-testbench gate", "a a-t"]


@pytest.mark.parametrize(
    ("started", "expected"),
    [("2026-01-01T00:00:00Z", "2026-01-01T00:00:00"), ("2026-01-01T00:00:00.5+02:00", "2026-01-01T00:00:00")],
)
def test_when_the_run_started(started: str, expected: str) -> None:
    root = read(comparison(), artifact({}, started_at=started))
    assert [suite.get("timestamp") for suite in root] == [expected]


@pytest.mark.parametrize("started", ["", "yesterday", '"><x>', "about 2026-01-01T00:00:00"])
def test_no_time_where_it_is_not_known(started: str) -> None:
    assert [suite.get("timestamp") for suite in read(comparison(), artifact({}, started_at=started))] == [None]


def test_latencies_that_are_no_numbers_count_as_none() -> None:
    test = entry("a-t")
    rows = [
        row(test, "chat", number, 1.0, latency_ms=ms)
        for number, ms in enumerate([float("nan"), float("inf"), -1.0, 500.0])
    ]
    root = read(
        comparison(Verdict.PASS, [compared(Status.STABLE, 1.0, 1.0, category="a", test_id="a-t")]),
        artifact({}, test, rows=rows),
    )
    assert cases(root)["a.sub a-t"].get("time") == "0.500"


@given(comparisons(), st.none() | artifacts())
def test_there_is_a_failure_exactly_where_the_verdict_is_fail(found: Comparison, current: Artifact | None) -> None:
    root = read(found, current)
    failures = list(root.iter("failure"))
    assert bool(failures) == (found.verdict is Verdict.FAIL)
    named = {
        (reason.model, reason.test_id)
        for reason in found.reasons
        if reason.test_id and reason.code in ("regression", "drift", "suspected", "rejected", "must_pass")
    }
    in_run = {(row.model, row.test_id) for row in found.tests if row.current and row.status not in GONE}
    assert found.verdict is not Verdict.FAIL or len(failures) >= 1 + len(named & in_run)


GONE = (Status.REMOVED, Status.NOT_SELECTED)


def test_what_became_of_attempts_that_were_not_answered_is_told_by_model() -> None:
    late: dict[tuple[str, str] | str, Sequence[Attempt]] = {
        ("chat", "a-t"): [1.0, Outcome.TIMEOUT],
        ("code", "a-t"): [1.0, 0.0],
    }
    given_up = replace(row(entry("a-t"), "chat", 2, Outcome.AUTH), error="not asked: the key is wrong: HTTP 401")
    tests = [compared(Status.STABLE, 1.0, 1.0, model=name, category="a", test_id="a-t") for name in ("chat", "code")]

    root = read(comparison(Verdict.PASS, tests), artifact(late, rows=[given_up]))

    told = {suite.get("name"): {one.get("name"): one.get("value") for one in suite.iter("property")} for suite in root}
    assert told == {
        "llm-testbench": {},
        "chat": {"attempts.answered": "1", "attempts.timeout": "1", "attempts.not_asked": "1"},
        "code": {},
    }
    only_given_up = artifact({("chat", "a-t"): [1.0]}, rows=[given_up])
    names = [one.get("name") for one in read(comparison(Verdict.PASS, tests), only_given_up).iter("property")]
    assert names == ["attempts.answered", "attempts.not_asked"]


@given(comparisons(), st.none() | artifacts())
def test_every_test_of_the_run_is_a_case_and_totals_are_those_of_the_cases(
    found: Comparison, current: Artifact | None
) -> None:
    root = read(found, current)
    assert len(list(root.iter("testcase"))) == 1 + sum(row.status not in GONE for row in found.tests)
    for part in (root, *root):
        inside = [result(case) for case in part.iter("testcase")]
        counted = {"tests": len(inside), "failures": inside.count("failure")}
        counted |= {"errors": inside.count("error"), "skipped": inside.count("skipped")}
        assert {name: int(part.get(name, "")) for name in counted} == counted


@given(artifacts(), artifacts(), st.sampled_from([None, 0.9]), st.sampled_from(["gate", "record"]))
def test_every_test_that_the_verdict_of_a_real_run_rests_on_fails(
    before: Artifact, now: Artifact, min_score: float | None, role: Role
) -> None:
    found = compare(before, now, GateOptions(role=role, min_score=min_score))
    failed = {
        (suite.get("name"), case.get("name"))
        for suite in read(found, now)
        for case in suite
        if case.find("failure") is not None
    }
    several = len({row.model for row in found.tests if row.status not in GONE}) > 1
    named = {
        (reason.model, f"{reason.test_id} on {reason.model}" if several else reason.test_id)
        for reason in found.reasons
        if reason.test_id is not None and reason.code != "must_pass_unscored"
    }
    gate = {("llm-testbench", "gate")}
    assert failed == (named | gate if found.verdict is Verdict.FAIL else set())


OURS = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "testcase": {"classname", "name", "time", "file", "line"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"message"},
    "system-out": set[str](),
    "properties": set[str](),
    "property": {"name", "value"},
}
# https://www.w3.org/TR/xml/#charsets
NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def hostile(bad: str) -> tuple[Comparison, Artifact]:
    test = entry(bad, category=bad, subcategory=bad, suite_file=bad)
    answers = [
        replace(row(test, bad, 0, 0.0), reason=bad, response_text=bad),
        replace(row(test, bad + bad, 0, Outcome.REJECTED), error=bad),
    ]
    tests: list[ComparedRow] = [
        compared(Status.REGRESSION, 1.0, 0.0, model=bad, category=bad, test_id=bad),
        compared(Status.REJECTED, 1.0, 0.0, 0, model=bad + bad, category=bad, test_id=bad),
    ]
    reasons = [
        Finding("regression", (Quoted(bad),), bad, bad),
        Finding("rejected", (Quoted(bad),), bad + bad, bad),
        Finding("min_score", (Quoted(bad),), bad),
    ]
    return comparison(FAIL, tests, reasons=reasons), artifact({}, test, rows=answers, started_at=bad)


def check(bad: str) -> None:
    text = junit.render(*hostile(f"FOREIGN{bad}"))
    assert NO_XML.search(text) is None
    root = ElementTree.fromstring(text)
    for element in root.iter():
        assert element.attrib.keys() <= OURS[element.tag]
    assert len(list(root.iter("testcase"))) == 3
    assert text.count("FOREIGN") >= 10
    assert not re.search("<!|<\\?(?!xml )|&(?!amp;|lt;|gt;|quot;|#x27;)", text)


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_trick_breaks_out(bad: str) -> None:
    check(bad)


@given(texts)
@settings(max_examples=30)
def test_no_mix_of_tricks_breaks_out(bad: str) -> None:
    check(bad)
