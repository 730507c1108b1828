"""Card numbers for tests: many are right, so that no list of texts can check them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from llm_testbench.evaluators.public import JSON, Answer, Fields, JSONObject, Score, SpecError, quote

_NUMBER = re.compile(r"[0-9](?:[ -]?[0-9])*")


@dataclass(frozen=True, slots=True)
class HasLuhn:
    """The last number of the answer ends in the right check digit."""

    name: ClassVar[str] = "has_luhn"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "The last number of the answer has this many digits, and its check digit is right."
    schema: ClassVar[JSONObject] = {
        "anyOf": [
            {"type": "integer", "minimum": 2},
            {
                "type": "object",
                "properties": {"digits": {"type": "integer", "minimum": 2, "description": "How many there must be."}},
                "required": ["digits"],
                "additionalProperties": False,
            },
        ]
    }

    digits: int

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`16` or `{digits: 16}`."""
        digits = Fields(parameters, ("digits",)).value("digits")
        if not isinstance(digits, int) or isinstance(digits, bool) or digits < 2:
            raise SpecError("expected a number of digits, at least 2")
        return cls(digits)

    def evaluate(self, answer: Answer) -> Score:
        """1 or 0."""
        found = _NUMBER.findall(answer.text)
        number = re.sub("[ -]", "", found[-1]) if found else ""
        if len(number) != self.digits:
            return Score(0, f"found {quote(number)}, expected {self.digits} digits")
        total = sum(sum(divmod(int(digit) * (1 + place % 2), 10)) for place, digit in enumerate(reversed(number)))
        return Score(float(total % 10 == 0), f"found {quote(number)}, its check sum is {total}")
