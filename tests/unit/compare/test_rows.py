"""Deltas and means of rows."""

from __future__ import annotations

import pytest
from tests.unit.compare.artifacts import artifact, entry

from llm_testbench.answer.outcome import Outcome
from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import ComparedRow, Comparison, Side, Status
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.rows import direction

OPTIONS = GateOptions()


def by_test(comparison: Comparison) -> dict[tuple[str | None, str | None], ComparedRow]:
    return {(row.model, row.test_id): row for row in comparison.tests}


def test_delta_is_current_minus_baseline_and_n_counts_scored_attempts() -> None:
    found = compare(artifact({"a-t": [1.0, 1.0]}), artifact({"a-t": [1.0, 0.0, 0.5, Outcome.TIMEOUT]}), OPTIONS)
    (one,) = found.tests
    assert (one.status, one.model, one.category, one.test_id) == (Status.STABLE, "chat", "a", "a-t")
    assert (one.baseline, one.current, one.delta, one.badges) == (Side(1.0, 2), Side(0.5, 3), -0.5, ("errors",))


def test_a_cell_without_a_score_has_no_delta() -> None:
    found = compare(artifact({"t": [Outcome.TIMEOUT]}), artifact({"t": [1.0]}), OPTIONS)
    assert (found.tests[0].baseline, found.tests[0].delta) == (Side(None, 0), None)


def test_a_changed_cell_shows_both_sides_and_no_delta() -> None:
    found = compare(artifact({"t": [1.0]}), artifact({"t": [0.0]}, entry("t", rev=2)), OPTIONS)
    row = found.tests[0]
    assert (row.status, row.baseline, row.current, row.delta) == (Status.CHANGED, Side(1.0, 1), Side(0.0, 1), None)


def test_means_cover_aligned_cells_only_with_equal_weight_per_test() -> None:
    before = artifact({"a-1": [1.0] * 9, "a-2": [0.5], "b-1": [1.0], "b-gone": [0.0], "b-err": [1.0], "q": [1.0]})
    now = artifact(
        {"a-1": [0.0], "a-2": [0.5] * 9, "b-1": [1.0], "b-new": [0.0], "b-err": [Outcome.SERVER], "q": [0.0]},
        entry("q", quarantine=True),
    )
    found = compare(before, now, OPTIONS)
    assert found.overall.baseline == Side(2.5 / 3, 3)
    assert found.overall.current == Side(0.5, 3)
    assert found.overall.delta == pytest.approx(-1 / 3)
    assert [(row.model, row.category, row.baseline, row.current) for row in found.categories] == [
        ("chat", "a", Side(0.75, 2), Side(0.25, 2)),
        ("chat", "b", Side(1.0, 1), Side(1.0, 1)),
        ("chat", "q", None, Side(None, 0)),
    ]


def test_models_are_averaged_apart_and_the_whole_over_all_cells() -> None:
    before = artifact({("m", "t"): [1.0], ("n", "t"): [0.0], ("n", "u"): [0.0]})
    now = artifact({("m", "t"): [0.0], ("n", "t"): [1.0], ("n", "u"): [1.0], ("o", "t"): [0.25]})
    found = compare(before, now, OPTIONS)
    assert [(row.model, row.status.value, row.delta) for row in found.models] == [
        ("m", "stable", -1.0),
        ("n", "stable", 1.0),
        ("o", "new", None),
    ]
    assert found.models[2].current == Side(0.25, 1)
    assert found.overall.delta == pytest.approx(1 / 3)


def test_without_a_baseline_rows_are_new_and_hold_the_absolute_means() -> None:
    found = compare(None, artifact({"t": [1.0], "u": [0.5]}), OPTIONS)
    assert found.overall == ComparedRow(Status.NEW, None, Side(0.75, 2), None)
    assert {row.status for row in found.tests} == {Status.NEW}


def test_badges_say_what_is_special_about_a_test() -> None:
    now = artifact(
        {"must": [1.0], "prompt": [1.0], "new-q": [1.0], "q": [1.0]},
        entry("must", must_pass=True),
        entry("prompt", request_hash="x"),
        entry("new-q", quarantine=True),
        entry("q", quarantine=True),
    )
    rows = by_test(compare(artifact({"must": [1.0], "prompt": [1.0], "q": [1.0]}), now, OPTIONS))
    assert {key[1]: row.badges for key, row in rows.items()} == {
        "must": ("must pass",),
        "prompt": ("prompt changed",),
        "new-q": ("quarantined",),
        "q": (),
    }
    assert rows["chat", "q"].status is Status.QUARANTINED
    assert rows["chat", "q"].delta == 0.0


def test_counts_tell_statuses_and_directions_of_compared_tests() -> None:
    before = artifact({"up": [0.0], "down": [1.0], "same": [0.5], "gone": [1.0], "quiet": [1.0]})
    now = artifact(
        {"up": [1.0], "down": [0.0], "same": [0.5], "new": [1.0], "quiet": [0.0]}, entry("quiet", quarantine=True)
    )
    counted = compare(before, now, OPTIONS).counts
    assert {name: number for name, number in counted.items() if number} == {
        "stable": 2, "suspected": 1, "quarantined": 1, "new": 1, "removed": 1, "lower": 1, "higher": 1, "equal": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("delta", "word"), [(-0.1, "lower"), (0.1, "higher"), (0.0, "equal"), (-1e-12, "equal")])
def test_rounding_is_no_difference(delta: float, word: str) -> None:
    assert direction(delta) == word
