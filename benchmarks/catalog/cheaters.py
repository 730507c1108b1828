"""Answers of somebody who reads a prompt and understands nothing.

Found otherwise than suite/cheats.py does: the catalog was written until that found nothing any more.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from llm_testbench.answer.model import Answer, ToolCall
from llm_testbench.evaluators.guard import evaluate
from llm_testbench.evaluators.running import runs_code
from llm_testbench.evaluators.score import Score
from llm_testbench.sandbox.programs import CLOSED, Workshop, side_by_side
from llm_testbench.suite.model import Test

_NUMBER = re.compile(r"-?\d[\d,_]*(?:\.\d+)?")
_QUOTED = re.compile(r"\"([^\"\n]{1,60})\"|`([^`\n]{1,60})`|'([^'\n]{1,60})'")
_OFFERED = re.compile(r"[\w.-]+(?:, [\w.-]+)*,? or [\w.-]+")


@dataclass(frozen=True)
class Earned:
    """What one way to cheat earns over all tests: the mean score, and the tests that it passes."""

    cheat: str
    mean: float
    passed: tuple[str, ...]


def earned(tests: Sequence[Test], workshop: Workshop) -> list[Earned]:
    """In the order of CHEATS."""
    return [_earned(name, cheat, tests, workshop) for name, cheat in CHEATS.items()]


def prompt_of(test: Test) -> str:
    """All that the model is told, the tools apart."""
    contents = (message.get("content") for message in test.messages)
    return "\n".join(content if isinstance(content, str) else json.dumps(content) for content in contents)


def _earned(name: str, cheat: Callable[[Test], Answer], tests: Sequence[Test], workshop: Workshop) -> Earned:
    def score(test: Test) -> float:
        answer = cheat(test)
        # A word or a number is no program; only whole prompts are worth a run.
        run = workshop if runs_code(test.evaluator) and len(answer.text) > len(_REFUSAL) else CLOSED
        found = evaluate(test.evaluator, answer, run)
        assert isinstance(found, Score), found
        assert found.skipped is None or run is CLOSED, found
        return found.value

    scores = side_by_side(score, tests, workshop)
    return Earned(
        name, mean(scores), tuple(test.id for test, value in zip(tests, scores, strict=True) if value >= 0.99)
    )


def _first(found: Sequence[str]) -> str:
    return found[0] if found else ""


def _numbers(test: Test) -> list[str]:
    return [match[0].rstrip(",_") for match in _NUMBER.finditer(prompt_of(test))]


def _quoted(test: Test) -> list[str]:
    return [next(filter(None, match.groups())) for match in _QUOTED.finditer(prompt_of(test))]


def _option(test: Test) -> str:
    """Of what the prompt quotes or offers with an `or`, what it says most often."""
    prompt = prompt_of(test)
    offered = [word for match in _OFFERED.finditer(prompt) for word in re.split(r",? or |, ", match[0])]
    counted = Counter(
        {word: len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", prompt)) for word in offered + _quoted(test)}
    )
    return counted.most_common(1)[0][0] if counted else ""


def _first_tool(test: Test) -> Answer:
    if not test.tools:
        return Answer("")
    function = test.tools[0]["function"]
    assert isinstance(function, Mapping)
    return Answer("", tool_calls=(ToolCall(str(function["name"]), {}, "{}"),))


def _says(text: Callable[[Test], str]) -> Callable[[Test], Answer]:
    return lambda test: Answer(text(test))


_REFUSAL = "I am sorry, but I cannot help with that."

CHEATS: Mapping[str, Callable[[Test], Answer]] = {
    "an empty answer": _says(lambda _: ""),
    "the prompt echoed": _says(prompt_of),
    "its first number": _says(lambda test: _first(_numbers(test))),
    "its last number": _says(lambda test: _first(_numbers(test)[::-1])),
    "its most common option word": _says(_option),
    "its first quoted text": _says(lambda test: _first(_quoted(test))),
    "its last quoted text": _says(lambda test: _first(_quoted(test)[::-1])),
    "its last word": _says(lambda test: _first(prompt_of(test).split()[::-1])),
    "yes": _says(lambda _: "yes"),
    "no": _says(lambda _: "no"),
    "zero": _says(lambda _: "0"),
    "one": _says(lambda _: "1"),
    "an empty object": _says(lambda _: "{}"),
    "an empty list": _says(lambda _: "[]"),
    "a refusal": _says(lambda _: _REFUSAL),
    "the first tool called without arguments": _first_tool,
}
