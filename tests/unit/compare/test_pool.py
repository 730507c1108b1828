"""Which runs join a baseline, cell by cell, and why the others do not (stats.md, head)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.compare.artifacts import artifact, entry, row

from llm_testbench.artifact.cells import CellKey, counted
from llm_testbench.artifact.model import Artifact, Git, TestEntry
from llm_testbench.compare.joined import joined
from llm_testbench.compare.pool import (
    BESIDE_FOREIGN,
    FOREIGN,
    NOTHING_NEW,
    SAME_RUN,
    SCORES_DIFFER,
    pool,
)
from llm_testbench.compare.statistics.grid import on_grid, unit
from llm_testbench.compare.statistics.level import level
from llm_testbench.compare.statistics.stratum import Stratum

Scores = Mapping[tuple[str, str] | str, Sequence[float]]
PASSED: Scores = {"a": [1.0] * 10}
A: CellKey = ("chat", "a")


def run(number: int, scores: Scores = PASSED, *tests: TestEntry, **changes: Any) -> Artifact:
    """A run of its own day, the newest has number 0."""
    meta = {"started_at": f"2026-01-{28 - number:02}T00:00:00Z"} | changes
    return artifact(scores, *tests, **meta)


def test_runs_alike_join_each_with_its_attempts() -> None:
    found = pool([run(0), run(1, {"a": [1.0, 1.0]}), run(2, {"a": [1.0]})], window=None)

    assert found.artifact == run(0)
    assert found.further == {A: ((1.0, 1.0), (1.0,))}
    assert (found.taken, found.pooled, found.why) == ((1, 0, 0), (0, 1, 1), ("", "", ""))


def test_one_run_is_the_baseline_as_it_is() -> None:
    only = run(0)

    found = pool([only], window=None)

    assert found.artifact is only
    assert (found.further, found.taken, found.pooled, found.why) == ({}, (1,), (0,), ("",))


@pytest.mark.parametrize(
    ("window", "runs", "last"),
    [
        pytest.param(1, 0, NOTHING_NEW, id="the newest alone"),
        pytest.param(2, 1, "the window of 2 runs is full", id="one more"),
        pytest.param(3, 2, "the window of 3 runs is full", id="two more"),
        pytest.param(4, 3, "", id="just all"),
        pytest.param(None, 3, "", id="no limit"),
    ],
)
def test_a_cell_holds_at_most_the_window(window: int | None, runs: int, last: str) -> None:
    found = pool([run(0), run(1), run(2), run(3)], window=window)

    assert len(found.further.get(A, ())) == runs
    assert sum(found.pooled) == runs
    assert found.why[-1] == last


def test_a_window_of_one_still_fills_in_what_is_missing() -> None:
    found = pool([run(0), run(1, {"a": [1.0], "b": [1.0]})], window=1)

    assert (found.taken, found.pooled, found.why) == ((1, 1), (0, 0), ("", ""))


def test_the_window_is_counted_by_cell() -> None:
    found = pool([run(0), run(1, {"a": [1.0], "b": [1.0]}), run(2, {"b": [1.0]})], window=2)

    assert found.further == {A: ((1.0,),), ("chat", "b"): ((1.0,),)}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"version": "2.0.0"}, "measured with another version of llm-testbench", id="tool"),
        pytest.param({"temperature": 1.0}, "sampled with other settings", id="temperature"),
        pytest.param({"max_tokens_default": 7}, "sampled with other settings", id="tokens"),
        pytest.param({"models": {"chat": "org/b"}}, "it stands for another model id", id="model id"),
        pytest.param({"served_models": {"chat": ("b",)}}, "the server named another model", id="served"),
        pytest.param(
            {"adaptations": {"chat": ("no seed",)}}, "requests were adapted to the server in another way", id="adapted"
        ),
        pytest.param({"started_at": "2026-01-28T00:00:00Z"}, SAME_RUN, id="itself"),
        pytest.param({"foreign": True}, FOREIGN, id="another tool"),
    ],
)
def test_a_run_unlike_is_left_out_with_its_reason(changes: dict[str, Any], why: str) -> None:
    found = pool([run(0), run(1, **changes)], window=None)

    assert (found.further, found.pooled, found.why) == ({}, (0, 0), ("", why))


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 7},
        {"endpoint": "http://another.example/v1"},
        {"repeat": 10},
        {"fingerprints": {"chat": ("fp",)}},
        {"served_models": {"other": ("b",)}},
        {"role": "record"},
    ],
    ids=str,
)
def test_what_says_nothing_about_the_model_keeps_no_run_out(changes: dict[str, Any]) -> None:
    assert pool([run(0), run(1, **changes)], window=None).pooled == (0, 1)


def test_the_order_of_served_models_is_no_difference() -> None:
    runs = [run(0, served_models={"chat": ("x", "y")}), run(1, served_models={"chat": ("y", "x")})]

    assert pool(runs, window=None).pooled == (0, 1)


@pytest.mark.parametrize(
    ("older", "alike"),
    [
        pytest.param([1.0] * 10, True, id="equal"),
        pytest.param([1.0] * 9 + [0.0], True, id="one attempt of ten: p = 0.5"),
        pytest.param([1.0] * 8 + [0.0] * 2, True, id="two of ten: p = 0.237"),
        pytest.param([1.0] * 7 + [0.0] * 3, False, id="three of ten: p = 0.105"),
    ],
)
@pytest.mark.parametrize("newest_is_better", [True, False])
def test_scores_that_differ_from_the_newest_keep_a_run_out(
    older: list[float], alike: bool, newest_is_better: bool
) -> None:
    runs: list[Scores] = [PASSED, {"a": older}]
    newest, further = runs if newest_is_better else runs[::-1]

    found = pool([run(0, newest), run(1, further)], window=None)

    assert (found.pooled[1] == 1) is alike
    assert found.why[1] == ("" if alike else SCORES_DIFFER)


def test_small_drops_of_many_tests_are_judged_together() -> None:
    tests = [f"t-{number}" for number in range(8)]
    newest: Scores = {test: [1.0] * 3 for test in tests}
    older: Scores = {test: [1.0, 1.0, 0.0] for test in tests}

    # Each test alone has p = 0.5.
    assert pool([run(0, newest), run(1, older)], window=None).why[1] == SCORES_DIFFER


def test_a_later_run_is_judged_against_the_newest_and_not_against_the_pool() -> None:
    near: Scores = {"a": [1.0] * 8 + [0.0] * 2}
    far: Scores = {"a": [1.0] * 7 + [0.0] * 3}

    assert pool([run(0), run(1, near), run(2, far)], window=None).pooled == (0, 1, 0)


def test_each_model_is_judged_alone_and_named() -> None:
    newest: Scores = {("chat", "a"): [1.0] * 10, ("code", "a"): [1.0] * 10, ("fast", "a"): [1.0] * 10}
    older: Scores = {("chat", "a"): [1.0] * 10, ("code", "a"): [0.0] * 10, ("fast", "a"): [1.0] * 10}

    found = pool([run(0, newest), run(1, older, served_models={"fast": ("other",)})], window=None)

    assert found.further == {A: ((1.0,) * 10,)}
    assert found.why[1] == f"code: {SCORES_DIFFER}; fast: the server named another model"


@pytest.mark.parametrize(
    ("known", "other"),
    [
        pytest.param(entry("a"), entry("a", request_hash="another"), id="asked in another way"),
        pytest.param(entry("a"), entry("a", check_hash="another"), id="checked in another way"),
        pytest.param(entry("a"), entry("a", rev=2), id="another revision"),
        pytest.param(entry("a"), entry("a", request_hash=""), id="request not known there"),
        pytest.param(entry("a", check_hash=""), entry("a", check_hash=""), id="check not known at all"),
    ],
)
def test_a_test_that_is_not_known_to_be_the_same_is_not_joined(known: TestEntry, other: TestEntry) -> None:
    scores: Scores = {"a": [1.0], "b": [1.0]}

    found = pool([run(0, scores, known), run(1, scores, other)], window=None)

    assert found.further == {("chat", "b"): ((1.0,),)}
    assert found.why[1] == "1 test asked or checked in another way"


def test_a_run_that_knows_the_test_in_another_way_joins_no_later_one() -> None:
    first = run(0, {("chat", "a"): [1.0]}, entry("a"))
    changed = run(1, {("new", "a"): [1.0]}, entry("a", request_hash="another"))
    later = run(2, {("new", "a"): [1.0]}, entry("a"))

    found = pool([first, changed, later], window=None)

    assert (found.taken, found.pooled) == ((1, 0, 1), (0, 0, 0))
    assert found.why[1] == "1 test asked or checked in another way"


def test_tests_that_changed_do_not_count_in_the_scores_of_the_model() -> None:
    newest: Scores = {"a": [1.0] * 10, "b": [1.0] * 10}
    older: Scores = {"a": [1.0] * 10, "b": [0.0] * 10}

    found = pool([run(0, newest), run(1, older, entry("b", request_hash="harder"))], window=None)

    assert found.further == {A: ((1.0,) * 10,)}


def test_no_run_joins_one_of_another_tool() -> None:
    foreign = run(0, foreign=True)

    assert pool([foreign, run(1, PASSED, entry("a"))], window=None).pooled == (0, 0)
    listed = replace(foreign, tests=run(1).tests)
    assert pool([listed, run(1)], window=None).why[1] == BESIDE_FOREIGN


@pytest.mark.parametrize(
    ("git", "same"),
    [
        pytest.param(Git(sha="1", run_url="http://ci/1"), True, id="the same"),
        pytest.param(Git(sha="2", run_url="http://ci/1"), False, id="another commit"),
        pytest.param(Git(sha="1", run_url="http://ci/2"), False, id="another job of that second"),
    ],
)
def test_two_files_of_one_run_are_one_run(git: Git, same: bool) -> None:
    started = "2026-01-01T00:00:00Z"
    first = run(1, {"a": [1.0] * 10}, started_at=started, git=Git(sha="1", run_url="http://ci/1"))
    rescored = run(1, {"a": [1.0] * 9 + [0.0]}, started_at=started, git=git)

    assert (pool([run(0), first, rescored], window=None).why[2] == SAME_RUN) is same


def test_copies_of_an_answer_count_as_one() -> None:
    test = entry("a")
    copies = [row(test, "chat", number, 1.0, copy="id") for number in (1, 2)]
    older = artifact({"a": [1.0]}, test, rows=copies, started_at="2026-01-01T00:00:00Z")

    assert pool([run(0), older], window=None).further == {A: ((1.0,),)}


def test_only_the_first_phase_of_this_side_is_joined() -> None:
    test = entry("a")
    others = [row(test, "chat", 1, 0.0, phase="confirm"), row(test, "chat", 1, 0.0, side="baseline")]
    older = artifact({"a": [1.0]}, test, rows=others, started_at="2026-01-01T00:00:00Z")

    assert pool([run(0), older], window=None).further == {A: ((1.0,),)}


def test_the_parts_are_the_runs_that_gave_cells_and_which() -> None:
    first, second = run(0), run(2, {"a": [1.0], "b": [1.0]})

    found = pool([first, run(1), second], window=None)

    assert [(part.artifact, part.cells) for part in found.parts] == [
        (first, frozenset({A})),
        (second, frozenset({("chat", "b")})),
    ]
    assert found.source == {A: 0, ("chat", "b"): 2}


def test_a_run_beside_one_that_filled_in_is_judged_by_that_one() -> None:
    first = run(0, {"a": [1.0] * 10})
    second = run(1, {"b": [0.0] * 10})
    third = run(2, {"a": [1.0] * 10, "b": [0.0] * 10})

    assert pool([first, second, third], window=None).further == {
        A: ((1.0,) * 10,),
        ("chat", "b"): ((0.0,) * 10,),
    }


_KEYS = [(model, test_id) for model in ("chat", "code") for test_id in ("a", "b")]
_SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=6)


@st.composite
def _runs(draw: st.DrawFn) -> list[Artifact]:
    def one(number: int) -> Artifact:
        scores: dict[tuple[str, str] | str, Sequence[float]] = {
            key: draw(_SCORES) for key in draw(st.lists(st.sampled_from(_KEYS), unique=True))
        }
        tests = [entry(name, request_hash=draw(st.sampled_from(["", "1", "1", "1", "2"]))) for name in ("a", "b")]
        return run(
            number,
            scores,
            *tests,
            started_at=draw(st.sampled_from([f"day {number}", f"day {number}", "day 0"])),
            served_models=draw(st.sampled_from([{}, {}, {"chat": ("x",)}])),
            version=draw(st.sampled_from(["1", "1", "1", "2"])),
            foreign=draw(st.sampled_from([False, False, False, True])),
        )

    return [one(number) for number in range(draw(st.integers(1, 4)))]


@given(_runs(), st.sampled_from([1, 2, 3, None]))
def test_the_first_of_each_cell_is_the_joined_one_whatever_joins_it(runs: list[Artifact], window: int | None) -> None:
    found = pool(runs, window=window)

    assert found.artifact == joined(runs).artifact
    assert found.source == joined(runs).source
    assert sum(found.taken) == len(found.source)
    assert sum(found.pooled) == sum(map(len, found.further.values()))
    assert all(1 + len(more) <= (window or len(runs)) for more in found.further.values())
    assert all(found.pooled[number] or found.taken[number] or found.why[number] for number in range(1, len(runs)))


@given(_runs(), st.sampled_from([2, 3, None]))
def test_what_joins_meets_every_condition(runs: list[Artifact], window: int | None) -> None:
    found = pool(runs, window=window)

    for key, more in found.further.items():
        first = found.source[key]
        fit = [
            _scores(one, key) for number, one in enumerate(runs) if number > first and _fits(runs, number, first, key)
        ]
        assert list(more) == fit[: None if window is None else window - 1]
    for key, first in found.source.items():
        if key not in found.further:
            assert not any(_fits(runs, number, first, key) for number in range(first + 1, len(runs)))


def _scores(one: Artifact, key: CellKey) -> tuple[float, ...]:
    return tuple(row.score for row in counted(one.results) if (row.model, row.test_id) == key)


def _entries(one: Artifact) -> dict[str, TestEntry]:
    return {test.test_id: test for test in one.tests}


def _fits(runs: Sequence[Artifact], number: int, first: int, key: CellKey) -> bool:
    """The conditions of stats.md's head, one by one."""
    mine, other = runs[number], runs[first]
    model = key[0]
    if not _scores(mine, key) or mine.foreign or other.foreign or not _known_equal(mine, other, key[1]):
        return False
    if any(_same(mine, earlier) for earlier in runs[:number]):
        return False
    if mine.meta.version != other.meta.version or mine.meta.models[model] != other.meta.models[model]:
        return False
    if mine.meta.served_models.get(model) != other.meta.served_models.get(model):
        return False
    both = [
        (_scores(other, cell), _scores(mine, cell))
        for cell in _KEYS
        if cell[0] == model and _known_equal(mine, other, cell[1]) and _scores(mine, cell) and _scores(other, cell)
    ]
    steps = unit(score for pair in both for side in pair for score in side)
    tail = level([Stratum(on_grid(old, steps), on_grid(new, steps)) for old, new in both])
    return min(tail.p_worse, tail.p_better) > 0.2


def _same(mine: Artifact, earlier: Artifact) -> bool:
    """Two runs of one second without a common attempt are two: these all took no time."""
    attempts = [{(row.model, row.test_id, row.attempt) for row in one.results} for one in (mine, earlier)]
    return mine.meta.started_at == earlier.meta.started_at and bool(attempts[0] & attempts[1])


def _known_equal(one: Artifact, other: Artifact, test_id: str) -> bool:
    hashes = [_entries(artifact)[test_id].request_hash for artifact in (one, other)]
    return hashes[0] == hashes[1] != ""
