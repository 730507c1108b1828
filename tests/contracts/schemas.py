"""Schemas of OpenAPI 3.0 as JSON Schema of draft 2020-12."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_LISTS = ("oneOf", "anyOf", "allOf")
_DROPPED = frozenset({"nullable", "discriminator", "example", "default", "oneOf"})


def translated(schema: Mapping[str, Any]) -> Schema:
    """The same schema in draft 2020-12, closed: a key that it does not name is not allowed.

    OpenAPI 3.0.3, "Schema Object": `nullable: true` allows null beside the type. `oneOf` becomes `anyOf`: GitHub has
    alternatives that overlap, of which several match at once.
    """
    made: Schema = {key: _translated_value(key, value) for key, value in schema.items() if key not in _DROPPED}
    if "oneOf" in schema:
        made["anyOf"] = [translated(one) for one in schema["oneOf"]]
    if "properties" in schema and "additionalProperties" not in schema:
        made["additionalProperties"] = False
    return _or_null(made) if schema.get("nullable") else made


def _translated_value(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: translated(one) for name, one in value.items()}
    if key == "items" or (key == "additionalProperties" and isinstance(value, dict)):
        return translated(value)
    if key in _LISTS:
        return [translated(one) for one in value]
    return value


def _or_null(schema: Schema) -> Schema:
    if "type" in schema and "enum" not in schema and "anyOf" not in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return {**schema, "type": [*kinds, "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
