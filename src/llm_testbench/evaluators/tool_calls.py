"""Checks of which tools a model called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer, Completion, ToolCall
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.printed_call import printed_call, prints_call
from llm_testbench.evaluators.parameters import Fields, kind
from llm_testbench.evaluators.quote import quote, quote_all
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.evaluators.text import SILENT, fields_schema, is_silent
from llm_testbench.json_value import JSON, JSONObject, canonical, parse
from llm_testbench.sandbox.programs import Workshop

NAME: JSONObject = {
    "type": ["string", "integer"],
    "pattern": r"\S",
    "description": "Name of a tool; case does not count.",
}
_SEQUENCE: JSONObject = {"anyOf": [NAME, {"type": "array", "items": NAME, "minItems": 1}]}


def _same(left: str, right: str) -> bool:
    return left.strip().casefold() == right.strip().casefold()


def calls_to(answer: Answer, name: str) -> tuple[ToolCall, ...]:
    """The calls of one tool, in order; case of the name does not count."""
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


def not_called(answer: Answer, expected: str, names: tuple[str, ...]) -> Score:
    """0, with what was called instead, or the call that was printed as text instead of made."""
    printed = _printed(answer, names)
    if printed is not None:
        return _printed_not_made(printed, expected)
    return Score(0.0, f"{_called(answer)}, expected {expected}")


def _printed_not_made(name: str, expected: str) -> Score:
    return Score(0.0, f"tool_call_in_text: a call of {quote(name)} was printed, not made; expected {expected}")


def _name_schema() -> JSONObject:
    return fields_schema(NAME, {"name": NAME}, ["name"])


def _read_name(parameters: JSON) -> str:
    return Fields(parameters, ("name",)).text("name").strip()


def answer_of_result(printed: str) -> Answer:
    """What a ground truth means: calls, where it printed a JSON array of `{name, arguments}`; else an answer's text."""
    try:
        value = parse(printed)
    except ValueError:
        value = None
    calls = [_computed_call(item) for item in value] if isinstance(value, list) else []
    made = tuple(call for call in calls if call is not None)
    if made and len(made) == len(calls):
        return Answer(text="", tool_calls=made)
    return normalise(Completion(text=printed))


def _computed_call(value: JSON) -> ToolCall | None:
    if not isinstance(value, Mapping) or set(value) != {"name", "arguments"}:
        return None
    name, arguments = value["name"], value["arguments"]
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        return None
    return ToolCall(name, arguments, canonical(arguments))


class OfCalls(ABC):
    """What all checks of calls have in common: a ground truth may compute the calls."""

    __slots__ = ()

    @abstractmethod
    def evaluate(self, answer: Answer) -> Score:
        """The score of an answer that was really given."""

    def score_of_result(self, printed: str, _workshop: Workshop) -> Score:
        """The score of the calls, or the text, that a ground truth printed."""
        return self.evaluate(answer_of_result(printed))


@dataclass(frozen=True, slots=True)
class ToolCalled(OfCalls):
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
        if calls_to(answer, self.tool):
            return Score(1.0, _called(answer))
        return not_called(answer, f"a call of {quote(self.tool)}", (self.tool,))


@dataclass(frozen=True, slots=True)
class ToolNotCalled(OfCalls):
    """The tool was not called, and the answer is not empty."""

    name: ClassVar[str] = "tool_not_called"
    revision: ClassVar[int] = 2
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
        if calls_to(answer, self.tool):
            return not_called(answer, f"no call of {quote(self.tool)}", (self.tool,))
        if not answer.tool_calls and prints_call(answer.text, self.tool):
            return _printed_not_made(self.tool, f"no call of {quote(self.tool)}")
        return Score(1.0, f"{_called(answer)}, not {quote(self.tool)}")


@dataclass(frozen=True, slots=True)
class FirstTool(OfCalls):
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
        return not_called(answer, f"{quote(self.tool)} first", (self.tool,))


@dataclass(frozen=True, slots=True)
class NoToolCalled(OfCalls):
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
            return not_called(answer, "no call", ())
        return Score(1.0, "no tool was called")


@dataclass(frozen=True, slots=True)
class ToolSequence(OfCalls):
    """The calls are exactly these, in this order."""

    name: ClassVar[str] = "tool_sequence"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "Exactly these tools were called, in this order and number."
    schema: ClassVar[JSONObject] = fields_schema(
        _SEQUENCE,
        {"names": {**_SEQUENCE, "description": "Names of tools, in their order."}},
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
        return not_called(answer, f"exactly {quote_all(self.tools)}", self.tools)
