from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.contracts.schemas import translated


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        pytest.param({"type": "string"}, ["x"], [None, 1], id="plain"),
        pytest.param({"type": "string", "nullable": True}, ["x", None], [1], id="nullable"),
        pytest.param({"type": "string", "enum": ["a"], "nullable": True}, ["a", None], ["b"], id="nullable words"),
        pytest.param(
            {"nullable": True, "oneOf": [{"type": "string"}, {"type": "integer"}]},
            ["x", 1, None],
            [[]],
            id="nullable alternatives",
        ),
        pytest.param(
            {"oneOf": [{"type": "string", "nullable": True}, {"type": "integer", "nullable": True}]},
            [None, 1],
            [[]],
            id="alternatives that overlap",
        ),
        pytest.param(
            {"type": "object", "properties": {"nullable": {"type": "string"}, "type": {"type": "integer"}}},
            [{"nullable": "x", "type": 1}, {}],
            [{"nullable": None}, {"other": 1}],
            id="properties with the names of keywords",
        ),
        pytest.param(
            {"type": "object", "properties": {}, "additionalProperties": {"type": "string", "nullable": True}},
            [{"x": None}],
            [{"x": 1}],
            id="open by a schema",
        ),
        pytest.param({"type": "object", "properties": {}, "additionalProperties": True}, [{"x": 1}], [[]], id="open"),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}}},
            [[{"a": None}]],
            [[{"b": 1}]],
            id="deep inside",
        ),
    ],
)
def test_a_schema_of_openapi_means_the_same_as_json_schema(
    schema: dict[str, Any], right: list[object], wrong: list[object]
) -> None:
    validator = Draft202012Validator(translated(schema))

    assert [value for value in right if not validator.is_valid(value)] == []
    assert [value for value in wrong if validator.is_valid(value)] == []
