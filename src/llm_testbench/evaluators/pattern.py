"""The check of the answer's text by a regular expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

import regex

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.bounded_regex import Pattern, compile_bounded, in_time, refuse_empty_match, time_limit
from llm_testbench.evaluators.parameters import Fields, kind
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.evaluators.text import TEXT, fields_schema
from llm_testbench.evaluators.typography import forms, plain
from llm_testbench.json_value import JSON, JSONObject

_FLAGS = "imsx"
PATTERN: JSONObject = {"type": "string", "minLength": 1, "maxLength": 2000, "description": "A regular expression."}


@dataclass(frozen=True, slots=True)
class Regex:
    """The pattern is found in the answer, and its group holds what is expected."""

    name: ClassVar[str] = "regex"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The pattern is found in the answer; with `expected`, its group holds that text."
    schema: ClassVar[JSONObject] = fields_schema(
        PATTERN,
        {
            "pattern": PATTERN,
            "flags": {
                "type": "string",
                "pattern": "^[imsx]*$",
                "description": "i: ignore case, m: ^ and $ at every line, s: . also matches a line break, x: verbose.",
            },
            "group": {"type": ["integer", "string"], "description": "Number or name of a group; 0 is the whole match."},
            "expected": {**TEXT, "description": "What the group must hold."},
        },
        ["pattern"],
    )

    pattern: str
    flags: str = ""
    group: int | str = 0
    expected: str | None = None
    compiled: Pattern = field(kw_only=True, compare=False, repr=False)

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`"pattern"` or `{pattern, flags, group, expected}`."""
        fields = Fields(parameters, ("pattern", "flags", "group", "expected"))
        pattern = fields.value("pattern")
        path = fields.path("pattern")
        if not isinstance(pattern, str):
            raise SpecError(f"expected a pattern, found {kind(pattern)} (put quotes around it)", path)
        flags = _read_flags(fields)
        compiled = compile_bounded(pattern, flags, path)
        refuse_empty_match(compiled, pattern, path)
        return cls(
            pattern,
            flags,
            _read_group(fields, compiled),
            fields.text("expected", empty=True) if fields.has("expected") else None,
            compiled=compiled,
        )

    def evaluate(self, answer: Answer) -> Score:
        """1 when found (and the group equals `expected`, outer white space aside), else 0."""
        limit = time_limit(answer.text)
        try:
            match = in_time(lambda timeout: self._match(answer.text, timeout), limit)
        except TimeoutError:
            return Score(0.0, f"the pattern {quote(self.pattern)} took longer than {limit:g} s on this answer")
        if match is None:
            return Score(0.0, f"found {quote(answer.text)}, expected a match of {quote(self.pattern)}")
        held = match[self.group]
        if held is None:
            return Score(0.0, f"found {quote(match[0])}, where the group {self.group!r} holds nothing")
        if self.expected is None:
            return Score(1.0, f"found {quote(held)}")
        return Score(float(self._equal(held)), f"found {quote(held)}, expected {quote(self.expected)}")

    def _match(self, text: str, timeout: float) -> regex.Match[str] | None:
        found = (self.compiled.search(form, timeout=timeout) for form in forms(text))
        return next((match for match in found if match is not None), None)

    def _equal(self, held: str) -> bool:
        held, expected = plain(held).strip(), plain(self.expected or "").strip()
        if "i" in self.flags:
            return held.casefold() == expected.casefold()
        return held == expected


def _read_flags(fields: Fields) -> str:
    flags = fields.text("flags", empty=True) if fields.has("flags") else ""
    unknown = [letter for letter in flags if letter not in _FLAGS]
    if unknown:
        raise SpecError(f"expected letters out of {_FLAGS}, found {unknown[0]!r}", fields.path("flags"))
    return "".join(sorted(set(flags)))


def _read_group(fields: Fields, compiled: Pattern) -> int | str:
    group = fields.value("group") if fields.has("group") else 0
    if isinstance(group, bool) or not isinstance(group, int | str):
        raise SpecError(f"expected the number or name of a group, found {kind(group)}", fields.path("group"))
    if group != 0 and group not in compiled.groupindex and group not in range(1, compiled.groups + 1):
        raise SpecError(f"the pattern has no group {group!r}", fields.path("group"))
    return group
