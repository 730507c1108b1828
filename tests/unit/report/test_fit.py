"""Fitting: the limit holds for any report, what is left out is said, and the verdict goes last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.hostile_text import texts
from tests.unit.rendered_markdown import rendered

from llm_testbench.report import markdown, terminal
from llm_testbench.report.document import (
    Block,
    Bullets,
    Code,
    Details,
    Document,
    Group,
    Heading,
    Importance,
    Paragraph,
    table,
    text,
)
from llm_testbench.report.fit import MOST_NAMED, fit
from llm_testbench.untrusted import Untrusted

VERDICT = Group("the verdict", Importance.VERDICT, (Heading(2, text("Fail")),))
AGAIN = Group("the command", Importance.VERDICT, (Code("llmtest gate", "sh"),))


def group(name: str, importance: Importance, size: int) -> Group:
    return Group(name, importance, (Details(text(name), (Paragraph(text("x" * size)),)),))


def fitted(limit: int, *blocks: Block) -> str:
    return fit(Document(blocks), limit, markdown.render)


def test_a_report_that_fits_stays_as_it_is() -> None:
    document = Document((VERDICT, group("a list", Importance.LIST, 100)))
    whole = markdown.render(document)
    assert fit(document, len(whole), markdown.render) == whole
    assert "Left out here" in fit(document, len(whole) - 1, markdown.render)


def test_the_least_important_goes_first_and_the_note_says_what() -> None:
    blocks = (
        VERDICT,
        group("first list", Importance.LIST, 200),
        group("evidence", Importance.EVIDENCE, 200),
        group("second list", Importance.LIST, 200),
        AGAIN,
    )
    shown = fitted(700, *blocks)
    assert "second list. report.md has it all." in shown
    assert shown.count("<details>") == 2
    shown = fitted(500, *blocks)
    assert "first list, second list." in shown
    assert shown.count("<details>") == 1
    shown = fitted(250, *blocks)
    assert "first list, evidence, second list." in shown
    assert shown.startswith("## Fail")
    assert "llmtest gate" in shown


def test_one_huge_part_is_left_out_alone() -> None:
    huge = group("huge", Importance.EVIDENCE, 100_000)
    shown = fitted(1_000, VERDICT, huge, group("small", Importance.LIST, 10), AGAIN)
    assert "<summary>small</summary>" in shown
    assert "no room: huge." in shown


def test_a_part_goes_without_the_blocks_around_it() -> None:
    answers = group("answers", Importance.ANSWER, 500)
    item = Group("evidence", Importance.EVIDENCE, (Heading(4, text("one test")), answers))
    shown = fitted(300, VERDICT, item)
    assert "#### one test" in shown
    assert "no room: answers." in shown


def test_what_stands_inside_a_part_is_named_with_it_once() -> None:
    inner = group("answers", Importance.VERDICT, 500)  # no more important than what it stands in
    shown = fitted(200, VERDICT, Group("evidence", Importance.LIST, (Paragraph(text("y" * 500)), inner)))
    assert "no room: evidence." in shown


def test_a_part_that_claims_more_than_the_one_around_it_waits_for_it() -> None:
    inner = group("answers", Importance.VERDICT, 100)
    outer = Group("evidence", Importance.LIST, (Paragraph(text("y")), inner))
    assert fitted(400, VERDICT, outer, group("huge", Importance.LIST, 500)).count("<details>") == 1


def test_a_fold_of_which_nothing_is_left_goes_too() -> None:
    fold = Details(text("More"), (group("a", Importance.LIST, 500), group("b", Importance.LIST, 500)))
    assert "<summary>More</summary>" not in fitted(200, VERDICT, Group("outer", Importance.TABLE, (fold,)))
    assert "<summary>More</summary>" in fitted(800, VERDICT, Group("outer", Importance.TABLE, (fold,)))


def test_parts_of_one_name_are_counted_and_many_names_cut() -> None:
    shown = fitted(200, VERDICT, *[group("answers", Importance.ANSWER, 500)] * 3)
    assert "no room: answers (3 times)." in shown
    shown = fitted(400, VERDICT, *[group(f"part {number}", Importance.ANSWER, 500) for number in range(MOST_NAMED + 2)])
    assert "part 7, 2 other parts." in shown


def test_blocks_outside_of_parts_go_from_the_end() -> None:
    shown = fitted(500, *(Paragraph(text(letter * 200)) for letter in "abcd"))
    assert shown.startswith("a" * 200)
    assert "c" * 200 not in shown
    assert "other parts (2 times)" in shown


def test_where_not_even_the_note_fits_there_is_nothing() -> None:
    assert fitted(10, VERDICT, group("a list", Importance.LIST, 100)) == ""


def test_bytes_count_and_not_characters() -> None:
    wide = Group("wide", Importance.LIST, (Paragraph(text(Untrusted("漢" * 200))),))
    assert "no room: wide." in fitted(400, VERDICT, wide)
    assert "no room" not in fitted(700, VERDICT, wide)


def test_a_surrogate_has_a_size_too() -> None:
    assert fit(Document((VERDICT,)), 10, lambda _document: "\ud800") == "\ud800"


def test_any_sink_can_be_fitted() -> None:
    document = Document((VERDICT, group("a list", Importance.LIST, 1_000)))
    assert "Left out" in fit(document, 300, lambda shown: terminal.render(shown, 80, color=False))


leaves = st.one_of(
    texts.map(lambda foreign: Paragraph(text(Untrusted(foreign)))),
    texts.map(lambda foreign: Code(Untrusted(foreign))),
    texts.map(lambda foreign: Bullets((text(Untrusted(foreign)), text("ours")))),
    st.integers(0, 3_000).map(lambda size: Paragraph(text("x" * size))),
    st.integers(0, 5_000).map(lambda size: Code(Untrusted("```\n" * size))),
    st.integers(0, 600).map(lambda size: Code(Untrusted("`" * size))),
)
blocks: st.SearchStrategy[Block] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(
            Group,
            st.sampled_from(["answers", "a list", "the verdict"]),
            st.sampled_from(Importance),
            st.lists(inner, max_size=3).map(tuple),
        ),
        st.builds(Details, texts.map(lambda foreign: text(Untrusted(foreign))), st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)


@given(st.lists(blocks, max_size=5), st.integers(0, 4_000))
def test_any_report_fits_any_limit_and_stays_whole(parts: list[Block], limit: int) -> None:
    shown = fitted(limit, *parts)
    assert len(shown.encode()) <= limit
    found = rendered(shown)
    assert found.unbalanced == []
    assert found.tags.count("details") == found.tags.count("summary")
    # A fence that stays open would swallow what comes after it.
    assert rendered(shown + "\n\n## end\n").tags[-1] == "h2"


@pytest.mark.parametrize("limit", [400, 1_000, 3_000])
@given(parts=st.lists(blocks, max_size=5))
def test_the_verdict_outlives_everything(limit: int, parts: list[Block]) -> None:
    shown = fitted(limit, *(Group("more", Importance.LIST, (part,)) for part in parts), VERDICT)
    assert "## Fail" in shown


# --- Groups that claim their room


def listed(rows: int, importance: Importance = Importance.TABLE, *inside: Block) -> Group:
    lines = [[text(f"row {number:03}")] for number in range(rows)]
    fold = Details(text("Worse"), (table([("test", "left")], lines), *inside))
    return Group("the list of those worse", importance, (fold,), claims=True)


def shown_rows(markdown_text: str) -> int:
    return markdown_text.count("| row ")


def test_a_table_that_claims_its_room_loses_rows_from_its_end() -> None:
    shown = fitted(700, VERDICT, listed(100), AGAIN)
    rows = shown_rows(shown)
    assert 10 < rows < 100
    assert f"row {rows - 1:03}" in shown
    assert f"and {100 - rows} more, for which there is no room here: report.md has them all" in shown
    assert len(shown.encode()) > 700 - 20  # one more would not have fitted
    assert "Left out here" not in shown


def test_nothing_less_important_stands_where_a_row_is_missing() -> None:
    small = group("a list", Importance.LIST, 1)
    assert "a list</summary>" in fitted(2_000, VERDICT, small, listed(50))
    shown = fitted(700, VERDICT, small, listed(100))
    assert "a list</summary>" not in shown
    assert "no room: a list." in shown
    # What is as important, or more, may stand.
    assert "models</summary>" in fitted(700, VERDICT, listed(100), group("models", Importance.CONTEXT, 10))


def test_what_has_no_row_to_lose_and_does_not_fit_takes_the_less_important_along() -> None:
    claiming = Group("evidence", Importance.EVIDENCE, (Paragraph(text("x" * 5_000)),), claims=True)
    shown = fitted(600, VERDICT, claiming, group("a list", Importance.LIST, 1), AGAIN)
    assert "no room: evidence, a list." in shown
    assert "llmtest gate" in shown


def test_further_rows_stand_only_below_the_first_ones() -> None:
    further = Group(
        "further rows",
        Importance.ROWS,
        (table([("test", "left")], [[text(f"row {number:03}")] for number in range(100, 200)]),),
        claims=True,
    )
    answers = group("answers", Importance.ANSWER, 300)
    shown = fitted(2_600, VERDICT, listed(100, Importance.TABLE, further), answers)
    assert 100 < shown_rows(shown) < 200
    assert "answers</summary>" in shown
    shown = fitted(700, VERDICT, listed(100, Importance.TABLE, further), answers)
    assert shown_rows(shown) < 100
    assert "no room: further rows, answers." in shown
