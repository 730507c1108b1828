"""Card numbers for tests: many are right, so that no list of texts can check them."""

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from llm_testbench.evaluators.public import JSON, Answer, JSONObject, Score, SpecError, quote


@dataclass(frozen=True)
class HasLuhn:
    """The last number of the answer ends in the right check digit."""

    name: ClassVar[str] = "has_luhn"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "The last number of the answer has this many digits, and its check digit is right."
    schema: ClassVar[JSONObject] = {"type": "integer", "minimum": 2}

    digits: int

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`16`."""
        if not isinstance(parameters, int) or parameters < 2:
            raise SpecError("expected how many digits there must be, at least 2")
        return cls(parameters)

    def evaluate(self, answer: Answer) -> Score:
        """1 or 0."""
        found = re.findall("[0-9](?:[ -]?[0-9])*", answer.text)
        number = re.sub("[ -]", "", found[-1]) if found else ""
        if len(number) != self.digits:
            return Score(0, f"found {quote(number)}, expected {self.digits} digits")
        doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number)))
        total = sum(sum(divmod(value, 10)) for value in doubled)
        return Score(float(total % 10 == 0), f"found {quote(number)}, its check sum is {total}")
