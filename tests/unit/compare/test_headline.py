"""The first line: the verdict and why, with figures and in our own words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.compare.artifacts import Attempt, artifact, entry, row

from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import compare
from llm_testbench.compare.examine import examine
from llm_testbench.compare.explained import explained
from llm_testbench.compare.model import Acceptance, Comparison, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.regressions import tally
from llm_testbench.compare.scope import NOTHING_KNOWN, Scope

SERVED = {"chat": ("org/chat-2",)}
"""Served under another name than before: what got worse is no drift."""


def many(count: int, attempts: list[Attempt], start: int = 0) -> dict[tuple[str, str] | str, list[Attempt]]:
    return {f"t{number}": attempts for number in range(start, start + count)}


def before(count: int = 40, attempts: int = 10) -> Artifact:
    return artifact(many(count, [1.0] * attempts))


def broken(wrong: int, count: int = 40, *, again: int = 0, served: bool = True) -> Artifact:
    """A gate's run in which the first `wrong` tests break, `again` further attempts included."""
    cells = many(wrong, [0.0] * 3) | many(count - wrong, [1.0] * 3, wrong)
    rows = [
        row(entry(f"t{number}"), "chat", 3 + attempt, 0.0, phase="confirm")
        for number in range(wrong)
        for attempt in range(again)
    ]
    return artifact(cells, rows=rows, role="gate", served_models=SERVED if served else {})


QUIET = GateOptions(min_effect_model=0.5)  # the mean alone does not decide


@pytest.mark.parametrize(
    ("current", "options", "line"),
    [
        pytest.param(
            broken(1, again=8), QUIET, "Worse: 1 test regressed, also when asked again", id="a test that is named"
        ),
        pytest.param(
            broken(2, again=8), QUIET, "Worse: 2 tests regressed, also when asked again", id="two tests that are named"
        ),
        pytest.param(
            broken(4, again=8),
            GateOptions(),
            "Worse: 4 tests regressed, also when asked again; 1 model dropped by 10.0 points",
            id="a mean, and the tests behind it",
        ),
        pytest.param(
            broken(4),
            GateOptions(),
            "Worse: 1 model dropped by 10.0 points",
            id="a mean whose tests nobody asked again",
        ),
        pytest.param(
            broken(4, served=False),
            GateOptions(),
            "Worse: 1 model dropped by 10.0 points;"
            " nothing was changed on this side, so what answers has changed (drift)",
            id="drift",
        ),
        pytest.param(
            broken(4, served=False),
            GateOptions(fail_on_drift=False),
            "Pass, though 1 model dropped by 10.0 points: nothing was changed, and fail_on_drift is off;"
            " a drop of 3.1 points would have been seen",
            id="drift that only warns",
        ),
        pytest.param(
            broken(1), QUIET, "No drop proven, 1 suspected; a drop of 3.1 points would have been seen", id="a suspect"
        ),
        pytest.param(
            broken(1),
            replace(QUIET, fail_on="suspected"),
            "Fail: 1 suspected drop, and fail_on is suspected",
            id="a suspect of a strict gate",
        ),
        pytest.param(
            broken(0), GateOptions(), "No drop found; a drop of 3.1 points would have been seen", id="nothing"
        ),
    ],
)
def test_first_lines(current: Artifact, options: GateOptions, line: str) -> None:
    assert compare(before(), current, options).headline == line


def test_better_is_said_first() -> None:
    found = compare(artifact(many(40, [0.0] * 10)), artifact(many(40, [1.0] * 3), role="gate"), GateOptions())
    assert found.headline.startswith("Better: 1 model improved by 100.0 points, and no drop was found; a drop of ")


def test_categories_that_gate_are_counted() -> None:
    options = GateOptions(gate_levels=("category",))
    old: dict[tuple[str, str] | str, list[Attempt]] = {f"a-{number}": [1.0] * 5 for number in range(8)}
    new: dict[tuple[str, str] | str, list[Attempt]] = {name: [0.0] * 5 for name in old}
    found = compare(artifact(old), artifact(new, served_models=SERVED), options)
    assert found.headline == "Worse: 1 category dropped"
    assert found.reasons[0].message == (
        "category a on chat dropped by 100.0 points over 8 tests: chance alone would give that in less than 1 of 10,000"
        " cases"
    )


def test_all_models_together_can_drop_where_none_does_by_itself() -> None:
    models = [f"m{number}" for number in range(4)]
    old: dict[tuple[str, str] | str, list[Attempt]] = {(m, f"t{n}"): [1.0] for m in models for n in range(60)}
    new: dict[tuple[str, str] | str, list[Attempt]] = {
        (m, f"t{n}"): [0.0 if n < 3 else 1.0] for m in models for n in range(60)
    }
    found = compare(artifact(old), artifact(new, served_models={"m0": ("x",)}), GateOptions())
    assert found.verdict is Verdict.FAIL
    assert found.headline == "Worse: all models together dropped by 5.0 points"
    assert tally(found).regressions == 1


def test_a_named_test_explains_its_models_drop() -> None:
    current = broken(4, again=8)
    found, looked_at = (
        compare(before(), current, GateOptions()),
        examine(before(), current, GateOptions(), NOTHING_KNOWN),
    )
    assert explained(found.models[0], found.tests, looked_at, GateOptions())
    assert [entry.test for entry in found.accept] == ["t0", "t1", "t2", "t3"], "the model needs no entry of its own"


def test_a_drop_beyond_the_named_tests_is_accepted_as_a_whole() -> None:
    found = compare(before(), broken(12, again=8), GateOptions())
    assert [entry.test for entry in found.accept] == [None]
    assert len(found.accept[0].tests) == 40


def test_nothing_is_offered_where_nothing_failed() -> None:
    assert compare(before(), broken(1), QUIET).accept == ()


def accepted_at(scores: tuple[float, ...]) -> Comparison:
    scope = Scope(accepted=[Acceptance("chat", {"t0": scores}, "t0")])
    return compare(before(), broken(1, again=8), QUIET, scope)


def test_an_accepted_test_passes_and_says_so() -> None:
    found = accepted_at((0.0,) * 8)
    (row_of_t0,) = (one for one in found.tests if one.test_id == "t0")
    assert (found.verdict, row_of_t0.status.value, row_of_t0.badges) == (Verdict.PASS, "accepted", ("accepted",))


def test_below_what_was_accepted_it_fails() -> None:
    assert accepted_at((0.5,) * 10).headline == "Worse: 1 test regressed, also when asked again"


def test_whom_no_answer_could_prove_is_no_suspect_that_was_left_out() -> None:
    old = before()
    flaky: dict[tuple[str, str] | str, list[Attempt]] = {"t0": [1.0, 0.0] * 5}
    mixed = artifact(many(39, [1.0] * 10, 1) | flaky)
    found = compare(mixed, broken(1), QUIET)
    assert (found.confirmation.suspects, found.confirmation.left_out) == (0, 0)
    assert found.headline.startswith("No drop found")
    assert compare(old, broken(1), QUIET).confirmation.suspects == 1
