"""The result of a check, and the protocol that every evaluator follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

from llm_testbench.answer.model import Answer
from llm_testbench.answer.outcome import Outcome
from llm_testbench.json_value import JSON, JSONObject

PASS_MARK = 0.99


@dataclass(frozen=True, slots=True)
class Score:
    """`value` 0..1, `reason` one line quoting what was found and expected.

    `skipped` names what the machine lacks (then value says nothing).
    """

    value: float
    reason: str
    skipped: Outcome | None = None

    @property
    def passed(self) -> bool:
        """At least PASS_MARK and not skipped."""
        return self.skipped is None and self.value >= PASS_MARK


class Evaluator(Protocol):
    """A check of one answer; a frozen dataclass."""

    name: ClassVar[str]
    """The key in YAML."""
    revision: ClassVar[int]
    """Raised when the same parameters may score differently: it is part of check_hash."""
    summary: ClassVar[str]
    """One line for docs and `list`."""
    schema: ClassVar[JSONObject]
    """JSON Schema of the parameters, short forms included; `{"$ref": "#/$defs/check"}` for a nested check."""

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """Builds it from what stands below its name; raises SpecError."""
        ...

    def evaluate(self, answer: Answer) -> Score:
        """Pure, never raises for any answer, bounded in time."""
        ...


class SpecError(ValueError):
    """A check that cannot be built; `path` leads from the check to the fault (keys and indexes)."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.path = path

    def below(self, *steps: str | int) -> SpecError:
        """The same fault, seen from further out."""
        return SpecError(self.message, (*steps, *self.path))
