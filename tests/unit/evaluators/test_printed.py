from __future__ import annotations

import pytest

from llm_testbench.evaluators.printed import difference


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param("1\n2\n", "1\n2", id="a line end at the end"),
        pytest.param("1 \t\n2  \n\n\n", "1\n2", id="white space at the ends of lines and blank lines at the end"),
        pytest.param("1\n2", "1   \n2\n", id="white space at the ends of the expected lines"),
        pytest.param("  a\n\nb", "  a\n\nb", id="indents and blank lines between"),
    ],
)
def test_white_space_at_the_ends_does_not_count(found: str, expected: str) -> None:
    assert difference(found, expected) is None


LONG = "x" * 100


@pytest.mark.parametrize(
    ("found", "expected", "told"),
    [
        ("1\n3\n4", "1\n2\n4", "line 2 of the output is '3', expected '2'"),
        ("", "1\n2", "nothing was printed, expected '1'"),
        ("\n \n", "1", "nothing was printed, expected '1'"),
        ("1", "1\n2", "the output ends before line 2, expected '2'"),
        ("1\n2\n3", "1\n2", "line 3 of the output is '3', expected no such line"),
        ("\n1", "1", "line 1 of the output is '', expected '1'"),
        ("  1", "1", "line 1 of the output is '1', expected '1' (they differ in white space)"),
        ("a  b", "a b", "line 1 of the output is 'a b', expected 'a b' (they differ in white space)"),
        ("A", "a", "line 1 of the output is 'A', expected 'a'"),
        (
            LONG + "1",
            LONG + "2",
            f"line 1 of the output is '…{'x' * 20}1', expected '…{'x' * 20}2'",
        ),
        (LONG, LONG + "2", f"line 1 of the output is '…{'x' * 20}', expected '…{'x' * 20}2'"),
        ("1" + LONG, "2" + LONG, f"line 1 of the output is '1{'x' * 78}…', expected '2{'x' * 78}…'"),
        ("1\x1b[31m\u2028::error::", "1", "line 1 of the output is '1\x1b[31m ::error::', expected '1'"),
    ],
)
def test_the_first_line_that_differs_is_told(found: str, expected: str, told: str) -> None:
    assert difference(found, expected) == told
