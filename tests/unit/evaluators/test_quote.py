from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.evaluators.quote import LIMIT, quote, quote_all, quote_json

HUGE = list(range(300_000))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a", "'a'"),
        ("", "''"),
        ("a\n\tb\u2028c", "'a b c'"),
        ("x" * 80, f"'{'x' * 80}'"),
        ("x" * 81, f"'{'x' * 79}…'"),
        (" " * 1000, "'…'"),
        ("\ud800", "'?'"),
    ],
)
def test_a_quote_is_short_and_on_one_line(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@given(st.text())
def test_any_text_can_be_quoted_and_written(text: str) -> None:
    line = quote(text)
    line.encode()
    assert len(line) <= LIMIT + 2
    assert line.splitlines() == [line]


def test_many_texts_are_counted_beyond_the_limit() -> None:
    assert quote_all(("a", "b")) == "'a', 'b'"
    assert quote_all(("x" * 60, "y" * 60, "z")) == f"'{'x' * 60}' and 2 more"


def test_json_is_quoted_as_json() -> None:
    assert quote_json({"a": [1, "é", None]}) == '{"a": [1, "é", null]}'
    assert quote_json(10**5000) == "a value too large to show"


def test_of_a_huge_value_only_the_beginning_is_written() -> None:
    begun = time.process_time()
    for _ in range(200):
        assert quote_json({"a": HUGE}).startswith('{"a": [0, 1, 2, 3')
    assert time.process_time() - begun < 2
