"""Which cells are compared with each other."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry

from llm_testbench.answer.outcome import Outcome
from llm_testbench.compare.align import Pair, align
from llm_testbench.compare.cells import cells_of
from llm_testbench.compare.model import Status

KEY = ("chat", "t")


def pair(before: dict[str, Any], now: dict[str, Any]) -> Pair:
    old = cells_of(artifact({"t": [1.0]}, entry("t", **before)))
    new = cells_of(artifact({"t": [0.5]}, entry("t", **now)))
    (found,) = align(old, new, suite_ids=(), unscored=(), edited=())
    return found


@pytest.mark.parametrize(
    ("before", "now", "status", "badges"),
    [
        pytest.param({}, {}, Status.STABLE, (), id="nothing changed"),
        pytest.param({}, {"request_hash": "x"}, Status.STABLE, ("prompt changed",), id="an edited prompt is compared"),
        pytest.param({}, {"check_hash": "x"}, Status.CHANGED, (), id="another check is another measure"),
        pytest.param({}, {"request_hash": "x", "check_hash": "x"}, Status.CHANGED, (), id="both changed"),
        pytest.param({}, {"rev": 2}, Status.CHANGED, (), id="rev raised"),
        pytest.param({"check_hash": ""}, {"check_hash": "x"}, Status.STABLE, (), id="a check unknown before"),
        pytest.param({"request_hash": ""}, {"request_hash": "x"}, Status.STABLE, (), id="a prompt unknown before"),
        pytest.param({"request_hash": "x"}, {"request_hash": ""}, Status.STABLE, (), id="a prompt unknown now"),
        pytest.param({}, {"quarantine": True}, Status.QUARANTINED, (), id="quarantined now"),
        pytest.param({"quarantine": True}, {}, Status.STABLE, (), id="out of quarantine"),
        pytest.param({}, {"quarantine": True, "rev": 2}, Status.CHANGED, (), id="quarantined and changed"),
        pytest.param(
            {}, {"suite_file": "moved.yaml", "line": 99, "category": "other"}, Status.STABLE, (), id="only moved"
        ),
    ],
)
def test_what_changed_decides_whether_a_cell_is_compared(
    before: dict[str, Any], now: dict[str, Any], status: Status, badges: tuple[str, ...]
) -> None:
    found = pair(before, now)
    assert (found.status, found.badges) == (status, badges)


@pytest.mark.parametrize("name", ["request_hash", "check_hash"])
@pytest.mark.parametrize("side", ["before", "now"])
def test_a_missing_hash_is_remembered(name: str, side: str) -> None:
    changes: dict[str, dict[str, Any]] = {"before": {}, "now": {}} | {side: {name: ""}}
    assert pair(changes["before"], changes["now"]).hash_missing
    assert not pair({}, {}).hash_missing


def test_a_cell_with_the_scores_of_another_check_is_changed() -> None:
    old, new = cells_of(artifact({"t": [1.0], "u": [1.0]})), cells_of(artifact({"t": [1.0], "u": [1.0]}))
    pairs = align(old, new, suite_ids=(), unscored={("chat", "t"), ("other", "u")}, edited=())
    assert [pair.status for pair in pairs] == [Status.CHANGED, Status.STABLE]


def test_a_test_that_an_edited_check_scored_again_says_so() -> None:
    cells = cells_of(artifact({"t": [1.0], "u": [1.0]}))
    pairs = align(cells, cells, suite_ids=(), unscored=(), edited={("chat", "t")})
    assert [pair.badges for pair in pairs] == [("check changed",), ()]


def test_cells_of_one_side_are_new_removed_or_not_selected() -> None:
    before = cells_of(artifact({"gone": [1.0], "filtered": [1.0], "kept": [1.0]}))
    now = cells_of(artifact({"kept": [1.0], "fresh": [1.0], ("code", "kept"): [1.0]}))
    pairs = align(before, now, suite_ids={"filtered", "kept", "fresh"}, unscored=(), edited=())
    assert [(found.key, found.status.value) for found in pairs] == [
        (("chat", "filtered"), "not_selected"),
        (("chat", "fresh"), "new"),
        (("chat", "gone"), "removed"),
        (("chat", "kept"), "stable"),
        (("code", "kept"), "new"),
    ]


@pytest.mark.parametrize(
    ("before", "now", "status"),
    [
        ([1.0], [Outcome.REJECTED, Outcome.CONTEXT_LENGTH], Status.REJECTED),
        ([1.0], [Outcome.REJECTED, 1.0], Status.STABLE),
        ([1.0], [Outcome.REJECTED, Outcome.TIMEOUT], Status.STABLE),
        ([Outcome.REJECTED], [Outcome.REJECTED], Status.STABLE),
        ([Outcome.TIMEOUT, 0.0], [Outcome.REJECTED], Status.REJECTED),
    ],
)
def test_a_cell_is_rejected_when_all_attempts_are_and_the_baseline_has_a_score(
    before: list[float | Outcome], now: list[float | Outcome], status: Status
) -> None:
    (found,) = align(
        cells_of(artifact({"t": before})), cells_of(artifact({"t": now})), suite_ids=(), unscored=(), edited=()
    )
    assert found.status is status


def test_a_pair_without_sides_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="lacks a side"):
        _ = Pair(KEY, Status.NEW, None, None).test
