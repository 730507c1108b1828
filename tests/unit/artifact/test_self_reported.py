"""A run that belongs to whoever is judged by it does not choose what it is judged by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry, row

from llm_testbench.artifact.model import Artifact, Git, TestEntry
from llm_testbench.artifact.self_reported import Known, Taken, taken

KNOWN = Known(
    Git("octo/shop", "a" * 40, "refs/pull/17/head", "https://github.com/octo/shop/actions/runs/1"),
    "2026-12-01T00:00:00Z",
)
EASY, HARD = entry("sums-easy"), entry("sums-hard", must_pass=True, line=20)
BASE = (EASY, HARD)
PLANNED = frozenset({("chat", "sums-easy"), ("chat", "sums-hard")})
BOTH = {"sums-easy": [1.0, 1.0], "sums-hard": [0.0, 1.0]}


def run(*tests: TestEntry, **meta: Any) -> Artifact:
    return artifact({test.test_id: BOTH.get(test.test_id, [1.0]) for test in tests}, *tests, **meta)


def judged(found: Artifact, base: tuple[TestEntry, ...] | None = BASE) -> Taken:
    return taken(found, base, PLANNED, KNOWN)


def scores(found: Taken) -> dict[str, list[float]]:
    held: dict[str, list[float]] = {}
    for one in found.artifact.results:
        held.setdefault(one.test_id, []).append(one.score)
    return held


def test_an_honest_run_is_taken_as_it_is() -> None:
    found = judged(run(*BASE))
    assert (found.missing, found.other_check, found.other_prompt, found.unknown) == ((), (), (), ())
    assert found.artifact.tests == BASE
    assert scores(found) == BOTH


@pytest.mark.parametrize(
    "forged",
    [
        {"must_pass": False},
        {"quarantine": True},
        {"category": "other", "subcategory": "other"},
        {"suite_file": "x.yaml", "line": 1},
        {"check": {"contains": ""}},
        {"request": {"messages": []}},
    ],
    ids=lambda forged: next(iter(forged)),
)
def test_what_the_base_says_of_a_test_cannot_be_overruled(forged: dict[str, Any]) -> None:
    found = judged(run(EASY, replace(HARD, **forged)))
    assert found.artifact.tests == BASE
    assert {one.category for one in found.artifact.results} == {"sums"}


@pytest.mark.parametrize("forged", [{"check_hash": "mine"}, {"check_hash": ""}, {"rev": 2}], ids=str)
def test_scores_by_another_check_are_left_out(forged: dict[str, Any]) -> None:
    found = judged(run(EASY, replace(HARD, **forged)))
    assert (found.other_check, found.missing) == (("sums-hard",), ())
    assert scores(found) == {"sums-easy": [1.0, 1.0]}
    # What must pass is there, without an attempt.
    assert found.artifact.tests == BASE


def test_a_test_that_was_left_out_is_missed() -> None:
    found = judged(run(EASY))
    assert found.missing == ("sums-hard",)
    assert found.artifact.tests == BASE


def test_one_that_a_single_model_was_not_asked_is_missed_too() -> None:
    found = taken(run(*BASE), BASE, PLANNED | {("other", "sums-easy")}, KNOWN)
    assert found.missing == ("sums-easy",)


def test_another_prompt_is_what_is_measured_and_is_told() -> None:
    request = {"messages": [{"role": "user", "content": "Say 4."}]}
    found = judged(run(EASY, replace(HARD, request=request, request_hash="mine", quarantine=True)))
    assert found.other_prompt == ("sums-hard",)
    assert found.artifact.tests[1] == replace(HARD, request=request, request_hash="mine")
    assert scores(found) == BOTH


def test_a_prompt_without_a_hash_is_another_one() -> None:
    found = judged(run(EASY, replace(HARD, request_hash="")))
    assert found.other_prompt == ("sums-hard",)
    assert found.artifact.tests[1].request_hash not in ("", HARD.request_hash)


def test_a_test_that_the_base_does_not_have_is_shown_and_counts_for_nothing() -> None:
    mine = entry("mine-new", must_pass=True)
    found = judged(run(*BASE, mine))
    assert found.unknown == ("mine-new",)
    assert found.artifact.tests[0] == replace(mine, must_pass=False, quarantine=True)
    assert scores(found)["mine-new"] == [1.0]


def test_what_was_asked_again_and_the_other_side_are_left_out() -> None:
    more = (
        row(HARD, "chat", 7, 1.0, phase="confirm"),
        row(HARD, "chat", 8, 0.0, side="baseline"),
        row(HARD, "chat", 9, 0.0, side="baseline", phase="confirm"),
    )
    found = judged(replace(run(*BASE), results=(*run(*BASE).results, *more)))
    assert scores(found) == BOTH


def test_whether_an_attempt_passed_follows_from_its_score() -> None:
    lied = replace(run(*BASE), results=tuple(replace(one, passed=not one.passed) for one in run(*BASE).results))
    assert [one.passed for one in judged(lied).artifact.results] == [True, True, False, True]


def test_of_itself_the_run_tells_nothing_that_others_know() -> None:
    forged = run(
        *BASE,
        git=Git("evil/shop", "f" * 40, "refs/heads/main", "https://evil.example"),
        role="record",
        started_at="2020-01-01T00:00:00Z",
        finished_at="2099-01-01T00:00:00Z",
        repeat=1000,
        test_count=1000,
        catalog_hash="mine",
    )
    meta = judged(forged).artifact.meta
    assert (meta.git, meta.finished_at, meta.started_at) == (KNOWN.git, KNOWN.finished_at, "")
    assert (meta.role, meta.repeat, meta.test_count) == ("run", 2, 2)
    assert meta.catalog_hash == judged(run(*BASE)).artifact.meta.catalog_hash


def test_that_it_ended_early_is_believed() -> None:
    assert judged(run(*BASE, interrupted=True)).artifact.meta.interrupted


def test_where_the_base_is_not_known_its_own_tests_stand() -> None:
    mine = run(EASY, replace(HARD, check_hash="mine"))
    found = judged(mine, None)
    assert found == Taken(found.artifact)
    assert found.artifact.tests == mine.tests


def test_statistics_are_made_anew() -> None:
    assert [one.mean for one in judged(run(*BASE)).artifact.stats] == [1.0, 0.5]
