"""Checks that run programs, and so need a workshop beside the answer."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from llm_testbench.answer.model import Answer, Completion
from llm_testbench.answer.normalise import normalise
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


@runtime_checkable
class ScoresResults(Protocol):
    """What an evaluator has if the answers it checks are programs: those have a result that can be computed."""

    def score_of_result(self, printed: str, workshop: Workshop) -> Score:
        """The score of an answer whose result is what a ground truth printed. Raises SandboxError, SpecError."""
        ...


def evaluate_in(evaluator: Evaluator, answer: Answer, workshop: Workshop) -> Score:
    """The score of any evaluator. Raises SandboxError when the sandbox itself fails."""
    if isinstance(evaluator, InWorkshop):
        return evaluator.evaluate_in(answer, workshop)
    return evaluator.evaluate(answer)


def score_of_result(evaluator: Evaluator, printed: str, workshop: Workshop) -> Score:
    """The score of what a ground truth printed, which elsewhere is the answer itself. Raises as those above do."""
    if isinstance(evaluator, ScoresResults):
        return evaluator.score_of_result(printed, workshop)
    return evaluate_in(evaluator, normalise(Completion(text=printed)), workshop)


def runs_code(evaluator: Evaluator) -> bool:
    """Whether it can score every answer only with a workshop that is open."""
    return isinstance(evaluator, InWorkshop) and evaluator.runs_code()
