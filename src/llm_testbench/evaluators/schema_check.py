"""The check of the answer's JSON against a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.bounded_keywords import TooMuchWorkError, budget_for
from llm_testbench.evaluators.bounded_schema import BoundedValidator, bounded_validator
from llm_testbench.evaluators.json_text import Missing, json_in
from llm_testbench.evaluators.parameters import kind
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.evaluators.structured import no_json
from llm_testbench.json_value import JSON, JSONObject


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """The value is valid against the schema."""

    name: ClassVar[str] = "json_schema"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The answer's JSON is valid against this schema; nothing is fetched."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "description": "A JSON Schema, draft 2020-12 unless $schema names another; references stay inside it.",
    }

    expected: JSONObject
    validator: BoundedValidator = field(kw_only=True, compare=False, repr=False)

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """The schema itself."""
        if not isinstance(parameters, Mapping):
            raise SpecError(f"expected a JSON Schema, found {kind(parameters)}")
        return cls(parameters, validator=bounded_validator(parameters))

    def evaluate(self, answer: Answer) -> Score:
        """1 when valid, else 0 with the first error."""
        found = json_in(answer.text)
        if isinstance(found, Missing):
            return no_json(found, answer)
        try:
            error = self.validator.first_error(found.value, budget_for(answer.text))
        except TooMuchWorkError as fault:
            return Score(0.0, f"the schema could not be applied to this answer: {fault}")
        if error is None:
            return Score(1.0, "the JSON is valid against the schema")
        where = quote(error.json_path.removeprefix("$").removeprefix("."))
        place = f" at {where}" if error.absolute_path else ""
        return Score(0.0, f"the JSON is not valid{place}: {quote(error.message, 160)[1:-1]}")
