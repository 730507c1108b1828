"""Foreign text leaves only through the four ways out, and each makes it harmless for its sink."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.hostile_text import HOSTILE, texts
from tests.unit.rendered_markdown import rendered

from llm_testbench.untrusted import Untrusted, without_workflow_command

hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def one_line(text: str) -> str:
    """What a reader should see of a text on one line; the property is checked against this twin."""
    return "".join(repr(c)[1:-1] if unicodedata.category(c) in INVISIBLE else c for c in " ".join(text.split()))


class TestNoOtherWayOut:
    @pytest.mark.parametrize(
        "leak",
        [str, format, lambda text: f"{text}", "{}".format],
        ids=["str", "format", "f-string", "str.format"],
    )
    def test_str_and_format_raise(self, leak: Callable[[Untrusted], str]) -> None:
        with pytest.raises(TypeError, match=r"use \.markdown\(\)"):
            leak(Untrusted("x"))

    def test_percent_formatting_and_join_raise(self) -> None:
        with pytest.raises(TypeError):
            _ = "%s" % Untrusted("x")  # noqa: UP031 - the old way is what is tested
        with pytest.raises(TypeError):
            "".join([Untrusted("x")])  # type: ignore[list-item] # the mistake is what is tested

    def test_repr_tells_the_length_only(self) -> None:
        assert repr(Untrusted("secret")) == "Untrusted(<6 characters>)"
        assert "secret" not in repr([Untrusted("secret")])

    def test_it_is_a_value(self) -> None:
        assert Untrusted("a") == Untrusted("a") != Untrusted("b")
        assert Untrusted("a") != "a"
        assert len({Untrusted("a"), Untrusted("a")}) == 1
        assert (bool(Untrusted("")), bool(Untrusted("a")), len(Untrusted("abc"))) == (False, True, 3)


def seen(text: str) -> str:
    """The text as a reader sees it: a long row of backticks is parted by what has no width."""
    return text.replace("\u200b", "")


class TestMarkdown:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("plain", "`plain`"),
            ("", ""),
            (" \n ", ""),
            ("a\n b", "`a b`"),
            ("a`b", "``a`b``"),
            ("`a``b`", "``` `a``b` ```"),
            ("a|b", "`a`&#124;`b`"),
            ("|", "&#124;"),
            ("a | b | c", "`a `&#124;`  b  `&#124;` c`"),
            ("a | | b", "`a `&#124;` `&#124;` b`"),
            ("\x1b[0m\u202e\U000e0041\ud800", "`\\x1b[0m\\u202e\\U000e0041\\ud800`"),
        ],
    )
    def test_is_code_spans_split_at_pipes(self, text: str, expected: str) -> None:
        assert Untrusted(text).markdown() == expected

    @hostile
    def test_nothing_becomes_markup(self, text: str) -> None:
        page = rendered(f"before {Untrusted(text).markdown()} after")
        assert set(page.tags) <= {"p", "code"}
        assert page.attributes == []

    @given(texts)
    def test_the_text_stands_in_code_to_the_letter_and_only_pipes_outside(self, text: str) -> None:
        page = rendered(Untrusted(text).markdown())
        assert set(page.tags) <= {"p", "code"}
        assert page.prose.strip("\n").replace("|", "") == ""
        pieces = [piece for piece in one_line(text).split("|") if piece]
        assert [seen(code) for code in page.code] == pieces

    @given(texts, texts)
    def test_a_table_keeps_its_shape(self, first: str, second: str) -> None:
        cells = Untrusted(first).markdown(), Untrusted(second).markdown()
        page = rendered(f"| a | b |\n|---|--:|\n| {cells[0]} | {cells[1]} |\n| x | y |")
        assert [len(row) for row in page.tables[0]] == [2, 2, 2]
        assert [seen(cell).strip() for cell in page.tables[0][1]] == [one_line(first).strip(), one_line(second).strip()]
        assert page.tables[0][2] == ["x", "y"]

    @given(texts)
    def test_lists_headings_and_html_around_it_stay_what_they_are(self, text: str) -> None:
        inline = Untrusted(text).markdown()
        page = rendered(
            f"# {inline}\n\n- {inline}\n- two\n\n"
            f"<details>\n<summary>\n\n{inline}\n\n</summary>\n\n{inline}\n\n</details>\n"
        )
        assert set(page.tags) <= {"h1", "ul", "li", "p", "code", "details", "summary"}
        assert page.unbalanced == []
        assert page.tags.count("li") == 2

    def test_a_limit_cuts_the_text_before_it_is_escaped(self) -> None:
        assert Untrusted("a" * 50).markdown(10) == f"`{'a' * 9}…`"
        assert Untrusted("``````x").markdown(3) == "``` ``… ```"
        assert Untrusted("abc").markdown(3) == "`abc`"
        assert Untrusted("abc").markdown(0) == "`…`"

    def test_backticks_are_never_more_in_a_row_than_a_parser_counts(self) -> None:
        """cmark knows no code span behind 80 of them, and counts a fence's in one byte."""
        for text in (Untrusted("`" * 1000).markdown(), Untrusted("`" * 1000).markdown_block()):
            assert max(map(len, re.findall("`+", text))) == 41


