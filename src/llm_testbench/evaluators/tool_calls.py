"""Checks of the tool calls that a model made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer, ToolCall
from llm_testbench.answer.printed_call import printed_call
from llm_testbench.evaluators.argument import matches, validate_expected
from llm_testbench.evaluators.parameters import Fields, kind, mapping_of
from llm_testbench.evaluators.quote import quote, quote_all, quote_json
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.evaluators.text import SILENT, fields_schema, is_silent
from llm_testbench.json_value import JSON, JSONObject

_NAME: JSONObject = {"type": "string", "minLength": 1, "description": "Name of a tool; case does not count."}


def _same(left: str, right: str) -> bool:
    return left.strip().casefold() == right.strip().casefold()


def _calls_to(answer: Answer, name: str) -> tuple[ToolCall, ...]:
    return tuple(call for call in answer.tool_calls if _same(call.name, name))


def _called(answer: Answer) -> str:
    if not answer.tool_calls:
        return "no tool was called"
    return f"called {quote_all(tuple(call.name for call in answer.tool_calls))}"


def _printed(answer: Answer, names: tuple[str, ...] = ()) -> str | None:
    """The name of a call that stands in the text of an answer that made none."""
    if answer.tool_calls or not answer.text:
        return None
    return printed_call(answer.text, names) or printed_call(answer.text)


def _failed(answer: Answer, expected: str, names: tuple[str, ...]) -> Score:
    printed = _printed(answer, names)
    if printed is not None:
        return Score(0.0, f"tool_call_in_text: a call of {quote(printed)} was printed, not made; expected {expected}")
    return Score(0.0, f"{_called(answer)}, expected {expected}")


def _name_schema() -> JSONObject:
    return fields_schema(_NAME, {"name": _NAME}, ["name"])


def _read_name(parameters: JSON) -> str:
    return Fields(parameters, ("name",)).text("name").strip()


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The tool was called."""

    name: ClassVar[str] = "tool_called"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "This tool was called at least once."
    schema: ClassVar[JSONObject] = _name_schema()

    tool: str

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`name` or `{name}`."""
        return cls(_read_name(parameters))

    def evaluate(self, answer: Answer) -> Score:
        """1 when called, else 0."""
        if _calls_to(answer, self.tool):
            return Score(1.0, _called(answer))
        return _failed(answer, f"a call of {quote(self.tool)}", (self.tool,))


@dataclass(frozen=True, slots=True)
class ToolNotCalled:
    """The tool was not called, and the answer is not empty."""

    name: ClassVar[str] = "tool_not_called"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "This tool was not called, neither really nor as text; an empty answer scores 0."
    schema: ClassVar[JSONObject] = _name_schema()

    tool: str

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`name` or `{name}`."""
        return cls(_read_name(parameters))

    def evaluate(self, answer: Answer) -> Score:
        """1 when not called, else 0."""
        if is_silent(answer):
            return SILENT
        printed = _printed(answer, (self.tool,))
        if _calls_to(answer, self.tool) or (printed is not None and _same(printed, self.tool)):
            return _failed(answer, f"no call of {quote(self.tool)}", (self.tool,))
        return Score(1.0, f"{_called(answer)}, not {quote(self.tool)}")


@dataclass(frozen=True, slots=True)
class FirstTool:
    """The first call is one of the tool."""

    name: ClassVar[str] = "first_tool"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "The first tool call is one of this tool."
    schema: ClassVar[JSONObject] = _name_schema()

    tool: str

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`name` or `{name}`."""
        return cls(_read_name(parameters))

    def evaluate(self, answer: Answer) -> Score:
        """1 when the first call is one of the tool, else 0."""
        if answer.tool_calls and _same(answer.tool_calls[0].name, self.tool):
            return Score(1.0, _called(answer))
        return _failed(answer, f"{quote(self.tool)} first", (self.tool,))


@dataclass(frozen=True, slots=True)
class NoToolCalled:
    """No tool was called, and the answer is not empty."""

    name: ClassVar[str] = "no_tool_called"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "No tool was called, neither really nor as text; an empty answer scores 0."
    schema: ClassVar[JSONObject] = {"const": True}

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`true`."""
        if parameters is not True:
            found = "false" if parameters is False else kind(parameters)
            raise SpecError(f"expected true, found {found}; leave the check out if tools may be called")
        return cls()

    def evaluate(self, answer: Answer) -> Score:
        """1 when nothing was called, else 0."""
        if is_silent(answer):
            return SILENT
        if answer.tool_calls or _printed(answer) is not None:
            return _failed(answer, "no call", ())
        return Score(1.0, "no tool was called")


