"""Whether anything that a user decides differs between two runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry

from llm_testbench.artifact.model import Artifact, TestEntry
from llm_testbench.compare.align import align
from llm_testbench.compare.cells import cells_of
from llm_testbench.compare.drift import unchanged
from llm_testbench.compare.pool import pool


def run(*tests: TestEntry, **changes: Any) -> Artifact:
    return artifact({"a": [1.0], "b": [1.0]}, *tests, **changes)


def alike(before: Artifact, now: Artifact, edited: Collection[tuple[str, str]] = ()) -> bool:
    pairs = align(cells_of(before), cells_of(now), suite_ids=(), unscored=(), edited=edited)
    return unchanged(before, now, pairs)


def test_two_runs_of_the_same_are_alike() -> None:
    assert alike(run(), run())


@pytest.mark.parametrize(
    "changes",
    [
        {"repeat": 10},
        {"version": "2.0.0"},
        {"started_at": "2026-02-02T00:00:00Z"},
        {"catalog_hash": "1" * 16},
        {"role": "record"},
        {"served_models": {"another": ("x",)}},
    ],
    ids=str,
)
def test_what_decides_no_answer_is_no_difference(changes: dict[str, Any]) -> None:
    assert alike(run(), run(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"models": {"chat": "org/b"}},
        {"endpoint": "http://another.example/v1"},
        {"temperature": 1.0},
        {"temperature": None},
        {"seed": 7},
        {"max_tokens_default": 7},
        {"served_models": {"chat": ("x",)}},
        {"fingerprints": {"chat": ("x",)}},
        {"adaptations": {"chat": ("no seed",)}},
        {"foreign": True},
    ],
    ids=str,
)
def test_what_decides_answers_is_a_difference_on_either_side(changes: dict[str, Any]) -> None:
    assert not alike(run(), run(**changes))
    assert not alike(run(**changes), run())


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(entry("b", request_hash="edited"), id="prompt"),
        pytest.param(entry("b", request_hash=""), id="prompt not known"),
        pytest.param(entry("b", check_hash=""), id="check not known"),
    ],
)
def test_one_test_that_is_not_known_to_be_the_same_is_a_difference(test: TestEntry) -> None:
    assert not alike(run(), run(test))


def test_an_edited_check_is_a_difference_though_old_answers_were_scored_by_it() -> None:
    assert not alike(run(), run(), edited={("chat", "b")})


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(entry("b", request_hash="edited", quarantine=True), id="in quarantine"),
        pytest.param(entry("b", rev=2), id="another test now"),
    ],
)
def test_what_is_not_compared_does_not_matter(test: TestEntry) -> None:
    assert alike(run(), run(test))


def test_where_nothing_is_compared_nothing_is_known() -> None:
    assert not alike(artifact({"a": [1.0]}), artifact({"b": [1.0]}))
    assert not alike(artifact({"a": [1.0]}, foreign=True), artifact({"b": [1.0]}))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param({}, {}, True, id="both alike"),
        pytest.param({}, {"temperature": 1.0}, False, id="the second differs"),
        pytest.param({"seed": 7}, {}, False, id="the first differs"),
        pytest.param({}, {"served_models": {"chat": ("x",)}}, False, id="the second's server differs"),
    ],
)
def test_a_baseline_of_several_runs_is_judged_run_by_run(
    first: dict[str, Any], second: dict[str, Any], expected: bool
) -> None:
    baseline = pool(
        [artifact({"a": [1.0]}, **first), artifact({"b": [1.0]}, started_at="2026-01-02T00:00:00Z", **second)],
        window=1,
    )
    pairs = align(cells_of(baseline.artifact), cells_of(run()), suite_ids=(), unscored=(), edited=())

    assert unchanged(baseline.artifact, run(), pairs, baseline.parts) is expected


def test_of_a_run_of_another_tool_nothing_is_known_though_another_run_knows_its_test() -> None:
    first = artifact({"a": [1.0]}, entry("b"))
    baseline = pool([first, artifact({"b": [1.0]}, foreign=True)], window=1)
    pairs = align(cells_of(baseline.artifact), cells_of(run()), suite_ids=(), unscored=(), edited=())

    assert not any(pair.hash_missing for pair in pairs)
    assert not unchanged(baseline.artifact, run(), pairs, baseline.parts)


def test_a_run_of_which_nothing_is_compared_is_not_judged() -> None:
    other = artifact({"c": [1.0]}, started_at="2026-01-02T00:00:00Z", temperature=1.0)
    baseline = pool([run(), other], window=1)
    pairs = align(cells_of(baseline.artifact), cells_of(run()), suite_ids=(), unscored=(), edited=())

    assert unchanged(baseline.artifact, run(), pairs, baseline.parts)
