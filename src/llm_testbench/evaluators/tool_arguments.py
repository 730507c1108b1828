"""Checks of the arguments that tools were called with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer, ToolCall
from llm_testbench.evaluators.argument import matches, validate_expected
from llm_testbench.evaluators.json_size import more_values_than
from llm_testbench.evaluators.parameters import Fields, kind, mapping_of
from llm_testbench.evaluators.quote import quote, quote_json
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.evaluators.tool_calls import NAME, OfCalls, calls_to, not_called
from llm_testbench.json_value import JSON, JSONObject, parse

MAX_CALLS = 1_000
"""Calls of the tool in one answer that are compared."""
MAX_VALUES = 10_000
"""Values, those within others counted, of the arguments of all these calls."""
MAX_PASSED = 5_000
"""Values, items of lists counted, that one argument takes in all calls."""


def _malformed(call: ToolCall) -> str:
    """What is wrong with arguments that are no JSON object: a client would hand their text to the tool, or fail."""
    twice = False
    if call.arguments_text.lstrip(" \t\r\n").startswith('"'):  # what else a megabyte may hold is not worth reading
        try:
            twice = isinstance(parse(call.arguments_text), str)
        except ValueError:
            twice = False
    return f"{'arguments that were encoded twice' if twice else 'malformed arguments'} {quote(call.arguments_text)}"


def _too_many(calls: Sequence[ToolCall], tool: str) -> Score | None:
    if len(calls) <= MAX_CALLS:
        return None
    return Score(0.0, f"called {quote(tool)} {len(calls)} times, more than the {MAX_CALLS} that are compared")


@dataclass(frozen=True, slots=True)
class ToolCallArgs(OfCalls):
    """Some call of the tool has the expected arguments."""

    name: ClassVar[str] = "tool_call_args"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "Some call of this tool has all of these arguments; `exact: true` allows no others."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "properties": {
            "name": NAME,
            "args": {
                "type": "object",
                "description": "Expected arguments; `{any_of: [...]}` lists accepted values.",
            },
            "exact": {"type": "boolean", "default": False, "description": "Allow no argument beside these."},
        },
        "required": ["name", "args"],
        "additionalProperties": False,
    }

    tool: str
    args: JSONObject
    exact: bool = False

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`{name, args, exact}`."""
        mapping_of(parameters, "a mapping with name and args")
        fields = Fields(parameters, ("name", "args", "exact"))
        args = mapping_of(fields.value("args"), "a mapping of arguments", ("args",))
        for key, value in args.items():
            validate_expected(value, ("args", key))
        return cls(fields.text("name").strip(), args, fields.flag("exact", default=False))

    def evaluate(self, answer: Answer) -> Score:
        """1 when one call matches, else 0; the reason shows what differs in the closest call."""
        calls = calls_to(answer, self.tool)
        if not calls:
            return not_called(answer, f"a call of {quote(self.tool)} with {quote_json(self.args)}", (self.tool,))
        too_many = _too_many(calls, self.tool)
        if too_many is not None:
            return too_many
        if more_values_than(MAX_VALUES, [call.arguments for call in calls]):
            return Score(0.0, f"called {quote(self.tool)} with more than the {MAX_VALUES} values that are compared")
        closest = min(calls, key=self._faults)
        return Score(float(self._faults(closest) == 0), self._told(closest))

    def _faults(self, call: ToolCall) -> int:
        """How many arguments are wrong."""
        if call.arguments is None:
            return len(self.args) + 1
        return len(self._wrong(call.arguments)) + len(self._extra(call.arguments))

    def _wrong(self, found: JSONObject) -> Sequence[str]:
        return [key for key, value in self.args.items() if key not in found or not matches(found[key], value)]

    def _extra(self, found: JSONObject) -> Sequence[str]:
        return list(islice((key for key in found if key not in self.args), 100)) if self.exact else ()

    def _told(self, call: ToolCall) -> str:
        """A sentence on the first of what is wrong."""
        if call.arguments is None:
            return _malformed(call)
        for key in self._wrong(call.arguments)[:1]:
            expected = f"expected {quote_json(self.args[key])}"
            if key not in call.arguments:
                return f"argument {quote(key)} is missing, {expected}"
            return f"argument {quote(key)} is {quote_json(call.arguments[key])}, {expected}"
        for key in self._extra(call.arguments)[:1]:
            return f"argument {quote(key)} was not expected"
        return f"called {quote(call.name)} with {quote_json(call.arguments)}"


@dataclass(frozen=True, slots=True)
class ToolArgValuesCover(OfCalls):
    """The calls together pass every expected value in one argument."""

    name: ClassVar[str] = "tool_arg_values_cover"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "Over all calls of this tool, one argument takes each of these values."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "properties": {
            "name": NAME,
            "arg": {"type": ["string", "integer"], "pattern": r"\S", "description": "Name of the argument."},
            "values": {"type": "array", "minItems": 1, "description": "Values that must all occur."},
        },
        "required": ["name", "arg", "values"],
        "additionalProperties": False,
    }

    tool: str
    arg: str
    values: tuple[JSON, ...]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`{name, arg, values}`."""
        mapping_of(parameters, "a mapping with name, arg and values")
        fields = Fields(parameters, ("name", "arg", "values"))
        values = fields.value("values")
        if isinstance(values, str | Mapping) or not isinstance(values, Sequence) or not values:
            raise SpecError(f"expected a list of at least one value, found {kind(values)}", ("values",))
        for index, value in enumerate(values):
            validate_expected(value, ("values", index))
        return cls(fields.text("name").strip(), fields.text("arg"), tuple(values))

    def evaluate(self, answer: Answer) -> Score:
        """1 when every value occurs, else 0. A list passed as the argument counts with each of its items."""
        calls = calls_to(answer, self.tool)
        if not calls:
            return not_called(answer, f"calls of {quote(self.tool)}", (self.tool,))
        too_many = _too_many(calls, self.tool)
        if too_many is not None:
            return too_many
        if all(call.arguments is None for call in calls):
            return Score(0.0, _malformed(calls[0]))
        passed: list[JSON] = []
        for call in calls:
            if call.arguments is not None and self.arg in call.arguments:
                value = call.arguments[self.arg]
                passed.append(value)
                if isinstance(value, Sequence) and not isinstance(value, str):
                    passed.extend(value)
        if len(passed) > MAX_PASSED:
            return Score(0.0, f"{self.arg} took {len(passed)} values, more than the {MAX_PASSED} that are compared")
        texts = {found for found in passed if isinstance(found, str)}
        missing = [
            value
            for value in self.values
            if not (value in texts if isinstance(value, str) else any(matches(found, value) for found in passed))
        ]
        if missing:
            return Score(0.0, f"{self.arg} never was {quote_json(missing)}; it was {quote_json(passed)}")
        return Score(1.0, f"{self.arg} took all of {quote_json(list(self.values))}")
