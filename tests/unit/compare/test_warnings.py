"""What makes two runs less comparable is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry, row

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.compare.compare import compare
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.pool import Part
from llm_testbench.compare.scope import Scope


def said(before: Artifact, now: Artifact, **options: Any) -> list[tuple[str, str]]:
    return [
        (warning.code, warning.message) for warning in compare(before, now, GateOptions(), Scope(**options)).warnings
    ]


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
        ({"repeat": 10, "role": "record"}, {"repeat": 3, "role": "gate"}, []),
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
            {"asked": {"chat": "1"}},
            {"asked": {"chat": "2"}},
            [("way_of_asking", "chat is asked in another way: its own endpoint, sampling or extra_body changed")],
        ),
        ({"asked": {}}, {"asked": {"chat": "2"}}, []),
        (
            {"asked": {"chat": "1"}, "temperature": 0.0},
            {"asked": {"chat": "2"}, "temperature": 0.7},
            [("sampling", "temperature changed: 0.0 → 0.7")],
        ),
        (
            {"interrupted": True},
            {},
            [("baseline_interrupted", "the baseline's run was interrupted: it does not hold all tests")],
        ),
        (
            {"shard": "1/3"},
            {},
            [("baseline_shard", "the baseline is shard 1/3 of a run: it does not hold the other tests")],
        ),
        (
            {},
            {"shard": "1/3"},
            [("shard", "this run is shard 1/3 of a run: it does not hold the other tests")],
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


def test_each_run_that_gave_cells_is_held_against_this_one_by_its_own_models() -> None:
    before = artifact({("chat", "t"): [1.0], ("code", "t"): [1.0]})
    parts = (
        Part(artifact({("chat", "t"): [1.0]}, seed=7, endpoint="http://a"), frozenset({("chat", "t")})),
        Part(
            artifact(
                {("chat", "t"): [1.0], ("code", "t"): [1.0]},
                seed=7,
                models={"chat": "not compared", "code": "old"},
                interrupted=True,
            ),
            frozenset({("code", "t")}),
        ),
    )
    assert said(before, artifact({("chat", "t"): [1.0], ("code", "t"): [1.0]}), parts=parts) == [
        ("endpoint", "the endpoint changed: http://a → http://gateway.example/v1"),
        ("sampling", "seed changed: 7 → none"),
        ("baseline_interrupted", "the baseline's run was interrupted: it does not hold all tests"),
        ("model_id", "code stands for another model id: old → org/code"),
    ]


SAME = ["yes", "yes", "yes"]
EARLIER = "2025-12-24T00:00:00Z"
REPEATS_EQUAL = (
    "repeats_equal",
    "repeats agree to the letter; noise between runs is unknown until a second recording",
)


def answered(*cells: Sequence[str | None], **changes: Any) -> Artifact:
    """A run of a day of its own, by the texts that each test got; None: not stored."""
    rows = [
        row(entry(f"t-{number}"), "chat", attempt, 1.0, **changes)
        for number, texts in enumerate(cells)
        for attempt in range(len(texts))
    ]
    texts = [text for cell in cells for text in cell]
    rows = [replace(one, response_text=text) for one, text in zip(rows, texts, strict=True)]
    return artifact({}, *(entry(f"t-{number}") for number in range(len(cells))), rows=rows, started_at=EARLIER)


@pytest.mark.parametrize(
    ("before", "warned"),
    [
        pytest.param(answered(SAME), True, id="all equal"),
        pytest.param(answered(["yes"]), False, id="asked once"),
        pytest.param(answered(SAME, ["yes"]), True, id="one of them asked once"),
        pytest.param(answered(["yes", "Yes"]), False, id="one letter differs"),
        pytest.param(answered(*[SAME] * 19, ["yes", "no"]), True, id="19 of 20 equal"),
        pytest.param(answered(*[SAME] * 18, ["yes", "no"]), False, id="18 of 19 equal"),
        pytest.param(answered(["yes", None]), False, id="not stored"),
        pytest.param(answered(["yes", None, "yes"]), True, id="two of three stored"),
        pytest.param(answered([None, None]), False, id="nothing stored"),
        pytest.param(answered(["yes", "yes"], copy="id"), False, id="copies"),
        pytest.param(answered(["yes", "yes"], error="broken"), False, id="failed calls"),
        pytest.param(answered(["yes", "yes"], phase="confirm"), False, id="asked again"),
    ],
)
def test_a_baseline_whose_repeats_agree_to_the_letter(before: Artifact, *, warned: bool) -> None:
    now = artifact({"t-0": [1.0]})
    found = [warning for warning in said(before, now) if warning[0] in ("repeats_equal", "copies")]
    assert (REPEATS_EQUAL in found) is warned


def test_calls_of_tools_are_answers_too() -> None:
    def called(*arguments: str) -> Artifact:
        rows = [
            row(
                entry("t"),
                "chat",
                number,
                1.0,
                tool_calls=(ToolCall("f", None, id=f"id-{number}", arguments_text=text),),
            )
            for number, text in enumerate(arguments)
        ]
        return artifact({}, entry("t"), rows=rows, started_at=EARLIER)

    now = artifact({"t": [1.0]})
    assert REPEATS_EQUAL in said(called("{}", "{}"), now)
    assert REPEATS_EQUAL not in said(called("{}", '{"x": 1}'), now)


def test_a_second_run_or_the_same_one_tells_the_noise_between_runs() -> None:
    before, now = answered(SAME), artifact({"t-0": [1.0]})
    assert REPEATS_EQUAL not in said(before, now, further={("chat", "t-0"): ((1.0,),)})
    assert REPEATS_EQUAL not in said(before, replace(now, meta=replace(now.meta, started_at=EARLIER)))


def copied(copies: int, *, texts: str = "an answer", ids: str = "", **changes: Any) -> Artifact:
    """A test with an attempt of its own, and copies of it."""
    rows: list[Row] = [row(entry("t"), "chat", 0, 1.0)]
    rows += [row(entry("t"), "chat", number + 1, 1.0, copy="id") for number in range(copies)]
    rows = [replace(one, response_id=ids or None, response_text=f"{texts} {one.attempt}") for one in rows]
    return artifact({}, entry("t"), rows=rows, **changes)


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        (0, 0, ""),
        (2, 0, "answers that are copies of another one count once with it: 2 of the baseline"),
        (0, 1, "answers that are copies of another one count once with it: 1 of this run"),
        (2, 1, "answers that are copies of another one count once with it: 2 of the baseline and 1 of this run"),
    ],
)
def test_evident_copies_are_counted_on_both_sides(before: int, now: int, message: str) -> None:
    found = dict(said(copied(before), copied(now)))
    assert found.get("copies", "") == message


def test_an_answer_of_the_baseline_that_comes_again_is_suspicious() -> None:
    before = copied(0, ids="answer-1")
    assert dict(said(before, copied(0, ids="answer-1")))["copies_of_baseline"] == (
        "1 answer of this run came with the id and the words of one of the baseline:"
        " a cache may stand before the server, and hide what changed"
    )
    for other in (copied(0, ids="answer-2"), copied(0, ids="answer-1", texts="another")):
        assert "copies_of_baseline" not in dict(said(before, other))
