from __future__ import annotations

import json
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.unit.evaluators.judging import fault_of, judge

from llm_testbench.evaluators.bounded_schema import bounded_validator
from llm_testbench.json_value import JSON, JSONObject

PERSON: JSONObject = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        pytest.param(PERSON, '{"name": "Ann", "age": 3}', 1, id="valid"),
        pytest.param(PERSON, 'Here:\n```json\n{"name": "Ann", "age": 3}\n```\nDone.', 1, id="valid in a fence"),
        pytest.param(PERSON, '{"name": "Ann", "age": "3"}', 0, id="a number as text is not valid here"),
        pytest.param(PERSON, '{"name": "Ann", "age": 3.5}', 0, id="no integer"),
        pytest.param(PERSON, '{"name": "Ann", "age": 3.0}', 1, id="an integer written as a float"),
        pytest.param(PERSON, '{"name": "Ann"}', 0, id="a field is missing"),
        pytest.param(PERSON, '{"name": "Ann", "age": 3, "x": 1}', 0, id="a field too many"),
        pytest.param(PERSON, "Ann is 3.", 0, id="no JSON"),
        pytest.param({}, "[1]", 1, id="an empty schema takes any JSON"),
        pytest.param({"pattern": r"^\p{Lu}"}, '"Östen"', 1, id="patterns of the regex package"),
        pytest.param({"pattern": "^a"}, '"b"', 0, id="a pattern that does not match"),
        pytest.param({"pattern": "^a"}, "5", 1, id="a pattern says nothing of numbers"),
        pytest.param({"pattern": "b"}, '"abc"', 1, id="patterns search"),
        pytest.param({"pattern": "^$"}, '""', 1, id="a pattern may match the empty string here"),
        pytest.param({"patternProperties": {"^x": {"type": "integer"}}}, '{"x1": 1}', 1, id="patternProperties"),
        pytest.param({"patternProperties": {"^x": {"type": "integer"}}}, '{"x1": "1"}', 0, id="patternProperties fail"),
        pytest.param(
            {"patternProperties": {"^x": {}}, "additionalProperties": False},
            '{"x1": 1}',
            1,
            id="matched, not additional",
        ),
        pytest.param(
            {"patternProperties": {"^x": {}}, "additionalProperties": False}, '{"y": 1}', 0, id="additional, unmatched"
        ),
        pytest.param({"additionalProperties": {"type": "integer"}}, '{"a": "1"}', 0, id="a schema of the additional"),
        pytest.param(
            {"additionalProperties": {"type": "integer"}}, '{"a": 1}', 1, id="a schema of the additional, met"
        ),
        pytest.param({"additionalProperties": False}, "5", 1, id="additionalProperties says nothing of numbers"),
        pytest.param({"additionalProperties": True}, '{"a": 1}', 1, id="additionalProperties true"),
        pytest.param({"uniqueItems": True}, '[1, true, "1", [1], {"a": 1}]', 1, id="unique items"),
        pytest.param({"uniqueItems": True}, "[1, 1.0]", 0, id="1 and 1.0 are one item"),
        pytest.param({"uniqueItems": True}, '[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]', 0, id="equal objects"),
        pytest.param({"uniqueItems": False}, "[1, 1]", 1, id="uniqueItems false"),
        pytest.param({"format": "email"}, '"no address"', 1, id="formats are notes"),
        pytest.param(
            {"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}, '["a"]', 0, id="a local reference"
        ),
        pytest.param(
            {"$id": "https://example.com/s", "$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}},
            "[1]",
            1,
            id="a local reference below an $id",
        ),
        pytest.param({"$defs": {"n": {"$anchor": "n", "type": "integer"}}, "$ref": "#n"}, "1", 1, id="an anchor"),
        pytest.param({"properties": {"child": {"$ref": "#"}}}, '{"child": {"child": {}}}', 1, id="a tree"),
        pytest.param(
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}]},
            '["a"]',
            0,
            id="draft 7",
        ),
        pytest.param(
            {"properties": {"a": {}}, "unevaluatedProperties": False}, '{"b": 1}', 0, id="unevaluatedProperties"
        ),
        pytest.param({"multipleOf": 0.5}, "1" * 400, 0, id="a number too large to divide"),
    ],
)
def test_json_schema_validates_the_value(schema: JSONObject, text: str, value: float) -> None:
    assert judge({"json_schema": schema}, text).value == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"name": "Ann", "age": 3}', "the JSON is valid against the schema"),
        ('{"name": "Ann", "age": "x"}', "the JSON is not valid at 'age': 'x' is not of type 'integer'"),
        ('{"name": "Ann"}', "the JSON is not valid: 'age' is a required property"),
        ('{"name": "Ann", "age": 3, "x": 1}', "the JSON is not valid: the property 'x' is not allowed"),
        ("Ann", "found no JSON in 'Ann'"),
    ],
)
def test_the_first_error_is_the_reason(text: str, reason: str) -> None:
    assert judge({"json_schema": PERSON}, text).reason == reason


