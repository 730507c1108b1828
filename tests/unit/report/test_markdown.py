"""Markdown: our words to the letter, foreign text as code, structure that nothing breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.hostile_text import HOSTILE, texts
from tests.unit.rendered_markdown import rendered

from llm_testbench.report import markdown
from llm_testbench.report.document import (
    Block,
    Bullets,
    Code,
    Details,
    Document,
    Group,
    Heading,
    Importance,
    Mono,
    Paragraph,
    Strong,
    Text,
    table,
    text,
)
from llm_testbench.untrusted import Untrusted


def page(*blocks: Block) -> str:
    return markdown.render(Document(blocks))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (Heading(3, text("Title ", Mono("x"))), "### Title `x`\n"),
        (Paragraph(text("Pass: ", Strong("2"), " of 3")), "Pass: <strong>2</strong> of 3\n"),
        (Paragraph(text(Strong(Untrusted("a")))), "<strong>`a`</strong>\n"),
        (Bullets((text("one"), text(Untrusted("two")))), "- one\n- `two`\n"),
        (Code(Untrusted("x\ny")), "```text\nx\ny\n```\n"),
        (Code("-a\n+b", "diff"), "```diff\n-a\n+b\n```\n"),
        (
            table([("a", "left"), (Untrusted("b"), "right")], [[text("1"), text(Mono("x|y"))]]),
            "| a | `b` |\n| :--- | ---: |\n| 1 | `x`&#124;`y` |\n",
        ),
        (
            Details(text("More ", Mono("<x>"), " & ", Strong(Untrusted("<y>"))), (Paragraph(text("in")),)),
            "<details>\n<summary>More <code>&lt;x&gt;</code> &amp; <strong><code>&lt;y&gt;</code></strong>"
            "</summary>\n\nin\n\n</details>\n",
        ),
    ],
)
def test_each_block(block: Block, expected: str) -> None:
    assert page(block) == expected


def test_blocks_are_set_apart_by_blank_lines() -> None:
    assert page(Paragraph(text("a")), Paragraph(text("b"))) == "a\n\nb\n"


def test_a_line_that_begins_with_a_space_begins_no_list() -> None:
    assert rendered(page(Paragraph(text(" ", "- dash")))).tags == ["p"]


def test_a_group_is_shown_as_its_blocks() -> None:
    inside = Group("more", Importance.LIST, (Paragraph(text("b")), Group("most", Importance.LIST, ())))
    assert page(Paragraph(text("a")), inside, Details(text("c"), (inside,))) == (
        "a\n\nb\n\n<details>\n<summary>c</summary>\n\nb\n\n</details>\n"
    )


def test_code_spans_that_touch_stay_two() -> None:
    found = rendered(page(Paragraph(text(Mono("a"), Untrusted("b"), Untrusted("`c")))))
    assert found.code == ["a", "b", "`c"]


@pytest.mark.parametrize(
    "words",
    [
        "[0.50-1.00]", "[a](b)", "a*b*c", "_x_ py_test __init__", "<b>", "&lt;", "a|b", "~~x~~", "$x$ and $y$", "`x`",
        "- dash", "back\\slash\\", "+ plus", "1. one", "1) one", "# title", "a # b #", "===", "---", "> quote",
        "![x](y)", "#1", "= ",
    ],
)  # fmt: skip
def test_our_words_read_to_the_letter_wherever_they_stand(words: str) -> None:
    document = page(
        Paragraph(text(words)),
        Bullets((text(words),)),
        Heading(2, text(words)),
        table([(words, "left")], [[text(words)]]),
        Details(text(words), ()),
    )
    found = rendered(document)
    assert set(found.tags) <= {"p", "ul", "li", "h2", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
    assert found.prose.count(words.strip()) == 6


spans = st.one_of(
    st.sampled_from(["words ", "[0.50-1.00]", "a|b", "-", " "]),
    texts.map(Untrusted),
    texts.map(lambda foreign: Mono(Untrusted(foreign))),
    texts.map(lambda foreign: Strong(Untrusted(foreign))),
)
lines: st.SearchStrategy[Text] = st.lists(spans, min_size=1, max_size=3).map(tuple)
OURS = {
    "p",
    "code",
    "pre",
    "strong",
    "h3",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
}


@given(st.lists(lines, min_size=7, max_size=7), texts)
def test_no_foreign_text_changes_the_structure(line: list[Text], foreign: str) -> None:
    document = page(
        Heading(3, line[0]),
        Paragraph(line[1]),
        Bullets((line[2], line[3])),
        table([(Untrusted(foreign), "left"), ("b", "right")], [[line[4], line[5]], [line[5], line[4]]]),
        Details(line[6], (Code(Untrusted(foreign)), Paragraph(line[6]))),
        Paragraph(text("end")),
    )
    found = rendered(document)
    assert set(found.tags) <= OURS
    assert set(found.attributes) <= {"align", "lang"}
    assert found.unbalanced == []
    assert [found.tags.count(tag) for tag in ("h3", "li", "table", "details", "summary", "pre")] == [1, 2, 1, 1, 1, 1]
    assert [len(row) for row in found.tables[0]] == [2, 2, 2]
    assert found.prose.rstrip().endswith("end")


@given(texts)
def test_outside_code_stand_only_our_words(foreign: str) -> None:
    line = text("ours ", Untrusted(foreign), " ours ", Mono(Untrusted(foreign)), " ours ", Strong(Untrusted(foreign)))
    found = rendered(page(Paragraph(line), Details(line, (Code(Untrusted(foreign)),))))
    assert found.prose.replace("ours", "").replace("|", "").split() == []


@pytest.mark.parametrize("foreign", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_fold_keeps_its_summary(foreign: str) -> None:
    line = text(Mono(Untrusted(foreign)), Untrusted(foreign), Strong(Untrusted(foreign)))
    found = rendered(page(Details(line, (Paragraph(text("inside")),))))
    assert found.tags == ["details", "summary", "code", "code", "strong", "code", "p"]
    assert found.unbalanced == []
    assert found.prose.split() == ["inside"]


def test_long_foreign_text_is_cut() -> None:
    assert len(page(Paragraph(text(Untrusted("x" * 10_000))))) < 400
    assert len(page(Code(Untrusted("x" * 100_000)))) < 4_100
