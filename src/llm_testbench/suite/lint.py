"""What a check lets through that it should not, shown by answers that no model has to think for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Score
from llm_testbench.sandbox.programs import CLOSED, Workshop
from llm_testbench.suite.cheats import ANYTHING, Kind, cheats
from llm_testbench.suite.model import Test
from llm_testbench.suite.problem import Problem, problem
from llm_testbench.suite.rules import (
    CRASH,
    GUESSABLE,
    PASSES_ANYTHING,
    PASSES_ECHO,
    PASSES_EMPTY,
    PASSES_NUMBER,
    PASSES_WORD,
    SCORES_EMPTY,
)

MOST_FOR_NOTHING = 0.1
"""The most that an empty answer may score without a word about it."""

_RULES: Mapping[Kind, str] = {
    "echo": PASSES_ECHO,
    "number": PASSES_NUMBER,
    "word": PASSES_WORD,
    "guess": GUESSABLE,
}
_ADVICE: Mapping[Kind, str] = {
    "echo": "ask for what the prompt does not say itself, or compare the whole answer (equals, exact_token)",
    "number": "let the expected value stand elsewhere in the prompt, or not at all",
    "word": "let the expected text stand elsewhere in the prompt, or not at all",
    "guess": "ask for more, or write cases with both answers",
}


def lint(test: Test, workshop: Workshop) -> Iterator[Problem]:
    """The cheap answers that pass, most telling first; of several of one kind the first.

    Only the prompt sent back is run where answers are programs: the other texts are none.
    """
    yield from _of_empty_answer(test, workshop)
    if all(_passes(test, text, CLOSED) for text in ANYTHING):
        told = "the check asks for nothing, it only forbids: any other text passes; say what an answer must hold"
        yield problem(PASSES_ANYTHING, test, told)
        return
    passed: set[Kind] = set()
    for cheat in cheats(test):
        # What passes by the whole prompt passes by a piece of it for the same reason.
        if cheat.kind in passed or "echo" in passed:
            continue
        score = _score(test, cheat.text, workshop if cheat.kind == "echo" else CLOSED)
        if score is None or not score.passed:
            continue
        passed.add(cheat.kind)
        text = "" if cheat.kind == "echo" else f" {quote(cheat.text)}"
        told = f"the check passes on {cheat.told}{text}: {score.reason}; {_ADVICE[cheat.kind]}"
        yield problem(_RULES[cheat.kind], test, told)


def _of_empty_answer(test: Test, workshop: Workshop) -> Iterator[Problem]:
    score = evaluate(test.evaluator, normalise(Completion(text="")), workshop)
    if isinstance(score, Crash):
        yield problem(CRASH, test, f"an empty answer crashes the check: {score.message}")
    elif score.passed:
        yield problem(PASSES_EMPTY, test, f"the check passes on an empty answer: {score.reason}")
    elif score.skipped is None and score.value > MOST_FOR_NOTHING:
        told = f"the check gives {score.value:.2g} for an empty answer: {score.reason}"
        yield problem(SCORES_EMPTY, test, told)


def _passes(test: Test, text: str, workshop: Workshop) -> bool:
    score = _score(test, text, workshop)
    return score is not None and score.passed


def _score(test: Test, text: str, workshop: Workshop) -> Score | None:
    """What an answer of that text scores; None where the check crashes, which the examples tell."""
    score = evaluate(test.evaluator, normalise(Completion(text=text)), workshop)
    return score if isinstance(score, Score) else None
