from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evaluators.judging import fault_of, judge

from llm_testbench.evaluators.json_equal import loosely_equal, overlap
from llm_testbench.json_value import JSON, JSONObject


@pytest.mark.parametrize(
    ("found", "expected", "equal"),
    [
        pytest.param('"red"', "red", True, id="text"),
        pytest.param('"RED"', "red", True, id="case does not count"),
        pytest.param('"New  York"', "newyork", True, id="space does not count"),
        pytest.param('"e-mail"', "Email", True, id="hyphens do not count"),
        pytest.param('"e\u2011mail"', "email", True, id="Unicode hyphens do not count"),
        pytest.param('"us\u2212east\u22121"', "us-east-1", True, id="a minus for a hyphen"),
        pytest.param('"5%"', "-5%", False, id="a minus before a number and a unit"),
        pytest.param('"-5 ms"', "5 ms", False, id="a minus that nobody expects"),
        pytest.param('"\u22125 ms"', "-5ms", True, id="a minus in both"),
        pytest.param('"10 to -3"', "10 to 3", False, id="a minus within"),
        pytest.param('""', "-", False, id="nothing is no hyphen"),
        pytest.param('" "', "--", False, id="white space is no hyphen"),
        pytest.param('"-"', "-", True, id="a hyphen alone"),
        pytest.param('"red_1"', "red1", False, id="underscores count"),
        pytest.param('"red"', "blue", False, id="another text"),
        pytest.param('"infrared"', "red", False, id="a part of the text"),
        pytest.param('"8"', 8, True, id="a number as text"),
        pytest.param('" 8.0 "', 8, True, id="a float as text"),
        pytest.param("8", "8", True, id="text as a number"),
        pytest.param("8.0", 8, True, id="integers and floats alike"),
        pytest.param("8", 8.0, True, id="floats and integers alike"),
        pytest.param("8.5", 8, False, id="no rounding"),
        pytest.param('"-5"', "5", False, id="a minus is no hyphen"),
        pytest.param('"1.1"', "1.10", False, id="texts that differ are no equal numbers: versions"),
        pytest.param('"7"', "007", False, id="texts that differ are no equal numbers: codes"),
        pytest.param('"9.50"', 9.5, True, id="a price as text"),
        pytest.param("7", "007", True, id="a number for a text that may be one"),
        pytest.param('"8 apples"', 8, False, id="a number and words"),
        pytest.param('"true"', True, True, id="a boolean as text"),
        pytest.param('"False"', False, True, id="a boolean as text in another case"),
        pytest.param("true", "true", True, id="text as a boolean"),
        pytest.param('"yes"', True, False, id="yes is no boolean"),
        pytest.param("1", True, False, id="one is not true"),
        pytest.param("true", 1, False, id="true is not one"),
        pytest.param("0", False, False, id="zero is not false"),
        pytest.param("null", None, True, id="null"),
        pytest.param('"null"', None, False, id="null as text"),
        pytest.param("null", "null", False, id="text as null"),
        pytest.param("null", 0, False, id="null is not zero"),
        pytest.param('""', None, False, id="empty text is not null"),
        pytest.param('["A", "1"]', ["a", 1], True, id="arrays item by item"),
        pytest.param("[1, 2]", [2, 1], False, id="arrays in order"),
        pytest.param("[1]", [1, 1], False, id="arrays of another length"),
        pytest.param('"a"', ["a"], False, id="text is no array"),
        pytest.param('["a"]', "a", False, id="an array is no text"),
        pytest.param('{"a": "B"}', {"a": "b"}, True, id="objects key by key"),
        pytest.param('{"a": 1, "b": 2}', {"a": 1}, False, id="objects with a key too many"),
        pytest.param('{"A": 1}', {"a": 1}, False, id="case of keys counts"),
        pytest.param("[]", {}, False, id="an array is no object"),
        pytest.param("12345678901234567890", 12345678901234567890, True, id="a long integer"),
        pytest.param("12345678901234567891", 12345678901234567890, False, id="a long integer, exactly"),
        pytest.param("1" * 400, 1, False, id="an integer beyond all doubles"),
        pytest.param('"1e999999999"', 1, False, id="an absurd number as text"),
    ],
)
def test_json_field_compares_as_people_do(found: str, expected: JSON, equal: bool) -> None:
    score = judge({"json_field": {"path": "x", "expected": expected}}, f'Here: {{"x": {found}}}')
    assert score.value == float(equal)


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        pytest.param("a", '{"a": 5}', 1, id="a key"),
        pytest.param("a.b", '{"a": {"b": 5}}', 1, id="a nested key"),
        pytest.param("a.b[1]", '{"a": {"b": [4, 5]}}', 1, id="an index"),
        pytest.param("[0].a", '[{"a": 5}]', 1, id="an index first"),
        pytest.param("[0][1]", "[[4, 5]]", 1, id="two indexes"),
        pytest.param("$.a", '{"a": 5}', 1, id="a dollar for the root"),
        pytest.param("$[0]", "[5]", 1, id="a dollar before an index"),
        pytest.param("$", "5", 1, id="a dollar alone"),
        pytest.param("", "5", 1, id="the empty path is the value itself"),
        pytest.param('["a.b"]', '{"a.b": 5}', 1, id="a quoted key"),
        pytest.param('x["a[\\"0"].y', '{"x": {"a[\\"0": {"y": 5}}}', 1, id="a quoted key with an escape"),
        pytest.param("two words", '{"two words": 5}', 1, id="a key with a space"),
        pytest.param("$a", '{"$a": 5}', 1, id="a key that begins with a dollar"),
        pytest.param("a", '{"b": 5}', 0, id="no such key"),
        pytest.param("a.b", '{"a": 5}', 0, id="no object there"),
        pytest.param("a[1]", '{"a": [5]}', 0, id="no such index"),
        pytest.param("a[0]", '{"a": "5"}', 0, id="an index of a text"),
        pytest.param("a.0", '{"a": [5]}', 0, id="an index written as a key"),
        pytest.param("a", "5", 0, id="a scalar has no keys"),
        pytest.param("a", "no JSON", 0, id="no JSON"),
        pytest.param("a", "", 0, id="empty"),
    ],
)
def test_json_field_follows_its_path(path: str, text: str, value: float) -> None:
    assert judge({"json_field": {"path": path, "expected": 5}}, text).value == value


