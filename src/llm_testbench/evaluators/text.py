"""Checks of the answer's text by literal comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.parameters import Fields
from llm_testbench.evaluators.peel import peeled
from llm_testbench.evaluators.quote import quote, quote_all
from llm_testbench.evaluators.score import Score
from llm_testbench.evaluators.typography import plain
from llm_testbench.json_value import JSON, JSONObject

TEXT: JSONObject = {"type": ["string", "integer"], "description": "Text; a whole number is taken as its digits."}
TEXTS: JSONObject = {
    "oneOf": [{"type": "array", "items": TEXT, "minItems": 1}, TEXT],
    "description": "Texts; one alone may stand without a list.",
}
_IGNORE_CASE: JSONObject = {"type": "boolean", "default": True, "description": "Compare without regard to case."}
_COLLAPSE: JSONObject = {
    "type": "boolean",
    "default": False,
    "description": "Take every run of white space as one space.",
}


def fields_schema(first: JSONObject, properties: JSONObject, required: list[str]) -> JSONObject:
    """A schema of the short form or the mapping."""
    mapping: JSONObject = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return {"anyOf": [first, mapping]}


MAX_WRAPPING = 4096
"""Characters that may stand around a token."""


def is_silent(answer: Answer) -> bool:
    """Neither text nor tool call: then no check of something absent may pass."""
    return not answer.text and not answer.tool_calls


SILENT = Score(0.0, "the answer has neither text nor tool call")


def _same(found: str, expected: str, *, ignore_case: bool, collapse_space: bool = False) -> bool:
    def comparable(text: str) -> str:
        text = plain(text)
        text = " ".join(text.split()) if collapse_space else text.strip()
        return text.casefold() if ignore_case else text

    found, expected = comparable(found), comparable(expected)
    return expected in (found, _unescaped(found))


def _unescaped(text: str) -> str:
    """Outside of code, markdown writes snake_case as snake\\_case, and LaTeX does so everywhere."""
    return text.replace("\\_", "_")


@dataclass(frozen=True, slots=True)
class Equals:
    """The whole answer is the expected text."""

    name: ClassVar[str] = "equals"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The whole answer is this text, upper and lower case alike."
    schema: ClassVar[JSONObject] = fields_schema(
        TEXT,
        {"expected": TEXT, "ignore_case": _IGNORE_CASE, "collapse_space": _COLLAPSE},
        ["expected"],
    )

    expected: str
    ignore_case: bool = True
    collapse_space: bool = False

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`"text"` or `{expected, ignore_case, collapse_space}`."""
        fields = Fields(parameters, ("expected", "ignore_case", "collapse_space"))
        return cls(
            fields.text("expected").strip(),
            fields.flag("ignore_case", default=True),
            fields.flag("collapse_space", default=False),
        )

    def evaluate(self, answer: Answer) -> Score:
        """1 when equal, else 0."""
        options = {"ignore_case": self.ignore_case, "collapse_space": self.collapse_space}
        equal = _same(answer.text, self.expected, **options)
        return Score(float(equal), f"found {quote(answer.text)}, expected {quote(self.expected)}")