def _deep(levels: int) -> JSONObject:
    schema: JSONObject = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


def _doubling(levels: int) -> JSONObject:
    """A schema of a few lines whose validation doubles with every level."""
    definitions: dict[str, JSON] = {
        f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}, {"$ref": f"#/$defs/d{level + 1}"}]}
        for level in range(levels)
    }
    return {"$defs": {**definitions, f"d{levels}": {}}, "$ref": "#/$defs/d0"}


@pytest.mark.parametrize(
    ("schema", "path", "message"),
    [
        pytest.param("text", (), "expected a JSON Schema, found text", id="no schema"),
        pytest.param(True, (), "expected a JSON Schema", id="a boolean schema checks nothing"),
        pytest.param({"type": "strin"}, ("type",), "not a JSON Schema", id="an unknown type"),
        pytest.param(
            {"properties": {"a": {"minimum": "0"}}},
            ("properties", "a", "minimum"),
            "not a JSON Schema",
            id="a bad bound",
        ),
        pytest.param({"$schema": "http://example.com/mine"}, ("$schema",), "JSON Schema draft", id="an unknown draft"),
        pytest.param({"$schema": 7}, ("$schema",), "JSON Schema draft", id="a draft as a number"),
        pytest.param(
            {"items": {"$ref": "https://example.com/x"}},
            ("items", "$ref"),
            "inside the schema",
            id="a remote reference",
        ),
        pytest.param({"$ref": "file:///etc/passwd"}, ("$ref",), "inside the schema", id="a file reference"),
        pytest.param({"$ref": "other.json"}, ("$ref",), "inside the schema", id="a relative reference"),
        pytest.param({"$dynamicRef": "x#y"}, ("$dynamicRef",), "inside the schema", id="a dynamic reference"),
        pytest.param({"$ref": "#/$defs/nope"}, ("$ref",), "leads nowhere", id="a reference to nothing"),
        pytest.param({"items": {"$id": "http://x/y"}}, ("items", "$id"), "not supported", id="an inner $id"),
        pytest.param({"$ref": "#"}, (), "go round in circles", id="a reference to itself"),
        pytest.param(_doubling(40), (), "steps", id="a schema that doubles its work forty times"),
        pytest.param(_deep(190), (), "nests too deeply", id="a schema of many levels"),
        pytest.param({"pattern": "("}, ("pattern",), "cannot be compiled", id="a broken pattern"),
        pytest.param({"pattern": "a(?R)?"}, ("pattern",), "recursive", id="a recursive pattern"),
        pytest.param(
            {"patternProperties": {"(": {}}}, ("patternProperties", "("), "cannot be compiled", id="a broken property"
        ),
        pytest.param(
            {"patternProperties": {"a": {}}, "unevaluatedProperties": False}, (), "not supported", id="both at once"
        ),
    ],
)
def test_a_schema_that_cannot_be_applied_is_refused(schema: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of({"json_schema": schema})
    assert fault.path == ("json_schema", *path)
    assert message in str(fault)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        pytest.param({"pattern": "(a|aa)+$"}, json.dumps("a" * 100 + "b"), id="pattern"),
        pytest.param({"patternProperties": {"(a|aa)+$": {}}}, json.dumps({"a" * 100 + "b": 1}), id="patternProperties"),
        pytest.param(
            {"patternProperties": {"(a|aa)+$": {}}, "additionalProperties": False},
            json.dumps({"a" * 100 + "b": 1}),
            id="additionalProperties",
        ),
        pytest.param(
            {"items": {"pattern": "^(a|aa)+$|b$"}},
            json.dumps(["a" * 27 + "b"] * 1000),
            id="many slow matches, none of them too slow alone",
        ),
        pytest.param({"uniqueItems": True}, json.dumps([{"a": n} for n in range(15_000)]), id="pairwise comparison"),
        pytest.param({"unevaluatedItems": False}, json.dumps([1] * 50_000), id="unevaluatedItems"),
        pytest.param(_doubling(9), json.dumps({}), id="repeated work"),
        pytest.param(
            {"items": {"allOf": [{"type": "integer"}] * 50}}, json.dumps([1] * 20_000), id="many items and keywords"
        ),
        pytest.param(
            {"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}, "[" * 190 + "]" * 190, id="deep"
        ),
    ],
)
def test_no_answer_makes_a_schema_hang(schema: JSONObject, text: str) -> None:
    begun = time.process_time()
    judge({"json_schema": schema}, text)
    assert time.process_time() - begun < 4


