"""The terminal: wrapped to its width, plain unless told, safe."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.hostile_text import texts

from llm_testbench.report import terminal
from llm_testbench.report.character_cells import cut, width_of
from llm_testbench.report.document import (
    Align,
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
    Title,
    table,
    text,
)
from llm_testbench.untrusted import Untrusted


def page(*blocks: Block, width: int = 40, color: bool = False) -> str:
    return terminal.render(Document(blocks), width, color=color)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (Heading(1, text("Title")), "Title\n═════\n"),
        (Heading(2, text("Title ", Untrusted("x"))), "Title x\n───────\n"),
        (Heading(3, text("Title")), "Title\n"),
        (Paragraph(text("a ", Mono("b"), Strong("c"))), "a bc\n"),
        (Paragraph(text()), "\n"),
        (Bullets((text("one"), text("two"))), "- one\n- two\n"),
        (Code(Untrusted("x\n\ty")), "  │ x\n  │     y\n"),
        (Group("more", Importance.LIST, (Paragraph(text("a")), Paragraph(text("b")))), "a\n\nb\n"),
        (Details(text("More"), (Group("more", Importance.LIST, (Paragraph(text("in")),)),)), "▾ More\n\n  in\n"),
        (Details(text("More"), (Paragraph(text("in")), Code("c"))), "▾ More\n\n  in\n\n    │ c\n"),
        (
            table([("a", "left"), ("b", "right")], [[text("x"), text("1")], [text("long"), text("22")]]),
            "a      b\n----  --\nx      1\nlong  22\n",
        ),
        (table([("a", "left"), ("b", "right")], []), "a  b\n-  -\n–\n"),
    ],
)
def test_each_block(block: Block, expected: str) -> None:
    assert page(block) == expected


def test_a_paragraph_breaks_at_spaces_and_a_bullet_hangs() -> None:
    words = "one two three four five"
    assert page(Paragraph(text(words)), width=20) == "one two three four\nfive\n"
    assert page(Bullets((text(words),)), width=20) == "- one two three four\n  five\n"


def test_a_word_wider_than_the_line_is_broken() -> None:
    assert page(Paragraph(text("x" * 45)), width=20).split() == ["x" * 20, "x" * 20, "x" * 5]


def test_wide_characters_take_two_columns() -> None:
    assert page(Paragraph(text(Untrusted("漢字" * 10))), width=20) == "漢字" * 5 + "\n" + "漢字" * 5 + "\n"
    assert (width_of("漢a\u0301\u200b"), cut("漢字漢字", 5), cut("漢", 1), cut("abc", 9), cut("é", 9)) == (
        3,
        2,
        1,
        3,
        1,
    )


def test_a_table_that_is_too_wide_wraps_its_widest_columns() -> None:
    shown = page(table([("id", "left"), ("text", "left")], [[text("short"), text("word " * 20)]]), width=40)
    assert max(map(len, shown.splitlines())) <= 40
    assert shown.splitlines()[2].startswith("short  word word")
    assert shown.count("word") == 20


def test_a_name_in_the_first_column_stays_whole_where_the_others_can_give_way() -> None:
    row = [text("a-name-of-20-letters"), text("evals/folder/suite-of-tests.yaml:7"), text("word " * 20)]
    block = table([("test", "left"), ("written in", "left"), ("description", "left")], [row])
    wide, narrow = page(block, width=60), page(block, width=40)

    assert "a-name-of-20-letters  evals/folder" in wide
    assert "a-name-of-20-letters" not in narrow
    assert max(map(len, narrow.splitlines())) <= 40


def test_many_short_columns_need_no_more_room_than_their_titles() -> None:
    titles = ["mean", "passed", "partial", "failed", "errors", "skipped", "latency", "tokens", "tok/s"]
    columns: list[tuple[Title, Align]] = [("model", "left"), *((title, "right") for title in titles)]
    shown = page(table(columns, [[text("smollm2-135m"), *(text("1") for _ in titles)]]), width=85)
    assert shown.splitlines()[0].split() == ["model", *titles]
    assert shown.splitlines()[2].startswith("smollm2-135m ")
    assert max(map(len, shown.splitlines())) <= 85


def test_what_titles_need_is_reckoned_with() -> None:
    block = table(
        [("median latency", "right"), ("by chance alone", "right"), ("current", "right")],
        [[text("1 ms"), text("–"), text("0.5")]],
    )
    wide, narrow, narrowest = (page(block, width=width) for width in (60, 40, 20))

    assert len(wide.splitlines()) == 3
    assert max(map(len, narrow.splitlines())) <= 40
    assert all(word in narrowest for word in ("median", "latency", "chance", "current"))


def test_a_title_as_long_as_a_models_name_gives_way() -> None:
    block = table([("m" * 60, "left"), ("test", "left")], [[text("1.00"), text("discount")]])
    assert max(map(len, page(block, width=40).splitlines())) <= 40


def test_a_table_keeps_its_columns_readable_on_a_narrow_terminal() -> None:
    shown = page(table([("first column", "left")] * 5, [[text("something long")] * 5]), width=20)
    assert "first" in shown
    assert "somethin" in shown


def test_colour_marks_strong_and_code_and_only_when_told() -> None:
    blocks = (Heading(1, text("T")), Paragraph(text("a ", Strong("b c"), " ", Mono(Untrusted("d")))))
    assert page(*blocks, color=True) == "\x1b[1mT\x1b[0m\n═\n\na \x1b[1mb c\x1b[0m \x1b[36md\x1b[0m\n"
    assert "\x1b" not in page(*blocks)


def test_colour_does_not_move_a_tables_columns() -> None:
    columns = table(
        [("a", "left"), ("b", "right")], [[text(Mono("xy")), text("1")], [text("abcd"), text(Strong("22"))]]
    )
    colored = page(columns, color=True)
    assert re.sub(r"\x1b\[\d+m", "", colored) == page(columns)
    assert "\x1b[36mxy\x1b[0m" in colored


@given(texts, st.integers(1, 100), st.booleans())
def test_no_foreign_text_reaches_the_terminal_raw(foreign: str, width: int, color: bool) -> None:
    line = text(Untrusted(foreign), Mono(Untrusted(foreign)))
    shown = page(
        Heading(1, line),
        Paragraph(line),
        Bullets((line,)),
        table([(Untrusted(foreign), "left"), ("b", "right")], [[line, line]]),
        Code(Untrusted(foreign)),
        Details(line, (Paragraph(line),)),
        width=width,
        color=color,
    )
    plain = re.sub(r"\x1b\[(?:1|36|0)m", "", shown) if color else shown
    invisible = {c for c in plain if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")}
    assert invisible <= {"\n", "\u200b"}
    for row in plain.split("\n"):
        assert not row.strip().startswith("::")
        assert "##[" not in row


@given(st.lists(st.text("ab 漢", max_size=12), max_size=8), st.integers(20, 50))
def test_every_line_of_text_fits_the_width_and_no_word_is_lost(words: list[str], width: int) -> None:
    sentence = " ".join(words)
    shown = page(Paragraph(text(sentence)), width=width)
    assert all(width_of(line) <= width for line in shown.splitlines())
    assert shown.split() == sentence.split()


def test_an_empty_document_is_an_empty_line() -> None:
    assert page() == "\n"


def test_a_row_with_another_number_of_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells, the table 1 columns"):
        table([("a", "left")], [[text("1"), text("2")]])
