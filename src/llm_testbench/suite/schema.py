"""The JSON Schema of suites, for editors. `python -m llm_testbench.suite.schema` prints the committed file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from llm_testbench.evaluators import registry
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.sandbox.languages import LANGUAGES
from llm_testbench.suite import limits
from llm_testbench.suite.cases import PLACEHOLDER
from llm_testbench.suite.ground_truth import DEFAULT_LANGUAGE
from llm_testbench.suite.load import SUITE_KEYS
from llm_testbench.suite.messages import ROLES
from llm_testbench.suite.request import RESERVED
from llm_testbench.suite.tests import DEFAULT_KEYS, NEVER_FILLED, TEST_KEYS

_TEMPLATE = "template_"
"""Prefix of the definitions in which `${name}` may stand for any value: those of tests with cases."""


def suite_schema(known: Sequence[registry.Description] | None = None) -> JSONObject:
    """The schema as plain JSON, draft 2020-12; equal to the committed schemas/suite.schema.json.

    `known`: the evaluators that a check may name, where packages add some.
    """
    strict: dict[str, JSON] = {**_definitions(), **registry.definitions(known)}
    templates = {f"{_TEMPLATE}{name}": _templated(schema) for name, schema in strict.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "llm-testbench suite",
        "description": "Tests of language models: each one request with one check (docs/write-a-suite.md).",
        **_object({key: _suite_keys()[key] for key in SUITE_KEYS}, ("category", "subcategory", "tests")),
        "if": {"required": ["defaults"], "properties": {"defaults": {"required": ["evaluate"]}}},
        "else": {"properties": {"tests": {"items": {"required": ["evaluate"]}}}},
        "$defs": {
            "test": _test(template=False),
            "test_with_cases": _test(template=True),
            "placeholder": {"type": "string", "pattern": PLACEHOLDER, "description": "A value of each case."},
            **strict,
            **templates,
        },
    }


def schema_text(known: Sequence[registry.Description] | None = None) -> str:
    """The schema as the committed file holds it."""
    return json.dumps(suite_schema(known), indent=2, ensure_ascii=False) + "\n"


def _suite_keys() -> dict[str, JSONObject]:
    keys = _test_keys()
    entry: JSONObject = {
        "if": {"type": "object", "required": ["cases"]},
        "then": _ref("test_with_cases"),
        "else": _ref("test"),
    }
    return {
        "category": {**_ref("kebab"), "description": "What the suite is about, like programming."},
        "subcategory": {**_ref("kebab"), "description": "A part of the category, like python."},
        "defaults": {
            **_object({key: keys[key] if key in NEVER_FILLED else _relaxed(keys[key]) for key in DEFAULT_KEYS}),
            "description": "For all tests of the suite. Tags add up; a test's own key replaces the rest.",
        },
        "models": keys["models"],
        "tests": {
            "type": "array",
            "items": entry,
            "minItems": 1,
            "maxItems": limits.MAX_TESTS,
            "description": "The tests: each one request with one check.",
        },
    }


def _test(*, template: bool) -> JSONObject:
    keys: dict[str, JSON] = {}
    for key in TEST_KEYS:
        schema = _test_keys()[key]
        keys[key] = _relaxed(schema) if template and key not in NEVER_FILLED else schema
    either: JSON = [{"required": ["prompt"]}, {"required": ["messages"]}]
    return {**_object(keys, ("id",)), "oneOf": either}


def _test_keys() -> dict[str, JSONObject]:
    return {
        "id": {**_ref("kebab"), "description": "Stable and unique over all suites: results are compared by it."},
        "description": _text("One line for people.", limits.MAX_LINE),
        "tags": {
            "type": "array",
            "items": _ref("label"),
            "maxItems": limits.MAX_TAGS,
            "description": "Words to choose tests by; they add to those of the defaults.",
        },
        "models": {**_ref("models"), "description": "Names of the models to ask; every model of the run without it."},
        "prompt": {**_ref("text_or_file"), "description": "The user's message, or the file that holds it."},
        "messages": {
            "type": "array",
            "items": _ref("message"),
            "minItems": 1,
            "maxItems": limits.MAX_MESSAGES,
            "description": "The whole conversation, in place of prompt.",
        },
        "system": {
            "anyOf": [_ref("text_or_file"), {"type": "null"}],
            "description": "The system message, or the file that holds it; null: without the default.",
        },
        "tools": {**_ref("tools"), "description": "The tools on offer: OpenAI's definitions, or the file of them."},
        "request": {
            **_ref("request"),
            "description": "Parameters of the request body, like response_format, tool_choice, stop.",
        },
        "max_tokens": {**_whole(limits.MAX_TOKENS), "description": "Raises the run's budget, never lowers it."},
        "rev": {
            **_whole(limits.MAX_REV),
            "default": 1,
            "description": "Raise it to say: another test now, do not compare.",
        },
        "must_pass": {"type": "boolean", "default": False, "description": "Alone fails the gate."},
        "quarantine": {"type": "boolean", "default": False, "description": "Measured and shown, never gates."},
        "evaluate": {
            **_ref("check"),
            "description": "How an answer is scored: exactly one evaluator; all, mean and any compose several.",
        },
        "ground_truth": {
            "anyOf": [_text(), _ref("ground_truth")],
            "description": "A program, in Python unless it names a language, that computes and prints the expected"
            " value; `llmtest validate` runs it, a run never does.",
        },
        "examples": {
            "type": "array",
            "items": _ref("example"),
            "maxItems": limits.MAX_EXAMPLES,
            "description": "Answers with the score that each must get: at least one right and one wrong.",
        },
        "cases": {**_ref("cases"), "description": "Values for ${name}: the test expands to id[case]."},
    }


def _definitions() -> dict[str, JSON]:
    call: dict[str, JSON] = {
        "name": _text("The name of the tool."),
        "arguments": {"type": ["object", "string"], "default": {}, "description": "A mapping, or its JSON text."},
    }
    # Not the schema `false`: its fault would be reported for the whole mapping.
    no_reserved: dict[str, JSON] = {
        key: {"not": {}, "description": f"Cannot be set by a suite: {why}."} for key, why in RESERVED.items()
    }
    return {
        "kebab": _name(limits.KEBAB),
        "label": _name(limits.LABEL),
        "models": {
            "type": "array",
            "items": _text(longest=limits.MAX_LINE),
            "minItems": 1,
            "maxItems": limits.MAX_MODELS,
            "uniqueItems": True,
            "description": "Names of the models to ask; every model without it.",
        },
        "text_or_file": {"anyOf": [_text(), _ref("file")]},
        "file": {
            **_object({"file": _text("The path, relative to this file.")}, ("file",)),
            "description": "A path relative to this file.",
        },
        "message": _object(
            {
                "role": {"enum": list(ROLES), "description": "Who says it."},
                "content": {
                    "type": ["string", "array", "null"],
                    "items": {"type": "object", "required": ["type"]},
                    "minItems": 1,
                    "description": "Text, or OpenAI's content parts.",
                },
                "name": {"type": "string", "description": "The name of who says it."},
                "tool_calls": {
                    "type": "array",
                    "items": _ref("message_call"),
                    "minItems": 1,
                    "maxItems": limits.MAX_TOOL_CALLS,
                    "description": "The calls that the assistant made.",
                },
                "tool_call_id": _text("The id of the call that this is the result of."),
                "reasoning_content": {"type": "string", "description": "What the assistant thought, where it is kept."},
                "prefix": {"description": "Sent as it is: the answer goes on from this message."},
                "cache_control": {"description": "Sent as it is, for gateways that keep prompts."},
            },
            ("role",),
        ),
        "message_call": {
            **_object(
                {
                    "id": _text("What the result of the call names it by."),
                    "type": {"const": "function", "description": "The only kind there is."},
                    "function": {
                        **_object(call, ("name",)),
                        "description": "OpenAI's own nesting of name and arguments.",
                    },
                    **call,
                },
                ("id",),
            ),
            "anyOf": [{"required": ["name"]}, {"required": ["function"]}],
        },
        "tools": {
            "anyOf": [{"type": "array", "items": _ref("tool"), "maxItems": limits.MAX_TOOLS}, _ref("file")],
            "description": "OpenAI's definitions, or the file that holds them.",
        },
        "tool": {
            "type": "object",
            "properties": {
                "type": {"const": "function", "description": "The only kind there is."},
                "function": {
                    "type": "object",
                    "properties": {
                        "name": {**_name(limits.TOOL_NAME), "description": "What the model calls it by."},
                        "description": {"description": "What the tool is for: the model reads it."},
                        "parameters": {"type": "object", "description": "The JSON Schema of its arguments."},
                    },
                    "required": ["name"],
                    "description": "The tool itself.",
                },
            },
            "required": ["type", "function"],
        },
        "request": {
            "type": "object",
            "properties": no_reserved,
            "description": "Parameters of the request body, like response_format, tool_choice, stop.",
        },
        "example": {
            **_object(
                {
                    "response": {"type": "string", "description": "The text of the answer."},
                    "tool_calls": {
                        "type": "array",
                        "items": _object(call, ("name",)),
                        "maxItems": limits.MAX_TOOL_CALLS,
                        "description": "The calls of the answer.",
                    },
                    "score": {
                        "type": "number",
                        "minimum": 0,
                        "maximum": 1,
                        "description": "What the check must give it; 1 is right.",
                    },
                },
                ("score",),
            ),
            "anyOf": [{"required": ["response"]}, {"required": ["tool_calls"]}],
            "description": "An answer with the score that the check must give it.",
        },
        "ground_truth": _object(
            {
                "language": {
                    "enum": list(LANGUAGES),
                    "default": DEFAULT_LANGUAGE,
                    "description": "What the program is written in.",
                },
                "program": _text("Computes the expected value and prints it."),
            },
            ("program",),
        ),
        "cases": {
            "anyOf": [
                _ref("file"),
                {
                    "type": "object",
                    "minProperties": 1,
                    "propertyNames": _name(limits.LABEL),
                    "additionalProperties": {"type": "object", "propertyNames": _name(limits.VARIABLE)},
                },
            ],
            "description": "Expands the test to id[case], with the case's values for ${name}.",
        },
    }


def _ref(name: str) -> dict[str, JSON]:
    return {"$ref": f"#/$defs/{name}"}


def _object(properties: Mapping[str, JSON], required: Sequence[str] = ()) -> dict[str, JSON]:
    schema: dict[str, JSON] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def _text(description: str | None = None, longest: int | None = None) -> JSONObject:
    schema: dict[str, JSON] = {"type": "string", "pattern": r"\S"}
    if longest is not None:
        schema["maxLength"] = longest
    return {**schema, "description": description} if description is not None else schema


def _name(pattern: str) -> JSONObject:
    return {"type": "string", "pattern": f"^(?:{pattern})$", "maxLength": limits.MAX_NAME}


def _whole(maximum: int) -> dict[str, JSON]:
    return {"type": "integer", "minimum": 1, "maximum": maximum}


def _relaxed(schema: JSON) -> JSONObject:
    """`schema`, or a scalar that is exactly `${name}`; editors show what is said of both."""
    written = schema if isinstance(schema, Mapping) else {}
    said = {key: written[key] for key in ("description", "default") if key in written}
    return {"anyOf": [_ref("placeholder"), _templated(schema)], **said}


def _templated(schema: JSON) -> JSON:
    """A copy in which every value below may be a placeholder."""
    if not isinstance(schema, Mapping):
        return schema
    copy: dict[str, JSON] = {}
    for key, value in schema.items():
        if key in ("properties", "patternProperties") and isinstance(value, Mapping):
            copy[key] = {name: _relaxed_unless_refused(inner) for name, inner in value.items()}
        elif key in ("items", "additionalProperties"):
            copy[key] = _relaxed_unless_refused(value)
        elif key in ("anyOf", "oneOf", "allOf") and isinstance(value, Sequence):
            # A placeholder may fit several branches, which oneOf would refuse.
            copy["allOf" if key == "allOf" else "anyOf"] = [_templated(inner) for inner in value]
        elif key == "$ref" and isinstance(value, str) and value.startswith("#/$defs/"):
            copy[key] = value.replace("#/$defs/", f"#/$defs/{_TEMPLATE}", 1)
        else:
            copy[key] = value
    return copy


def _relaxed_unless_refused(schema: JSON) -> JSON:
    refused = isinstance(schema, bool) or (isinstance(schema, Mapping) and "not" in schema)
    return schema if refused else _relaxed(schema)


if __name__ == "__main__":
    sys.stdout.write(schema_text())