def test_a_schema_of_fifty_levels_works() -> None:
    assert judge({"json_schema": _deep(50)}, "[[[1]]]").value == 1


@pytest.mark.parametrize(
    ("schema", "value", "fault"),
    [
        ({"pattern": "(a|aa)+$"}, "a" * 100 + "b", "its patterns took longer than 1 s"),
        ({"unevaluatedItems": True}, [1] * 5001, "it has more than 5000 values"),
        ({"items": {"allOf": [{}, {}, {"type": "integer"}] * 50}}, [1] * 20_000, "it takes too many steps"),
        ({"multipleOf": 0.5}, int("1" * 400), "a number is too large"),
    ],
    ids=["time", "values", "steps", "magnitude"],
)
def test_work_beyond_bounds_scores_0_and_says_why(schema: JSONObject, value: JSON, fault: str) -> None:
    score = judge({"json_schema": schema}, json.dumps(value))
    assert score.value == 0
    assert score.reason == f"the schema could not be applied to this answer: {fault}"


@pytest.mark.parametrize(
    ("schema", "value", "fault"),
    [
        ({"items": {"type": "integer"}}, [1] * 40_000, "it takes too many steps"),
        ({"uniqueItems": True}, list(range(20_000)), "it takes too many steps"),
        ({"patternProperties": {"^a": {}}}, {f"a{number}": 1 for number in range(20_000)}, "it takes too many steps"),
        ({"pattern": "(a|aa)+$"}, "a" * 70_000 + "b", "its patterns took longer than 0.08 s"),
    ],
    ids=["items", "unique items", "patterns", "time"],
)
def test_a_long_answer_gets_less_work(schema: JSONObject, value: JSON, fault: str) -> None:
    score = judge({"json_schema": schema}, json.dumps(value))
    assert score.value == 0
    assert score.reason == f"the schema could not be applied to this answer: {fault}"


def test_threads_do_not_share_their_bounds() -> None:
    validator = bounded_validator({"items": {"type": "integer"}})
    faults: list[object] = []

    def validate() -> None:
        faults.extend(validator.first_error(list(range(3000))) for _ in range(10))

    threads = [threading.Thread(target=validate) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == [None] * 80


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0, "", "a", "ab"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "ab"]), inner, max_size=3),
    max_leaves=5,
)
_SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {"type": "integer"},
            {"type": "string"},
            {"pattern": "^a"},
            {"uniqueItems": True},
            {"const": 1},
            {"minLength": 1},
        ]
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "items": inner,
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=2),
            "additionalProperties": inner | st.booleans(),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
        },
    ),
    max_leaves=5,
)


@given(_SCHEMAS, _VALUES)
def test_the_bounded_keywords_agree_with_jsonschema(schema: JSONObject, value: JSON) -> None:
    ours = bounded_validator(schema).first_error(value) is None
    assert ours is Draft202012Validator(dict(schema)).is_valid(value)
