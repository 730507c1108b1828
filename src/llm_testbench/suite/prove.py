"""Suites prove themselves: their checks score their examples as they say, and what they compute is what they expect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.evaluators.running import runs_code
from llm_testbench.evaluators.score import PASS_MARK
from llm_testbench.sandbox.programs import CLOSED, Unavailable, Workshop, side_by_side
from llm_testbench.suite.computed import judged
from llm_testbench.suite.lint import lint
from llm_testbench.suite.mistyped import lint_parameters
from llm_testbench.suite.model import Test
from llm_testbench.suite.offered import lint_offered
from llm_testbench.suite.parts import lint_parts
from llm_testbench.suite.problem import Problem, problem, shown
from llm_testbench.suite.rules import (
    CRASH,
    DUPLICATE_CASE,
    EXAMPLE_SCORE,
    GUESSABLE,
    NO_EXAMPLES,
    NO_RIGHT,
    NO_WRONG,
    TRUTH_DIFFERS,
    TRUTH_FAILS,
    TRUTH_LITERAL,
)

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Unproven:
    """A test of which something could not be tried on this machine, and why: one line."""

    test_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Proof:
    """All in the order of the tests; a test is unproven once. `notes`: what is weak and fails nothing."""

    problems: tuple[Problem, ...] = ()
    unproven: tuple[Unproven, ...] = ()
    notes: tuple[Problem, ...] = ()


def prove(tests: Sequence[Test], workshop: Workshop = CLOSED) -> Proof:
    """What the tests prove, as far as `workshop`, where programs are run, allows; as many at once as it may run."""
    found = side_by_side(lambda test: _proof_of(test, workshop), tests, workshop)
    problems: list[Problem] = []
    first: dict[tuple[str, str, str], Test] = {}
    for test, proof in zip(tests, found, strict=True):
        problems.extend(proof.problems)
        twin = first.setdefault((_base(test.id), test.request_hash, test.check_hash), test)
        if "[" in test.id and twin is not test:
            told = f"asks and checks exactly what {twin.id} does"
            problems.append(problem(DUPLICATE_CASE, test, told, test.place))
    notes = _without_guesses_that_even_out(tests, [note for proof in found for note in proof.notes])
    return Proof(tuple(problems), tuple(unproven for proof in found for unproven in proof.unproven), tuple(notes))


def needs_programs(test: Test) -> bool:
    """Whether proving the test takes a workshop that is open."""
    return test.ground_truth is not None or runs_code(test.evaluator)


def _base(test_id: str) -> str:
    return test_id.partition("[")[0]


def _without_guesses_that_even_out(tests: Sequence[Test], notes: Sequence[Problem]) -> Iterable[Problem]:
    """Who answers all cases of a test alike is wrong in those that expect something else."""
    guesses: dict[str, dict[str, str]] = {}
    for test in tests:
        guesses.setdefault(_base(test.id), {})[test.id] = ""
    for note in notes:
        if note.rule == GUESSABLE:
            guesses[_base(note.test_id)][note.test_id] = note.message.partition(":")[0]
    return [note for note in notes if note.rule != GUESSABLE or len(set(guesses[_base(note.test_id)].values())) == 1]


def _proof_of(test: Test, workshop: Workshop) -> Proof:
    problems: list[Problem] = []
    notes: list[Problem] = []
    missing: list[str] = []
    for found in (
        *_of_examples(test, workshop),
        *_of_coverage(test),
        *lint(test, workshop),
        *lint_parts(test),
        *lint_parameters(test),
        *lint_offered(test),
        *_of_ground_truth(test, workshop),
    ):
        if isinstance(found, Unavailable):
            missing.append(found.reason)
        else:
            (problems if found.severity == "error" else notes).append(found)
    unproven = tuple(Unproven(test.id, shown(reason)) for reason in missing[:1])
    return Proof(tuple(problems), unproven, tuple(notes))


def _of_examples(test: Test, workshop: Workshop) -> Iterator[Problem | Unavailable]:
    for number, example in enumerate(test.examples, start=1):
        score = evaluate(test.evaluator, example.answer, workshop)
        if isinstance(score, Crash):
            yield problem(CRASH, test, f"example {number} crashes the check: {score.message}", example.place)
        elif score.skipped is not None:
            yield Unavailable(score.skipped, score.reason)
        elif abs(score.value - example.score) > TOLERANCE:
            found = f"example {number} must score {example.score:g} but scores {score.value:g}"
            yield problem(EXAMPLE_SCORE, test, f"{found}: {score.reason}", example.place)


def _of_coverage(test: Test) -> Iterator[Problem]:
    right = any(example.score >= PASS_MARK for example in test.examples)
    wrong = any(example.score < PASS_MARK for example in test.examples)
    if not test.examples:
        yield problem(NO_EXAMPLES, test, "has no examples: write one right and one wrong answer", test.place)
    elif not right:
        yield problem(NO_RIGHT, test, "has no right example: write an answer with score 1", test.place)
    elif not wrong:
        yield problem(NO_WRONG, test, "has no wrong example: write an answer with a score below 1", test.place)


def _of_ground_truth(test: Test, workshop: Workshop) -> Iterator[Problem | Unavailable]:
    if test.ground_truth is None:
        return
    found = judged(test.ground_truth, test.evaluator, workshop)
    if isinstance(found, Unavailable):
        yield found
    elif found is not None:
        yield problem(_broken_by(found), test, f"the ground_truth {found}", test.ground_truth.place)


def _broken_by(found: str) -> str:
    """The rule that a ground truth breaks, by the first word of what is told."""
    rules = {"holds": TRUTH_LITERAL, "prints": TRUTH_DIFFERS}
    return TRUTH_FAILS if found.startswith("prints nothing") else rules.get(found.partition(" ")[0], TRUTH_FAILS)
