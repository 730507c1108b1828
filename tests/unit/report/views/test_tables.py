"""The tables of a comparison."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import Attempt, artifact, entry
from tests.unit.report.views.shown import in_order, shown
from tests.unit.report.views.side_by_side import side_by_side

from llm_testbench.artifact.cells import CellKey
from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import AskedAgain, Change, ComparedRow, Comparison, Side, Status
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.scope import Scope
from llm_testbench.report.document import Document, Group, Importance
from llm_testbench.report.views.tables import MOST_ROWS, P_ANY, Q, Tables

ONE = artifact({"a-t": [1.0]})
KNOWN: dict[str, Any] = {"p_worse": 0.019, "p_better": 0.99, "p_adj": 0.057, "ci": (-0.04, -0.002), "delta": -0.021}


def models(comparison: Comparison, *, compared: bool = True) -> str:
    return shown(Document(Tables(comparison, compared=compared).models()))


def lists(comparison: Comparison, by_grade: Collection[CellKey] = ()) -> str:
    return shown(Document(tuple(Tables(comparison, True, by_grade).tests())))


def both(**fields: Any) -> Comparison:
    run = artifact({("m", "t"): [1.0], ("n", "t"): [1.0]})
    return side_by_side(run, run, model=fields)


def test_a_model_says_how_often_chance_alone_gives_its_change() -> None:
    text = models(side_by_side(ONE, ONE, model={**KNOWN, "status": Status.REGRESSION, "badges": ("model changed",)}))
    in_order(text, "change in points", "by chance alone", "tests")
    in_order(text, "chat (model changed)  1.00  1.00  −2.1, between −4.0 and −0.2  5.7 % of cases  1  worse")
    assert "By chance alone: how often shuffling before and after gives a change this large. A point is 0.01" in text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"p_adj": 0.00001}, "less than 1 of 10,000 cases"),
        ({"p_adj": None}, "1.9 % of cases"),
        ({"delta": 0.02, "p_better": 0.03}, "3 % of cases"),
        ({"delta": 0.0}, "–"),
    ],
)
def test_a_drop_among_several_counts_them_and_a_rise_does_not(fields: dict[str, Any], said: str) -> None:
    line = next(line for line in models(both(**{**KNOWN, **fields})).split("\n") if line.startswith("m "))
    assert f"  {said}  1  no change proven" in line


def test_several_models_have_a_row_for_all_of_them() -> None:
    text = models(both(**KNOWN))
    assert "\nall  1.00  1.00  0.0" in text
    assert "this large; for a drop, in any of the 3 rows." in text


def test_without_statistics_no_column_of_chance_is_shown() -> None:
    text = models(side_by_side(ONE, ONE))
    assert "chance" not in text
    assert "chat  1.00  1.00  0.0  1" in text


def test_latency_and_cut_answers_are_shown_where_there_is_anything_to_tell() -> None:
    told = {"m": Change(840, 1250.0), "n": Change(None, None)}
    cut = {"m": Change(0.0, 0.093), "n": Change(0.0, 0.0)}
    text = models(replace(both(), latency=told, truncated=cut))
    in_order(text, "median latency", "840 ms → 1.2 s", "n  1.00  1.00  0.0  1  –")
    assert "- cut off at the token limit on m: 0 % → 9 % of the answers" in text
    assert "limit on n" not in text
    assert "latency" not in models(replace(both(), latency={"m": Change(None, None)}))


def test_a_share_that_only_one_side_tells_is_open_on_the_other() -> None:
    assert "limit on m: – → 9 % of" in models(replace(both(), truncated={"m": Change(None, 0.09)}))


def row(status: Status, model: str, category: str, **fields: Any) -> ComparedRow:
    return ComparedRow(status, Side(1.0, 5), Side(0.9, 5), -0.1, model, category, **fields)


def test_categories_stand_below_the_models_with_p_in_one_fold() -> None:
    comparison = replace(
        side_by_side(ONE, ONE, model=KNOWN),
        categories=(row(Status.SUSPECTED, "chat", "a", p_worse=0.2, p_better=0.9, p_adj=0.4),),
    )
    in_order(
        shown(Document((Tables(comparison, compared=True).categories(),))),
        "▾ Models and categories, with p",
        "p  p of any",
        "all  chat  1.00  1.00  −2.1, between −4.0 and −0.2  0.019  0.057  1  no change proven",
        "a  chat  1.00  0.90  −10.0  0.20  0.40  5  perhaps worse",
        P_ANY,
    )


def test_the_p_of_a_rise_is_that_of_a_rise() -> None:
    rise = replace(row(Status.IMPROVEMENT, "chat", "a", p_worse=0.99, p_better=0.03, p_adj=1.0), delta=0.1)
    comparison = replace(side_by_side(ONE, ONE), categories=(rise,))
    assert "+10.0  0.030  –  5  better" in shown(Document((Tables(comparison, compared=True).categories(),)))


def test_without_statistics_categories_stand_alone() -> None:
    comparison = replace(side_by_side(ONE, ONE), categories=(row(Status.STABLE, "chat", "a"),))
    text = shown(Document((Tables(comparison, compared=True).categories(),)))
    in_order(text, "▾ Categories", "a  chat  1.00  0.90  −10.0  5")
    assert "all  chat" not in text


def test_each_status_is_a_fold_the_most_important_first() -> None:
    order = {
        Status.REGRESSION: "1 test worse",
        Status.DRIFT: "1 test worse, though nothing was changed on your side: the server's model drifted",
        Status.REJECTED: "1 test refused by the server",
        Status.SUSPECTED: "1 test perhaps worse, not proven",
        Status.IMPROVEMENT: "1 test better",
        Status.ACCEPTED: "1 test accepted as worse than before, compared with the accepted scores",
        Status.STABLE: "1 test scored differently, no more than chance does",
        Status.QUARANTINED: "1 test in quarantine: measured, never judged",
        Status.CHANGED: "1 test changed beyond comparison",
        Status.NEW: "1 test without a baseline",
        Status.REMOVED: "1 test no longer in the suite",
        Status.NOT_SELECTED: "1 test not selected in this run",
    }
    assert set(order) == set(Status)
    ids = {f"t-{status.value}": {"status": status} for status in Status}
    before, now = artifact({test_id: [1.0] for test_id in ids}), artifact({test_id: [0.5] for test_id in ids})
    comparison = side_by_side(before, now, ids)
    in_order(lists(comparison), *(f"▾ {words}\n" for words in order.values()))
    groups = [group for group in Tables(comparison, compared=True).tests() if isinstance(group, Group)]
    assert [group.importance for group in groups] == [Importance.TABLE] * 4 + [Importance.LIST] * 8


def test_a_row_of_a_test_has_counts_the_change_p_and_q() -> None:
    asked = AskedAgain("current", 5, Side(0.0, 5), p=0.001)
    fields = {
        "status": Status.REGRESSION,
        "p_worse": 0.0035,
        "q": 0.00001,
        "ci": (-1.0, -0.2),
        "badges": ("must pass",),
    }
    before, now = artifact({"t": [1.0] * 10}), artifact({"t": [0.0] * 3})
    in_order(
        lists(side_by_side(before, now, {"t": {**fields, "asked": asked}})),
        "p  q",
        "t  chat  10 of 10  0 of 3  −100, between −100 and −20.0  0.0035  < 0.0001  must pass; asked",
        Q,
    )


def test_graded_scores_are_averaged() -> None:
    before, now = artifact({"t": [0.5, 0.5]}), artifact({"t": [0.0, 0.0]})
    comparison = side_by_side(before, now, {"t": {"status": Status.REGRESSION}})
    assert "t  chat  0.50 over 2  0.00 over 2  −50.0" in lists(comparison, {("chat", "t")})


def test_the_worst_of_a_kind_stands_first_and_what_is_alike_is_counted() -> None:
    before = artifact({"a": [1.0], "b": [1.0], "c": [1.0], "d": [0.0]})
    text = lists(side_by_side(before, artifact({"a": [0.5], "b": [0.0], "c": [1.0], "d": [1.0]})))
    in_order(text, "3 tests scored differently", "b  chat", "a  chat", "d  chat", "1 test scored as before.")
    assert "c  chat" not in text


def test_an_accepted_test_is_not_among_those_that_scored_as_before() -> None:
    runs = artifact({"a": [0.0], "b": [1.0]})
    text = lists(side_by_side(runs, runs, {"a": {"status": Status.ACCEPTED}}))
    in_order(text, "1 test accepted as worse than before", "1 test scored as before.")


def test_many_rows_are_cut_and_counted() -> None:
    ids = [f"a-{number:03}" for number in range(MOST_ROWS + 20)]
    before, now = artifact({test_id: [1.0] for test_id in ids}), artifact({test_id: [0.0] for test_id in ids})
    text = lists(side_by_side(before, now))
    assert text.count(" of 1  0 of 1") == MOST_ROWS
    assert "and 20 more: see comparison.json" in text


def test_tests_that_are_not_compared_are_listed_by_what_they_are() -> None:
    before = artifact({"same": [1.0], "gone": [1.0], "off": [1.0], "other": [1.0], "q": [1.0]})
    now = artifact(
        {"same": [1.0], "fresh": [0.0], "other": [0.0], "q": [0.0]}, entry("other", rev=2), entry("q", quarantine=True)
    )
    scope = Scope(suite_ids={"same", "off", "fresh", "other", "q"})
    text = lists(compare(before, now, GateOptions(), scope))
    for words, line in [
        ("1 test in quarantine: measured, never judged", "q  chat  1 of 1  0 of 1  −100"),
        ("1 test changed beyond comparison", "other  chat  1 of 1  0 of 1  –"),
        ("1 test without a baseline", "fresh  chat  –  0 of 1  –"),
        ("1 test no longer in the suite", "gone  chat  1 of 1  –  –"),
        ("1 test not selected in this run", "off  chat  1 of 1  –  –"),
    ]:
        in_order(text, words, line)


def test_with_several_models_cells_are_called_results() -> None:
    cells: dict[tuple[str, str] | str, list[Attempt]] = {("m", "t"): [1.0], ("n", "t"): [0.5]}
    text = lists(side_by_side(artifact({**cells, ("n", "t"): [1.0]}), artifact(cells)))
    in_order(text, "1 result scored differently", "1 result scored as before.")
