"""What makes two runs less comparable is said."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import compare
from llm_testbench.compare.options import GateOptions


def said(before: Artifact, now: Artifact, **options: Any) -> list[tuple[str, str]]:
    return [(warning.code, warning.message) for warning in compare(before, now, GateOptions(), **options).warnings]


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({}, {}, []),
        (
            {"endpoint": "http://a/v1"},
            {"endpoint": "http://b/v1"},
            [("endpoint", "the endpoint changed: http://a/v1 → http://b/v1")],
        ),
        (
            {"models": {"chat": "org/old"}},
            {"models": {"chat": "org/new"}},
            [("model_id", "chat stands for another model id: org/old → org/new")],
        ),
        ({"temperature": None}, {"temperature": 0.7}, [("sampling", "temperature changed: none → 0.7")]),
        ({"seed": 1}, {"seed": None}, [("sampling", "seed changed: 1 → none")]),
        (
            {"max_tokens_default": 4096},
            {"max_tokens_default": 100},
            [("sampling", "max_tokens_default changed: 4096 → 100")],
        ),
        ({"repeat": 10}, {"repeat": 3}, [("sampling", "repeat changed: 10 → 3")]),
        (
            {"version": "1.0.0"},
            {"version": "1.1.0"},
            [("tool_version", "measured with another version of llm-testbench: 1.0.0 → 1.1.0")],
        ),
        (
            {"served_models": {"chat": ("a", "b")}},
            {"served_models": {"chat": ("c",)}},
            [("served_model", "chat: the server names another model: a, b → c")],
        ),
        ({"served_models": {"chat": ("a", "b")}}, {"served_models": {"chat": ("b", "a")}}, []),
        ({"served_models": {}}, {"served_models": {"chat": ("c",)}}, []),
        (
            {"fingerprints": {"chat": ("fp1",)}},
            {"fingerprints": {"chat": ("fp2",)}},
            [("fingerprint", "chat: the server's fingerprint changed: fp1 → fp2")],
        ),
        (
            {"adaptations": {}},
            {"adaptations": {"chat": ("no temperature",)}},
            [("adaptation", "chat: requests were adapted to the server in another way: none → no temperature")],
        ),
        (
            {"interrupted": True},
            {},
            [("baseline_interrupted", "the baseline's run was interrupted: it does not hold all tests")],
        ),
    ],
)
def test_a_setting_that_changed(before: dict[str, Any], now: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(artifact({"t": [1.0]}, **before), artifact({"t": [1.0]}, **now)) == expected


def test_a_foreign_baseline_is_named_and_its_unknown_settings_are_not_held_against_it() -> None:
    before = artifact({"t": [1.0]}, foreign=True, endpoint="", version="", catalog_hash="", temperature=None)
    assert said(before, artifact({"t": [1.0]})) == [
        ("foreign", "the baseline was written by another tool: its settings and its requests are not known"),
        ("hash_missing", "1 test without a stored hash: taken as unchanged"),
    ]


def test_a_model_on_one_side_only_comes_first() -> None:
    before = artifact({("old", "t"): [1.0], ("chat", "t"): [1.0]}, endpoint="http://a")
    now = artifact({("new", "t"): [1.0], ("chat", "t"): [1.0]})
    assert said(before, now)[:2] == [
        ("model_absent", "new is not in the baseline: nothing to compare it with"),
        ("model_absent", "old is in the baseline and was not run now"),
    ]


def test_an_edited_suite_is_summed_up() -> None:
    before = artifact({"same": [1.0], "prompt": [1.0], "check": [1.0], "gone": [1.0]}, catalog_hash="1")
    now = artifact(
        {"same": [1.0], "prompt": [1.0], "check": [1.0], "new": [1.0]},
        entry("prompt", request_hash="x"),
        entry("check", check_hash="x"),
        catalog_hash="2",
    )
    assert said(before, now) == [
        ("suite", "the suite was edited: 1 prompt changed, 1 test changed beyond comparison, 1 new, 1 removed")
    ]


def test_a_filter_is_no_edit() -> None:
    before = artifact({"t": [1.0], "u": [1.0]}, catalog_hash="1")
    assert said(before, artifact({"t": [1.0]}, catalog_hash="2"), suite_ids={"t", "u"}) == []


def test_a_model_that_is_new_makes_no_test_new() -> None:
    before = artifact({("a", "t"): [1.0]}, catalog_hash="1")
    now = artifact({("a", "t"): [1.0], ("b", "t"): [1.0]}, catalog_hash="2")
    assert [code for code, _ in said(before, now)] == ["model_absent"]


def test_tests_that_the_baseline_could_not_score_are_counted() -> None:
    before = artifact({"t": [Outcome.TIMEOUT], "u": [1.0]})
    assert said(before, artifact({"t": [1.0], "u": [1.0]})) == [
        ("baseline_unscored", "1 result of the baseline without a score: not compared")
    ]


def test_a_model_row_carries_what_changed_about_it_as_badges() -> None:
    before = artifact({"t": [1.0]}, models={"chat": "a"}, served_models={"chat": ("x",)})
    now = artifact({"t": [1.0]}, models={"chat": "b"}, served_models={"chat": ("y",)})
    assert compare(before, now, GateOptions()).models[0].badges == ("model changed", "served model changed")
