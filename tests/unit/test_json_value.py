import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.json_value import JSON, MAX_DEPTH, canonical, check_depth, check_plain, digest, parse

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES: st.SearchStrategy[JSON] = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@given(VALUES)
def test_the_canonical_text_holds_the_value(value: JSON) -> None:
    assert parse(canonical(value)) == value


@given(st.dictionaries(st.text(), SCALARS, min_size=2))
def test_the_order_of_keys_makes_no_difference(value: dict[str, JSON]) -> None:
    assert digest(value) == digest(dict(reversed(value.items())))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}', id="sorted and tight"),
        pytest.param("é😀", '"é😀"', id="non-ASCII as is"),
    ],
)
def test_there_is_one_canonical_text(value: JSON, text: str) -> None:
    assert canonical(value) == text


def test_a_digest_is_sha256_in_hex() -> None:
    # echo -n '{"a":1}' | sha256sum
    assert digest({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"


def test_half_a_surrogate_pair_has_a_digest() -> None:
    assert digest("\ud800") != digest("\udfff")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_is_no_json_has_no_canonical_text(value: JSON) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical(value)
    with pytest.raises(ValueError, match=r"."):
        check_plain(value)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param('{"a": 1', id="cut off"),
        pytest.param("[1,]", id="trailing comma"),
        pytest.param("NaN", id="NaN"),
        pytest.param("[-Infinity]", id="infinity"),
        pytest.param("1e999", id="beyond a float"),
        pytest.param("-1e999", id="beyond a float, negative"),
        pytest.param("9" * 5000, id="an integer that takes long to read"),
        pytest.param(nested(MAX_DEPTH + 2), id="nested too deep"),
        pytest.param(nested(100_000), id="nested deeper than the stack"),
        pytest.param('{"a":' * 100_000, id="objects nested deeper than the stack"),
        pytest.param(b'"\xff"', id="no UTF-8"),
    ],
)
def test_what_is_no_json_is_refused_in_one_line(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        parse(text)


def test_the_depth_is_bounded_exactly() -> None:
    value: JSON = json.loads(nested(6))

    check_depth(value, 5)
    with pytest.raises(ValueError, match="nested deeper than 4 levels"):
        check_depth(value, 4)


def test_objects_count_as_levels_too() -> None:
    with pytest.raises(ValueError, match="nested deeper than 2 levels"):
        parse('{"a": [{"b": {"c": 1}}]}', max_depth=2)


def test_the_caller_may_bound_the_depth_itself() -> None:
    assert parse(nested(MAX_DEPTH + 50), max_depth=None)


def test_without_a_bound_the_stack_is_safe() -> None:
    with pytest.raises(ValueError, match="nested deeper"):
        parse(nested(100_000), max_depth=None)


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        parse(text)
    except ValueError as error:
        assert "\n" not in str(error)