class TestMarkdownBlock:
    @given(texts, st.sampled_from(["text", "diff"]))
    def test_is_one_code_block_with_all_lines(self, text: str, language: str) -> None:
        page = rendered(f"before\n\n{Untrusted(text).markdown_block(language=language)}\n\nafter")
        assert page.tags == ["p", "pre", "code", "p"]
        assert page.prose.split() == ["before", "after"]
        lines = re.split(r"\r\n|\r|\n", text)
        shown = [
            "".join(repr(c)[1:-1] if unicodedata.category(c) in INVISIBLE and c != "\t" else c for c in line)
            for line in lines
        ]
        assert [seen(code) for code in page.code] == ["\n".join(shown) + "\n"]

    @given(texts)
    def test_details_around_it_stay_balanced(self, text: str) -> None:
        page = rendered(f"<details>\n\n{Untrusted(text).markdown_block()}\n\n</details>\n\nafter")
        assert page.tags == ["details", "pre", "code", "p"]
        assert page.unbalanced == []

    def test_a_limit_cuts(self) -> None:
        assert Untrusted("abcdef").markdown_block(3) == "```text\nab…\n```"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


class TestHtml:
    @given(texts)
    def test_text_and_attribute_come_back_as_text(self, text: str) -> None:
        escaped = Untrusted(text).html()
        page = _Page()
        page.feed(f"<p title=\"{escaped}\" lang='{escaped}'>{escaped}</p>")
        page.close()
        assert [tag for tag, _ in page.tags] == ["p"]
        title, lang = page.tags[0][1]
        assert title == ("title", page.text)
        assert lang == ("lang", page.text)
        assert not any(unicodedata.category(c) in INVISIBLE for c in page.text if c not in "\n\t")

    def test_line_breaks_stay_and_a_limit_cuts(self) -> None:
        assert Untrusted("a\r\nb\rc\n\td").html() == "a\nb\nc\n\td"
        assert Untrusted("<<<<").html(2) == "&lt;…"


def starts_a_command(line: str) -> bool:
    """As actions/runner reads a line (ActionCommand.TryParseV2 and TryParse)."""
    return line.strip().startswith("::") or re.search(r"##\w*\[", line) is not None


class TestTerminal:
    @given(texts)
    def test_is_one_line_that_neither_terminal_nor_runner_obeys(self, text: str) -> None:
        line = Untrusted(text).terminal()
        assert len(line.splitlines()) <= 1
        assert not any(unicodedata.category(c) in INVISIBLE for c in line if c != "\u200b")
        assert not starts_a_command(line)
        assert line.replace("\u200b", "") == one_line(text)

    @given(texts)
    def test_lines_are_each_as_safe(self, text: str) -> None:
        lines = Untrusted(text).terminal_lines()
        assert len(lines) == len(re.split(r"\r\n|\r|\n", text))
        for line in lines:
            assert not any(unicodedata.category(c) in INVISIBLE for c in line if c != "\u200b")
            assert not starts_a_command(line)

    def test_code_of_several_languages_stays_readable(self) -> None:
        assert Untrusted("std::vector<int> x; // ## [1]").terminal() == "std::vector<int> x; // ## [1]"
        assert Untrusted("\tif x:\n").terminal_lines() == ["    if x:", ""]

    def test_a_limit_cuts(self) -> None:
        assert Untrusted("abcdef").terminal(3) == "ab…"
        assert Untrusted("ab\ncdef").terminal_lines(4) == ["ab", "…"]

    @given(texts)
    def test_a_whole_line_can_be_made_harmless_too(self, text: str) -> None:
        line = one_line(text)
        assert not starts_a_command(without_workflow_command(line))
        assert not starts_a_command("  " + without_workflow_command(line))


class TestLogLine:
    @given(texts, st.sampled_from(["", "error: ", "  ", "x:"]))
    def test_no_command_survives_wherever_it_stands(self, text: str, before: str) -> None:
        line = before + Untrusted(text).log_line()
        assert len(line.splitlines()) <= 1
        assert "::" not in line.removeprefix(before)
        assert "##" not in line
        assert not any(unicodedata.category(c) in INVISIBLE for c in line if c != "\u200b")

    @pytest.mark.parametrize("text", [":", "::", ":::", "::::", "#" * 5 + "[x]"])
    def test_overlapping_marks_are_broken_each(self, text: str) -> None:
        line = Untrusted(text).log_line()
        assert "::" not in line
        assert "##" not in line
        assert line.replace("\u200b", "") == text

    def test_a_long_text_is_cut_unless_told(self) -> None:
        assert len(Untrusted("x" * 5000).log_line()) == 2000
        assert len(Untrusted("x" * 5000).log_line(None)) == 5000