@dataclass(frozen=True, slots=True)
class ToolCallArgs:
    """Some call of the tool has the expected arguments."""

    name: ClassVar[str] = "tool_call_args"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "Some call of this tool has all of these arguments; `exact: true` allows no others."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "properties": {
            "name": _NAME,
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
        calls = _calls_to(answer, self.tool)
        if not calls:
            return _failed(answer, f"a call of {quote(self.tool)} with {quote_json(self.args)}", (self.tool,))
        faults = [self._fault(call) for call in calls]
        count, fault = min(faults, key=lambda counted: counted[0])
        return Score(float(count == 0), fault)

    def _fault(self, call: ToolCall) -> tuple[int, str]:
        """How many arguments are wrong, and a sentence on the first of them."""
        if call.arguments is None:
            return len(self.args) + 1, f"malformed arguments {quote(call.arguments_text)}"
        wrong: list[str] = []
        for key, expected in self.args.items():
            if key not in call.arguments:
                wrong.append(f"argument {quote(key)} is missing, expected {quote_json(expected)}")
            elif not matches(call.arguments[key], expected):
                wrong.append(
                    f"argument {quote(key)} is {quote_json(call.arguments[key])}, expected {quote_json(expected)}"
                )
        if self.exact:
            extra = tuple(key for key in call.arguments if key not in self.args)
            wrong.extend(f"argument {quote(key)} was not expected" for key in extra[:100])
        return len(wrong), wrong[0] if wrong else f"called {quote(call.name)} with {quote_json(call.arguments)}"


@dataclass(frozen=True, slots=True)
class ToolSequence:
    """The calls are exactly these, in this order."""

    name: ClassVar[str] = "tool_sequence"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "Exactly these tools were called, in this order and number."
    schema: ClassVar[JSONObject] = fields_schema(
        {"type": "array", "items": _NAME, "minItems": 1},
        {"names": {"type": "array", "items": _NAME, "minItems": 1}},
        ["names"],
    )

    tools: tuple[str, ...]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`[a, b]` or `{names}`."""
        return cls(tuple(name.strip() for name in Fields(parameters, ("names",)).texts("names")))

    def evaluate(self, answer: Answer) -> Score:
        """1 when the names agree one by one, else 0."""
        made = answer.tool_calls
        if len(made) == len(self.tools) and all(
            _same(call.name, name) for call, name in zip(made, self.tools, strict=True)
        ):
            return Score(1.0, _called(answer))
        return _failed(answer, f"exactly {quote_all(self.tools)}", self.tools)


@dataclass(frozen=True, slots=True)
class ToolArgValuesCover:
    """The calls together pass every expected value in one argument."""

    name: ClassVar[str] = "tool_arg_values_cover"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "Over all calls of this tool, one argument takes each of these values."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "properties": {
            "name": _NAME,
            "arg": {"type": "string", "minLength": 1, "description": "Name of the argument."},
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
        calls = _calls_to(answer, self.tool)
        if not calls:
            return _failed(answer, f"calls of {quote(self.tool)}", (self.tool,))
        passed: list[JSON] = []
        for call in calls:
            if call.arguments is not None and self.arg in call.arguments:
                value = call.arguments[self.arg]
                passed.append(value)
                if isinstance(value, Sequence) and not isinstance(value, str):
                    passed.extend(value)
        missing = [value for value in self.values if not any(matches(found, value) for found in passed)]
        if missing:
            return Score(0.0, f"{self.arg} never was {quote_json(missing)}; it was {quote_json(passed)}")
        return Score(1.0, f"{self.arg} took all of {quote_json(list(self.values))}")
