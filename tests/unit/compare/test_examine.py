"""Who is a suspect, whose fresh attempts decide, and what is taken as the unit of chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import Attempt, artifact, entry, row

from llm_testbench.artifact.model import Artifact, TestEntry
from llm_testbench.compare.examine import MOST_NAMED, Examined, examine, fresh
from llm_testbench.compare.model import Acceptance
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.scope import NOTHING_KNOWN, Scope
from llm_testbench.compare.stage import stage
from llm_testbench.json_value import JSONObject, digest

OPTIONS = GateOptions()
KEY = ("chat", "t")


def asked(test_id: str, words: str, **changes: Any) -> TestEntry:
    """A test whose request is stored as it was sent."""
    request: JSONObject = {"messages": [{"role": "user", "content": words}]}
    return replace(entry(test_id), request=request, request_hash=digest(request), **changes)


def run(attempts: Sequence[Attempt], *tests: TestEntry, others: int = 40, role: str = "gate", **meta: Any) -> Artifact:
    """The test `t`, and many that are always right, so that one broken test moves no mean beyond doubt."""
    steady: dict[tuple[str, str] | str, Sequence[Attempt]] = {
        f"s{number}": [1.0] * len(attempts) for number in range(others)
    }
    # Flips in both directions hide a small drop of the mean.
    return artifact(steady | {"t": attempts}, *tests, role=role, **meta)


def suspects(found: Examined) -> dict[tuple[str, str], str]:
    return {one.key: one.variant for one in found.suspects}


RIGHT: list[Attempt] = [1.0] * 10
WRONG: list[Attempt] = [0.0] * 3
NOISY = GateOptions(min_effect_model=0.5)  # the model's row is not what these tests are about


@pytest.mark.parametrize(
    ("before", "now", "scope", "variant"),
    [
        pytest.param(run(RIGHT), run(WRONG), NOTHING_KNOWN, "current", id="nothing changed"),
        pytest.param(
            run(RIGHT, asked("t", "old")), run(WRONG, asked("t", "new")), NOTHING_KNOWN, "both", id="the prompt did"
        ),
        pytest.param(
            run(RIGHT, replace(asked("t", "old"), request={})),
            run(WRONG, asked("t", "new")),
            NOTHING_KNOWN,
            "current",
            id="the old prompt is not stored",
        ),
        pytest.param(
            run(RIGHT, replace(asked("t", "old"), request={"messages": ["***"]})),
            run(WRONG, asked("t", "new")),
            NOTHING_KNOWN,
            "current",
            id="the old prompt was redacted",
        ),
        pytest.param(
            run(RIGHT, asked("t", "old"), models={"chat": "org/other"}),
            run(WRONG, asked("t", "new")),
            NOTHING_KNOWN,
            "current",
            id="prompt and model did: the old prompt alone brings nothing back",
        ),
        pytest.param(
            run(RIGHT, models={"chat": "org/other"}), run(WRONG), Scope(against=["chat"]), "both", id="another side"
        ),
        pytest.param(run(RIGHT), run(WRONG), Scope(against=["other"]), "current", id="of another model"),
        pytest.param(
            run(RIGHT, asked("t", "old")),
            run(WRONG, asked("t", "new")),
            Scope(accepted=[Acceptance("chat", {"t": (1.0,) * 10}, "t")]),
            "current",
            id="accepted scores cannot be asked again",
        ),
    ],
)
def test_who_is_asked_again(before: Artifact, now: Artifact, scope: Scope, variant: str) -> None:
    assert suspects(examine(before, now, NOISY, scope)) == {KEY: variant}


@pytest.mark.parametrize("role", ["run", "record"])
def test_only_a_gate_asks_again(role: str) -> None:
    found = examine(run(RIGHT), run(WRONG, role=role), NOISY, NOTHING_KNOWN)
    assert suspects(found) == {}
    assert set(found.variants.chosen.values()) == {"off"}


def test_a_quarantined_a_refused_and_a_new_test_stand_in_no_family() -> None:
    now = run(WRONG, entry("s0", quarantine=True), others=3)
    found = examine(run(RIGHT, others=2), now, NOISY, NOTHING_KNOWN)
    assert {cell.key[1] for cell in found.scored} == {"t", "s1"}


def test_a_proven_model_leaves_only_the_worst_to_be_named() -> None:
    before = artifact({f"t{number}": [1.0] * 10 for number in range(12)})
    now = artifact({f"t{number}": [0.0] * 3 for number in range(12)}, role="gate")
    found = examine(before, now, OPTIONS, NOTHING_KNOWN)
    assert len(found.suspects) == MOST_NAMED
    assert {one.key for one in found.suspects} | found.left_out == {("chat", f"t{number}") for number in range(12)}


def test_accepted_scores_stand_in_the_baselines_place() -> None:
    scope = Scope(accepted=[Acceptance("chat", {"t": (0.0, 0.0, 1.0)}, "t")])
    found = examine(run(RIGHT), run(WRONG), NOISY, scope)
    assert {cell.key: cell.before for cell in found.scored}[KEY] == (0.0, 0.0, 1.0)
    assert found.before[KEY].scores == (1.0,) * 10, "what the baseline itself said is still known"


def test_an_entry_that_has_ended_replaces_nothing() -> None:
    scope = Scope(accepted=[Acceptance("chat", {"t": (0.0,)}, "t", until="2025-12-31")])
    found = examine(run(RIGHT), run(WRONG), NOISY, scope)
    assert {cell.key: cell.before for cell in found.scored}[KEY] == (1.0,) * 10


def test_further_runs_lengthen_the_baseline() -> None:
    found = examine(run(RIGHT), run(WRONG), NOISY, Scope(further={KEY: ((1.0, 1.0), (1.0,))}))
    assert {cell.key: cell.before for cell in found.scored}[KEY] == (*RIGHT, 1.0, 1.0, 1.0)


def test_choosing_runs_alike_is_paid_for_by_the_rows_of_models() -> None:
    before = artifact({f"t{number}": [1.0] * 5 for number in range(40)})
    now = artifact({f"t{number}": [1.0 if number > 1 else 0.5, 1.0, 1.0] for number in range(40)})
    pooled = Scope(further={("chat", "t0"): ((1.0,) * 5,)})
    alone, joined = (examine(before, now, OPTIONS, scope) for scope in (NOTHING_KNOWN, pooled))
    alphas = [GateOptions(alpha_split={"model": 0.8 * share, "test": 0.2}) for share in (1, 0.5)]
    for found, options in zip((alone, joined), alphas, strict=True):
        tested = found.stage.models["chat"].mde
        assert tested == pytest.approx(stage(found.scored, options, found.variants).models["chat"].mde)


def clumped() -> tuple[Artifact, Scope]:
    """Runs whose attempts repeat each other, and differ from run to run."""
    before = artifact({f"t{number}": [1.0] * 4 for number in range(8)})
    further = {("chat", f"t{number}"): ((0.0,) * 4, (1.0,) * 4) for number in range(8)}
    return before, Scope(further=further)


def test_runs_that_differ_more_than_their_attempts_are_the_unit_of_chance() -> None:
    before, scope = clumped()
    now = artifact({f"t{number}": [1.0, 1.0, 0.0] for number in range(8)}, role="gate")
    found = examine(before, now, OPTIONS, scope)
    assert found.exchange == "run"
    assert found.scored[0].before == (1.0, 0.0, 1.0)
    assert found.scored[0].now == pytest.approx((2 / 3,))
    assert set(found.variants.chosen.values()) == {"off"}, "further attempts of one run are no further runs"


def test_the_unit_of_chance_can_be_set() -> None:
    before, scope = clumped()
    now = artifact({f"t{number}": [1.0] * 3 for number in range(8)}, role="gate")
    assert examine(before, now, GateOptions(exchange="attempt"), scope).exchange == "attempt"
    assert examine(before, now, GateOptions(exchange="run"), NOTHING_KNOWN).exchange == "run"


def test_runs_are_shuffled_by_the_means_of_equally_many_attempts() -> None:
    before, now = run([0.0, 1.0, 1.0, *RIGHT], others=0), run([0.0, 0.0, 1.0], others=0)
    scope = Scope(further={KEY: ((1.0, 0.0), (1.0, 1.0, 0.0))})

    (cell,) = examine(before, now, GateOptions(exchange="run"), scope).scored

    assert (cell.before, cell.now) == ((0.5, 0.5, 1.0), (0.0,))
    assert cell.delta == pytest.approx(1 / 3 - 15 / 18)  # of all attempts: 1 of 3 right now, 15 of 18 before


def test_fresh_attempts_of_both_sides_are_read_from_the_rows() -> None:
    test = entry("t")
    rows = [
        row(test, "chat", 3, 1.0, phase="confirm"),
        row(test, "chat", 4, 0.0, phase="confirm", copy="id"),
        row(test, "chat", 5, 0.5, phase="confirm"),
        row(test, "chat", 0, 0.25, phase="confirm", side="baseline"),
    ]
    found = fresh(artifact({"t": [1.0, 1.0, 1.0], "u": [1.0]}, test, rows=rows).results)
    assert set(found) == {KEY}
    one = found[KEY]
    assert (one.current, one.passed, one.baseline) == ((1.0, 0.5), (True, False), (0.25,))
    assert (one.spent_current, one.spent_baseline, one.copies) == (3, 1, 1)
