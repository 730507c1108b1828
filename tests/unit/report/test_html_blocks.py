"""Blocks as HTML: our words escaped, foreign text as code, structure that nothing breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.hostile_text import HOSTILE, texts
from tests.unit.report.parsed_html import parsed

from llm_testbench.report.document import (
    BLOCK_LIMIT,
    INLINE_LIMIT,
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
from llm_testbench.report.html_blocks import blocks_html, document_html
from llm_testbench.untrusted import Untrusted


def html(*blocks: Block) -> str:
    return blocks_html(blocks)


def answer(title: str, words: str) -> tuple[Block, Block]:
    return Paragraph(text(Strong(title), " attempt 1")), Code(Untrusted(words))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (Heading(2, text("Pass")), "<h1>Pass</h1>"),
        (Heading(1, text("Pass")), "<h1>Pass</h1>"),
        (Heading(4, text(Mono("a"), " on b")), "<h3><code>a</code> on b</h3>"),
        (Paragraph(text("1 < 2 & ", Strong("so"))), "<p>1 &lt; 2 &amp; <strong>so</strong></p>"),
        (Paragraph(text(Untrusted("<b>"))), "<p><code>&lt;b&gt;</code></p>"),
        (Paragraph(text("a\n b ", Untrusted("c\n d"))), "<p>a b <code>c d</code></p>"),
        (Paragraph(text("a", Untrusted(""), "b")), "<p>ab</p>"),
        (Paragraph(text(Strong(Untrusted("a")))), "<p><strong><code>a</code></strong></p>"),
        (Bullets((text("a"), text("b"))), "<ul><li>a</li><li>b</li></ul>"),
        (Code("a\n  <b>"), "<pre><code>a\n  &lt;b&gt;</code></pre>"),
        (Code("+a\n-b\n c", "diff"), "<pre><code><ins>+a</ins>\n<del>-b</del>\n c</code></pre>"),
        (Code("+a\n-b", "sh"), "<pre><code>+a\n-b</code></pre>"),
        (Details(text("more"), (Paragraph(text("a")),)), "<details><summary>more</summary>\n<p>a</p>\n</details>"),
        (Group("empty", Importance.LIST, ()), ""),
        (Group("some", Importance.EVIDENCE, (Paragraph(text("a")),)), '<div class="evidence">\n<p>a</p>\n</div>'),
    ],
)
def test_each_block(block: Block, expected: str) -> None:
    assert html(block) == expected


def test_a_table() -> None:
    shown = html(table([("a", "left"), (Untrusted("<b>"), "right")], [[text("1"), text(Mono("2"))]]))
    page = parsed(shown)
    assert page.rows == [["a", "<b>"], ["1", "2"]]
    assert page.values("th", "scope") == ["col", "col"]
    assert page.values("th", "class") == page.values("td", "class") == ["number"]
    assert 'tabindex="0"' in shown


@pytest.mark.parametrize(
    "titles", [("Now:",), ("Before:", "Now:"), ("Before:", "The old prompt, asked today:", "Now:")]
)
def test_answers_stand_side_by_side(titles: tuple[str, ...]) -> None:
    blocks = tuple(block for title in titles for block in answer(title, "words"))
    shown = html(Group("answers", Importance.ANSWER, blocks))
    assert parsed(shown).values("div", "class") == ["sides"]
    assert shown.count("<div><p>") == len(titles) == shown.count("</pre></div>")


def test_folded_answers_are_seen_at_once() -> None:
    fold = Details(text("Answers"), (*answer("Before:", "a"), *answer("Now:", "b")))
    shown = html(Group("answers", Importance.ANSWER, (fold,)))
    assert shown.startswith('<details open><summary>Answers</summary>\n\n<div class="sides">')


def test_what_stands_before_the_answers_is_no_column() -> None:
    fold = Details(text("a test"), (Bullets((text("a fact"),)), *answer("Before:", "a"), *answer("Now:", "b")))
    shown = html(Group("answers", Importance.ANSWER, (fold,)))
    assert shown.startswith('<details><summary>a test</summary>\n<ul><li>a fact</li></ul>\n<div class="sides">')
    assert shown.count("<div><p>") == 2


def test_words_that_are_only_strong_are_no_title_of_an_answer() -> None:
    shown = html(Group("answers", Importance.ANSWER, (Paragraph(text(Strong("Mind this"))), *answer("Now:", "a"))))
    assert shown.startswith('<p><strong>Mind this</strong></p>\n<div class="sides">')


def test_no_column_where_there_is_no_answer() -> None:
    shown = html(Group("answers", Importance.ANSWER, (Paragraph(text("none")),)))
    assert shown == "<p>none</p>"


def test_long_foreign_text_is_cut() -> None:
    assert len(html(Paragraph(text(Untrusted("x" * 10_000))))) < INLINE_LIMIT + 50
    assert len(html(Code(Untrusted("x" * 100_000)))) < BLOCK_LIMIT + 50


spans = st.one_of(
    texts.map(lambda words: words.replace("\ud800", "")),
    texts.map(Untrusted),
    texts.map(lambda foreign: Mono(Untrusted(foreign))),
    texts.map(lambda foreign: Strong(Untrusted(foreign))),
)
lines: st.SearchStrategy[Text] = st.lists(spans, max_size=3).map(tuple)
OURS = {
    "h2", "p", "ul", "li", "code", "pre", "strong", "ins", "del", "details", "summary", "div",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def document(line: Text, foreign: str) -> Document:
    answers = (*answer("Before:", foreign), *answer("Now:", foreign))
    return Document(
        (
            Heading(3, line),
            Paragraph(line),
            Bullets((line, line)),
            table([(Untrusted(foreign), "left"), ("b", "right")], [[line, line]]),
            Details(line, (Code(Untrusted(foreign)), Code(Untrusted(foreign), "diff"))),
            Group("answers", Importance.ANSWER, (Details(line, answers),)),
        )
    )


def check(line: Text, foreign: str) -> None:
    page = parsed(document_html(document(line, foreign)))
    assert set(page.tags) <= OURS
    assert {(name, value) for _, name, value in page.attributes} <= {
        ("class", "number"),
        ("class", "scroll"),
        ("class", "sides"),
        ("scope", "col"),
        ("tabindex", "0"),
        ("open", ""),
    }
    assert page.unbalanced == page.odd == []
    assert [page.tags.count(tag) for tag in ("h2", "li", "table", "details", "summary", "pre")] == [1, 2, 1, 2, 2, 4]


@given(lines, texts)
def test_no_text_changes_the_structure(line: Text, foreign: str) -> None:
    check(line, foreign)


@pytest.mark.parametrize("foreign", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_trick_changes_the_structure(foreign: str) -> None:
    check(text(Untrusted(foreign), foreign.replace("\ud800", "")), foreign)


@given(texts)
def test_foreign_text_reads_to_the_letter(foreign: str) -> None:
    page = parsed(html(Code(Untrusted(foreign[:BLOCK_LIMIT]))))
    harmless = foreign[:BLOCK_LIMIT]
    if harmless.isprintable():
        assert page.said("code") == harmless


@given(texts)
def test_outside_code_stand_only_our_words(foreign: str) -> None:
    line = text("ours", Untrusted(foreign), Mono(Untrusted(foreign)), Strong(Untrusted(foreign)))
    page = parsed(html(Paragraph(line), Details(line, (Code(Untrusted(foreign)),))))
    assert page.said("p", "summary", "strong", "details", "").split() == ["ours", "ours"]
