from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import pytest

from llm_testbench.answer.model import Answer
from llm_testbench.answer.outcome import Outcome
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.score import Score
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.sandbox.model import SandboxError
from llm_testbench.sandbox.programs import Closed, Workshop


@dataclass(frozen=True)
class Faulty:
    """Raises or returns what it is given."""

    name: ClassVar[str] = "faulty"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "A fault."
    schema: ClassVar[JSONObject] = {}

    outcome: BaseException | Score

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        raise NotImplementedError

    def evaluate(self, answer: Answer) -> Score:
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


def test_a_score_passes_through() -> None:
    assert evaluate(build({"equals": "a"}), Answer("a")) == Score(1.0, "found 'a', expected 'a'")
    skipped = Score(0.0, "no compiler", Outcome.TOOLCHAIN_MISSING)
    assert evaluate(Faulty(skipped), Answer("a")) == skipped


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (ValueError("bad\nvalue"), "the evaluator faulty crashed: ValueError: bad value"),
        (RecursionError("deep"), "the evaluator faulty crashed: RecursionError: deep"),
        (MemoryError(), "the evaluator faulty crashed: MemoryError:"),
        (KeyError("x" * 500), None),
        (Score(math.nan, ""), "the evaluator faulty crashed: its value nan is not between 0 and 1"),
        (Score(math.inf, ""), "the evaluator faulty crashed: its value inf is not between 0 and 1"),
        (Score(1.5, ""), "the evaluator faulty crashed: its value 1.5 is not between 0 and 1"),
        (Score(-0.1, ""), "the evaluator faulty crashed: its value -0.1 is not between 0 and 1"),
    ],
    ids=repr,
)
def test_a_fault_becomes_a_crash_of_one_line(fault: BaseException | Score, message: str | None) -> None:
    crash = evaluate(Faulty(fault), Answer("a"))
    assert isinstance(crash, Crash)
    assert message is None or crash.message == message
    assert len(crash.message) < 300
    assert len(crash.message.splitlines()) == 1


@dataclass(frozen=True)
class Running(Faulty):
    """Scores 1 in the one workshop that it wants."""

    def runs_code(self) -> bool:
        return True

    def evaluate_in(self, answer: Answer, workshop: Workshop) -> Score:
        return Score(float(workshop is WORKSHOP), "") if isinstance(self.outcome, Score) else self.evaluate(answer)


WORKSHOP = Closed("this one")


def test_a_check_that_runs_programs_is_given_the_workshop() -> None:
    assert evaluate(Running(Score(0.0, "")), Answer("a"), WORKSHOP) == Score(1.0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("the launcher is\ngone", "faulty could not be checked, the sandbox failed: the launcher is gone"),
        ("x" * 500, f"faulty could not be checked, the sandbox failed: {'x' * 199}…"),
    ],
)
def test_a_fault_of_the_sandbox_is_an_error_and_no_crash_of_the_evaluator(words: str, message: str) -> None:
    assert evaluate(Running(SandboxError(words)), Answer("a"), WORKSHOP) == Crash(message)


def test_an_interrupt_is_no_fault_of_the_evaluator() -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluate(Faulty(KeyboardInterrupt()), Answer("a"))
