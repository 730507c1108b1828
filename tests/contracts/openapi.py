"""Checks HTTP requests and answers against GitHub's OpenAPI description (README.md beside: its origin, the exceptions).

Nothing raises: each deviation is one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from tests.contracts.formats import FORMATS
from tests.contracts.schemas import Schema, translated

DESCRIPTION = Path(__file__).with_name("github-rest.json")

# GitHub's prose has these for every operation, its description at some.
COMMON_ERRORS = frozenset({400, 401, 403, 404, 415, 422, 429})
MOST_SHOWN = 3
MOST_REMEMBERED = 10_000

_ADDRESS = "urn:github"
_ERROR: Schema = {
    "anyOf": [{"$ref": f"{_ADDRESS}#/components/schemas/{name}"} for name in ("basic-error", "validation-error")]
}
_NUMBER = re.compile(r"-?\d+")


_follow = Draft202012Validator.VALIDATORS["$ref"]
_extend: Any = validators.extend


def _remembering() -> Any:
    """A validator that looks once at what it finds right: a page of releases holds one user hundreds of times."""
    known_good: set[tuple[str, str]] = set()

    def follow(validator: Any, ref: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
        key = (ref, json.dumps(instance))
        if key in known_good:
            return
        errors = list(_follow(validator, ref, instance, schema) or ())
        if not errors:
            if len(known_good) >= MOST_REMEMBERED:
                known_good.clear()
            known_good.add(key)
        yield from errors

    return _extend(Draft202012Validator, {"$ref": follow})


@dataclass(frozen=True)
class Operation:
    """One method on one path. `uploads`: on the host of uploads, not of the API."""

    id: str
    method: str
    template: str
    uploads: bool
    path_parameters: Mapping[str, Draft202012Validator]
    query_parameters: Mapping[str, Draft202012Validator]
    required: frozenset[str]
    body_types: tuple[str, ...]
    body_required: bool
    body: Draft202012Validator | None
    binary: bool
    answers: Mapping[int, Mapping[str, Draft202012Validator]]


@dataclass(frozen=True)
class Match:
    """An operation and the decoded parameters of its path."""

    operation: Operation
    parameters: Mapping[str, str]


class Contract:
    """Which operation a request is, and what is wrong with it and its answer."""

    def __init__(self, description: Mapping[str, Any]) -> None:
        self._components = description["components"]
        schemas = {name: translated(one) for name, one in self._components["schemas"].items()}
        # A failed upload leaves an asset behind in this state, says the prose of the operation.
        schemas["release-asset"]["properties"]["state"]["enum"].append("starter")
        whole = DRAFT202012.create_resource({"components": {"schemas": schemas}})
        self._registry: Registry[Any] = Registry().with_resource(_ADDRESS, whole)
        self._kind = _remembering()
        self._error = self._validator(_ERROR)
        found = [
            (_pattern(template, self._multi(methods)), self._operation(template, method, described))
            for template, methods in description["paths"].items()
            for method, described in methods.items()
        ]
        # A literal segment goes before a parameter: /releases/latest is no release id.
        self._operations = sorted(found, key=lambda one: [part.startswith("{") for part in one[1].template.split("/")])

    def match(self, method: str, path: str, *, uploads: bool = False) -> Match | None:
        """The operation of a request; None when GitHub has no such path, or not this method on it."""
        for pattern, operation in self._operations:
            if operation.method != method or operation.uploads != uploads:
                continue
            hit = pattern.fullmatch(path)
            if hit is not None:
                return Match(operation, {name: unquote(value) for name, value in hit.groupdict().items()})
        return None

    def request_problems(self, match: Match, query: str, headers: Mapping[str, str], body: bytes) -> list[str]:
        """What the request breaks. `headers`: names in lower case."""
        return [
            *_parameter_problems("path", match.operation.path_parameters, match.parameters.items()),
            *_query_problems(match.operation, query),
            *_body_problems(match.operation, headers.get("content-type", ""), body),
        ]

    def answer_problems(self, match: Match, status: int, headers: Mapping[str, str], body: bytes) -> list[str]:
        """What the answer breaks. `headers`: names in lower case."""
        declared = match.operation.answers.get(status)
        if declared is None and status not in COMMON_ERRORS:
            return [f"{status} is not declared"]
        media = headers.get("content-type", "").partition(";")[0]
        if ".raw" in media and declared is not None:
            return []
        if not declared:
            if status < 400:
                return ["a body where none is declared"] if body else []
            return _json_problems(self._error, body)
        if media not in declared:
            return [f"the content type {media!r} is not declared, declared: {', '.join(declared)}"]
        return _json_problems(declared[media], body)

    def _validator(self, schema: Schema) -> Draft202012Validator:
        made: Draft202012Validator = self._kind(schema, registry=self._registry, format_checker=FORMATS)
        return made

    def _compiled(self, schema: Mapping[str, Any]) -> Draft202012Validator:
        return self._validator(_absolute(translated(schema)))

    def _multi(self, methods: Mapping[str, Any]) -> frozenset[str]:
        parameters = (self._resolved(one) for described in methods.values() for one in described.get("parameters", ()))
        return frozenset(one["name"] for one in parameters if one.get("x-multi-segment"))

    def _resolved(self, described: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" not in described:
            return described
        _, _, kind, name = described["$ref"].split("/")
        found: Mapping[str, Any] = self._components[kind][name]
        return found

    def _operation(self, template: str, method: str, described: Mapping[str, Any]) -> Operation:
        parameters = [self._resolved(one) for one in described.get("parameters", ())]
        body = described.get("requestBody", {})
        content = body.get("content", {})
        binary = any(one["schema"].get("format") == "binary" for one in content.values())
        return Operation(
            id=described["operationId"],
            method=method.upper(),
            template=template,
            uploads="servers" in described,
            path_parameters={one["name"]: self._compiled(one["schema"]) for one in parameters if one["in"] == "path"},
            query_parameters={one["name"]: self._compiled(one["schema"]) for one in parameters if one["in"] == "query"},
            required=frozenset(one["name"] for one in parameters if one["in"] == "query" and one.get("required")),
            body_types=tuple(content),
            body_required=body.get("required", False),
            body=None if binary else next((self._compiled(one["schema"]) for one in content.values()), None),
            binary=binary,
            answers={int(status): self._answer(one) for status, one in described["responses"].items()},
        )

    def _answer(self, described: Mapping[str, Any]) -> dict[str, Draft202012Validator]:
        content = self._resolved(described).get("content", {})
        return {media: self._compiled(one["schema"]) for media, one in content.items()}


@cache
def github() -> Contract:
    """GitHub's REST API; read and compiled once a process."""
    return Contract(json.loads(DESCRIPTION.read_bytes()))


