"""The means beside those of the last release: what it says, over which cells, and that it decides nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tests.unit.compare.acceptances import cell
from tests.unit.compare.artifacts import Attempt, artifact, artifacts, entry

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import compare
from llm_testbench.compare.exit_code import exit_code
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.model import BaselineRun, ComparedRow, Comparison, SinceRelease, Status, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.scope import LastRelease, Scope
from llm_testbench.compare.since_release import in_words, mostly_recorded

DAYS_41 = 41 * 86400.0
RUN = BaselineRun("release v1.2.0", "v1.2.0", "a" * 40, "https://ghes.example/r", age=DAYS_41)
TESTS = 100
WORSE: dict[tuple[str, str] | str, Sequence[Attempt]] = {f"a-{number}": [1.0, 0.0] * 5 for number in range(20)}
BETTER: dict[tuple[str, str] | str, Sequence[Attempt]] = {f"a-{number}": [1.0] * 10 for number in range(20)}


def since(release: Artifact, current: Artifact, scope: Scope | None = None) -> SinceRelease:
    found = beside(release, current, scope).since_release
    assert found is not None
    return found


def beside(release: Artifact, current: Artifact, scope: Scope | None = None, run: BaselineRun = RUN) -> Comparison:
    """The run compared with itself, so that the release alone differs."""
    scope = replace(scope or Scope(), release=LastRelease(run, release))
    return compare(current, current, GateOptions(), scope)


def whole(found: SinceRelease) -> ComparedRow:
    assert found.overall is not None
    return found.overall


def measured(rate: float, attempts: int, luck: random.Random) -> Artifact:
    return artifact(
        {f"a-{number:03}": [float(luck.random() < rate) for _ in range(attempts)] for number in range(TESTS)}
    )


def test_ten_merges_that_each_cost_a_point_pass_one_by_one_and_are_proven_together() -> None:
    luck = random.Random(3)
    recordings = [measured(0.96 - 0.01 * merge, 10, luck) for merge in range(11)]
    scope = Scope(release=LastRelease(RUN, recordings[0]))
    found = [
        compare(before, measured(0.95 - 0.01 * merge, 3, luck), GateOptions(), scope)
        for merge, before in enumerate(recordings[:10])
    ]
    assert {one.verdict for one in found} == {Verdict.PASS}
    assert {row.status for one in found for row in one.models} == {Status.STABLE}
    last = found[-1]
    assert last.since_release is not None
    row = whole(last.since_release)
    assert row.status is Status.REGRESSION
    assert row.ci is not None and row.ci[0] < -0.10 < row.ci[1] < 0
    assert [warning.code for warning in last.warnings].count("since_release") == 1
    assert last.warnings[0].message == f"chat: {in_words(row, last.since_release)} since release v1.2.0"


def test_no_release_is_none() -> None:
    comparison = compare(artifact(BETTER), artifact(BETTER), GateOptions())
    assert comparison.since_release is None
    assert comparison_to_json(comparison)["since_release"] is None


@given(artifacts())
def test_a_run_beside_itself_has_not_changed(run: Artifact) -> None:
    found = since(run, run)
    for row in [*found.models, *([found.overall] if found.overall else [])]:
        assert row.delta == 0
        assert row.ci is not None and row.ci[0] < 0 < row.ci[1]
        assert row.status is Status.STABLE
    assert found.left_out == 0
    assert "since_release" not in {warning.code for warning in beside(run, run).warnings}


@given(artifacts(), artifacts(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_says_nothing(release: Artifact, current: Artifact, luck: random.Random) -> None:
    shuffled = replace(release, results=tuple(luck.sample(release.results, len(release.results))))
    assert since(shuffled, current) == since(release, current)


@given(artifacts(), artifacts(), artifacts(), st.sampled_from(["regression", "suspected"]), st.booleans())
def test_a_release_decides_nothing(
    release: Artifact, base: Artifact, current: Artifact, fail_on: str, strict: bool
) -> None:
    options = GateOptions(fail_on=fail_on, max_drop=0.01 if strict else None)  # type: ignore[arg-type]
    without = compare(base, current, options)
    found = compare(base, current, options, Scope(release=LastRelease(RUN, release)))
    told = tuple(warning for warning in found.warnings if warning.code != "since_release")
    event("warned" if told != found.warnings else "silent")
    assert replace(found, since_release=None, warnings=told) == without
    assert exit_code(found, options) == exit_code(without, options)


def test_a_proven_drop_is_a_warning_and_the_run_passes() -> None:
    found = beside(artifact(BETTER), artifact(WORSE))
    assert found.verdict is Verdict.PASS
    (warning,) = [one for one in found.warnings if one.code == "since_release"]
    assert warning.model == "chat"
    assert warning.message.startswith("chat: 50.0 points lower (95 %: ")
    assert warning.message.endswith(" since release v1.2.0")


def test_what_is_better_is_told_in_words_and_warned_of_by_nobody() -> None:
    found = beside(artifact(WORSE), artifact(BETTER))
    assert found.since_release is not None
    row = whole(found.since_release)
    assert row.status is Status.IMPROVEMENT
    assert in_words(row, found.since_release).startswith("50.0 points higher (95 %: ")
    assert found.warnings == beside(artifact(BETTER), artifact(BETTER)).warnings


COMPARED = [
    ("as it was", {}, 1),
    ("prompt edited", {"request_hash": "another"}, 0),
    ("check edited", {"check_hash": "another"}, 0),
    ("rev raised", {"rev": 2}, 0),
    ("in quarantine", {"quarantine": True}, 0),
    ("must pass since", {"must_pass": True}, 1),
]


@pytest.mark.parametrize(("changes", "compared"), [case[1:] for case in COMPARED], ids=[case[0] for case in COMPARED])
def test_only_tests_that_are_as_they_were_count(changes: dict[str, object], compared: int) -> None:
    scores: Sequence[Attempt] = [1.0, 0.0]
    release = artifact({"a-one": [1.0, 1.0], "a-two": scores})
    found = since(release, artifact({"a-one": [0.0, 0.0], "a-two": scores}, entry("a-one", **changes)))
    assert whole(found).current is not None
    assert whole(found).current.n == 1 + compared  # type: ignore[union-attr]
    assert whole(found).delta == (-0.5 if compared else 0)
    assert found.left_out == (0 if compared or "quarantine" in changes else 1)


def test_cells_that_one_side_did_not_score_are_left_out() -> None:
    release = artifact({"a-one": [1.0], "a-two": [Outcome.TIMEOUT], "a-gone": [1.0]})
    current = artifact({"a-one": [1.0], "a-two": [1.0], "a-new": [1.0], "a-broken": [Outcome.TIMEOUT]})
    found = since(release, current)
    assert (whole(found).current, found.left_out) == (whole(found).baseline, 2)


def test_an_accepted_drop_is_not_told_again() -> None:
    release, current = artifact({"a-one": [1.0] * 10, "a-two": [1.0]}), artifact({"a-one": [0.0] * 10, "a-two": [1.0]})
    accepted = [cell("a-one", 0.0)]
    assert whole(since(release, current)).delta == -0.5
    found = since(release, current, Scope(accepted=accepted))
    assert (whole(found).delta, found.left_out) == (0, 1)


def test_models_are_told_apart_and_all_together() -> None:
    now: dict[tuple[str, str] | str, Sequence[Attempt]] = {}
    then: dict[tuple[str, str] | str, Sequence[Attempt]] = {}
    for number in range(20):
        now |= {("chat", f"a-{number}"): [0.0] * 5, ("code", f"a-{number}"): [1.0] * 5}
        then |= {("chat", f"a-{number}"): [1.0] * 5, ("code", f"a-{number}"): [1.0] * 5}
    found = beside(artifact(then), artifact(now))
    assert found.since_release is not None
    rows = found.since_release
    assert [(row.model, row.delta) for row in (*rows.models, whole(rows))] == [("chat", -1), ("code", 0), (None, -0.5)]
    assert [warning.model for warning in found.warnings if warning.code == "since_release"] == ["chat"]


def test_a_drop_of_all_models_together_is_told_where_no_single_one_is_proven() -> None:
    now: dict[tuple[str, str] | str, Sequence[Attempt]] = {}
    then: dict[tuple[str, str] | str, Sequence[Attempt]] = {}
    for model in ("chat", "code", "mini", "tiny"):
        for number in range(4):
            then[model, f"a-{number}"] = [1.0] * 5
            now[model, f"a-{number}"] = [0.0] + [1.0] * 4 if number < 2 else [1.0] * 5
        then[model, "a-9"], now[model, "a-9"] = [1.0] * 5, [0.0] + [1.0] * 4
    found = beside(artifact(then), artifact(now))
    assert found.since_release is not None
    assert {row.status for row in found.since_release.models} == {Status.STABLE}
    (warning,) = [one for one in found.warnings if one.code == "since_release"]
    assert warning.model is None
    assert warning.message.startswith("all models together: 12.0 points lower")


def test_who_looks_at_many_rows_takes_more_to_prove_one() -> None:
    steady: Sequence[Attempt] = [1.0] * 4
    then: dict[tuple[str, str] | str, Sequence[Attempt]] = {
        (model, "a-one"): steady for model in ("chat", "code", "mini")
    }
    now = {**then, ("chat", "a-one"): [0.0] * 4}
    alone = whole(since(artifact({"a-one": steady}), artifact({"a-one": [0.0] * 4})))
    among = since(artifact(then), artifact(now)).models[0]
    assert alone.ci == among.ci and alone.ci is not None and alone.ci[1] < 0
    assert (alone.status, among.status) == (Status.REGRESSION, Status.STABLE)


def test_where_runs_are_the_unit_of_chance_a_release_is_one_run() -> None:
    release, current = artifact(BETTER), artifact(WORSE)
    scope = Scope(release=LastRelease(RUN, release))
    by_attempt, by_run = (
        compare(current, current, GateOptions(exchange=unit), scope).since_release for unit in ("attempt", "run")
    )
    assert by_attempt is not None and by_run is not None
    assert whole(by_attempt).delta == whole(by_run).delta == -0.5
    widths = [ci[1] - ci[0] for found in (by_attempt, by_run) if (ci := whole(found).ci) is not None]
    assert widths[0] < widths[1]


def test_a_change_below_a_point_is_no_news_however_sure() -> None:
    now: dict[tuple[str, str] | str, Sequence[Attempt]] = {f"a-{number:04}": [1.0] * 10 for number in range(400)}
    then = dict(now)
    now |= {f"a-{number:04}": [0.0] + [1.0] * 9 for number in range(27)}
    row = whole(since(artifact(then), artifact(now)))
    assert row.ci is not None and row.ci[1] < 0
    assert row.status is Status.STABLE


def test_a_release_without_anything_in_common_has_no_rows() -> None:
    found = since(artifact({"b-one": [1.0]}), artifact({"a-one": [1.0]}))
    assert (found.overall, found.models, found.left_out) == (None, (), 1)


RECORDED = BaselineRun("run 50 (a1b2c3d)", sha="a" * 40, cells=6, used=True)
RELEASED = BaselineRun("release v1.2.0", "v1.2.0", "b" * 40, cells=5, used=True)
NAMED = BaselineRun("baseline.json", cells=6, used=True)
MOSTLY = [
    ("nothing", [], False),
    ("a recording", [RECORDED], True),
    ("a release", [RELEASED], False),
    ("a file", [NAMED], False),
    ("more of a recording", [RECORDED, RELEASED], True),
    ("half of it", [RECORDED, NAMED], False),
    ("a recording that was passed over", [replace(RECORDED, used=False), RELEASED], False),
]


@pytest.mark.parametrize(("runs", "recorded"), [case[1:] for case in MOSTLY], ids=[case[0] for case in MOSTLY])
def test_it_is_for_runs_that_are_compared_with_recordings(runs: list[BaselineRun], recorded: bool) -> None:
    assert mostly_recorded(runs) is recorded
