"""Examples as answers: in the share that was asked for, always the same."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.unit.suite.suites import load_text

from llm_testbench.json_value import JSON
from llm_testbench.local.serving.answers import Said
from llm_testbench.local.serving.from_examples import Examples, lacking
from llm_testbench.local.serving.question import Question, read_question
from llm_testbench.suite.model import Test

SUITE = """
category: a
subcategory: b
tests:
  - id: whole
    prompt: one
    evaluate: {contains_all: [x]}
    examples:
      - {response: "x 1", score: 1}
      - {response: "x 2", score: 1}
      - {response: "y", score: 0}
      - {response: "z", score: 0}
  - id: only-right
    prompt: two
    evaluate: {contains_all: [x]}
    examples: [{response: "x", score: 1}]
  - id: only-wrong
    prompt: three
    evaluate: {contains_all: [x]}
    examples: [{response: "y", score: 0}]
  - {id: nothing, prompt: four, evaluate: {contains_all: [x]}}
"""


@pytest.fixture
def tests(tmp_path: Path) -> tuple[Test, ...]:
    return load_text(tmp_path, SUITE)


def question(prompt: str, **more: JSON) -> Question:
    body = {"model": "m", "messages": [{"role": "user", "content": prompt}], **more}
    return read_question(json.dumps(body).encode())


def said(answers: Examples, asked: Question) -> str:
    answer = answers.answer(asked)
    assert isinstance(answer, Said)
    return answer.completion.text


def test_right_and_wrong_come_in_their_share_from_all_examples(tests: tuple[Test, ...]) -> None:
    answers = Examples(tests, 0.8, 0)
    found = Counter(said(answers, question("one")) for _ in range(2000))
    assert set(found) == {"x 1", "x 2", "y", "z"}
    assert (found["x 1"] + found["x 2"]) / 2000 == pytest.approx(0.8, abs=0.03)
    assert found["x 1"] / (found["x 1"] + found["x 2"]) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("seeded", [True, False])
def test_the_answers_follow_from_the_seeds_the_model_and_the_test(tests: tuple[Test, ...], seeded: bool) -> None:
    def series(seed: int, model: str = "m", first: int = 0) -> list[str]:
        answers = Examples(tests, 0.5, seed)
        seeds = [first + number if seeded else None for number in range(40)]
        return [said(answers, question("one", model=model, seed=one)) for one in seeds]

    assert series(1) == series(1)
    assert series(1) != series(2)
    assert series(1) != series(1, model="other")
    if seeded:
        assert series(1) != series(1, first=100)


def test_tests_and_models_are_right_independently_of_each_other(tests: tuple[Test, ...]) -> None:
    answers = Examples(tests, 0.5, 0)
    one = [said(answers, question("one", seed=seed))[0] == "x" for seed in range(200)]
    two = [said(answers, question("two", seed=seed)) == "x" for seed in range(200)]
    other = [said(answers, question("one", seed=seed, model="other"))[0] == "x" for seed in range(200)]
    for series in (two, other):
        assert 60 < sum(a == b for a, b in zip(one, series, strict=True)) < 140


def test_a_missing_example_is_an_empty_answer_and_told(tests: tuple[Test, ...]) -> None:
    right, wrong = Examples(tests, 1.0, 0), Examples(tests, 0.0, 0)
    assert [said(right, question(prompt)) for prompt in ("two", "three", "four")] == ["x", "", ""]
    assert [said(wrong, question(prompt)) for prompt in ("two", "three", "four")] == ["", "y", ""]
    told = [line.split(":")[0] for line in lacking(tests, 0.5)]
    assert told == [
        "only-right has no wrong example",
        "only-wrong has no right example",
        "nothing has no right example",
        "nothing has no wrong example",
    ]
    assert [line.split(" ")[0] for line in lacking(tests, 1.0)] == ["only-wrong", "nothing"]
    assert [line.split(" ")[0] for line in lacking(tests, 0.0)] == ["only-right", "nothing"]
