"""The one table of evaluators: from YAML name to a built check, its hash and its JSON Schema.

A module is loaded when the first check of its kind is built: a suite without patterns or schemas then
does not pay for the libraries behind them (100 ms), and `llmtest --help` pays for none.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from llm_testbench.evaluators.parameters import mapping_of
from llm_testbench.evaluators.score import Evaluator, SpecError
from llm_testbench.json_value import JSON, JSONObject, digest
from llm_testbench.nearest import hint

MAX_NESTING = 12

_CLASSES: Mapping[str, str] = {
    "equals": "text.Equals",
    "one_of": "text.OneOf",
    "exact_token": "text.ExactToken",
    "contains_all": "text.ContainsAll",
    "contains_any": "text.ContainsAny",
    "not_contains": "text.NotContains",
    "no_unnegated_mention": "mention.NoUnnegatedMention",
    "regex": "pattern.Regex",
    "numeric": "number.Numeric",
    "json_field": "structured.JsonField",
    "json_fields": "structured.JsonFields",
    "json_array": "structured.JsonArray",
    "json_schema": "schema_check.JsonSchema",
    "code": "code.Code",
    "sql": "sql.Sql",
    "tool_called": "tool_calls.ToolCalled",
    "tool_not_called": "tool_calls.ToolNotCalled",
    "first_tool": "tool_calls.FirstTool",
    "no_tool_called": "tool_calls.NoToolCalled",
    "tool_call_args": "tool_arguments.ToolCallArgs",
    "tool_sequence": "tool_calls.ToolSequence",
    "tool_arg_values_cover": "tool_arguments.ToolArgValuesCover",
    "all": "composition.All",
    "mean": "composition.Mean",
    "any": "composition.Any",
}


@cache
def _class(name: str) -> type[Evaluator]:
    module, _, attribute = _CLASSES[name].partition(".")
    loaded = importlib.import_module(f"llm_testbench.evaluators.{module}")
    found: type[Evaluator] = getattr(loaded, attribute)
    return found


def names() -> tuple[str, ...]:
    """The names that a check may have, in the order of the documentation."""
    return tuple(_CLASSES)


def summaries() -> Mapping[str, str]:
    """A line on each evaluator, by name."""
    return {name: _class(name).summary for name in _CLASSES}


def build(check: JSON) -> Evaluator:
    """The evaluator of a check `{NAME: parameters}`; SpecError with the path from the check to the fault."""
    mapping = mapping_of(check, "a check, like {equals: text}")
    for name in mapping:
        if name not in _CLASSES:
            advice = hint(name, _CLASSES) or f"; known are {', '.join(_CLASSES)}"
            raise SpecError(f"there is no evaluator {name!r}{advice}", (name,))
    if len(mapping) != 1:
        found = ", ".join(mapping) if mapping else "none"
        raise SpecError(f"expected exactly one evaluator, found {found}; all, mean and any compose several")
    ((name, parameters),) = mapping.items()
    if _nesting(check) > MAX_NESTING:
        raise SpecError(f"checks are nested deeper than {MAX_NESTING} levels", (name,))
    try:
        return _class(name).from_parameters(parameters)
    except SpecError as error:
        raise error.below(name) from None


def check_hash(check: JSON) -> str:
    """SHA-256 of the evaluator's name, revision and parameters; a short form hashes like its long form."""
    return hash_of(build(check))


def hash_of(evaluator: Evaluator) -> str:
    """The check_hash of a check that is built already: building one may compile patterns and schemas."""
    return digest(_canonical(evaluator))


def definitions() -> JSONObject:
    """The `$defs` of a check for JSON Schema draft 2020-12; its entry is `#/$defs/check`."""
    properties: dict[str, JSON] = {
        name: {"$ref": f"#/$defs/check_{name}", "description": summary} for name, summary in summaries().items()
    }
    check: JSONObject = {
        "type": "object",
        "description": "Exactly one evaluator; all, mean and any compose several.",
        "properties": properties,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    weight: JSONObject = {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 1e9,
        "default": 1,
        "description": "How much this check counts in the mean.",
    }
    weighted: JSONObject = {
        "type": "object",
        "description": "Exactly one evaluator, with its weight.",
        "properties": {**properties, "weight": weight},
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in _CLASSES],
    }
    each = {f"check_{name}": _class(name).schema for name in _CLASSES}
    return {"check": check, "weighted_check": weighted, **each}


def _nesting(check: JSON) -> int:
    """Levels of composition, counted without recursion."""
    level, depth = [check], 0
    while level and depth <= MAX_NESTING:
        depth += 1
        parts: list[JSON] = []
        for item in level:
            if isinstance(item, Mapping):
                for name in ("all", "any", "mean"):
                    listed = item.get(name)
                    listed = listed.get("checks") if isinstance(listed, Mapping) else listed
                    if isinstance(listed, list | tuple):
                        parts.extend(listed)
        level = parts
    return depth


def _canonical(value: Any) -> JSON:
    """A built check as JSON. Fields at their default are left out, so that a new option changes no old hash."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parameters: dict[str, JSON] = {}
        for field in dataclasses.fields(value):
            held = getattr(value, field.name)
            if field.compare and held != field.default:
                parameters[field.name] = _canonical(held)
        # What has no revision is a part of an evaluator, like the weighted part of a mean.
        revision = getattr(value, "revision", None)
        if revision is None:
            return parameters
        return {"name": getattr(value, "name", ""), "revision": revision, "parameters": parameters}
    if isinstance(value, Mapping):
        return {str(key): _canonical(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    # 5 and 5.0 are one parameter.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value  # type: ignore[no-any-return]  # what is left is a JSON scalar
