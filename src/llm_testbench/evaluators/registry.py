"""The one table of evaluators: from YAML name to a built check, its hash and its JSON Schema.

A module is loaded when the first check of its kind is built: a suite without patterns or schemas then
does not pay for the libraries behind them (100 ms), and `llmtest --help` pays for none. What installed packages add
(plugins.py) is imported when it is named.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from llm_testbench.evaluators import plugin_schema, plugins
from llm_testbench.evaluators.parameters import mapping_of
from llm_testbench.evaluators.plugins import Source
from llm_testbench.evaluators.running import runs_code
from llm_testbench.evaluators.score import Evaluator, SpecError
from llm_testbench.json_value import JSON, JSONObject, digest
from llm_testbench.nearest import hint

MAX_NESTING = 12

GROUPS: Mapping[str, Mapping[str, str]] = {
    "text": {
        "equals": "text.Equals",
        "one_of": "text.OneOf",
        "exact_token": "text.ExactToken",
        "contains_all": "text.ContainsAll",
        "contains_any": "text.ContainsAny",
        "not_contains": "text.NotContains",
        "no_unnegated_mention": "mention.NoUnnegatedMention",
        "regex": "pattern.Regex",
    },
    "numbers": {"numeric": "number.Numeric"},
    "JSON": {
        "json_field": "structured.JsonField",
        "json_fields": "structured.JsonFields",
        "json_array": "structured.JsonArray",
        "json_schema": "schema_check.JsonSchema",
    },
    "programs": {"code": "code.Code", "sql": "sql.Sql"},
    "tool calls": {
        "tool_called": "tool_calls.ToolCalled",
        "tool_not_called": "tool_calls.ToolNotCalled",
        "first_tool": "tool_calls.FirstTool",
        "no_tool_called": "tool_calls.NoToolCalled",
        "tool_call_args": "tool_arguments.ToolCallArgs",
        "tool_sequence": "tool_calls.ToolSequence",
        "tool_arg_values_cover": "tool_arguments.ToolArgValuesCover",
    },
    "compositions": {
        "all": "composition.All",
        "mean": "composition.Mean",
        "any": "composition.Any",
    },
}
"""Where the class of each is, by what it looks at."""
_CLASSES: Mapping[str, str] = {name: place for group in GROUPS.values() for name, place in group.items()}

# Levels of checks that are being built: a package's evaluator may hold checks as a composition does.
_LEVEL: ContextVar[int] = ContextVar("level", default=0)


@dataclass(frozen=True, slots=True)
class Description:
    """What there is to say of an evaluator without building one. `source`: the package that adds it; None is ours."""

    name: str
    summary: str
    revision: int
    schema: JSONObject
    source: Source | None = None


@cache
def _own_class(name: str) -> type[Evaluator]:
    module, _, attribute = _CLASSES[name].partition(".")
    loaded = importlib.import_module(f"llm_testbench.evaluators.{module}")
    found: type[Evaluator] = getattr(loaded, attribute)
    return found


def names() -> tuple[str, ...]:
    """The names of this package's evaluators, in the order of the documentation."""
    return tuple(_CLASSES)


def known_names() -> tuple[str, ...]:
    """The names that a check may have here: ours, then those that installed packages add."""
    return tuple(dict.fromkeys((*_CLASSES, *sorted(plugins.declared()))))


def described(name: str) -> Description:
    """An evaluator that has this name; SpecError for one that cannot be used."""
    found = _class(name)
    source = None if name in _CLASSES else plugins.source_of(name)
    fault = plugin_schema.fault_of(found.schema) if source is not None else None
    if fault is not None:
        raise SpecError(f"the evaluator {name!r} of the package {source} is wrong: {fault}")
    return Description(name, found.summary, found.revision, found.schema, source)


def described_all() -> tuple[tuple[Description, ...], tuple[str, ...]]:
    """All evaluators that a check may name here, and a line on each that cannot be used."""
    found: list[Description] = []
    faults: list[str] = []
    for name in known_names():
        try:
            found.append(described(name))
        except SpecError as error:
            faults.append(error.message)
    return tuple(found), tuple(faults)


def summaries() -> Mapping[str, str]:
    """A line on each of this package's evaluators, by name."""
    return {name: _own_class(name).summary for name in _CLASSES}


def build(check: JSON) -> Evaluator:
    """The evaluator of a check `{NAME: parameters}`; SpecError with the path from the check to the fault."""
    mapping = mapping_of(check, "a check, like {equals: text}")
    for name in mapping:
        if name not in _CLASSES and name not in plugins.declared():
            raise SpecError(f"there is no evaluator {name!r}{_advice(name)}", (name,))
    if len(mapping) != 1:
        found = ", ".join(mapping) if mapping else "none"
        raise SpecError(f"expected exactly one evaluator, found {found}; all, mean and any compose several")
    ((name, parameters),) = mapping.items()
    level = _LEVEL.get() + 1
    if level > MAX_NESTING:
        raise SpecError(f"checks are nested deeper than {MAX_NESTING} levels", (name,))
    before = _LEVEL.set(level)
    try:
        if name in _CLASSES:
            return _class(name).from_parameters(parameters)
        return plugins.built(name, parameters, _try_out)
    except SpecError as error:
        raise error.below(name) from None
    finally:
        _LEVEL.reset(before)


def _class(name: str) -> type[Evaluator]:
    """The class that has this name; SpecError where packages add it beside ours, or add one that cannot be used."""
    if name not in _CLASSES:
        return plugins.loaded(name)
    clash = plugins.declared().get(name)
    if clash:
        raise SpecError(f"{name!r} is an evaluator of llm-testbench, and {plugins.told(clash)} adds another one")
    return _own_class(name)


def _try_out(evaluator: Evaluator) -> None:
    hash_of(evaluator)
    runs_code(evaluator)


def _advice(name: str) -> str:
    listed = " on this machine: `llmtest list --evaluators` shows those that are installed"
    return hint(name, known_names()) or listed


def check_hash(check: JSON) -> str:
    """SHA-256 of the evaluator's name, revision and parameters; a short form hashes like its long form."""
    return hash_of(build(check))


def hash_of(evaluator: Evaluator) -> str:
    """The check_hash of a check that is built already: building one may compile patterns and schemas."""
    return digest(_canonical(evaluator))


def definitions(known: Sequence[Description] | None = None) -> JSONObject:
    """The `$defs` of a check for JSON Schema draft 2020-12; its entry is `#/$defs/check`.

    `known`: the evaluators that a check may name; this package's unless given.
    """
    known = tuple(map(described, _CLASSES)) if known is None else known
    properties: dict[str, JSON] = {
        one.name: {"$ref": f"#/$defs/check_{one.name}", "description": one.summary} for one in known
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
        "oneOf": [{"required": [one.name]} for one in known],
    }
    return {"check": check, "weighted_check": weighted, **{f"check_{one.name}": one.schema for one in known}}


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
