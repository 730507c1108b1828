"""Checks GraphQL queries and answers against a slice of GitHub's schema (README.md beside).

What GitHub would reject is found before anything is answered, in GitHub's words as far as they are known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from tests.contracts.formats import FORMATS
from tests.contracts.graphql_document import Document, Field, Fragment, Selection, Variable
from tests.contracts.openapi import value_problems

DESCRIPTION = Path(__file__).with_name("github-graphql.json")

JSONObject = dict[str, Any]

_TYPENAME = "__typename"


class GraphQLContract:
    """What is wrong with a query, its variables and its answer."""

    def __init__(self, description: Mapping[str, Any]) -> None:
        self.types: Mapping[str, Any] = description["types"]
        self._inputs: Mapping[str, Mapping[str, str]] = description["inputs"]
        self._scalars = {name: _validator(one) for name, one in description["scalars"].items()}
        self._request = _validator(description["request"])
        self._answer = _validator(description["answer"])

    def request_problems(self, body: Any) -> list[str]:
        """What is wrong with the envelope: `query` and `variables`."""
        return value_problems(self._request, body)

    def refusals(self, document: Document, variables: Mapping[str, Any]) -> list[JSONObject]:
        """The errors that GitHub answers instead of data."""
        used: set[str] = set()
        path = [document.operation.lower()]
        errors = list(self._selection_errors(document, document.operation, document.selections, path, used))
        errors += [
            _error(f"Variable ${one} is declared by anonymous query but not used")
            for one in document.variables
            if one not in used
        ]
        for name, kind in document.variables.items():
            if name not in variables and (name in document.defaults or not kind.endswith("!")):
                continue
            if self._value_problems(kind, variables.get(name)):
                errors.append(_error(f"Variable ${name} of type {kind} was provided invalid value"))
        return errors

    def answer_problems(self, document: Document | None, answer: Any) -> list[str]:
        """What is wrong with an answer; without a document its envelope alone."""
        problems = value_problems(self._answer, answer)
        if not problems and document is not None and answer.get("data") is not None:
            problems = list(self._object_problems(document.operation, document.selections, answer["data"], "$.data"))
        return problems

    def possible(self, kind: str) -> frozenset[str]:
        """The concrete types that a value of this type can have."""
        return frozenset(self.types[kind].get("implementors", [kind]))

    def _selection_errors(
        self, document: Document, kind: str, selections: tuple[Selection, ...], path: list[str], used: set[str]
    ) -> Iterator[JSONObject]:
        for one in selections:
            if isinstance(one, Fragment):
                here = [*path, f"... on {one.on}"]
                if one.on not in self.types:
                    yield _error(f"No such type {one.on}, so it can't be a fragment condition", one, here)
                elif not self.possible(one.on) & self.possible(kind):
                    yield _error(f"Fragment on {one.on} can't be spread inside {kind}", one, here)
                else:
                    yield from self._selection_errors(document, one.on, one.selections, here, used)
            elif one.name != _TYPENAME:
                yield from self._field_errors(document, kind, one, [*path, one.key], used)

    def _field_errors(
        self, document: Document, kind: str, field: Field, path: list[str], used: set[str]
    ) -> Iterator[JSONObject]:
        known = self.types[kind]["fields"].get(field.name)
        if known is None:
            yield _error(f"Field '{field.name}' doesn't exist on type '{kind}'", field, path)
            return
        yield from self._argument_errors(document, field, known.get("args", {}), path, used)
        inner = _named(known["type"])
        if inner in self._scalars:
            if field.selections:
                yield _error(f"Selections can't be made on scalars (field '{field.name}' returns {inner})", field, path)
        elif not field.selections:
            yield _error(
                f"Field must have selections (field '{field.name}' returns {inner} but has no selections.)", field, path
            )
        else:
            yield from self._selection_errors(document, inner, field.selections, path, used)

    def _argument_errors(
        self, document: Document, field: Field, known: Mapping[str, str], path: list[str], used: set[str]
    ) -> Iterator[JSONObject]:
        missing = [name for name, kind in known.items() if kind.endswith("!") and name not in field.arguments]
        if missing:
            yield _error(f"Field '{field.name}' is missing required arguments: {', '.join(missing)}", field, path)
        for name, value in field.arguments.items():
            if name not in known:
                yield _error(f"Field '{field.name}' doesn't accept argument '{name}'", field, path)
            elif not isinstance(value, Variable):
                if self._value_problems(known[name], value):
                    yield _error(
                        f"Argument '{name}' on Field '{field.name}' has an invalid value, expected {known[name]}",
                        field,
                        path,
                    )
            elif value.name not in document.variables:
                yield _error(f"Variable ${value.name} is used by anonymous query but not declared", field, path)
            else:
                used.add(value.name)
                declared = document.variables[value.name]
                if not _fits(declared, known[name]):
                    yield _error(
                        f"Type mismatch on variable ${value.name} and argument {name} ({declared} / {known[name]})",
                        field,
                        path,
                    )

    def _value_problems(self, kind: str, value: Any) -> list[str]:
        """What keeps a plain value from being of a scalar, list or input type."""
        if value is None:
            return ["null"] if kind.endswith("!") else []
        bare = kind.removesuffix("!")
        if bare.startswith("["):
            # A single value stands for a list of one (specification, section 3.11).
            items = value if isinstance(value, list) else [value]
            return [problem for item in items for problem in self._value_problems(bare[1:-1], item)]
        if bare in self._inputs:
            return self._input_problems(self._inputs[bare], value)
        if bare not in self._scalars:
            return [f"no such input type: {bare}"]
        # An ID may be given as a number (specification, section 3.5.5).
        return value_problems(self._scalars[bare], str(value) if bare == "ID" and type(value) is int else value)

    def _input_problems(self, known: Mapping[str, str], value: Any) -> list[str]:
        if not isinstance(value, dict):
            return ["not an object"]
        unknown = [f"{name} is not defined" for name in value if name not in known]
        return unknown + [
            f"{name}: {problem}"
            for name, kind in known.items()
            for problem in self._value_problems(kind, value.get(name))
        ]

    def _object_problems(self, kind: str, selections: tuple[Selection, ...], value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{place}: not an object"
            return
        allowed: set[str] = set()
        for owner, field, certain in self._asked(kind, selections, certain=True):
            allowed.add(field.key)
            if field.key not in value:
                if certain:
                    yield f"{place}: {field.key!r} was asked for and is missing"
            elif field.name == _TYPENAME:
                if value[field.key] not in self.possible(kind):
                    yield f"{place}.{field.key}: {value[field.key]!r} is no {kind}"
            else:
                known = self.types[owner]["fields"][field.name]["type"]
                yield from self._typed_problems(known, field.selections, value[field.key], f"{place}.{field.key}")
        for key in sorted(value.keys() - allowed):
            yield f"{place}: {key!r} was not asked for"

    def _asked(
        self, kind: str, selections: tuple[Selection, ...], *, certain: bool
    ) -> Iterator[tuple[str, Field, bool]]:
        """The fields, the type each belongs to, and whether it must be there whatever the value's concrete type."""
        for one in selections:
            if isinstance(one, Field):
                yield kind, one, certain
            else:
                yield from self._asked(
                    one.on, one.selections, certain=certain and self.possible(kind) <= self.possible(one.on)
                )

    def _typed_problems(self, kind: str, selections: tuple[Selection, ...], value: Any, place: str) -> Iterator[str]:
        if value is None:
            if kind.endswith("!"):
                yield f"{place}: null, expected {kind}"
            return
        bare = kind.removesuffix("!")
        if bare.startswith("["):
            if not isinstance(value, list):
                yield f"{place}: not a list"
                return
            for at, item in enumerate(value):
                yield from self._typed_problems(bare[1:-1], selections, item, f"{place}[{at}]")
        elif bare in self._scalars:
            yield from (f"{place}: {problem}" for problem in value_problems(self._scalars[bare], value))
        else:
            yield from self._object_problems(bare, selections, value, place)


@cache
def github_graphql() -> GraphQLContract:
    """GitHub's GraphQL API; read once a process."""
    return GraphQLContract(json.loads(DESCRIPTION.read_bytes()))


def _validator(schema: Mapping[str, Any]) -> Draft202012Validator:
    return Draft202012Validator(schema, format_checker=FORMATS)


def _named(kind: str) -> str:
    return kind.strip("[]!")


def _fits(declared: str, wanted: str) -> bool:
    """Whether a variable may stand for an argument: of its type, or non-null where null is allowed."""
    if not wanted.endswith("!"):
        declared = declared.removesuffix("!")
    elif not declared.endswith("!"):
        return False
    declared, wanted = declared.removesuffix("!"), wanted.removesuffix("!")
    if wanted.startswith("[") and declared.startswith("["):
        return _fits(declared[1:-1], wanted[1:-1])
    return declared == wanted


def _error(message: str, at: Selection | None = None, path: list[str] | None = None) -> JSONObject:
    where: JSONObject = {} if at is None else {"locations": [{"line": at.line, "column": at.column}]}
    return {**({"path": path} if path else {}), **where, "message": message}
