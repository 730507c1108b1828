"""Checks that run programs, and so need a workshop beside the answer."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.score import Evaluator, Score
from llm_testbench.sandbox.programs import Workshop


@runtime_checkable
class InWorkshop(Protocol):
    """What an evaluator has beside `evaluate` if it, or a part of it, may run a program."""

    def evaluate_in(self, answer: Answer, workshop: Workshop) -> Score:
        """The score; skipped where the workshop is unavailable. Raises SandboxError when the sandbox itself fails."""
        ...

    def runs_code(self) -> bool:
        """Whether it runs programs: a composition of plain checks does not."""
        ...


def evaluate_in(evaluator: Evaluator, answer: Answer, workshop: Workshop) -> Score:
    """The score of any evaluator. Raises SandboxError when the sandbox itself fails."""
    if isinstance(evaluator, InWorkshop):
        return evaluator.evaluate_in(answer, workshop)
    return evaluator.evaluate(answer)


def runs_code(evaluator: Evaluator) -> bool:
    """Whether it can score every answer only with a workshop that is open."""
    return isinstance(evaluator, InWorkshop) and evaluator.runs_code()
