"""How the parameters of an evaluator are written, on one line: read off their JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from llm_testbench.json_value import JSON, JSONObject

_WORDS: Mapping[str, str] = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "mapping",
    "null": "null",
}
_CHECKS: Mapping[str, str] = {"#/$defs/check": "check", "#/$defs/weighted_check": "check"}


def short_form(schema: JSONObject) -> str:
    """`text, or {expected, ignore_case: true, flags?}`: a default stands behind its key, `?` where there is none."""
    return ", or ".join(dict.fromkeys(map(_way, _ways(schema))))


def parameters_of(schema: JSONObject) -> Mapping[str, Any]:
    """The schemas of the keys, by key; empty for an evaluator that takes no fixed ones."""
    properties = _mapping(schema).get("properties", {})
    return properties if isinstance(properties, Mapping) else {}


def with_default(key: str, schema: JSON, *, required: bool) -> str:
    """The key as a table shows it."""
    if isinstance(schema, Mapping) and "default" in schema and schema["default"] not in ("", {}, []):
        return f"{key}: {_plain(schema['default'])}"
    return key if required else f"{key}?"


def required_of(schema: JSONObject) -> Sequence[str]:
    """The keys that must be written."""
    required = _mapping(schema).get("required", [])
    return [str(key) for key in required] if isinstance(required, Sequence) else []


def _mapping(schema: JSONObject) -> Mapping[str, Any]:
    """The way to write them by keys; empty where there is none."""
    return next((way for way in _ways(schema) if "properties" in way), {})


def _ways(schema: JSONObject) -> list[Mapping[str, Any]]:
    """The alternatives, those inside alternatives, too."""
    for key in ("anyOf", "oneOf"):
        inner = schema.get(key)
        # `oneOf` beside properties says which of them go together.
        if isinstance(inner, Sequence) and "properties" not in schema:
            return [way for one in inner if isinstance(one, Mapping) for way in _ways(one)]
    return [schema]


def _way(schema: Mapping[str, Any]) -> str:
    if "properties" in schema:
        required = required_of(schema)
        keys = (with_default(key, inner, required=key in required) for key, inner in schema["properties"].items())
        return f"{{{', '.join(keys)}}}"
    if "const" in schema:
        return _plain(schema["const"])
    if "enum" in schema:
        return " or ".join(map(_plain, schema["enum"]))
    if "$ref" in schema:
        return _CHECKS.get(schema["$ref"], "value")
    kind = schema.get("type", "value")
    word = _WORDS.get(kind if isinstance(kind, str) else next(iter(kind), ""), "value")
    items = schema.get("items")
    of_checks = isinstance(items, Mapping) and items.get("$ref") in _CHECKS
    return "list of checks" if of_checks else word


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
