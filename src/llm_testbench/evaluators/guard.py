"""Evaluating so that a fault in an evaluator becomes a value, never an exception."""

from __future__ import annotations

import math
from dataclasses import dataclass

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.running import evaluate_in
from llm_testbench.evaluators.score import Evaluator, Score, SpecError
from llm_testbench.sandbox.model import SandboxError
from llm_testbench.sandbox.programs import CLOSED, Workshop


@dataclass(frozen=True, slots=True)
class Crash:
    """The evaluator itself, or the sandbox under it, failed: an error, not a score. `message` is one line."""

    message: str


def evaluate(evaluator: Evaluator, answer: Answer, workshop: Workshop = CLOSED) -> Score | Crash:
    """The score, or what went wrong in the evaluator; never raises. `workshop`: where it runs programs, if it does."""
    try:
        score = evaluate_in(evaluator, answer, workshop)
        fault = _fault(score)
    except SandboxError as error:
        return Crash(f"{evaluator.name} could not be checked, the sandbox failed: {quote(str(error), 200)[1:-1]}")
    except SpecError as error:
        return Crash(f"{evaluator.name} is wrong itself: {quote(error.message, 200)[1:-1]}")
    except Exception as error:  # whatever it is, it must not end the run
        fault = f"{type(error).__name__}: {quote(str(error), 200)[1:-1]}"
        return Crash(f"the evaluator {evaluator.name} crashed: {fault}")
    return score if fault is None else Crash(f"the evaluator {evaluator.name} crashed: {fault}")


def _fault(score: Score) -> str | None:
    if not math.isfinite(score.value) or not 0 <= score.value <= 1:
        return f"its value {score.value} is not between 0 and 1"
    return None
