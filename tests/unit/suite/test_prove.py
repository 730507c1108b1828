"""A suite proves itself: its checks score its own examples as it says."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import ClassVar

import pytest
from tests.unit.evaluators.workshops import Staged, printing
from tests.unit.suite.suites import HEAD, load_one, load_text

from llm_testbench.answer.model import Answer
from llm_testbench.answer.outcome import Outcome
from llm_testbench.errors import Place
from llm_testbench.evaluators.score import Evaluator, Score
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.sandbox.programs import Finished, Program, Unavailable
from llm_testbench.suite.model import Test
from llm_testbench.suite.problem import Problem
from llm_testbench.suite.prove import Proof, Unproven, needs_programs, prove

RIGHT = "{response: two, score: 1}"
WRONG = "{response: three, score: 0}"


def with_examples(folder: Path, *examples: str, check: str = "{equals: two}") -> Test:
    return load_one(folder, f"id: a\n    prompt: x\n    evaluate: {check}\n    examples: [{', '.join(examples)}]\n")


def test_a_suite_whose_examples_score_as_stated_has_no_problem(tmp_path: Path) -> None:
    assert prove([with_examples(tmp_path, RIGHT, WRONG)]) == Proof()


def test_an_example_that_scores_otherwise_is_told_with_what_the_check_found(tmp_path: Path) -> None:
    test = with_examples(tmp_path, "{response: Two!, score: 1}", WRONG)
    (problem,) = prove([test]).problems
    assert (problem.place, problem.test_id) == (Place("s.yaml", 7, 16), "a")
    assert problem.message.startswith("example 1 must score 1 but scores 0: ")
    assert "Two!" in problem.message


def test_partial_scores_are_compared_with_a_tolerance(tmp_path: Path) -> None:
    check = "{contains_all: [a, b, c]}"
    third = with_examples(tmp_path, "{response: a b c, score: 1}", "{response: a, score: 0.3333333333}", check=check)
    assert prove([third]) == Proof()
    half = with_examples(tmp_path, "{response: a b c, score: 1}", "{response: a, score: 0.333}", check=check)
    (problem,) = prove([half]).problems
    assert problem.message.startswith("example 2 must score 0.333 but scores 0.333333: ")


@pytest.mark.parametrize(
    ("examples", "message", "rule"),
    [
        ([], "has no examples: write one right and one wrong answer", "no-examples"),
        ([WRONG], "has no right example: write an answer with score 1", "no-right-example"),
        ([RIGHT], "has no wrong example: write an answer with a score below 1", "no-wrong-example"),
    ],
    ids=["none", "no right", "no wrong"],
)
def test_one_right_and_one_wrong_example_are_the_least(
    tmp_path: Path, examples: list[str], message: str, rule: str
) -> None:
    problem = Problem(Place("s.yaml", 4, 5), "a", message, rule)
    assert prove([with_examples(tmp_path, *examples)]) == Proof((problem,))


def test_two_cases_that_are_the_same_test_are_told(tmp_path: Path) -> None:
    tests = load_text(
        tmp_path,
        f"""{HEAD}tests:
  - id: a
    prompt: say ${{word}}
    evaluate: {{equals: "${{word}}"}}
    examples: [{{response: "${{word}}", score: 1}}, {{response: no, score: 0}}]
    cases:
      one: {{word: x}}
      two: {{word: y, unused: 1}}
      three: {{word: x, unused: 2}}
""",
    )
    problem = Problem(Place("s.yaml", 11, 7), "a[three]", "asks and checks exactly what a[one] does", "duplicate-case")
    assert prove(tests) == Proof((problem,))


@dataclasses.dataclass(frozen=True)
class Fixed:
    """Gives what it was told to, or raises."""

    name: ClassVar[str] = "fixed"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = ""
    schema: ClassVar[JSONObject] = {}
    score: Score | None = None

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Fixed:
        return cls()

    def evaluate(self, answer: Answer) -> Score:
        if self.score is None:
            raise RuntimeError("boom\x1b[2J")
        return self.score


def proven(folder: Path, evaluator: Evaluator) -> list[str]:
    test = dataclasses.replace(with_examples(folder, RIGHT, WRONG), evaluator=evaluator)
    return [problem.message for problem in prove([test]).problems]


def test_a_check_that_crashes_is_told(tmp_path: Path) -> None:
    messages = proven(tmp_path, Fixed())
    assert [message.split(":")[0] for message in messages] == [
        "example 1 crashes the check",
        "example 2 crashes the check",
        "an empty answer crashes the check",
    ]
    assert all(message.isprintable() for message in messages)


def test_a_check_that_passes_on_an_empty_answer_is_told(tmp_path: Path) -> None:
    messages = proven(tmp_path, Fixed(Score(1.0, "fine")))
    assert messages == ["example 2 must score 0 but scores 1: fine", "the check passes on an empty answer: fine"]


def test_a_check_that_the_machine_cannot_run_proves_nothing_and_says_so_once(tmp_path: Path) -> None:
    skipping = Fixed(Score(0.0, "no gcc\x1b[2J", skipped=Outcome.TOOLCHAIN_MISSING))
    test = dataclasses.replace(with_examples(tmp_path, RIGHT, WRONG), evaluator=skipping)
    assert prove([test]) == Proof((), (Unproven("a", "no gcc\\x1b[2J"),))


@pytest.mark.parametrize(
    ("check", "further", "needs"),
    [
        pytest.param("{equals: two}", "", False, id="plain"),
        pytest.param("{equals: two}", "    ground_truth: print(2)\n", True, id="a ground truth"),
        pytest.param("{code: {language: bash, stdout: two}}", "", True, id="code"),
        pytest.param("{any: [{equals: two}, {sql: {setup: x, expected: []}}]}", "", True, id="a part that is SQL"),
    ],
)
def test_a_sandbox_is_needed_for_programs(tmp_path: Path, check: str, further: str, *, needs: bool) -> None:
    assert needs_programs(load_one(tmp_path, f"id: a\n    prompt: x\n    evaluate: {check}\n{further}")) == needs


class Interrupted(Staged):
    """The first program is that during which somebody presses Ctrl-C."""

    def run(self, program: Program) -> Finished | Unavailable:
        if not self.programs:
            self.programs.append(program)
            raise KeyboardInterrupt
        time.sleep(0.01)
        return super().run(program)


def test_an_interrupt_does_not_wait_for_the_programs_of_all_other_tests(tmp_path: Path) -> None:
    test = with_examples(tmp_path, RIGHT, WRONG, check="{code: {language: bash, stdout: x}}")
    workshop = Interrupted(printing("x").end)
    with pytest.raises(KeyboardInterrupt):
        prove([test] * 50, workshop)
    # Two for each test; what was begun comes to its end.
    assert len(workshop.programs) < 50
