"""The verdict, its reasons, its first line and its exit code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.unit.compare.artifacts import Attempt, artifact, artifacts, entry, row

from llm_testbench import schemas
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import compare, doubts, skipped
from llm_testbench.compare.exit_code import exit_code
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.model import Comparison, Finding, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.rules import SERVER_WORDS_LIMIT
from llm_testbench.compare.scope import Scope

GOOD = artifact({"t": [1.0], "u": [1.0]})
ERRORS: list[Attempt] = [Outcome.TIMEOUT, Outcome.TIMEOUT]


@dataclass(frozen=True)
class Case:
    """`codes`: of the reasons in their order."""

    name: str
    baseline: Artifact | None
    current: Artifact
    options: GateOptions
    verdict: str
    codes: tuple[str, ...]
    headline: str
    planned: tuple[tuple[str, str], ...] = ()


def must(*attempts: Attempt, quarantine: bool = False, **meta: Any) -> Artifact:
    return artifact({"t": list(attempts), "u": [1.0] * 40}, entry("t", must_pass=True, quarantine=quarantine), **meta)


BLIND = "1 attempt before and 1 now cannot prove one broken test (5 a side can, or asking again with 2 before)"
CASES = [
    Case(
        "nothing got worse", GOOD, GOOD, GateOptions(max_drop=0.1), "pass", (),
        f"No drop found; {BLIND}",
    ),
    Case(
        "a flip of a single attempt is suspected", GOOD, artifact({"t": [0.5], "u": [1.0]}), GateOptions(min_score=0.5),
        "pass", (),
        f"No drop proven, 1 suspected; {BLIND}",
    ),
    Case(
        "one attempt proves nothing by itself", GOOD, artifact({"t": [0.0], "u": [0.0]}), GateOptions(), "pass", (),
        f"No drop proven, 2 suspected; {BLIND}",
    ),
    Case(
        "a must_pass test below the mark", GOOD, must(1.0, 1.0, 0.5), GateOptions(), "fail", ("must_pass",),
        "Fail: 1 must-pass test did not pass",
    ),
    Case(
        "a must_pass test at the mark", GOOD, must(0.99), GateOptions(), "pass", (),
        f"No drop found; {BLIND}",
    ),
    Case(
        "a must_pass test without a baseline", None, must(0.0), GateOptions(), "fail", ("must_pass",),
        "Fail: 1 must-pass test did not pass",
    ),
    Case(
        "a must_pass test without a score", GOOD, must(Outcome.TIMEOUT), GateOptions(min_coverage=0.1), "inconclusive",
        ("must_pass_unscored",), "Can't tell: 1 must-pass test without a score",
    ),
    Case(
        "a quarantined must_pass test", GOOD, must(0.0, quarantine=True), GateOptions(), "pass", (),
        f"No drop found; {BLIND.replace('1 now', '40 now')}",
    ),
    Case(
        "a model below min_score", GOOD, artifact({"t": [0.5], "u": [0.75]}), GateOptions(min_score=0.7), "fail",
        ("min_score",), "Fail: 1 model below min_score",
    ),
    Case(
        "exactly min_score", GOOD, artifact({"t": [0.5], "u": [0.9]}), GateOptions(min_score=0.7), "pass", (),
        f"No drop proven, 2 suspected; {BLIND}",
    ),
    Case(
        "min_score counts new tests, and no quarantined ones", GOOD,
        artifact({"new": [0.0], "q": [1.0], "t": [1.0]}, entry("q", quarantine=True)), GateOptions(min_score=0.6),
        "fail", ("min_score",), "Fail: 1 model below min_score",
    ),
    Case(
        "a drop beyond max_drop", GOOD, artifact({"t": [0.5], "u": [1.0]}), GateOptions(max_drop=0.2), "fail",
        ("max_drop",),
        "Worse: 1 model dropped by more than max_drop",
    ),
    Case(
        "a drop of exactly max_drop", artifact({"t": [0.4]}), artifact({"t": [0.3]}), GateOptions(max_drop=0.1),
        "pass", (),
        f"No drop proven, 1 suspected; {BLIND}",
    ),
    Case(
        "max_drop 0 forbids any drop", GOOD, artifact({"t": [0.99], "u": [1.0]}), GateOptions(max_drop=0.0), "fail",
        ("max_drop",),
        "Worse: 1 model dropped by more than max_drop",
    ),
    Case(
        "new and quarantined tests are no drop", GOOD,
        artifact({"t": [0.0], "u": [1.0], "new": [0.0]}, entry("t", quarantine=True)), GateOptions(max_drop=0.0),
        "pass", (),
        f"No drop found; {BLIND}",
    ),
    Case(
        "a request that the server now refuses", GOOD, artifact({"t": [Outcome.REJECTED], "u": [1.0] * 40}),
        GateOptions(min_coverage=0.1), "fail", ("rejected",),
        "Worse: the server refuses 1 request that the baseline answered",
    ),
    Case(
        "a broken rule wins over missing data", GOOD, must(0.0, interrupted=True), GateOptions(), "fail",
        ("must_pass", "interrupted"),
        "Fail: 1 must-pass test did not pass (besides, the run is incomplete: the run ended early)",
    ),
    Case(
        "too few cells scored, too many errors", GOOD, artifact({"t": ERRORS, "u": [1.0]}), GateOptions(),
        "inconclusive", ("coverage", "errors"),
        "Can't tell: too few tests were scored on 1 model; too many errors on 1 model",
    ),
    Case(
        "one bad model among good ones", None, artifact({("good", "t"): [1.0] * 100, ("bad", "t"): ERRORS}),
        GateOptions(), "inconclusive", ("coverage", "errors"),
        "Can't tell: too few tests were scored on 1 model; too many errors on 1 model",
    ),
    Case(
        "a baseline in which every call failed", artifact({"t": ERRORS, "u": ERRORS}), GOOD, GateOptions(),
        "no_baseline", ("no_baseline",), "No baseline to compare with: mean 1.00 over 2 tests",
    ),
    Case(
        "errors within the limits", GOOD, artifact({"t": [1.0] * 19 + [Outcome.TIMEOUT], "u": [1.0]}),
        GateOptions(max_drop=1), "pass", (),
        f"No drop found; {BLIND.replace('1 now', '19 now')}",
    ),
    Case(
        "errors of quarantined tests do not count", GOOD,
        artifact({"t": ERRORS, "u": [1.0]}, entry("t", quarantine=True)), GateOptions(max_drop=1), "pass", (),
        f"No drop found; {BLIND}",
    ),
    Case(
        "skipped tests are not covered", GOOD, artifact({"t": [Outcome.TOOLCHAIN_MISSING], "u": [1.0]}), GateOptions(),
        "inconclusive", ("coverage",), "Can't tell: too few tests were scored on 1 model",
    ),
    Case(
        "planned and never asked", GOOD, artifact({"t": [1.0]}), GateOptions(), "inconclusive", ("coverage",),
        "Can't tell: too few tests were scored on 1 model", planned=(("chat", "t"), ("chat", "u")),
    ),
    Case(
        "a listed test without any row", GOOD, artifact({"t": [1.0]}, entry("u", must_pass=True)), GateOptions(),
        "inconclusive", ("must_pass_unscored", "coverage"),
        "Can't tell: 1 must-pass test without a score; too few tests were scored on 1 model",
    ),
    Case(
        "a test that another model was asked is not missed", None,
        artifact({("a", "t"): [1.0], ("b", "t"): [1.0], ("b", "u"): [1.0]}), GateOptions(),
        "no_baseline", ("no_baseline",), "No baseline to compare with: mean 1.00 over 3 results",
    ),
    Case(
        "no result at all", GOOD, artifact({}), GateOptions(), "inconclusive", ("nothing",),
        "Can't tell: the run holds no result",
    ),
    Case(
        "interrupted", GOOD, artifact({"t": [1.0], "u": [1.0]}, interrupted=True), GateOptions(), "inconclusive",
        ("interrupted",), "Can't tell: the run ended early",
    ),
    Case(
        "no baseline", None, artifact({"t": [1.0], "u": [0.5]}), GateOptions(max_drop=0.1), "no_baseline",
        ("no_baseline",), "No baseline to compare with: mean 0.75 over 2 tests",
    ),
    Case(
        "a baseline that shares nothing with this run", artifact({("old", "t"): [1.0]}), GOOD, GateOptions(),
        "no_baseline", ("no_baseline",), "No baseline to compare with: mean 1.00 over 2 tests",
    ),
    Case(
        "no baseline and nothing to score", None, artifact({"q": [1.0]}, entry("q", quarantine=True)), GateOptions(),
        "no_baseline", ("no_baseline",), "No baseline to compare with: nothing was scored",
    ),
    Case(
        "a missing baseline may be told to fail", None, GOOD, GateOptions(baseline_missing="fail"), "inconclusive",
        ("baseline_missing",), "Can't tell: the baseline is missing, and baseline_missing is fail",
    ),
    Case(
        "doubt comes before a missing baseline", None, artifact({"t": ERRORS}), GateOptions(), "inconclusive",
        ("coverage", "errors"), "Can't tell: too few tests were scored on 1 model; too many errors on 1 model",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict_reasons_and_headline(case: Case) -> None:
    found = compare(case.baseline, case.current, case.options, Scope(planned=case.planned))
    assert found.verdict.value == case.verdict
    assert tuple(reason.code for reason in found.reasons) == case.codes
    assert found.headline == case.headline


@pytest.mark.parametrize(
    ("current", "options", "message"),
    [
        (must(1.0, 0.5), GateOptions(), "t on chat must pass and passed 1 of 2 attempts (80 % needed)"),
        (must(0.9899), GateOptions(), "t on chat must pass and passed 0 of 1 attempt (80 % needed)"),
        (
            artifact({"t": [0.0], "u": [1.0]}),
            GateOptions(max_drop=0.2),
            "chat dropped by 0.50 (1.00 → 0.50) over 2 tests, max_drop is 0.20",
        ),
        (
            artifact({"t": [0.0]}),
            GateOptions(min_score=0.2),
            "chat has mean 0.00 over 1 test, below min_score 0.20",
        ),
        (
            artifact({"t": [Outcome.REJECTED], "u": [1.0] * 40}),
            GateOptions(min_coverage=0.5),
            "t on chat was scored in the baseline, now the server refuses the request: words: rejected",
        ),
        (
            artifact({"t": [Outcome.TIMEOUT], "u": [1.0] * 40}),
            GateOptions(),
            "chat: 1 of 2 tests scored (50 %, at least 90 % needed)",
        ),
        (
            artifact({"t": [1.0] * 9 + [Outcome.TIMEOUT], "u": [1.0]}),
            GateOptions(),
            "chat: 1 of 11 attempts ended in an error (9 %, at most 5 % allowed)",
        ),
    ],
)
def test_a_reason_says_who_what_and_how_much(current: Artifact, options: GateOptions, message: str) -> None:
    assert compare(GOOD, current, options).reasons[0].message == message


def test_a_skipped_run_says_so() -> None:
    found = skipped(compare(None, GOOD, GateOptions()), Finding("no_credentials", ("there is no key",)))
    assert (found.verdict, found.headline) == (Verdict.SKIPPED, "Skipped: no credentials")


def test_doubts_about_a_run_need_no_baseline() -> None:
    run = artifact({"t": [1.0]}, interrupted=True)
    assert [doubt.code for doubt in doubts(run, GateOptions())] == ["interrupted"]
    assert [doubt.code for doubt in doubts(run, GateOptions(), planned=[("chat", "t"), ("chat", "u")])] == [
        "interrupted",
        "coverage",
    ]
    assert doubts(GOOD, GateOptions()) == ()


def test_a_servers_words_are_cut() -> None:
    refused = replace(row(entry("t"), "chat", 0, Outcome.REJECTED), error="w" * 10_000)
    found = compare(GOOD, artifact({"u": [1.0]}, entry("t"), rows=[refused]), GateOptions())
    assert len(found.reasons[0].message) < SERVER_WORDS_LIMIT + 100


@pytest.mark.parametrize(
    ("verdict", "options", "code"),
    [
        (Verdict.PASS, GateOptions(), 0),
        (Verdict.NO_BASELINE, GateOptions(), 0),
        (Verdict.SKIPPED, GateOptions(), 0),
        (Verdict.FAIL, GateOptions(), 1),
        (Verdict.FAIL, GateOptions(fail_on="suspected"), 1),
        (Verdict.FAIL, GateOptions(fail_on="never"), 0),
        (Verdict.FAIL, GateOptions(on_inconclusive="warn"), 1),
        (Verdict.INCONCLUSIVE, GateOptions(), 3),
        (Verdict.INCONCLUSIVE, GateOptions(fail_on="never"), 3),
        (Verdict.INCONCLUSIVE, GateOptions(on_inconclusive="warn"), 0),
    ],
)
def test_exit_codes(verdict: Verdict, options: GateOptions, code: int) -> None:
    base = compare(None, GOOD, options)
    judged = Comparison(
        verdict, base.headline, base.reasons, base.warnings, base.overall, base.models, base.categories, base.tests
    )
    assert exit_code(judged, options) == code


BREACHES = {"must_pass", "rejected", "min_score", "max_drop", "regression", "drift", "suspected"}
DOUBTS = {"nothing", "must_pass_unscored", "interrupted", "coverage", "errors", "baseline_missing"}
FIRST_WORDS = {
    "pass": ("No drop", "Better", "Pass, though", "Nothing was judged"),
    "fail": ("Worse", "Fail"),
    "inconclusive": ("Can't tell",),
    "no_baseline": ("No baseline",),
}
limits = st.none() | st.sampled_from([0.0, 0.2, 0.5, 1.0])
options = st.builds(
    GateOptions,
    min_score=limits,
    max_drop=limits,
    fail_on=st.sampled_from(["regression", "suspected", "never"]),
    on_inconclusive=st.sampled_from(["fail", "warn"]),
    baseline_missing=st.sampled_from(["warn", "fail"]),
    min_coverage=st.sampled_from([0.0, 0.5, 0.9]),
    max_error_rate=st.sampled_from([0.0, 0.05, 1.0]),
)
SCHEMA = Draft202012Validator(schemas.load("comparison"))


@given(st.none() | artifacts(), artifacts(), options)
def test_verdict_exit_code_headline_and_json_never_disagree(
    baseline: Artifact | None, current: Artifact, chosen: GateOptions
) -> None:
    found = compare(baseline, current, chosen)
    data = comparison_to_json(found)
    SCHEMA.validate(data)
    codes = {reason.code for reason in found.reasons}
    assert codes <= BREACHES | DOUBTS | {"no_baseline"}
    assert (found.verdict is Verdict.FAIL) == bool(codes & BREACHES)
    assert (found.verdict is Verdict.INCONCLUSIVE) == (bool(codes & DOUBTS) and not codes & BREACHES)
    assert (found.verdict is Verdict.NO_BASELINE) == (codes == {"no_baseline"})
    assert (found.verdict is Verdict.PASS) == (not codes)
    assert found.headline.startswith(FIRST_WORDS[found.verdict.value])
    assert (data["verdict"], data["headline"]) == (found.verdict.value, found.headline)
    expected = {
        "fail": 1 if chosen.fail_on != "never" else 0,
        "inconclusive": 3 if chosen.on_inconclusive == "fail" else 0,
    }
    assert exit_code(found, chosen) == expected.get(found.verdict.value, 0)


@given(artifacts(), artifacts())
def test_the_sides_of_a_row_and_its_delta_agree(baseline: Artifact, current: Artifact) -> None:
    found = compare(baseline, current, GateOptions())
    for one in (found.overall, *found.models, *found.categories, *found.tests):
        if one.delta is not None:
            assert one.baseline is not None
            assert one.current is not None
            assert one.baseline.mean is not None
            assert one.delta == one.current.mean - one.baseline.mean  # type: ignore[operator] # has a delta
    assert sum(
        found.counts[status]
        for status in (
            "regression",
            "suspected",
            "stable",
            "improvement",
            "drift",
            "accepted",
            "rejected",
            "quarantined",
            "new",
            "removed",
            "changed",
            "not_selected",
        )
    ) == len(found.tests)


@given(artifacts())
def test_a_run_compared_with_itself_never_drops(run: Artifact) -> None:
    found = compare(run, run, GateOptions(max_drop=0.0))
    assert found.counts["lower"] == found.counts["higher"] == 0
    assert {reason.code for reason in found.reasons}.isdisjoint({"max_drop", "rejected"})


def test_a_model_of_one_test_has_one_test() -> None:
    found = compare(artifact({"t": [1.0] * 10}), artifact({"t": [0.0] * 3}, role="gate"), GateOptions())
    assert "over 1 test:" in found.reasons[0].message
