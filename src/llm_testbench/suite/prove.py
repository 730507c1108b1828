"""Suites prove themselves: their checks score their examples as they say, and what they compute is what they expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llm_testbench.answer.model import Answer
from llm_testbench.errors import Place
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.evaluators.running import runs_code
from llm_testbench.evaluators.score import PASS_MARK
from llm_testbench.sandbox.programs import CLOSED, Unavailable, Workshop, side_by_side
from llm_testbench.suite.computed import judged
from llm_testbench.suite.model import Test
from llm_testbench.untrusted import Untrusted

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Problem:
    """What a test fails to prove; `message` is one line."""

    place: Place
    test_id: str
    message: str


@dataclass(frozen=True, slots=True)
class Unproven:
    """A test of which something could not be tried on this machine, and why: one line."""

    test_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Proof:
    """Both in the order of the tests; a test is unproven once."""

    problems: tuple[Problem, ...] = ()
    unproven: tuple[Unproven, ...] = ()


def prove(tests: Sequence[Test], workshop: Workshop = CLOSED) -> Proof:
    """What the tests prove, as far as `workshop`, where programs are run, allows; as many at once as it may run."""
    found = side_by_side(lambda test: _proof_of(test, workshop), tests, workshop)
    problems: list[Problem] = []
    first: dict[tuple[str, str, str], Test] = {}
    for test, proof in zip(tests, found, strict=True):
        problems.extend(proof.problems)
        base, bracket, _ = test.id.partition("[")
        twin = first.setdefault((base, test.request_hash, test.check_hash), test)
        if bracket and twin is not test:
            problems.append(Problem(test.place, test.id, f"asks and checks exactly what {twin.id} does"))
    return Proof(tuple(problems), tuple(unproven for proof in found for unproven in proof.unproven))


def needs_programs(test: Test) -> bool:
    """Whether proving the test takes a workshop that is open."""
    return test.ground_truth is not None or runs_code(test.evaluator)


def _proof_of(test: Test, workshop: Workshop) -> Proof:
    problems: list[Problem] = []
    missing: list[str] = []
    for found in (
        *_of_examples(test, workshop),
        *_of_coverage(test),
        *_of_empty_answer(test, workshop),
        *_of_ground_truth(test, workshop),
    ):
        if isinstance(found, Problem):
            problems.append(found)
        else:
            missing.append(found.reason)
    return Proof(tuple(problems), tuple(Unproven(test.id, _shown(reason)) for reason in missing[:1]))


def _of_examples(test: Test, workshop: Workshop) -> Iterator[Problem | Unavailable]:
    for number, example in enumerate(test.examples, start=1):
        score = evaluate(test.evaluator, example.answer, workshop)
        if isinstance(score, Crash):
            yield Problem(example.place, test.id, f"example {number} crashes the check: {_shown(score.message)}")
        elif score.skipped is not None:
            yield Unavailable(score.skipped, score.reason)
        elif abs(score.value - example.score) > TOLERANCE:
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


def _of_ground_truth(test: Test, workshop: Workshop) -> Iterator[Problem | Unavailable]:
    if test.ground_truth is None:
        return
    found = judged(test.ground_truth, test.evaluator, workshop)
    if isinstance(found, Unavailable):
        yield found
    elif found is not None:
        yield Problem(test.ground_truth.place, test.id, f"the ground_truth {_shown(found)}")


def _shown(text: str) -> str:
    return Untrusted(text).terminal(300)
