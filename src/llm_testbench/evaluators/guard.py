"""Evaluating so that a fault in an evaluator becomes a value, never an exception."""

from __future__ import annotations

import math
from dataclasses import dataclass

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Evaluator, Score


@dataclass(frozen=True, slots=True)
class Crash:
    """The evaluator itself failed: the attempt is an error, not a score. `message` is one line."""

    message: str


def evaluate(evaluator: Evaluator, answer: Answer) -> Score | Crash:
    """The score, or what went wrong in the evaluator; never raises."""
    try:
        score = evaluator.evaluate(answer)
        fault = _fault(score)
    except Exception as error:  # whatever it is, it must not end the run
        fault = f"{type(error).__name__}: {quote(str(error), 200)[1:-1]}"
        return Crash(f"the evaluator {evaluator.name} crashed: {fault}")
    return score if fault is None else Crash(f"the evaluator {evaluator.name} crashed: {fault}")


def _fault(score: Score) -> str | None:
    if not math.isfinite(score.value) or not 0 <= score.value <= 1:
        return f"its value {score.value} is not between 0 and 1"
    return None
