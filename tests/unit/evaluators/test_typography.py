from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.evaluators.typography import plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a-b 'c' \"d\"", "a-b 'c' \"d\""),
        ("a\u2011b", "a-b"),
        ("a\u2010b", "a-b"),
        ("\u22125", "-5"),
        ("a\u00a0b\u202fc", "a b c"),
        ("don’t", "don't"),
        ("“a”", '"a"'),
        ("cafe\u0301", "café"),
        ("soft\u00adhyphen", "softhyphen"),
        ("a–b", "a–b"),
        ("４２", "４２"),
    ],
)
def test_one_character_has_one_form(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(st.text())
def test_the_plain_form_is_a_fixed_point(text: str) -> None:
    assert plain(plain(text)) == plain(text)
