"""What the pictures show: places, ends of the line, order and paint."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.report.comparisons import compared, comparison, comparisons

from llm_testbench.compare.model import ComparedRow, Comparison, Status
from llm_testbench.report.charts import MOST_DRAWN, Tone, intervals, scores, tone
from llm_testbench.untrusted import Untrusted


def category(name: str, before: float | None, now: float | None, model: str = "chat", **more: object) -> ComparedRow:
    return compared(more.pop("status", Status.STABLE), before, now, model=model, category=name, **more)  # type: ignore[arg-type]


def model(delta: float | None, name: str = "chat", **more: object) -> ComparedRow:
    before = None if delta is None else 0.5 - delta / 2
    now = 0.5 if delta is None else 0.5 + delta / 2
    return compared(more.pop("status", Status.STABLE), before, now, model=name, **more)  # type: ignore[arg-type]


def all_scores(*rows: ComparedRow) -> tuple[list[str], list[tuple[float | None, float | None]]]:
    """Labels of the line, and the places of each row."""
    chart = scores(comparison(categories=rows))
    assert chart is not None
    return [tick.label for tick in chart.ticks], [(row.before, row.now) for group in chart.groups for row in group.rows]


@pytest.mark.parametrize(
    ("means", "line", "places"),
    [
        ((0.0, 1.0), ["0.00", "0.50", "1.00"], (0.0, 100.0)),
        ((1.0, 0.5), ["0.40", "0.70", "1.00"], (100.0, 16.67)),
        ((1.0, 1.0), ["0.80", "0.90", "1.00"], (100.0, 100.0)),
        ((0.9, 0.95), ["0.80", "0.90", "1.00"], (50.0, 75.0)),
        ((0.05, 0.05), ["0.00", "0.50", "1.00"], (5.0, 5.0)),
    ],
)
def test_the_line_of_scores_begins_below_the_lowest(
    means: tuple[float, float], line: list[str], places: tuple[float, float]
) -> None:
    assert all_scores(category("a", *means)) == (line, [places])


def test_a_side_without_a_score_is_not_drawn() -> None:
    assert all_scores(category("a", None, 0.5), category("b", 0.5, None))[1] == [(None, 16.67), (16.67, None)]


def test_categories_with_the_largest_drop_come_first_and_stay_together() -> None:
    chart = scores(
        comparison(
            categories=[
                category("a", 1.0, 1.0),
                category("b", 1.0, 0.9),
                category("a", 1.0, 0.5, "code"),
                category("c", 0.5, 1.0),
            ]
        )
    )
    assert chart is not None
    assert [(group.category, [row.model for row in group.rows]) for group in chart.groups] == [
        (Untrusted("a"), [Untrusted("code"), Untrusted("chat")]),
        (Untrusted("b"), [Untrusted("chat")]),
        (Untrusted("c"), [Untrusted("chat")]),
    ]
    assert chart.several_models
    assert chart.compared


def test_scores_without_a_baseline() -> None:
    chart = scores(comparison(categories=[category("a", None, 0.75, n=4)]))
    assert chart is not None
    assert not chart.compared
    assert not chart.several_models
    row = chart.groups[0].rows[0]
    assert (row.scores, row.change, row.tests, row.said) == ("0.75", "–", 4, "0.75 now")


def test_scores_in_words() -> None:
    chart = scores(comparison(categories=[category("a", 1.0, 0.75)]))
    assert chart is not None
    row = chart.groups[0].rows[0]
    assert (row.scores, row.change, row.said) == ("1.00 → 0.75", "−25.0", "1.00 before, 0.75 now")


def test_no_picture_without_a_score() -> None:
    assert scores(comparison(categories=[category("a", None, None)])) is None
    assert intervals(comparison(models=[model(None)]), 0.01) is None


@pytest.mark.parametrize(
    ("status", "painted"),
    [
        (Status.REGRESSION, "worse"),
        (Status.DRIFT, "worse"),
        (Status.REJECTED, "worse"),
        (Status.SUSPECTED, "unsure"),
        (Status.IMPROVEMENT, "better"),
        (Status.STABLE, "plain"),
        (Status.ACCEPTED, "plain"),
    ],
)
def test_only_what_is_proven_is_painted(status: Status, painted: Tone) -> None:
    assert tone(status) == painted
    for delta in (-0.5, 0.5):
        chart = intervals(comparison(models=[model(delta, status=status)]), 0.01)
        assert chart is not None
        assert chart.rows[0].tone == painted
        drawn = scores(comparison(categories=[category("a", 0.5, 0.5 + delta, status=status)]))
        assert drawn is not None
        assert drawn.groups[0].rows[0].tone == painted


@pytest.mark.parametrize(
    ("delta", "ci", "mde", "ends"),
    [
        (0.0, None, None, "−1 −0.5 0 +0.5 +1"),
        (-0.012, None, None, "−2 −1 0 +1 +2"),
        (-0.02, None, None, "−2 −1 0 +1 +2"),
        (-0.021, None, None, "−5 −2.5 0 +2.5 +5"),
        (-0.01, (-0.07, 0.05), None, "−10 −5 0 +5 +10"),
        (-0.01, (-0.02, 0.01), 0.15, "−20 −10 0 +10 +20"),
        (0.6, None, None, "−100 −50 0 +50 +100"),
        (-1.0, (-1.0, -1.0), 1.7, "−100 −50 0 +50 +100"),
    ],
)
def test_the_line_of_changes_reaches_as_far_as_it_has_to(
    delta: float, ci: tuple[float, float] | None, mde: float | None, ends: str
) -> None:
    chart = intervals(comparison(models=[model(delta, ci=ci, mde=mde)]), 0.01)
    assert chart is not None
    assert " ".join(tick.label for tick in chart.ticks) == ends
    assert [tick.at for tick in chart.ticks] == [0, 25, 50, 75, 100]


def test_the_line_of_changes_holds_the_smallest_drop_that_may_fail() -> None:
    chart = intervals(comparison(models=[model(0.0)]), 0.3)
    assert chart is not None
    assert chart.ticks[0].label == "−50"
    assert chart.threshold == 20.0


def test_what_lies_beyond_the_line_is_drawn_at_its_end() -> None:
    chart = intervals(comparison(models=[model(0.0, mde=1.7)]), 0.01)
    assert chart is not None
    assert chart.rows[0].mde == 0.0
    assert chart.rows[0].seen == "170.0"


def test_an_interval() -> None:
    chart = intervals(comparison(models=[model(-0.05, ci=(-0.1, 0.0), mde=0.0301)]), 0.01)
    assert chart is not None
    row = chart.rows[0]
    assert (row.at, row.low, row.high, row.mde) == (25.0, 0.0, 50.0, 34.95)
    assert (row.change, row.interval, row.seen) == ("−5.0", "−10.0 to 0.0", "3.1")
    assert row.said == "change −5.0 points, interval −10.0 to 0.0, a drop of 3.1 would have been seen"
    assert (chart.threshold, chart.least) == (45.0, "1.0 points")


def test_a_change_without_statistics() -> None:
    chart = intervals(comparison(models=[model(0.05)]), 0.01)
    assert chart is not None
    row = chart.rows[0]
    assert (row.low, row.high, row.mde, row.interval, row.seen) == (None, None, None, "–", "–")
    assert row.said == "change +5.0 points"


def test_several_models_have_a_row_for_all() -> None:
    whole = compared(Status.STABLE, 1.0, 0.5, model=None)
    chart = intervals(
        comparison(models=[model(0.0), model(-0.1, "code")], overall=whole, mde={"overall": 0.2, "code": 0.3}), 0.01
    )
    assert chart is not None
    assert [row.model for row in chart.rows] == [Untrusted("chat"), Untrusted("code"), None]
    assert [row.seen for row in chart.rows] == ["–", "30.0", "20.0"]
    alone = intervals(comparison(models=[model(0.0)], overall=whole), 0.01)
    assert alone is not None
    assert len(alone.rows) == 1


def test_pictures_are_cut_and_say_so() -> None:
    many = [category(f"c{index:03}", 1.0, 1.0 - index / 1000, name) for index in range(50) for name in "abcdefg"]
    chart = scores(comparison(categories=many))
    assert chart is not None
    assert sum(len(group.rows) for group in chart.groups) == MOST_DRAWN
    assert chart.left_out == 350 - MOST_DRAWN
    assert chart.groups[0].category == Untrusted("c049")
    models = [model(0.0, f"m{index}") for index in range(100)]
    drawn = intervals(comparison(models=models), 0.01)
    assert drawn is not None
    assert len(drawn.rows) == MOST_DRAWN
    assert drawn.left_out == 101 - MOST_DRAWN
    assert drawn.rows[-1].model is None


@given(comparisons(), st.floats(0, 1))
def test_every_place_is_on_the_line(found: Comparison, min_effect: float) -> None:
    chart, drawn = scores(found), intervals(found, min_effect)
    places = [place for group in chart.groups for row in group.rows for place in (row.before, row.now)] if chart else []
    if drawn:
        places += [place for row in drawn.rows for place in (row.at, row.low, row.high, row.mde)]
        places += [drawn.threshold, *(tick.at for tick in drawn.ticks)]
        for row in drawn.rows:
            assert row.low is None or row.high is None or row.low <= row.high
    assert all(place is None or 0 <= place <= 100 for place in places)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_higher_value_stands_further_right(one: float, other: float) -> None:
    chart = intervals(comparison(models=[model(one, "a"), model(other, "b")]), 0.01)
    assert chart is not None
    first, second = (row.at for row in chart.rows[:2])
    assert first <= second if one <= other else first >= second