@dataclass(frozen=True, slots=True)
class OneOf:
    """The whole answer is one of the expected texts."""

    name: ClassVar[str] = "one_of"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The whole answer is one of these texts, upper and lower case alike."
    schema: ClassVar[JSONObject] = fields_schema(
        TEXTS,
        {"expected": TEXTS, "ignore_case": _IGNORE_CASE, "collapse_space": _COLLAPSE},
        ["expected"],
    )

    expected: tuple[str, ...]
    ignore_case: bool = True
    collapse_space: bool = False

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`[a, b]` or `{expected, ignore_case, collapse_space}`."""
        fields = Fields(parameters, ("expected", "ignore_case", "collapse_space"))
        return cls(
            tuple(text.strip() for text in fields.texts("expected")),
            fields.flag("ignore_case", default=True),
            fields.flag("collapse_space", default=False),
        )

    def evaluate(self, answer: Answer) -> Score:
        """1 when equal to any, else 0."""
        options = {"ignore_case": self.ignore_case, "collapse_space": self.collapse_space}
        equal = any(_same(answer.text, text, **options) for text in self.expected)
        return Score(float(equal), f"found {quote(answer.text)}, expected one of {quote_all(self.expected)}")


@dataclass(frozen=True, slots=True)
class ExactToken:
    """The whole answer is the token, once its wrapping is peeled off."""

    name: ClassVar[str] = "exact_token"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The whole answer is exactly this token; quotes, markup and one final period do not count."
    schema: ClassVar[JSONObject] = fields_schema(
        TEXT,
        {"expected": TEXT, "ignore_case": {**_IGNORE_CASE, "default": False}},
        ["expected"],
    )

    expected: str
    ignore_case: bool = False

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`"Burstable"` or `{expected, ignore_case}`."""
        fields = Fields(parameters, ("expected", "ignore_case"))
        return cls(fields.text("expected").strip(), fields.flag("ignore_case", default=False))

    def evaluate(self, answer: Answer) -> Score:
        """1 when some peeled form of the answer is the token, else 0."""
        if len(answer.text) > len(self.expected) + MAX_WRAPPING:
            return Score(0.0, f"found {quote(answer.text)}, far more than {quote(self.expected)}")
        for form in peeled(answer.text):
            if _same(form, self.expected, ignore_case=self.ignore_case):
                return Score(1.0, f"found {quote(form)}")
        return Score(0.0, f"found {quote(answer.text)}, expected exactly {quote(self.expected)}")


def _found(texts: tuple[str, ...], text: str) -> tuple[str, ...]:
    folded = plain(text).casefold()
    unescaped = _unescaped(folded)
    return tuple(wanted for wanted in texts if (one := plain(wanted).casefold()) in folded or one in unescaped)


@dataclass(frozen=True, slots=True)
class ContainsAll:
    """The answer contains every expected text."""

    name: ClassVar[str] = "contains_all"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The share of these texts that the answer contains, upper and lower case alike."
    schema: ClassVar[JSONObject] = fields_schema(TEXTS, {"expected": TEXTS}, ["expected"])

    expected: tuple[str, ...]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`[a, b]` or `{expected}`."""
        return cls(Fields(parameters, ("expected",)).texts("expected"))

    def evaluate(self, answer: Answer) -> Score:
        """Found ÷ all."""
        found = _found(self.expected, answer.text)
        missing = tuple(text for text in self.expected if text not in found)
        if not missing:
            return Score(1.0, f"contains {quote_all(found)}")
        return Score(len(found) / len(self.expected), f"missing {quote_all(missing)} in {quote(answer.text)}")


@dataclass(frozen=True, slots=True)
class ContainsAny:
    """The answer contains one of the expected texts."""

    name: ClassVar[str] = "contains_any"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The answer contains at least one of these texts, upper and lower case alike."
    schema: ClassVar[JSONObject] = fields_schema(TEXTS, {"expected": TEXTS}, ["expected"])

    expected: tuple[str, ...]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`[a, b]` or `{expected}`."""
        return cls(Fields(parameters, ("expected",)).texts("expected"))

    def evaluate(self, answer: Answer) -> Score:
        """1 when one is found, else 0."""
        found = _found(self.expected, answer.text)
        if found:
            return Score(1.0, f"contains {quote_all(found)}")
        return Score(0.0, f"found {quote(answer.text)}, expected one of {quote_all(self.expected)}")


@dataclass(frozen=True, slots=True)
class NotContains:
    """The answer contains none of the texts, and is not empty."""

    name: ClassVar[str] = "not_contains"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The answer contains none of these texts; an empty answer scores 0."
    schema: ClassVar[JSONObject] = fields_schema(TEXTS, {"unwanted": TEXTS}, ["unwanted"])

    unwanted: tuple[str, ...]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`[a, b]` or `{unwanted}`."""
        return cls(Fields(parameters, ("unwanted",)).texts("unwanted"))

    def evaluate(self, answer: Answer) -> Score:
        """1 when none is found, else 0."""
        if is_silent(answer):
            return SILENT
        found = _found(self.unwanted, answer.text)
        if found:
            return Score(0.0, f"contains {quote_all(found)}, expected none of it")
        return Score(1.0, f"contains none of {quote_all(self.unwanted)}")
