"""The suites of the scenes, and models that answer them well or badly."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from operator import add, mul, sub
from random import Random
from typing import Any, TypeAlias

from tests.servers.gateway import Reply, Scripted, Stream, chunk, completion, message

Answerer: TypeAlias = Callable[[Mapping[str, Any]], Scripted]
"""From the body of a request to the text of an answer, or to what else a server does."""

ORDERS = """\
category: orders
subcategory: lookup
defaults:
  system: You answer questions about orders for the shop's staff.
tests:
  - id: total-of-order
    prompt: |-
      Order 1042 holds two lamps at 40 euros each and one cable at 5 euros.
      What is its total? Answer with the number alone.
    evaluate: {numeric: 85}
    examples: [{response: "85", score: 1}, {response: "80", score: 0}]
  - id: carrier
    prompt: The parcel went out with Nordpost. Who is the carrier? One word.
    must_pass: true
    evaluate: {equals: Nordpost}
    examples: [{response: Nordpost, score: 1}, {response: Post, score: 0}]
  - id: items
    prompt: List the items of order 1042.
    evaluate: {contains_all: [lamp, cable]}
    examples: [{response: "a lamp, a cable", score: 1}, {response: "a lamp", score: 0.5}]
  - id: late
    prompt: It was due on Monday and came on Wednesday. Was it late? Yes or no.
    evaluate: {equals: "yes"}
    examples: [{response: "yes", score: 1}, {response: "no", score: 0}]
"""
EDITED = ORDERS.replace("What is its total? Answer with the number alone.", "What is its total? Explain briefly.")
ANSWERS = {
    "Explain briefly": "The lamps come to 80 euros, and that is the total.",
    "its total": "85",
    "carrier": "Nordpost",
    "List the items": "Two lamps and one cable.",
    "late": "Yes",
}

KINDS: Mapping[str, tuple[str, Callable[[int, int], int]]] = {
    "prices": ("What do {0} lamps at {1} euros each cost?", mul),
    "parcels": ("A parcel leaves on day {0} of the year and takes {1} days. On which day is it there?", add),
    "stock": ("The shelf holds {0} cables and {1} of them are sold. How many are left?", sub),
    "weights": ("The box weighs {0} g and the lamp in it {1} g. What do both weigh together?", add),
    "returns": ("Of {0} lamps sold, {1} come back. How many stay with the customers?", sub),
}
"""Questions by category, each with two numbers, and how they are answered."""


def sums(count: int) -> dict[str, str]:
    """`count` tests on numbers, spread evenly over the categories: suite files by name."""
    files = {}
    each = count // len(KINDS)
    for kind, (question, right) in KINDS.items():
        cases = [
            f"      n{n}: {{first: {11 + n}, second: {n % 9 + 2}, sum: {right(11 + n, n % 9 + 2)}}}"
            for n in range(each)
        ]
        files[f"evals/{kind}.yaml"] = "\n".join(
            [
                f"category: {kind}",
                "subcategory: numbers",
                "tests:",
                f"  - id: {kind}",
                f"    prompt: {question.format('${first}', '${second}')} Answer with the number alone.",
                "    evaluate: {numeric: '${sum}'}",
                "    examples: [{response: 'It is ${sum}.', score: 1}, {response: unknown, score: 0}]",
                "    cases:",
                *cases,
                "",
            ]
        )
    return files


def scripted(**changes: str) -> Answerer:
    """Every question of ORDERS is answered as in ANSWERS, or as `changes` have it."""
    known = ANSWERS | changes
    return lambda body: next((answer for words, answer in known.items() if words in _question(body)), "I do not know.")


def able(run: str, less: float = 0.0, shaky: float = 0.15) -> Answerer:
    """A model that answers most questions on numbers always, a share of `shaky` now and then, each `less` likely.

    `run`: names the draws; the seed of a request chooses among them, so that they do not depend on the order of asking.
    """

    def answer(body: Mapping[str, Any]) -> str:
        question = _question(body)
        chance = _chance(question, shaky) - less
        right = Random(f"{run} {question} {body['seed']}").random() < chance
        return str(_right(question) + (0 if right else 1))

    return answer


def rough(answer: Answerer) -> Answerer:
    """The same model behind a server that has too much to do, cuts answers, and wants requests its own way."""
    times: Counter[str] = Counter()

    def said(body: Mapping[str, Any]) -> Scripted:
        if "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return Reply({"error": {"message": words, "param": "max_tokens"}}, 400)
        asked = f"{_question(body)} {body['seed']}"
        times[asked] += 1
        draw = Random(asked).random()
        if draw < 0.1 and times[asked] == 1:
            return Reply({"error": {"message": "too many requests"}}, 429, {"Retry-After": "0.05"})
        if draw < 0.15 and times[asked] == 1:
            return Reply({"error": {"message": "the worker restarts"}}, 503, {"Retry-After": "0.05"})
        if draw < 0.17:
            return Reply({"error": {"message": "no worker is left"}}, 500, {"x-should-retry": "false"})
        if draw < 0.2:
            reasoned = message("", reasoning_content="The question is about")
            return completion(reasoned, finish="length", model=body["model"])
        if draw < 0.25:
            return completion("The answer is", finish="length", model=body["model"])
        if draw < 0.5:
            return Stream([chunk(str(answer(body)), finish="stop", model=body["model"])], done=False)
        return answer(body)

    return said


def _chance(question: str, shaky: float) -> float:
    random = Random(question)
    return random.uniform(0.3, 0.9) if random.random() < shaky else 1.0


def _right(question: str) -> int:
    first, second = map(int, re.findall(r"\d+", question))
    return next(right(first, second) for words, right in KINDS.values() if words.format(first, second) in question)


def _question(body: Mapping[str, Any]) -> str:
    return str(body["messages"][-1]["content"])