@pytest.mark.parametrize(("text", "value"), [("10.5", 1), ("9.5", 1), ("10.6", 0), ('"10.5"', 1), ('"ten"', 0)])
def test_json_field_takes_numbers_within_tolerance(text: str, value: float) -> None:
    check: JSONObject = {"json_field": {"path": "x", "expected": 10, "abs_tol": 0.5}}
    assert judge(check, f'{{"x": {text}}}').value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param('{"a": {"b": "X"}, "c": 3, "d": null, "e": true}', 1, id="all"),
        pytest.param('{"a": {"b": "x"}, "c": 4, "d": null, "e": true}', 0.75, id="one is wrong"),
        pytest.param('{"a": {"b": "x"}, "c": 3}', 0.5, id="two are missing, null among them"),
        pytest.param("{}", 0, id="none"),
        pytest.param("prose", 0, id="no JSON"),
    ],
)
def test_json_fields_counts_what_matches(text: str, value: float) -> None:
    assert judge({"json_fields": {"a.b": "x", "c": 3, "d": None, "e": True}}, text).value == value


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param({"expected": [1, 2]}, "[1, 2]", 1, id="the value itself"),
        pytest.param({"path": "a", "expected": [1, "X"]}, '{"a": ["1", "x"]}', 1, id="items as json_field has them"),
        pytest.param({"expected": [1, 2]}, "[2, 1]", 0, id="ordered unless told otherwise"),
        pytest.param({"expected": [1, 2]}, "[1, 2, 3]", 0, id="ordered: an item too many"),
        pytest.param({"expected": []}, "[]", 1, id="an empty array"),
        pytest.param({"expected": [], "ordered": False}, "[]", 1, id="an empty array, unordered"),
        pytest.param({"expected": [], "ordered": False}, "[1]", 0, id="an empty array expected"),
        pytest.param({"expected": [1, 2], "ordered": False}, "[2, 1]", 1, id="unordered"),
        pytest.param({"expected": [1, 2, 3, 4], "ordered": False}, "[4, 9]", 0.25, id="overlap over the larger size"),
        pytest.param(
            {"expected": [1], "ordered": False}, "[1, 2, 3, 4]", 0.25, id="the larger size may be the answer's"
        ),
        pytest.param({"expected": [1, 1], "ordered": False}, "[1, 1]", 1, id="duplicates"),
        pytest.param({"expected": [1, 2], "ordered": False}, "[1, 1]", 0.5, id="duplicates count once each"),
        pytest.param({"expected": [1, 1], "ordered": False}, "[1]", 0.5, id="a duplicate is missing"),
        pytest.param({"expected": ["New York", 8], "ordered": False}, '["8", "new-york"]', 1, id="unordered, loosely"),
        pytest.param({"expected": ["1.10"], "ordered": False}, '["1.1"]', 0, id="unordered: versions"),
        pytest.param({"expected": ["1.10", 1.1], "ordered": False}, '["1.1", 1.1]', 1, id="each text has its number"),
        pytest.param({"expected": ["1.10", 1.1], "ordered": False}, '["1.1", "1.2"]', 0.5, id="one text, one number"),
        pytest.param({"expected": ["1.1", "1.10"], "ordered": False}, "[1.1, 1.1]", 1, id="numbers for two texts"),
        pytest.param({"expected": [True, 1], "ordered": False}, "[1, 1]", 0.5, id="true is not one, unordered"),
        pytest.param(
            {"expected": [{"a": [1, None]}], "ordered": False}, '[{"a": ["1", null]}]', 1, id="unordered objects"
        ),
        pytest.param({"path": "a", "expected": [1]}, '{"b": [1]}', 0, id="nothing there"),
        pytest.param({"path": "a", "expected": ["1"]}, '{"a": "1"}', 0, id="a text is no array"),
        pytest.param({"path": "a", "expected": [1]}, '{"a": {"0": 1}}', 0, id="an object is no array"),
        pytest.param({"expected": [1]}, "one", 0, id="no JSON"),
    ],
)
def test_json_array_compares_items(parameters: JSON, text: str, value: float) -> None:
    assert judge({"json_array": parameters}, text).value == value


