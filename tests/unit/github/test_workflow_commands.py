import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.github.runner import Command, log_lines, obeyed, read_command
from tests.unit.hostile_text import texts

from llm_testbench.github.workflow_commands import MESSAGE_LIMIT, command, cut, fenced, new_token

TOKEN = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("message", "properties", "line"),
    [
        pytest.param("two tests fail", {}, "::error::two tests fail", id="plain"),
        pytest.param("", {}, "::error::", id="nothing to say"),
        pytest.param(
            "x", {"file": "evals/a.yaml", "line": 3}, "::error file=evals/a.yaml,line=3::x", id="place in a file"
        ),
        pytest.param("a\r\nb\rc\nd", {}, "::error::a%0D%0Ab%0Dc%0Ad", id="every kind of line break"),
        pytest.param("100 %0A: a, b", {}, "::error::100 %250A: a, b", id="the escapes' own character first"),
        pytest.param("x", {"title": "a: b, 5 %\n"}, "::error title=a%3A b%2C 5 %25::x", id="in a property"),
        pytest.param("x", {"title": "a\nb"}, "::error title=a%0Ab::x", id="line break in a property"),
        pytest.param("x", {"title": "::error::y"}, "::error title=%3A%3Aerror%3A%3Ay::x", id="command in a property"),
        pytest.param("::error::y", {}, "::error::::error::y", id="command in the message"),
        pytest.param("x", {"title": "", "file": "a"}, "::error file=a::x", id="an empty property is left out"),
        pytest.param("x", {"title": " "}, "::error::x", id="no property left"),
        pytest.param("x", {"title": "= a =b "}, "::error title= a =b::x", id="what the runner drops"),
        pytest.param("x", {"name": "a", "message": "b"}, "::error name=a,message=b::x", id="any name of a property"),
    ],
)
def test_a_command_is_one_escaped_line(message: str, properties: dict[str, str | int], line: str) -> None:
    assert command("error", message, **properties) == line


@pytest.mark.parametrize("name", ["", "Error", "error ", "a::b", "error\n", "error title=x", "-"])
def test_a_name_that_no_command_has_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"^no name of a workflow command: {re.escape(repr(name))}$"):
        command(name, "x")


anything = texts | st.text()


@given(anything, st.dictionaries(st.sampled_from(["title", "file", "line", "endLine", "col"]), anything))
def test_whatever_the_text_the_runner_reads_one_command_with_that_text(message: str, given_: dict[str, str]) -> None:
    line = command("warning", message, **given_)

    assert log_lines(line) == [line]
    kept = {key: text for key, value in given_.items() if (text := value.strip().lstrip("="))}
    assert read_command(line) == Command("warning", message, kept)


def test_a_fence_stands_on_lines_of_its_own() -> None:
    assert fenced("a\nb", TOKEN) == f"::stop-commands::{TOKEN}\na\nb\n::{TOKEN}::"


@given(anything, st.booleans())
def test_no_text_is_obeyed_inside_the_fence_and_every_command_after_it(text: str, unfinished: bool) -> None:
    log = fenced(text + ("\r" if unfinished else ""), TOKEN)

    assert obeyed(f"::notice::before\n{log}\n::notice::after") == [
        Command("notice", "before"),
        Command("notice", "after"),
    ]


@pytest.mark.parametrize(
    "text",
    [f"::{TOKEN}::", f"##[{TOKEN}]", f"x\n  ::{TOKEN.upper()}::\n::error::x", f"a{TOKEN}b"],
    ids=["as it ends", "as old commands end it", "in another case", "anywhere"],
)
def test_a_text_that_holds_the_token_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^the token of a fence stands in the fenced text: draw another$"):
        fenced(text, TOKEN)


@pytest.mark.parametrize(
    "token", ["", "error", TOKEN[1:], TOKEN.upper(), TOKEN + "\n", TOKEN[1:] + ":", "pause-logging" * 3]
)
def test_a_token_that_could_be_guessed_or_misread_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match=r"^the token of a fence has 32 or more hexadecimal digits in lower case$"):
        fenced("x", token)


def test_every_new_token_is_another_that_a_fence_takes() -> None:
    tokens = {new_token() for _ in range(100)}

    assert len(tokens) == 100
    assert all(fenced("x", token) for token in tokens)


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        pytest.param("short", 5, "short", id="what fits stays"),
        pytest.param("too long", 7, "too …", id="bytes of the mark count"),
        pytest.param("ab%cd", 6, "ab…", id="no escape is cut in two"),
        pytest.param("漢漢漢", 8, "漢…", id="no character is cut in two"),
        pytest.param("漢漢漢", 9, "漢漢漢", id="bytes count and not characters"),
        pytest.param("a:b,c", 9, "a:b,c", id="escapes of a property count"),
        pytest.param("", 0, "", id="nothing"),
    ],
)
def test_a_text_is_cut_before_it_is_too_long(text: str, limit: int, shown: str) -> None:
    assert cut(text, limit) == shown


@given(st.text(alphabet="a%:,\r\n漢\ud800😀", max_size=3000), st.integers(3, 5000))
def test_a_cut_message_is_within_the_limit_escaped_and_not(text: str, limit: int) -> None:
    shown = cut(text, limit)
    for line in (command("error", shown), command("error", "", title=f"x{shown}")):
        assert len(line.encode("utf-8", "backslashreplace")) <= limit + len("::error title=x::")
    assert text.startswith(shown.removesuffix("…"))
    assert read_command(command("error", shown)) == Command("error", shown)


def test_a_message_of_many_escapes_is_within_what_github_keeps() -> None:
    line = command("error", cut("%" * 100_000))
    assert 0 <= MESSAGE_LIMIT - len(line.removeprefix("::error::").encode()) < 3
