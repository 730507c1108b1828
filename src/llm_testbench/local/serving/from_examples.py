"""Answers from the examples that suites state: right ones and wrong ones, in the share that is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.answer.model import Completion
from llm_testbench.evaluators.score import PASS_MARK
from llm_testbench.local.serving.answers import Answer, Refused, Said, Turns
from llm_testbench.local.serving.chance import chance
from llm_testbench.local.serving.question import Question, key_of
from llm_testbench.local.serving.response import as_error
from llm_testbench.suite.model import Example, Test

MODEL = "examples"
"""What it calls itself; it answers under any other name, too."""


class Examples:
    """Answers a test with one of its own examples.

    `right`: the share of right answers. Which answer comes follows from `seed`, the model's name, the test, and the
    seed in the request or else the number of times that the model was asked the test.
    """

    def __init__(self, tests: Sequence[Test], right: float, seed: int) -> None:
        self._tests: dict[str, Test] = {}
        self._right = right
        self._seed = seed
        self._turns = Turns()
        for test in tests:
            self._tests.setdefault(key_of(list(test.messages), list(test.tools)), test)

    @property
    def models(self) -> tuple[str, ...]:
        """One."""
        return (MODEL,)

    def answer(self, question: Question) -> Answer:
        """An example of the test that asks this; an HTTP error for what no test asks."""
        test = self._tests.get(question.key)
        if test is None:
            message = "no selected test has these messages and tools: name its suite with --suites"
            return Refused(as_error(400, message, "invalid_request_error"), "no such test")
        asked = (self._seed, question.model, test.id)
        turn = self._turns.next((*asked, question.seed)) if question.seed is None else question.seed
        wants_right = chance("right", *asked, turn) < self._right
        fitting = examples_of(test, right=wants_right)
        if not fitting:
            # An empty answer is wrong in every suite that proves itself; a right one cannot be made up.
            return Said(Completion(""), test.id)
        return Said(_completion(fitting[int(chance("which", *asked, turn) * len(fitting))]), test.id)


def examples_of(test: Test, *, right: bool) -> tuple[Example, ...]:
    """The examples that pass, or those that do not."""
    return tuple(example for example in test.examples if (example.score >= PASS_MARK) is right)


def lacking(tests: Sequence[Test], right: float) -> tuple[str, ...]:
    """One line for each test that has no example of a kind that is needed for this share."""
    lines: list[str] = []
    for test in tests:
        if right > 0 and not examples_of(test, right=True):
            lines.append(f"{test.id} has no right example: every right answer is an empty one, and so wrong")
        if right < 1 and not examples_of(test, right=False):
            lines.append(f"{test.id} has no wrong example: every wrong answer is an empty one")
    return tuple(lines)


def _completion(example: Example) -> Completion:
    said = example.answer
    return Completion(text=said.text, reasoning=said.reasoning, tool_calls=said.tool_calls)
