"""Checks of the JSON value in the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.exact import exact
from llm_testbench.evaluators.json_equal import loosely_equal, overlap
from llm_testbench.evaluators.json_path import Steps, at, steps_of
from llm_testbench.evaluators.json_size import more_values_than
from llm_testbench.evaluators.json_text import Missing, json_in
from llm_testbench.evaluators.parameters import Fields, kind, mapping_of
from llm_testbench.evaluators.quote import quote, quote_json
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.json_value import JSON, JSONObject

MAX_VALUES = 10_000
"""Values, those within its items counted, of an array that is compared without regard to order."""

_PATH: JSONObject = {
    "type": "string",
    "description": 'Where in the value: a.b[0], ["any key"]; empty: the value itself.',
}


def no_json(missing: Missing, answer: Answer) -> Score:
    """0, and why none was found where there may be some."""
    why = f": {missing.why}" if missing.why else ""
    return Score(0.0, f"found no JSON in {quote(answer.text)}{why}")


def _place(path: str) -> str:
    return quote(path) if path else "the value"


def _read_path(fields: Fields) -> str:
    path = fields.value("path")
    if not isinstance(path, str):
        raise SpecError(f"expected a path like a.b[0], found {kind(path)}", fields.path("path"))
    return path


@dataclass(frozen=True, slots=True)
class JsonField:
    """One field of the value is the expected one."""

    name: ClassVar[str] = "json_field"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "One field of the answer's JSON is this; case, spaces and hyphens of strings do not count."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "properties": {
            "path": _PATH,
            "expected": {"description": "The value that must stand there."},
            "abs_tol": {"type": "number", "minimum": 0, "default": 0, "description": "Allowed difference of numbers."},
        },
        "required": ["path", "expected"],
        "additionalProperties": False,
    }

    path: str
    expected: JSON
    abs_tol: float = 0
    steps: Steps = field(kw_only=True, compare=False, repr=False)

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`{path, expected, abs_tol}`."""
        mapping_of(parameters, "a mapping with path and expected")
        fields = Fields(parameters, ("path", "expected", "abs_tol"))
        path = _read_path(fields)
        steps = steps_of(path, fields.path("path"))
        return cls(path, fields.value("expected"), fields.number("abs_tol", 0), steps=steps)

    def evaluate(self, answer: Answer) -> Score:
        """1 when the field is there and equal, else 0."""
        found = json_in(answer.text)
        if isinstance(found, Missing):
            return no_json(found, answer)
        held = at(found.value, self.steps)
        if held is None:
            return Score(0.0, f"nothing at {_place(self.path)} in {quote_json(found.value)}")
        equal = loosely_equal(held.value, self.expected, exact(self.abs_tol))
        return Score(
            float(equal),
            f"{_place(self.path)} is {quote_json(held.value)}, expected {quote_json(self.expected)}",
        )


@dataclass(frozen=True, slots=True)
class JsonFields:
    """The share of fields of the value that are as expected."""

    name: ClassVar[str] = "json_fields"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The share of these fields of the answer's JSON that are as expected."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "minProperties": 1,
        "description": "Expected values by path, like {a.b: x, c: 3}.",
    }

    expected: JSONObject
    steps: Mapping[str, Steps] = field(kw_only=True, compare=False, repr=False)

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`{PATH: value, …}`."""
        expected = mapping_of(parameters, "a mapping of paths to values")
        if not expected:
            raise SpecError("expected at least one field, found an empty mapping")
        return cls(expected, steps={path: steps_of(path, (path,)) for path in expected})

    def evaluate(self, answer: Answer) -> Score:
        """Matched ÷ all."""
        found = json_in(answer.text)
        if isinstance(found, Missing):
            return no_json(found, answer)
        faults: list[str] = []
        for path, expected in self.expected.items():
            held = at(found.value, self.steps[path])
            if held is None:
                faults.append(f"nothing at {_place(path)}, expected {quote_json(expected)}")
            elif not loosely_equal(held.value, expected):
                faults.append(f"{_place(path)} is {quote_json(held.value)}, expected {quote_json(expected)}")
        if not faults:
            return Score(1.0, f"all {len(self.expected)} fields are as expected")
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        return Score(1 - len(faults) / len(self.expected), faults[0] + more)


@dataclass(frozen=True, slots=True)
class JsonArray:
    """An array of the value holds the expected items."""

    name: ClassVar[str] = "json_array"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "An array in the answer's JSON holds these items; unordered, the overlap counts."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "properties": {
            "path": {**_PATH, "default": ""},
            "expected": {"type": "array", "description": "The items."},
            "ordered": {
                "type": "boolean",
                "default": True,
                "description": "In this order, all or nothing; false: overlap ÷ the larger size.",
            },
        },
        "required": ["expected"],
        "additionalProperties": False,
    }

    path: str
    expected: tuple[JSON, ...]
    ordered: bool = True
    steps: Steps = field(kw_only=True, compare=False, repr=False)

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`{path, expected, ordered}`."""
        mapping_of(parameters, "a mapping with path and expected")
        fields = Fields(parameters, ("path", "expected", "ordered"))
        path = _read_path(fields) if fields.has("path") else ""
        expected = fields.value("expected")
        if isinstance(expected, str | Mapping) or not isinstance(expected, Sequence):
            raise SpecError(f"expected a list, found {kind(expected)}", fields.path("expected"))
        steps = steps_of(path, fields.path("path"))
        return cls(path, tuple(expected), fields.flag("ordered", default=True), steps=steps)

    def evaluate(self, answer: Answer) -> Score:
        """Ordered: 1 or 0; unordered: overlap ÷ the larger size, duplicates counted."""
        found = json_in(answer.text)
        if isinstance(found, Missing):
            return no_json(found, answer)
        held = at(found.value, self.steps)
        if held is None:
            return Score(0.0, f"nothing at {_place(self.path)} in {quote_json(found.value)}")
        items = held.value
        if isinstance(items, str | Mapping) or not isinstance(items, Sequence):
            return Score(0.0, f"{_place(self.path)} is {quote_json(items)}, expected an array")
        reason = f"{_place(self.path)} is {quote_json(items)}, expected {quote_json(self.expected)}"
        if self.ordered:
            return Score(float(loosely_equal(items, self.expected)), reason)
        larger = max(len(items), len(self.expected))
        if larger == 0:
            return Score(1.0, reason)
        if more_values_than(MAX_VALUES, items):
            return Score(0.0, f"{_place(self.path)} holds more than {MAX_VALUES} values")
        agreed = overlap(items, self.expected)
        return Score(agreed / larger, f"{agreed} of {larger} items agree: {reason}")
