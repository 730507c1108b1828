"""What is suspected and what got better, above the tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact
from tests.unit.report.views.shown import shown
from tests.unit.report.views.side_by_side import side_by_side

from llm_testbench.compare.model import AskedAgain, ComparedRow, Comparison, Side, Status
from llm_testbench.compare.options import GateLevel
from llm_testbench.report.document import Document
from llm_testbench.report.views.suspected import MOST_LISTED, better_blocks, suspected_blocks

IDS = [f"t{number}" for number in range(8)]
BEFORE = artifact({test_id: [1.0] * 3 for test_id in IDS})
NOW = artifact({test_id: [0.0] * 3 for test_id in IDS})
SETTLE = "8 attempts a side can prove it"


def suspect(**fields: Any) -> dict[str, Any]:
    return {"status": Status.SUSPECTED, "settle": SETTLE, "expected": 0.9} | fields


def suspected(comparison: Comparison, *above: str) -> list[str]:
    blocks = suspected_blocks(comparison, frozenset(), [("chat", test_id) for test_id in above])
    return shown(Document(tuple(blocks))).strip("\n").split("\n")


def test_what_would_settle_all_of_them_is_said_once() -> None:
    assert suspected(side_by_side(BEFORE, NOW, {"t0": suspect(), "t1": suspect()})) == [
        "Suspected, not proven",
        "",
        "- t0 on chat: 3 of 3 → 0 of 3; chance alone would give 0.90 such tests",
        "- t1 on chat: 3 of 3 → 0 of 3; chance alone would give 0.90 such tests",
        "",
        "8 attempts a side can prove it.",
    ]


def test_what_would_settle_one_of_them_stands_beside_it() -> None:
    asked = AskedAgain("both", 5, Side(0.0, 1), Side(0.0, 1), note="the old prompt fails, too")
    rows = {
        "t0": suspect(),
        "t1": suspect(settle=asked.note, asked=asked, badges=("prompt changed",)),
        "t2": suspect(settle=""),
    }
    assert suspected(side_by_side(BEFORE, NOW, rows))[2:] == [
        "- t0 on chat: 3 of 3 → 0 of 3; chance alone would give 0.90 such tests. 8 attempts a side can prove it.",
        "- t1 on chat: 3 of 3 → 0 of 3; asked again: 0 of 1 passed now, 0 of 1 with the old prompt;"
        " the old prompt fails, too",
        "- t2 on chat: 3 of 3 → 0 of 3; chance alone would give 0.90 such tests",
    ]


def test_nothing_is_said_where_nothing_is_suspected_or_all_of_it_stands_above() -> None:
    assert suspected(side_by_side(BEFORE, NOW)) == [""]
    assert suspected(side_by_side(BEFORE, NOW, {"t0": suspect()}), "t0") == [""]


def test_many_are_cut_and_counted() -> None:
    lines = suspected(side_by_side(BEFORE, NOW, {test_id: suspect() for test_id in IDS}))
    assert sum(" on chat" in line for line in lines) == MOST_LISTED
    assert f"- and {len(IDS) - MOST_LISTED} more: see the tables below" in lines


def wide(model: str | None, category: str | None = None) -> ComparedRow:
    return ComparedRow(
        Status.SUSPECTED, Side(0.98, 80), Side(0.96, 80), -0.021, model, category,
        ci=(-0.04, -0.002), p_worse=0.011, p_adj=0.033, settle=SETTLE,
    )  # fmt: skip


SAID = (
    "0.98 → 0.96 over 80 tests, −2.1 points, between −4.0 and −0.2; shuffling before and after gives a drop this large"
)


def test_rows_over_several_tests_come_first_with_their_interval() -> None:
    comparison = replace(
        side_by_side(BEFORE, NOW, {"t0": suspect()}),
        models=(wide("chat"),),
        overall=wide(None),
        categories=(wide("chat", "tools"),),
    )
    lines = suspected(comparison)
    assert lines[2] == f"- chat as a whole: {SAID} in 1.1 % of cases"
    assert lines[3] == f"- category tools on chat: {SAID} in 1.1 % of cases"
    assert lines[4].startswith("- t0 on chat")
    several = replace(comparison, models=(wide("chat"), replace(wide("code"), status=Status.STABLE)))
    odds = "in 1.1 % of cases, and in 3.3 % of cases with 3 rows looked at"
    assert f"- all models together: {SAID} {odds}" in suspected(several)


@pytest.mark.parametrize(
    ("model", "test", "levels", "told"),
    [
        (Status.STABLE, Status.STABLE, ("model", "test"), ["tools", "chatter"]),
        (Status.REGRESSION, Status.STABLE, ("model", "test"), []),
        (Status.STABLE, Status.DRIFT, ("model", "test"), ["chatter"]),
        (Status.REGRESSION, Status.REGRESSION, ("model", "category", "test"), ["tools", "chatter"]),
    ],
)
def test_a_category_that_is_not_judged_is_no_suspect_beside_what_is_proven_of_it(
    model: Status, test: Status, levels: tuple[GateLevel, ...], told: list[str]
) -> None:
    comparison = side_by_side(BEFORE, NOW, {"t0": {"status": test, "category": "tools"}}, gate_levels=levels)
    comparison = replace(
        comparison,
        models=(replace(wide("chat"), status=model),),
        categories=(wide("chat", "tools"), wide("chat", "chatter")),
    )
    assert [line.split()[2] for line in suspected(comparison) if line.startswith("- category")] == told


def test_what_got_better_is_one_line_the_largest_rise_first() -> None:
    better = {"status": Status.IMPROVEMENT}
    before = artifact({"a": [0.0, 0.0], "b": [0.0, 1.0]})
    now = artifact({"a": [1.0, 1.0], "b": [1.0, 1.0]})
    blocks = better_blocks(side_by_side(before, now, {"b": better, "a": better}), frozenset())
    assert shown(Document(tuple(blocks))) == "Better: 2 tests: a (0 of 2 → 2 of 2), b (1 of 2 → 2 of 2)"
    assert better_blocks(side_by_side(before, now), frozenset()) == []
    many = side_by_side(NOW, BEFORE, dict.fromkeys(IDS, better))
    assert shown(Document(tuple(better_blocks(many, frozenset())))).endswith("t4 (0 of 3 → 3 of 3) and 3 more")


def test_with_several_models_each_result_names_its_own() -> None:
    before, now = artifact({("m", "a"): [0.0], ("n", "a"): [0.0]}), artifact({("m", "a"): [1.0], ("n", "a"): [0.0]})
    comparison = side_by_side(before, now, {("m", "a"): {"status": Status.IMPROVEMENT}})
    assert (
        shown(Document(tuple(better_blocks(comparison, frozenset())))) == "Better: 1 result: a on m (0 of 1 → 1 of 1)"
    )
