"""One value decides verdict, first line, exit code, outputs and comparison.json: they never disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.unit.compare.artifacts import Attempt, artifact, entry, row

from llm_testbench import schemas
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.commands.announce import outputs
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output
from llm_testbench.compare.compare import compare, doubted, skipped
from llm_testbench.compare.exit_code import exit_code
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.model import Comparison, Finding, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.redaction import Redactor

SCHEMA = Draft202012Validator(schemas.load("comparison"))
NOWHERE = Output(Edges(environ={}, cwd=Path("nowhere")), Redactor([]), Redactor([]), folder=Path("nowhere/results"))
FIRST_WORDS = {
    "pass": ("No drop", "Better", "Pass, though", "Nothing was judged", "Recorded"),
    "fail": ("Worse", "Fail"),
    "inconclusive": ("Can't tell", "Not fit as a baseline"),
    "no_baseline": ("No baseline", "Recorded"),
    "skipped": ("Skipped",),
}
DROPS = {"regression", "drift"}


@dataclass(frozen=True)
class Told:
    """A comparison with what was compared."""

    comparison: Comparison
    current: Artifact
    options: GateOptions


STEADY: list[list[Attempt]] = [[1.0] * 10, [1.0] * 10, [0.0] * 10, [1.0, 0.0] * 5]
UNSTEADY: list[list[Attempt]] = [
    [0.0] * 5,
    [0.0] * 5,
    [0.0, 1.0, 1.0, 1.0, 1.0],
    [0.5] * 5,
    [Outcome.TIMEOUT] * 3,
    [Outcome.REJECTED] * 3,
]
OPTIONS = st.builds(
    GateOptions,
    role=st.sampled_from(["gate", "gate", "gate", "record"]),
    min_score=st.sampled_from([None, None, 0.5]),
    max_drop=st.sampled_from([None, None, 0.05]),
    fail_on=st.sampled_from(["regression", "suspected", "never"]),
    on_inconclusive=st.sampled_from(["fail", "warn"]),
    fail_on_drift=st.booleans(),
    gate_levels=st.sampled_from(
        [("model", "test"), ("model",), ("test",), ("category", "test"), ("model", "category", "test")]
    ),
    confirm=st.sampled_from(["auto", "auto", "off"]),
    min_coverage=st.sampled_from([0.0, 0.9]),
    max_error_rate=st.sampled_from([0.05, 1.0]),
)
FURTHER = st.sampled_from(["", "", "", "lost", "skipped"])


@st.composite
def told(draw: st.DrawFn) -> Told:
    """One or two models, tests that hold or break, suspects that were asked again, and what happens afterwards."""
    models = draw(st.sampled_from([("chat",), ("chat", "code")]))
    names = [f"{category}-{number}" for category in ("a", "b") for number in range(draw(st.integers(1, 6)))]
    tests = [
        entry(
            name,
            must_pass=draw(st.sampled_from([False] * 9 + [True])),
            quarantine=draw(st.sampled_from([False] * 9 + [True])),
        )
        for name in names
    ]
    before: dict[tuple[str, str] | str, Sequence[Attempt]] = {}
    now: dict[tuple[str, str] | str, Sequence[Attempt]] = {}
    again: list[Row] = []
    for model in models:
        for test in tests:
            key = (model, test.test_id)
            before[key] = steady = draw(st.sampled_from(STEADY))
            now[key] = steady[:5] if draw(st.booleans()) else draw(st.sampled_from(UNSTEADY))
            fresh = draw(st.sampled_from([[], [1.0], [0.0] * 12]))
            again += [row(test, model, 10 + number, score, phase="confirm") for number, score in enumerate(fresh)]
    options: GateOptions = draw(OPTIONS)
    ids: Mapping[str, Any] = draw(st.sampled_from([{}, {"models": {name: f"org/{name}-next" for name in models}}]))
    current = artifact(now, *tests, rows=again, repeat=5, role=options.role, **ids)
    comparison = compare(
        artifact(before, *tests) if draw(st.sampled_from([True] * 9 + [False])) else None, current, options
    )
    match draw(FURTHER):
        case "lost":
            comparison = doubted(comparison, [Finding("unsaved", ("report.md could not be written",))])
        case "skipped":
            comparison = skipped(comparison, Finding("no_credentials", ("there is no key",)))
    return Told(comparison, current, options)


@given(told())
def test_all_who_tell_the_verdict_tell_the_same(one: Told) -> None:
    comparison = one.comparison
    verdict = comparison.verdict.value
    event(verdict)
    data = comparison_to_json(comparison)
    SCHEMA.validate(data)
    assert (data["verdict"], data["headline"]) == (verdict, comparison.headline)
    assert outputs(comparison, one.current, NOWHERE)["verdict"] == verdict
    first = [word for word, starts in FIRST_WORDS.items() if comparison.headline.startswith(starts)]
    assert verdict in first and (comparison.role == "record" or first == [verdict])
    code = exit_code(comparison, one.options)
    assert (code == 1) == (verdict == "fail" and one.options.fail_on != "never")
    assert (code == 3) == (verdict == "inconclusive" and one.options.on_inconclusive == "fail")


@given(told())
def test_what_fails_by_a_drop_is_counted_and_called_worse(one: Told) -> None:
    comparison = one.comparison
    codes = {reason.code for reason in comparison.reasons}
    told_out = outputs(comparison, one.current, NOWHERE)
    event(" ".join(sorted(codes & (DROPS | {"suspected"}))))
    if codes & DROPS:
        assert comparison.verdict is Verdict.FAIL
        assert int(told_out["regressions"]) > 0
    if "suspected" in codes:
        assert int(told_out["suspected"]) > 0
    worse = comparison.verdict is Verdict.FAIL and bool(codes & (DROPS | {"rejected", "max_drop"}))
    assert comparison.headline.startswith("Worse") == worse


@given(told())
def test_a_gate_that_passes_counts_no_drop_that_would_fail_it(one: Told) -> None:
    comparison = one.comparison
    if comparison.role != "gate" or comparison.verdict is not Verdict.PASS:
        return
    counted = outputs(comparison, one.current, NOWHERE)
    if one.options.fail_on_drift:
        assert counted["regressions"] == "0"
    if one.options.fail_on == "suspected":
        assert counted["suspected"] == "0"


@given(told())
def test_outputs_and_comparison_json_give_the_same_figures(one: Told) -> None:
    overall, counted = comparison_to_json(one.comparison)["overall"], outputs(one.comparison, one.current, NOWHERE)
    assert isinstance(overall, dict)
    for name, value in (
        ("delta", overall["delta"]),
        ("mean", _mean(overall["current"])),
        ("baseline_mean", _mean(overall["baseline"])),
    ):
        assert counted[name] == ("" if value is None else f"{value:.6g}"), name


def _mean(side: object) -> object:
    return side["mean"] if isinstance(side, dict) else None
