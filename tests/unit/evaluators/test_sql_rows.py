"""When rows count as the expected ones, and what is said when they do not."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.evaluators.sql_rows import Blob, Row, difference, shown


def told(found: list[Row], expected: list[Row], *, ordered: bool = False) -> str | None:
    return difference(found, expected, len(found[0]) if found else 0, ordered=ordered)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param([], [], id="no rows"),
        pytest.param([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], id="another order"),
        pytest.param([(1,), (1,), (2,)], [(1,), (2,), (1,)], id="a row twice"),
        pytest.param([(1.0,)], [(1,)], id="1.0 for 1"),
        pytest.param([(-0.0,)], [(0,)], id="minus zero"),
        pytest.param([(0.1 + 0.2,)], [(0.3,)], id="the last digit"),
        pytest.param([(1e16,)], [(10**16,)], id="a large number as a float"),
        pytest.param([(5.5e-17,)], [(0,)], id="what is left of a difference"),
        # On both sides of where ten digits are cut.
        pytest.param([(0.12345678955,)], [(0.12345678954999999,)], id="two sides of a rounding"),
        pytest.param(
            [(0.12345678955, 1), (0.12345678954999999, 2)],
            [(0.12345678954999999, 1), (0.12345678955, 2)],
            id="near numbers are told apart by the rest of the row",
        ),
        pytest.param(
            [(n / 3,) for n in range(300)], [(n / 3 * (1 + 1e-12),) for n in range(300)], id="many last digits"
        ),
        pytest.param(
            [(n + 1.7e12,) for n in range(300)], [(n + 1_700_000_000_000,) for n in range(300)], id="many large numbers"
        ),
        pytest.param(
            [(n + 1.7e12,) for n in range(300)][::-1],
            [(n + 1_700_000_000_000,) for n in range(300)],
            id="many large numbers in another order",
        ),
        pytest.param([(n / 7e15,) for n in range(300)], [(0,)] * 300, id="much that is left of differences"),
        pytest.param([(n * 1e304,) for n in range(300)][::-1], [(n * 1e304,) for n in range(300)], id="the largest"),
        pytest.param(
            [(n + 1e-13, Blob(f"{n:04x}")) for n in range(1, 300)][::-1],
            [(n, Blob(f"{n:04x}")) for n in range(1, 300)],
            id="many blobs",
        ),
        pytest.param([(None,)], [(None,)], id="NULL"),
        pytest.param([(Blob("ff"),)], [(Blob("ff"),)], id="blobs"),
        pytest.param([(float("inf"),)], [(float("inf"),)], id="infinity"),
    ],
)
def test_rows_that_are_the_same(found: list[Row], expected: list[Row]) -> None:
    assert told(found, expected) is None
    assert told(expected, found) is None


@pytest.mark.parametrize(
    ("found", "expected", "reason"),
    [
        pytest.param([("1",)], [(1,)], "row ('1') is not expected; (1) is missing", id="a text for a number"),
        pytest.param([("A",)], [("a",)], "row ('A') is not expected; ('a') is missing", id="the case of a text"),
        pytest.param([("a ",)], [("a",)], "row ('a ') is not expected; ('a') is missing", id="a space"),
        pytest.param([(0,)], [(None,)], "row (0) is not expected; (NULL) is missing", id="0 for NULL"),
        pytest.param([("",)], [(None,)], "row ('') is not expected; (NULL) is missing", id="a text for NULL"),
        pytest.param(
            [(Blob("61"),)], [("a",)], "row (x'61') is not expected; ('a') is missing", id="a blob for a text"
        ),
        pytest.param([(0.301,)], [(0.3,)], "row (0.301) is not expected; (0.3) is missing", id="another number"),
        pytest.param(
            [(2**53 + 1,)], [(2**53,)], f"row ({2**53 + 1}) is not expected; ({2**53}) is missing", id="a whole number"
        ),
        pytest.param([(float("inf"),)], [(1.5,)], "row (inf) is not expected; (1.5) is missing", id="infinity"),
        pytest.param(
            [(1.5,)], [(10**400,)], f"row (1.5) is not expected; (1{'0' * 77}… is missing", id="more than any float"
        ),
        pytest.param([(1, 2)], [(1,)], "2 columns, expected 1: the first row is (1, 2)", id="too many columns"),
        pytest.param([(1,)], [(1, 2)], "1 column, expected 2: the first row is (1)", id="too few columns"),
        pytest.param([], [(1, 2)], "0 rows, expected 1: row (1, 2) is missing", id="nothing"),
        pytest.param([(1,), (9,)], [(1,)], "2 rows, expected 1: row (9) is not expected", id="one too many"),
        pytest.param([(1,), (1,)], [(1,)], "2 rows, expected 1: row (1) is not expected so often", id="one twice"),
        pytest.param([(1,)], [(2,), (1,)], "1 row, expected 2: row (2) is missing", id="one too few"),
        pytest.param([(1,), (1,), (2,)], [(1,), (2,), (2,)], "row (1) is not expected; (2) is missing", id="how often"),
        pytest.param(
            [(n + 0.5,) for n in range(300)],
            [(n,) for n in range(300)],
            "row (0.5) is not expected; (0) is missing",
            id="many rows",
        ),
    ],
)
def test_rows_that_differ(found: list[Row], expected: list[Row], reason: str) -> None:
    assert told(found, expected) == reason


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        pytest.param([(1, "a"), (2, "b")], None, id="in order"),
        pytest.param(
            [(2, "b"), (1, "a")],
            "the rows are right, but not their order: row 1 is (2, 'b'), expected (1, 'a')",
            id="in another order",
        ),
        pytest.param([(1, "a"), (3, "b")], "row 2 is (3, 'b'), expected (2, 'b')", id="another row"),
        pytest.param([(1.0, "a"), (2.0000000000001, "b")], None, id="as near as without an order"),
    ],
)
def test_the_order_counts_where_it_is_asked_for(found: list[Row], reason: str | None) -> None:
    assert told(found, [(1, "a"), (2, "b")], ordered=True) == reason


def test_infinity_is_itself_in_order_too() -> None:
    assert told([(float("inf"),)], [(float("inf"),)], ordered=True) is None
    assert told([(float("-inf"),)], [(float("inf"),)], ordered=True) == "row 1 is (-inf), expected (inf)"


def test_the_width_of_no_row_is_compared_where_none_is_known() -> None:
    assert difference([], [(1, 2)], 0, ordered=False) == "0 rows, expected 1: row (1, 2) is missing"
    assert difference([], [(1, 2)], 3, ordered=False) == "3 columns, expected 2"


@pytest.mark.parametrize("width", [2, 50])
def test_near_rows_are_compared_each_with_each_only_while_that_is_quick(width: int) -> None:
    # Within the allowed difference, which no key tells: each has to be compared with each. Wide rows are given up.
    found: list[Row] = [(*[n * 6e-13] * width, n) for n in range(150)]
    expected: list[Row] = [(*[n * 6e-13] * (width - 1), n * 6e-13 + 9e-13, n) for n in range(150)]
    begun = time.process_time()
    same = told(found, expected[::-1]) is None
    assert time.process_time() - begun < 2
    assert same == (width == 2)


def test_rows_of_one_hash_are_told_apart_in_bounded_time() -> None:
    # Python's hash of -1 is that of -2.
    rows: list[Row] = list(product((-1, -2), repeat=13))
    begun = time.process_time()
    assert told(rows[1:] + rows[:1], rows) is None
    assert told(rows[1:], rows) == f"8191 rows, expected 8192: row {shown(rows[0])} is missing"
    assert time.process_time() - begun < 0.5


def test_a_row_is_shown_on_one_short_line() -> None:
    assert shown((1, None, "two\nlines", Blob("ff" * 500))) == f"(1, NULL, 'two\\nlines', x'{'ff' * 20}')"
    assert len(shown(("x" * 1000, "y" * 1000))) <= 80


CELLS = st.none() | st.integers(-3, 3) | st.sampled_from([0.1, 0.1 + 1e-16, 1.0, float("inf")]) | st.text(max_size=2)
TABLES = st.integers(1, 3).flatmap(lambda columns: st.lists(st.tuples(*[CELLS] * columns), max_size=8))


@given(TABLES, st.randoms())
def test_shuffled_rows_are_the_same(rows: list[Row], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # random.Random, as Hypothesis makes it
    assert told(shuffled, rows) is None


@given(TABLES, TABLES)
def test_it_does_not_matter_which_side_is_expected(one: list[Row], other: list[Row]) -> None:
    assert (told(one, other) is None) == (told(other, one) is None)
