"""Checks that run programs, and so need a workshop beside the answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, runtime_checkable

from llm_testbench.answer.model import Answer, Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.outcome import SKIPPED, Outcome
from llm_testbench.evaluators.plugins import said, source_of
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Evaluator, Score, SpecError
from llm_testbench.sandbox.model import SandboxError
from llm_testbench.sandbox.programs import Workshop

_LONGEST_REASON = 300
_LACKING = SKIPPED - {Outcome.NO_CREDENTIALS}


class EvaluatorError(Exception):
    """An evaluator broke its promises; `str()` is one line that names it, and the package that it is from."""


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
    """What an evaluator has if a ground truth cannot print the answer itself: programs have results, calls a form."""

    def score_of_result(self, printed: str, workshop: Workshop) -> Score:
        """The score of an answer that comes to what a ground truth printed. Raises SandboxError, SpecError."""
        ...


def evaluate_in(evaluator: Evaluator, answer: Answer, workshop: Workshop) -> Score:
    """The score of any evaluator. Raises SandboxError when the sandbox itself fails, SpecError, EvaluatorError."""
    if isinstance(evaluator, InWorkshop):
        return _kept(evaluator, lambda: evaluator.evaluate_in(answer, workshop))
    return _kept(evaluator, lambda: evaluator.evaluate(answer))


def score_of_result(evaluator: Evaluator, printed: str, workshop: Workshop) -> Score:
    """The score of what a ground truth printed, which elsewhere is the answer itself. Raises as those above do."""
    if isinstance(evaluator, ScoresResults):
        return _kept(evaluator, lambda: evaluator.score_of_result(printed, workshop))
    return evaluate_in(evaluator, normalise(Completion(text=printed)), workshop)


def runs_code(evaluator: Evaluator) -> bool:
    """Whether it can score every answer only with a workshop that is open."""
    return isinstance(evaluator, InWorkshop) and evaluator.runs_code()


def _kept(evaluator: Evaluator, act: Callable[[], Score]) -> Score:
    """The score as promised: a composition would hide a value out of bounds in its mean."""
    try:
        score = act()
    except (SandboxError, SpecError, EvaluatorError, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever it is, it must not end the run
        raise EvaluatorError(f"{_named(evaluator)} crashed: {said(error)}") from error
    fault = _fault(score)
    if fault is not None:
        raise EvaluatorError(f"{_named(evaluator)} crashed: {fault}")
    if source_of(evaluator.name) is None:
        return score
    return replace(score, value=float(score.value), reason=quote(score.reason, _LONGEST_REASON)[1:-1])


def _named(evaluator: Evaluator) -> str:
    source = source_of(evaluator.name)
    return f"the evaluator {evaluator.name}" + (f" of the package {source}" if source is not None else "")


def _fault(score: object) -> str | None:
    if not isinstance(score, Score):
        return f"it gave {type(score).__name__} instead of a Score"
    value: object = score.value
    if not isinstance(value, int | float) or isinstance(value, bool):
        return f"its value is of type {type(value).__name__}, not a number"
    if not math.isfinite(value) or not 0 <= value <= 1:
        return f"its value {value} is not between 0 and 1"
    reason: object = score.reason
    if not isinstance(reason, str):
        return f"its reason is of type {type(reason).__name__}, not a text"
    if score.skipped is not None and score.skipped not in _LACKING:
        return f"it says {score.skipped!r} where it says what is lacking"
    return None