@pytest.mark.parametrize(
    ("check", "text", "reason"),
    [
        ({"json_field": {"path": "a", "expected": 5}}, '{"a": 6}', "'a' is 6, expected 5"),
        ({"json_field": {"path": "", "expected": 5}}, "6", "the value is 6, expected 5"),
        ({"json_field": {"path": "a", "expected": 5}}, '{"b": 6}', "nothing at 'a' in {\"b\": 6}"),
        ({"json_field": {"path": "a", "expected": 5}}, "so\nwhat", "found no JSON in 'so what'"),
        ({"json_fields": {"a": 1, "b": 2, "c": 3}}, '{"c": 3}', "nothing at 'a', expected 1 (and 1 more)"),
        (
            {"json_array": {"expected": [1, 2], "ordered": False}},
            "[1]",
            "1 of 2 items agree: the value is [1], expected [1, 2]",
        ),
        ({"json_array": {"expected": [1]}}, '"x"', 'the value is "x", expected an array'),
    ],
)
def test_reasons_quote_found_and_expected(check: JSONObject, text: str, reason: str) -> None:
    assert judge(check, text).reason == reason


@pytest.mark.parametrize(
    ("check", "path", "message"),
    [
        pytest.param({"json_field": "a"}, ("json_field",), "a mapping with path", id="no short form"),
        pytest.param({"json_field": {"path": "a"}}, ("json_field",), "'expected' is missing", id="no expected"),
        pytest.param({"json_field": {"expected": 1}}, ("json_field",), "'path' is missing", id="no path"),
        pytest.param({"json_field": {"path": 1, "expected": 1}}, ("json_field", "path"), "a.b[0]", id="path: a number"),
        pytest.param({"json_field": {"path": "a[x]", "expected": 1}}, ("json_field", "path"), "a.b[0]", id="bad index"),
        pytest.param({"json_field": {"path": "a..b", "expected": 1}}, ("json_field", "path"), "a.b[0]", id="two dots"),
        pytest.param({"json_field": {"path": ".a", "expected": 1}}, ("json_field", "path"), "a.b[0]", id="dot first"),
        pytest.param({"json_field": {"path": "a.", "expected": 1}}, ("json_field", "path"), "a.b[0]", id="dot last"),
        pytest.param({"json_field": {"path": "[0]a", "expected": 1}}, ("json_field", "path"), "a.b[0]", id="no dot"),
        pytest.param({"json_field": {"path": "a[-1]", "expected": 1}}, ("json_field", "path"), "a.b[0]", id="negative"),
        pytest.param(
            {"json_field": {"path": "a", "expected": 1, "abs_tol": -1}},
            ("json_field", "abs_tol"),
            "at least 0",
            id="tol",
        ),
        pytest.param({"json_fields": {}}, ("json_fields",), "at least one field", id="no fields"),
        pytest.param({"json_fields": ["a"]}, ("json_fields",), "a mapping of paths", id="a list of fields"),
        pytest.param({"json_fields": {"a[": 1}}, ("json_fields", "a["), "a.b[0]", id="a bad path among fields"),
        pytest.param({"json_array": [1]}, ("json_array",), "a mapping with path", id="a list as short form"),
        pytest.param({"json_array": {"expected": "a"}}, ("json_array", "expected"), "expected a list", id="no list"),
        pytest.param(
            {"json_array": {"expected": [], "orderd": 1}}, ("json_array", "orderd"), "'ordered'", id="mistyped"
        ),
    ],
)
def test_a_check_that_cannot_be_meant_is_refused(check: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of(check)
    assert fault.path == path
    assert message in str(fault)


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["1", "1.0", "-1", "true", "True", "null", "a b", "A-B", "", "1/1"])
    | st.floats(-2, 2).map(lambda number: round(number, 1))
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner), max_leaves=4
)


@given(_VALUES, _VALUES)
def test_the_keys_of_unordered_comparison_agree_with_equality(left: JSON, right: JSON) -> None:
    assert overlap([left], [right]) == loosely_equal(left, right)


@given(_VALUES)
def test_every_value_equals_itself(value: JSON) -> None:
    assert loosely_equal(value, value)


def test_a_large_unordered_array_takes_a_moment() -> None:
    begun = time.process_time()
    text = "[" + ",".join(f'{{"a":{number}}}' for number in range(50_000)) + "]"
    score = judge({"json_array": {"expected": [{"a": 1}], "ordered": False}}, text)
    assert score.value == 0
    assert time.process_time() - begun < 2


def test_an_unordered_array_of_too_many_values_is_not_compared() -> None:
    check: JSONObject = {"json_array": {"expected": [1], "ordered": False}}
    assert judge(check, json.dumps([1] * 9_999)).value > 0
    assert judge(check, json.dumps([1] * 10_000)).reason == "the value holds more than 10000 values"
