"""A group is repeated possessively in one way alone, which is right on every Python that we promise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import llm_testbench
from llm_testbench.possessive import possessive

PACKAGE = Path(llm_testbench.__file__).parent


@pytest.mark.parametrize(
    ("body", "times", "text", "matched"),
    [
        pytest.param("ab?c", "*", "aca", "ac", id="the last try is in vain behind its first character"),
        pytest.param("ab?c", "*", "ab", "", id="the first one is"),
        pytest.param("(?!c).", "+", "abc", "ab", id="in vain in what must not follow"),
        pytest.param("[0-9]++,", "+", "1,2,34", "1,2,", id="in vain behind a repetition"),
        pytest.param(r"\.[0-9]++", "{2,}", ".1.2.", ".1.2", id="at least twice"),
        pytest.param(r"\.[0-9]++", "{2,}", ".1", None, id="less often than that"),
        pytest.param("ab?c", "+", "ab", None, id="not once"),
        pytest.param(",[0-9]++", "?", ",1,2", ",1", id="at most once"),
        pytest.param(",[0-9]{2}", "?", ",1", "", id="not even once"),
        pytest.param("a|ab", "*", "aab", "aa", id="alternatives, in their order"),
        pytest.param("a" + possessive("b[0-9]c"), "+", "ab1cab2", "ab1ca", id="one inside another"),
    ],
)
def test_it_takes_what_fits(body: str, times: str, text: str, matched: str | None) -> None:
    found = re.match(f"({possessive(body, times)})", text)
    assert (None if found is None else found[1]) == matched


@pytest.mark.parametrize(("times", "text"), [("*", "abab"), ("+", "abab"), ("?", "ab"), ("{2,}", "ababab")])
def test_it_gives_nothing_back(times: str, text: str) -> None:
    assert re.fullmatch(f"(?:ab){times}ab", text)
    assert re.fullmatch(possessive("ab", times) + "ab", text) is None


@given(
    st.sampled_from(["ab?c", "a|bc", "(?:ab|a)c?", "(?!ab)[abc]", "[ab]{2}", "a+b", "(?<=a)b|a", "a(?=b)|b(?!a)"]),
    st.sampled_from(["*", "+", "?", "{2,}"]),
    st.text("abc", max_size=12),
)
def test_it_finds_what_another_engine_finds(body: str, times: str, text: str) -> None:
    ours = re.finditer(f"c?({possessive(body, times)})", text)
    theirs = regex.finditer(f"c?((?>(?:{body}){times}))", text)
    assert [found.span(1) for found in ours] == [found.span(1) for found in theirs]


# Behind the end of a group, or of what is put in, whatever it is.
_OF_A_GROUP = re.compile(r"(?<!\\)(?:\)|\x00)(?:[*+?]|\{[0-9,]*\})\+")


def by_hand(source: str) -> list[str]:
    """Texts of a module that repeat a group possessively as `re` writes it."""
    return [text for text in _texts(ast.parse(source)) if _OF_A_GROUP.search(text)]


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "\x00" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def captured(source: str) -> list[str]:
    """What a module passes to `possessive` that captures."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    given = (node.args[0] for node in calls if isinstance(node.func, ast.Name) and node.func.id == possessive.__name__)
    return [text for body in given for text in _texts(body) if re.search(r"(?<!\\)\((?:\?P<|(?!\?))", text)]


def test_no_module_writes_it_by_hand() -> None:
    sources = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    assert {path: found for path, source in sources.items() if (found := by_hand(source))} == {}
    assert {path: found for path, source in sources.items() if (found := captured(source))} == {}


@pytest.mark.parametrize(
    "pattern",
    [
        '"(?:ab?c)*+"',
        'r"x(?:[0-9]+,)++y"',
        '"(a)?+"',
        '"(?:ab){2,}+"',
        'rf"(?:{word},)++"',
        'rf"(?:ab){{2,3}}+"',
        'f"{group}*+"',
        '"x" r"(?:y)" "*+"',
        'f"{a}" f"(?:{b})?+"',
    ],
)
def test_each_way_to_write_it_is_seen(pattern: str) -> None:
    assert by_hand(f"import re\nX = re.compile({pattern})")


@pytest.mark.parametrize(
    "pattern", ['"[a-z]*+"', r'r"\w++"', r'r"\)++"', '"[0-9]{2,}+"', '"(?:ab)+"', '"(?>ab?)"', 'f"[{word}+]++"']
)
def test_one_character_is_no_group(pattern: str) -> None:
    assert not by_hand(f"import re\nX = re.compile({pattern})")


@pytest.mark.parametrize(
    ("body", "captures"),
    [
        ('"(a)"', True),
        ('f"x(?P<name>{y})"', True),
        ('"a" + "(b)"', True),
        ('"(?:a)(?=b)(?<!c)"', False),
        (r'r"\(a"', False),
    ],
)
def test_what_captures_is_seen(body: str, captures: bool) -> None:
    assert bool(captured(f"X = possessive({body}, '+')")) is captures
