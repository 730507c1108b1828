"""The check of a number in the answer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.exact import close, exact, numeral
from llm_testbench.evaluators.numbers_in_text import Form, Number, numbers_in
from llm_testbench.evaluators.parameters import Fields, kind
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.evaluators.text import fields_schema
from llm_testbench.json_value import JSON, JSONObject

# Of a longer answer or line only so much is searched, at the end where the pick is made.
MAX_TEXT = 32 * 1024
MAX_LINE = 8 * 1024

_EXPECTED: JSONObject = {
    "type": ["number", "string"],
    "description": 'The number; "3/4", "60%", "12:30" and "2024-05-01" are read as what they are.',
}


_NONE = "no number"
_END = {"last": "end", "first": "start"}
_WHITE_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected, as a value of its form. `percent`: it was written in hundredths."""

    value: Fraction
    form: Form = "number"
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Numeric:
    """The picked number of the answer is the expected one, within the tolerance."""

    name: ClassVar[str] = "numeric"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The last number of the answer (or the first, or the only one) is this, within tolerance."
    schema: ClassVar[JSONObject] = fields_schema(
        _EXPECTED,
        {
            "expected": _EXPECTED,
            "abs_tol": {"type": "number", "minimum": 0, "default": 0, "description": "Allowed difference."},
            "rel_tol": {"type": "number", "minimum": 0, "default": 0, "description": "Allowed share of the expected."},
            "pick": {"enum": ["last", "first", "only"], "default": "last", "description": "Which number counts."},
            "unit": {"const": "percent", "description": "0.6 and 60% are the same."},
        },
        ["expected"],
    )

    expected: float | int | str
    abs_tol: float = 0
    rel_tol: float = 0
    pick: str = "last"
    unit: str | None = None
    target: Expected = field(kw_only=True, compare=False, repr=False)

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`5` or `{expected, abs_tol, rel_tol, pick, unit}`."""
        fields = Fields(parameters, ("expected", "abs_tol", "rel_tol", "pick", "unit"))
        written = fields.value("expected")
        unit = fields.choice("unit", ("percent",), "percent") if fields.has("unit") else None
        if isinstance(written, bool) or not isinstance(written, int | float | str):
            raise SpecError(f"expected a number, found {kind(written)}", fields.path("expected"))
        target = _read_expected(written)
        if target is None:
            raise SpecError(
                f'expected a number, a fraction "3/4", a time "12:30" or a date "2024-05-01", found {written!r:.80}',
                fields.path("expected"),
            )
        if unit is not None and target.form != "number":
            raise SpecError("unit: percent goes with a plain number", fields.path("unit"))
        return cls(
            written,
            fields.number("abs_tol", 0),
            fields.number("rel_tol", 0),
            fields.choice("pick", ("last", "first", "only"), "last"),
            unit,
            target=target,
        )

    def evaluate(self, answer: Answer) -> Score:
        """1 when the picked number is close enough, else 0."""
        number, fault = self._picked(answer.text)
        if number is None:
            return Score(0.0, f"{fault} in {quote(answer.text)}, expected {self._wanted()}")
        return Score(float(self._close(number)), f"found {quote(number.text.strip())}, expected {self._wanted()}")

    def _wanted(self) -> str:
        parts = [str(self.expected)]
        if self.abs_tol:
            parts.append(f"± {self.abs_tol:g}")
        if self.rel_tol:
            parts.append(f"± {self.rel_tol * 100:g} %")
        return " ".join(parts)

    def _picked(self, text: str) -> tuple[Number | None, str]:
        if self.pick == "only":
            number, fault = self._only(text[:MAX_TEXT])
            if len(text) <= MAX_TEXT or fault != _NONE:
                return number, fault
            return None, f"more than {MAX_TEXT} characters"
        compound: Number | None = None
        for line in _from_the_end(text) if self.pick == "last" else _from_the_start(text):
            plain, compound_here = self._picked_of(line)
            if plain is not None:
                return plain, ""
            compound = compound or compound_here
        return compound, _NONE if len(text) <= MAX_TEXT else f"no number near the {_END[self.pick]}"

    def _picked_of(self, line: str) -> tuple[Number | None, Number | None]:
        """The first or last plain number of the line, and the same of its compounds."""
        plain: Number | None = None
        compound: Number | None = None
        for number in numbers_in(line, self.target.form):
            if number.compound:
                compound = number if compound is None or self.pick == "last" else compound
            elif self.pick == "first":
                return number, compound
            else:
                plain = number
        return plain, compound

    def _only(self, text: str) -> tuple[Number | None, str]:
        plain: Number | None = None
        compounds: list[Number] = []
        for line in text.split("\n"):
            for number in numbers_in(line, self.target.form):
                if number.compound:
                    compounds = [*compounds, number][:2]
                elif plain is not None:
                    return None, _several(plain, number)
                else:
                    plain = number
        if plain is None and len(compounds) > 1:
            return None, _several(*compounds[:2])
        return plain or (compounds[0] if compounds else None), _NONE

    def _close(self, number: Number) -> bool:
        found, expected, abs_tol = number.value, self.target.value, exact(self.abs_tol)
        if found is None:
            return False
        if self.unit == "percent":
            found = _share(found, percent=number.percent)
            if self.target.percent or abs(expected) > 1:  # then the tolerance is in points too
                abs_tol /= 100
            expected = _share(expected, percent=self.target.percent)
        return close(found, expected, abs_tol, exact(self.rel_tol))


def _several(one: Number, other: Number) -> str:
    return f"more than one number ({quote(one.text.strip(), 30)}, {quote(other.text.strip(), 30)})"


def _from_the_start(text: str) -> Iterator[str]:
    for line in text[:MAX_TEXT].split("\n"):
        yield line[:MAX_LINE]


def _from_the_end(text: str) -> Iterator[str]:
    text = _end(text, MAX_TEXT)
    end = len(text)
    while end >= 0:
        start = text.rfind("\n", 0, end) + 1
        yield _end(text[start:end], MAX_LINE)
        end = start - 1


def _end(text: str, length: int) -> str:
    """The last so many characters, without the word that is cut: a part of a number is another number."""
    if len(text) <= length:
        return text
    end = text[-length:]
    cut = _WHITE_SPACE.search(end)
    return end if cut is None else end[cut.end() :]


def _share(value: Fraction, *, percent: bool) -> Fraction:
    """Without a sign, what is above 1 can only be meant as percent."""
    return value / 100 if percent or abs(value) > 1 else value


def _read_expected(written: float | int | str) -> Expected | None:
    if not isinstance(written, str):
        return Expected(exact(written)) if math.isfinite(written) else None
    text = written.strip()
    plain = numeral(text.removesuffix("%").rstrip())
    if plain is not None:
        return Expected(plain, percent=text.endswith("%"))
    forms: tuple[Form, ...] = ("date", "clock", "fraction")
    for form in forms:
        found = list(numbers_in(text, form))
        if len(found) == 1 and found[0].text == text and found[0].value is not None:
            return Expected(found[0].value, form)
    return None