def _pattern(template: str, multi: frozenset[str]) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    text = ""
    for at, part in enumerate(parts):
        if at % 2 == 0:
            text += re.escape(part)
        else:
            # Empty too: /contents/ is the root folder.
            text += f"(?P<{part}>.*)" if part in multi else f"(?P<{part}>[^/]+)"
    return re.compile(text)


def _absolute(schema: Any) -> Any:
    """References that hold outside of the description too."""
    if isinstance(schema, dict):
        return {key: _ADDRESS + one if key == "$ref" else _absolute(one) for key, one in schema.items()}
    return [_absolute(one) for one in schema] if isinstance(schema, list) else schema


def _query_problems(operation: Operation, query: str) -> Iterator[str]:
    given = parse_qsl(query, keep_blank_values=True)
    known = operation.query_parameters
    for name in sorted({name for name, _ in given} - known.keys()):
        yield f"query parameter {name!r} is not declared, declared: {', '.join(known) or 'none'}"
    for name in sorted(operation.required - {name for name, _ in given}):
        yield f"query parameter {name!r} is missing"
    yield from _parameter_problems("query", known, ((name, value) for name, value in given if name in known))


def _parameter_problems(
    place: str, declared: Mapping[str, Draft202012Validator], given: Iterator[tuple[str, str]] | Any
) -> Iterator[str]:
    for name, text in given:
        validator = declared[name]
        if not any(validator.is_valid(value) for value in _readings(text)):
            yield f"{place} parameter {name!r}: {text!r} is not {json.dumps(validator.schema)}"


def _readings(text: str) -> Iterator[Any]:
    """What the text of a parameter may stand for."""
    yield text
    if _NUMBER.fullmatch(text):
        yield int(text)
    if text in {"true", "false"}:
        yield text == "true"


def _body_problems(operation: Operation, content_type: str, body: bytes) -> list[str]:
    if not body:
        return ["the body is missing"] if operation.body_required else []
    if not operation.body_types:
        return ["a body where none is declared"]
    if operation.binary:
        return [] if content_type else ["an upload without a content type"]
    media = content_type.partition(";")[0].strip()
    if media not in operation.body_types:
        return [f"the content type {media!r} is not declared, declared: {', '.join(operation.body_types)}"]
    return [] if operation.body is None else _json_problems(operation.body, body)


def _json_problems(validator: Draft202012Validator, body: bytes) -> list[str]:
    try:
        value = json.loads(body)
    except ValueError as error:
        return [f"the body is not JSON: {error}"]
    return value_problems(validator, value)


def value_problems(validator: Draft202012Validator, value: Any) -> list[str]:
    """The first few deviations of a value, each with its place."""
    if validator.is_valid(value):
        return []
    errors = [leaf for error in validator.iter_errors(value) for leaf in _leaves(error)]
    return [f"{one.json_path}: {one.message[:300]}" for one in errors[:MOST_SHOWN]]


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """The deviations inside the alternative that comes closest, else the error itself."""
    if not error.context:
        yield error
        return
    by_alternative: dict[Any, list[ValidationError]] = {}
    for one in error.context:
        by_alternative.setdefault(one.schema_path[0], []).append(one)
    # An alternative of another type altogether (null) is far away.
    closest = min(
        by_alternative.values(),
        key=lambda ones: (any(not one.path and one.validator == "type" for one in ones), len(ones)),
    )
    for one in closest:
        yield from _leaves(one)
