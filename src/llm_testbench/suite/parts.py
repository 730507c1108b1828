"""Parts of a composed check that decide nothing: by their weight, or as far as the examples show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llm_testbench.evaluators.composition import All, Any, Mean
from llm_testbench.evaluators.guard import evaluate
from llm_testbench.evaluators.score import PASS_MARK, Evaluator, Score
from llm_testbench.suite.model import Test
from llm_testbench.suite.problem import Problem, problem
from llm_testbench.suite.rules import NEVER_FAILS, NEVER_SCORES, UNREACHABLE_WEIGHT


def lint_parts(test: Test) -> Iterator[Problem]:
    """Weights at any depth; what the examples show of the outermost parts, but for those that run programs."""
    yield from _of_weights(test, test.evaluator, "")
    yield from _of_examples(test, test.evaluator)


def _of_weights(test: Test, check: Evaluator, path: str) -> Iterator[Problem]:
    if isinstance(check, Mean):
        yield from _of_mean(test, check, path)
    if isinstance(check, All | Any | Mean):
        for index, part in enumerate(check.parts()):
            yield from _of_weights(test, part, f"{path}{check.name}[{index}].")


def _of_mean(test: Test, check: Mean, path: str) -> Iterator[Problem]:
    """Without a part of at most 1 % of the weight the rest still passes: nothing fails by it.

    Parts that all weigh the same decide together, however many they are.
    """
    total = sum(part.weight for part in check.checks)
    heaviest = max(part.weight for part in check.checks)
    for index, part in enumerate(check.checks):
        if part.weight < heaviest and (total - part.weight) / total >= PASS_MARK:
            where = f"{path}mean[{index}] ({part.check.name})"
            share = f"{100 * part.weight / total:.2g} % of all"
            told = f"the weight of {where} is {share}: an answer that fails it passes all the same; raise it"
            yield problem(UNREACHABLE_WEIGHT, test, told)


def _of_examples(test: Test, check: Evaluator) -> Iterator[Problem]:
    if not isinstance(check, All | Any | Mean):
        return
    parts = check.parts()
    seen = [(_name(check, index, part), _scores(test, part)) for index, part in enumerate(parts)]
    refused = any(example.score < PASS_MARK for example in test.examples)
    if refused and not isinstance(check, Any):
        idle = [name for name, scores in seen if scores and all(score.passed for score in scores)]
        if idle:
            told = f"every example passes {', '.join(idle)}: add a wrong answer that fails there"
            yield problem(NEVER_FAILS, test, told)
    if not isinstance(check, All):
        unmet = [name for name, scores in seen if scores and not any(score.passed for score in scores)]
        if unmet:
            told = f"no example passes {', '.join(unmet)}: add a right answer that does"
            yield problem(NEVER_SCORES, test, told)


def _scores(test: Test, part: Evaluator) -> Sequence[Score]:
    """What the part gives to each example; nothing where one takes a program, which is not run once more for this."""
    found = [evaluate(part, example.answer) for example in test.examples]
    scores = [score for score in found if isinstance(score, Score) and score.skipped is None]
    return scores if len(scores) == len(found) else ()


def _name(check: Evaluator, index: int, part: Evaluator) -> str:
    return f"{check.name}[{index}] ({part.name})"
