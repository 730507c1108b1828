"""Suites prove themselves: each check must score the suite's own examples as they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llm_testbench.answer.model import Answer
from llm_testbench.errors import Place
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.evaluators.score import PASS_MARK
from llm_testbench.sandbox.programs import CLOSED, Workshop
from llm_testbench.suite.model import Test
from llm_testbench.untrusted import Untrusted

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Problem:
    """What a test fails to prove; `message` is one line."""

    place: Place
    test_id: str
    message: str


def prove(tests: Sequence[Test], workshop: Workshop = CLOSED) -> tuple[Problem, ...]:
    """The problems of all tests, in their order; a check that lacks a toolchain proves nothing and is no problem.

    `workshop`: where checks run programs.
    """
    problems: list[Problem] = []
    first: dict[tuple[str, str, str], Test] = {}
    for test in tests:
        problems.extend(_of_examples(test, workshop))
        problems.extend(_of_coverage(test))
        problems.extend(_of_empty_answer(test, workshop))
        base, bracket, _ = test.id.partition("[")
        twin = first.setdefault((base, test.request_hash, test.check_hash), test)
        if bracket and twin is not test:
            problems.append(Problem(test.place, test.id, f"asks and checks exactly what {twin.id} does"))
    return tuple(problems)


def _of_examples(test: Test, workshop: Workshop) -> Iterator[Problem]:
    for number, example in enumerate(test.examples, start=1):
        score = evaluate(test.evaluator, example.answer, workshop)
        if isinstance(score, Crash):
            yield Problem(example.place, test.id, f"example {number} crashes the check: {_shown(score.message)}")
        elif score.skipped is None and abs(score.value - example.score) > TOLERANCE:
            found = f"example {number} must score {example.score:g} but scores {score.value:g}"
            yield Problem(example.place, test.id, f"{found}: {_shown(score.reason)}")


def _of_coverage(test: Test) -> Iterator[Problem]:
    right = any(example.score >= PASS_MARK for example in test.examples)
    wrong = any(example.score < PASS_MARK for example in test.examples)
    if not test.examples:
        yield Problem(test.place, test.id, "has no examples: write one right and one wrong answer")
    elif not right:
        yield Problem(test.place, test.id, "has no right example: write an answer with score 1")
    elif not wrong:
        yield Problem(test.place, test.id, "has no wrong example: write an answer with a score below 1")


def _of_empty_answer(test: Test, workshop: Workshop) -> Iterator[Problem]:
    score = evaluate(test.evaluator, Answer(text=""), workshop)
    if isinstance(score, Crash):
        yield Problem(test.place, test.id, f"an empty answer crashes the check: {_shown(score.message)}")
    elif score.passed:
        yield Problem(test.place, test.id, f"the check passes on an empty answer: {_shown(score.reason)}")


def _shown(text: str) -> str:
    return Untrusted(text).terminal(300)
