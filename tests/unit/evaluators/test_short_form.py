from __future__ import annotations

import pytest

from llm_testbench.evaluators.registry import described, names
from llm_testbench.evaluators.short_form import parameters_of, required_of, short_form
from llm_testbench.json_value import JSONObject

FIELDS: JSONObject = {
    "type": "object",
    "properties": {
        "a": {"type": "string"},
        "b": {"default": 0.5},
        "c": {"type": "string", "default": ""},
        "d": {"default": "last"},
        "e": True,
    },
    "required": ["a", "e"],
}


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        pytest.param({"type": "string"}, "text", id="text"),
        pytest.param({"type": ["string", "integer"]}, "text", id="several types: the first"),
        pytest.param({"type": "integer"}, "whole number", id="a whole number"),
        pytest.param({"type": "array", "items": {"type": "string"}}, "list", id="a list"),
        pytest.param({"type": "array", "items": {"$ref": "#/$defs/check"}}, "list of checks", id="checks"),
        pytest.param({"$ref": "#/$defs/check"}, "check", id="a check"),
        pytest.param({"const": True}, "true", id="true alone"),
        pytest.param({"enum": ["a", 1]}, "a or 1", id="choices"),
        pytest.param({"type": "object"}, "mapping", id="a mapping of any keys"),
        pytest.param(FIELDS, "{a, b: 0.5, c?, d: last, e}", id="fields"),
        pytest.param(
            {"anyOf": [{"type": "string"}, FIELDS]}, "text, or {a, b: 0.5, c?, d: last, e}", id="short or long"
        ),
        pytest.param({"oneOf": [{"type": "string"}, {"anyOf": [{"type": "array"}]}]}, "text, or list", id="nested"),
        pytest.param({"anyOf": [{"type": "string"}, {"type": "string"}]}, "text", id="twice the same"),
        pytest.param({**FIELDS, "oneOf": [{"required": ["a"]}]}, "{a, b: 0.5, c?, d: last, e}", id="keys together"),
        pytest.param({}, "value", id="anything"),
        pytest.param({"type": []}, "value", id="no type"),
        pytest.param({"anyOf": []}, "", id="nothing"),
    ],
)
def test_how_parameters_are_written(schema: JSONObject, told: str) -> None:
    assert short_form(schema) == told


def test_the_keys_of_the_long_form() -> None:
    schema: JSONObject = {"anyOf": [{"type": "string"}, FIELDS]}
    assert list(parameters_of(schema)) == ["a", "b", "c", "d", "e"]
    assert required_of(schema) == ["a", "e"]
    assert parameters_of({"type": "string"}) == {}
    assert required_of({"type": "string"}) == []


@pytest.mark.parametrize("name", names())
def test_every_parameter_of_ours_is_described(name: str) -> None:
    schema = described(name).schema
    assert short_form(schema)
    for key, inner in parameters_of(schema).items():
        assert inner.get("description") or "$ref" in inner.get("items", {}), key
