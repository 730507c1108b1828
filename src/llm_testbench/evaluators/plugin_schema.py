"""Whether the schema of a package's evaluator can stand in the schema of suites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llm_testbench.evaluators.quote import quote
from llm_testbench.json_value import JSONObject, canonical

_CHECKS = ("#/$defs/check", "#/$defs/weighted_check")
"""What a suite's schema has, whatever is installed."""


def fault_of(schema: JSONObject) -> str | None:
    """What is wrong with it: the schema of suites takes it up as it is, with its references."""
    # A library that only listing needs.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415

    try:
        canonical(schema)
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        return f"its schema is none of draft 2020-12: {quote(error.message, 200)[1:-1]}"
    except (TypeError, ValueError, RecursionError) as error:
        return f"its schema is no JSON: {quote(str(error), 200)[1:-1]}"
    for reference in _references(schema):
        if reference not in _CHECKS:
            return f"its schema refers to {quote(reference)}; it may refer to {' and '.join(_CHECKS)} alone"
    return "its schema has an $id, so that its references lead elsewhere" if "$id" in schema else None


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str):
            yield reference
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from _references(item)
