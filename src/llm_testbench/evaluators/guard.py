"""Evaluating so that a fault in an evaluator becomes a value, never an exception."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.running import EvaluatorError, evaluate_in, score_of_result
from llm_testbench.evaluators.score import Evaluator, Score, SpecError
from llm_testbench.sandbox.model import SandboxError
from llm_testbench.sandbox.programs import CLOSED, Workshop


@dataclass(frozen=True, slots=True)
class Crash:
    """The evaluator itself, or the sandbox under it, failed: an error, not a score. `message` is one line."""

    message: str


def evaluate(evaluator: Evaluator, answer: Answer, workshop: Workshop = CLOSED) -> Score | Crash:
    """The score, or what went wrong in the evaluator; never raises. `workshop`: where it runs programs, if it does."""
    return _guarded(evaluator, lambda: evaluate_in(evaluator, answer, workshop))


def evaluate_result(evaluator: Evaluator, printed: str, workshop: Workshop = CLOSED) -> Score | Crash:
    """The same for what a ground truth printed."""
    return _guarded(evaluator, lambda: score_of_result(evaluator, printed, workshop))


def _guarded(evaluator: Evaluator, act: Callable[[], Score]) -> Score | Crash:
    try:
        return act()
    except SandboxError as error:
        return Crash(f"{evaluator.name} could not be checked, the sandbox failed: {quote(str(error), 200)[1:-1]}")
    except SpecError as error:
        return Crash(f"{evaluator.name} is wrong itself: {quote(error.message, 200)[1:-1]}")
    except EvaluatorError as error:
        return Crash(str(error))
