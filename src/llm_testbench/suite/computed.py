"""Ground truths: what they compute must be what the check expects, and they must compute it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llm_testbench.evaluators.guard import Crash, evaluate_result
from llm_testbench.evaluators.program_failure import failure_of
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Evaluator, Score
from llm_testbench.possessive import possessive
from llm_testbench.sandbox.model import Ran, SandboxError
from llm_testbench.sandbox.programs import CLOSED, Program, Unavailable, Workshop
from llm_testbench.suite.model import GroundTruth

_NUMBER = re.compile(r"(?<![\w.])[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][-+]?[0-9]+)?(?![\w.])")
# A quote that ends nothing takes the rest of its line along: the search would begin again behind each of many.
_TEXT = re.compile(r"""(['"])(""" + possessive(r"(?!\1)[^\\\n]|\\.") + r")(\1?)|`([^`]+)`")
_MOST_LITERALS = 200
_SHORTEST_COPY = 4  # characters: [0] and {} stand anywhere


def judged(truth: GroundTruth, evaluator: Evaluator, workshop: Workshop) -> str | Unavailable | None:
    """Runs it. What is wrong with it, one line; None when nothing is; Unavailable where it cannot be told here."""
    literal = held_literal(truth.program, evaluator)
    if literal is not None:
        return f"holds the expected value as a literal, {quote(literal)}: compute it"
    try:
        ran = _ran(truth, workshop)
    except SandboxError as error:
        return f"could not be run, the sandbox failed: {quote(str(error), 200)[1:-1]}"
    if not isinstance(ran, Ran):
        return ran
    printed = ran.stdout.decode("utf-8", "replace")
    if not printed.strip():
        return "prints nothing: it must print the expected value"
    score = evaluate_result(evaluator, printed, workshop)
    if isinstance(score, Crash):
        return f"prints {quote(printed)}, which crashes the check: {score.message}"
    if score.skipped is not None:
        return Unavailable(score.skipped, score.reason)
    if not score.passed:
        return f"prints {quote(printed)}, which the check does not expect: {score.reason}"
    if _is_copied(printed, truth.program):
        return f"holds the expected value as a literal, {quote(printed)}: compute it"
    return None


def held_literal(program: str, evaluator: Evaluator) -> str | None:
    """A literal of the program that the check takes for the expected value.

    That is a number of two digits or more, or the program's only text: between several texts a program may choose.
    """
    for literal in _literals(program):
        score = evaluate_result(evaluator, literal, CLOSED)
        if isinstance(score, Score) and score.passed:
            return literal
    return None


def _literals(program: str) -> Iterator[str]:
    numbers = dict.fromkeys(match[0] for match in _NUMBER.finditer(program))
    yield from [number for number in numbers if sum(map(str.isdigit, number)) > 1][:_MOST_LITERALS]
    texts = {match[4] or match[2] for match in _TEXT.finditer(program) if match[4] or (match[2] and match[3])}
    if len(texts) == 1:
        yield from texts


def _ran(truth: GroundTruth, workshop: Workshop) -> Ran | Unavailable | str:
    """What became of it, or why it came to nothing."""
    program = Program(truth.language, truth.program)
    finished = workshop.run(program)
    if isinstance(finished, Unavailable):
        return finished
    failure = failure_of(finished, program)
    if failure is not None or finished.ran is None:
        return f"fails: {failure}"
    return finished.ran


def _is_copied(printed: str, program: str) -> bool:
    """Whether the array or object that was printed stands in the program as it is, whatever its quotes and spaces."""
    value = _squeezed(printed)
    return value[:1] in ("[", "{") and len(value) > _SHORTEST_COPY and value in _squeezed(program)


def _squeezed(text: str) -> str:
    return re.sub(r"""[\s'"]""", "", text)
