"""A ground truth is run in the sandbox: what it prints must be what the check expects, and computed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.evaluators.workshops import Staged, printing
from tests.unit.suite.suites import HEAD, load_one, load_text

from llm_testbench.answer.outcome import Outcome
from llm_testbench.errors import Place
from llm_testbench.evaluators.registry import build
from llm_testbench.json_value import JSON
from llm_testbench.sandbox.model import Job, Ran, SandboxError
from llm_testbench.sandbox.programs import CLOSED, Finished, Unavailable, Workshop
from llm_testbench.sandbox.workshop import Mode, opened
from llm_testbench.suite.computed import held_literal, judged
from llm_testbench.suite.model import GroundTruth
from llm_testbench.suite.problem import Problem
from llm_testbench.suite.prove import Proof, Unproven, prove

SQL: JSON = {"sql": {"setup": "CREATE TABLE t (a); INSERT INTO t VALUES (5), (6)", "query_check": "SELECT a FROM t"}}
SUM: JSON = {"code": {"language": "python", "stdout": "sum 45"}}
# Prints a call of ask, then one of pay.
PAYING = """
import json
calls = [{"name": "ask", "arguments": {}}, {"name": "pay", "arguments": {"cents": 6 * 7}}]
print(json.dumps(calls))
"""
CALLS: JSON = {
    "all": [
        {"tool_sequence": ["ask", "pay"]},
        {"tool_call_args": {"name": "pay", "args": {"cents": 42}, "exact": True}},
        {"tool_arg_values_cover": {"name": "pay", "arg": "cents", "values": [42]}},
        {"tool_called": "ask"},
        {"tool_not_called": "delete"},
    ]
}


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with opened(Mode.REQUIRE, os.defpath) as found:
        assert found.refusal == ""
        yield found.workshop


def told(check: JSON, program: str, workshop: Workshop, language: str = "python") -> str | None:
    found = judged(GroundTruth(program, language, Place("s.yaml")), build(check), workshop)
    assert not isinstance(found, Unavailable), found
    return found


@pytest.mark.parametrize(
    ("check", "program"),
    [
        pytest.param({"numeric": {"expected": 0.33, "abs_tol": 0.01}}, "print(1 / 3)", id="a number within tolerance"),
        pytest.param({"equals": "tac"}, "print('cat'[::-1])", id="a text"),
        pytest.param({"exact_token": "tac"}, "print('cat'[::-1])", id="a token"),
        pytest.param({"one_of": ["tac", "act"]}, "print('cat'[::-1])", id="one of several texts"),
        pytest.param({"json_fields": {"a": 3}}, "print('{\"a\":', 1 + 2, '}')", id="an object"),
        pytest.param({"json_array": {"expected": [1, 2]}}, "print(list(range(1, 3)))", id="an array"),
        pytest.param({"all": [{"no_tool_called": True}, {"numeric": 45}]}, "print(sum(range(10)))", id="a composition"),
        pytest.param(SUM, "print('sum', sum(range(10)))", id="the output of a program"),
        pytest.param(
            {"all": [SUM, {"contains_all": ["def"]}]}, "print('sum', sum(range(10)))", id="a program and its text"
        ),
        pytest.param({"any": [{"equals": "no"}, SUM]}, "print('sum', sum(range(10)))", id="a program or a text"),
        pytest.param({"mean": [{"equals": "no"}, SUM]}, "print('sum', sum(range(10)))", id="a program beside a text"),
        pytest.param(CALLS, PAYING, id="calls"),
        pytest.param({"first_tool": "pay"}, PAYING.replace("(calls)", "(calls[::-1])"), id="calls in their order"),
        pytest.param(SQL, "print([[n + 1] for n in (5, 4)])", id="the rows of a query"),
    ],
)
def test_what_it_prints_is_what_the_check_expects(workshop: Workshop, check: JSON, program: str) -> None:
    assert told(check, program, workshop) is None


def test_it_may_be_written_in_another_language(workshop: Workshop) -> None:
    assert told({"numeric": 45}, "echo $((9 * 5))", workshop, "bash") is None


@pytest.mark.parametrize(
    ("check", "program", "message"),
    [
        pytest.param(
            {"numeric": 5}, "print(2 * 3)", "prints '6', which the check does not expect: found '6', expected"
        ),
        pytest.param({"numeric": 5}, "x = 5", "prints nothing: it must print the expected value"),
        pytest.param({"numeric": 5}, "print(1 / 0)", "fails: the program ended with exit code 1: 'ZeroDivisionError: "),
        pytest.param({"numeric": 5}, "print(", "fails: the program ended with exit code 1: "),
        pytest.param(SUM, "print('sum', 40)", "prints 'sum 40', which the check does not expect: "),
        pytest.param(SQL, "print([[5]])", "prints '[[5]]', which the check does not expect: wrong rows: 1 row,"),
        pytest.param({"first_tool": "pay"}, PAYING, 'prints \'[{"name": "ask",'),
        pytest.param({"tool_call_args": {"name": "pay", "args": {"cents": 43}}}, PAYING, 'prints \'[{"name": "ask",'),
        pytest.param({"no_tool_called": True}, PAYING, 'prints \'[{"name": "ask",'),
        pytest.param(
            {"any": [{"contains_all": ["4"]}, SUM]}, "print(4)", "prints '4', which the check does not expect: "
        ),
        pytest.param({"tool_called": "pay"}, PAYING.replace("6 * 7", "42"), "holds the expected value as a literal, "),
        pytest.param(SQL, "print(5)", "prints '5', which the check does not expect: '5' is no JSON array of rows: "),
        pytest.param(
            {"json_fields": {"a": 3, "b": "tac"}},
            "print('{\"a\":', 1 + 2, '}')",
            """prints '{"a": 3 }', which the check does not expect: nothing at 'b'""",
        ),
    ],
)
def test_what_is_wrong_with_it_is_told(workshop: Workshop, check: JSON, program: str, message: str) -> None:
    found = told(check, program, workshop)
    assert found is not None
    assert found.startswith(message)


@pytest.mark.parametrize(
    ("end", "message"),
    [
        pytest.param(
            Finished(None, Ran(limit_hit="wall")), "fails: the program took longer than 30 s", id="a time-out"
        ),
        pytest.param(
            SandboxError("the launcher\nbroke off"),
            "could not be run, the sandbox failed: the launcher broke off",
            id="the sandbox",
        ),
    ],
)
def test_what_came_to_no_end_is_told(end: Finished | SandboxError, message: str) -> None:
    assert told({"numeric": 5}, "while True: pass", Staged(end)) == message


def test_a_check_that_crashes_on_it_is_told(workshop: Workshop) -> None:
    broken: JSON = {"sql": {"setup": "CREATE TABLE t (a)", "query_check": "SELECT b FROM t"}}
    message = (
        "prints '[[1]]', which crashes the check: sql is wrong itself: query_check: SQLite says: no such column: b"
    )
    assert told(broken, "print([[1]])", workshop) == message


class WithoutSteps(Staged):
    """A workshop in which ground truths run, and no reference query."""

    def run_steps(self, job: Job) -> Unavailable:  # type: ignore[override]  # narrower than what it stands for
        return Unavailable(Outcome.TOOLCHAIN_MISSING, "no SQLite here")


def test_what_the_check_itself_lacks_leaves_it_open() -> None:
    half = WithoutSteps(printing("[[5], [6]]").end)
    found = judged(GroundTruth("print(x)", "python", Place("s.yaml")), build(SQL), half)
    assert found == Unavailable(Outcome.TOOLCHAIN_MISSING, "no SQLite here")


class TestLiterals:
    @pytest.mark.parametrize(
        ("check", "program", "literal"),
        [
            pytest.param({"numeric": 0.9331}, "print(0.9331)", "0.9331", id="a number"),
            pytest.param({"numeric": {"expected": 54, "abs_tol": 1}}, "x = 55\nprint(x)", "55", id="within tolerance"),
            pytest.param({"numeric": 1e6}, "print(1_000_000)", "1_000_000", id="in groups"),
            pytest.param({"numeric": 54}, "print(6 * 9)", None, id="computed"),
            pytest.param({"numeric": 54}, "x54 = 54.5 + 540 + 0x54\nprint(x54)", None, id="a part of something else"),
            pytest.param({"numeric": 7}, "print(7)", None, id="one digit, which stands anywhere"),
            pytest.param({"equals": "Paris"}, "print('Paris')", "Paris", id="the only text"),
            pytest.param({"equals": "Paris"}, 'print("Paris")', "Paris", id="in double quotes"),
            pytest.param({"equals": "Paris"}, "print('Paris' if a else 'Rome')", None, id="one of several texts"),
            pytest.param(
                {"equals": "Paris"}, "# doesn't\nprint('Paris')", "Paris", id="after a quote that ends nothing"
            ),
            pytest.param({"equals": "Paris"}, "print('''Paris''')", "Paris", id="in three quotes"),
            pytest.param({"equals": "Paris"}, "echo `Paris`", "Paris", id="in backticks"),
            pytest.param(SUM, "print('sum 45')", "sum 45", id="the output of a program"),
        ],
    )
    def test_the_expected_value_may_not_stand_in_it(self, check: JSON, program: str, literal: str | None) -> None:
        assert held_literal(program, build(check)) == literal

    def test_that_needs_no_sandbox(self) -> None:
        assert told({"numeric": 54}, "print(54)", CLOSED) == "holds the expected value as a literal, '54': compute it"

    @pytest.mark.parametrize(
        ("expected", "program", "copied"),
        [
            pytest.param([1, 2, 3], "print([1, 2, 3])", True, id="an array"),
            pytest.param(["a", "b"], "print( [ 'a','b' ] )", True, id="in other quotes"),
            pytest.param([1, 2, 3], "print(sorted([3, 2, 1]))", False, id="computed"),
            pytest.param([0], "x = [0]\nprint(x)", False, id="too short to tell"),
        ],
    )
    def test_nor_may_an_array_or_object(self, expected: list[JSON], program: str, copied: bool) -> None:
        printed = str(expected).replace("'", '"')
        found = told({"json_array": {"expected": expected}}, program, printing(printed))
        assert (found == f"holds the expected value as a literal, '{printed}': compute it") == copied
        assert (found is None) != copied

    def test_a_program_of_many_literals_costs_little(self) -> None:
        program = "\n".join(f"print({number})" for number in range(1000, 5000))
        assert held_literal(program, build({"numeric": 4999})) is None

    @pytest.mark.parametrize("quote", ["'", '"'])
    def test_nor_does_one_of_quotes_that_end_nothing(self, quote: str) -> None:
        begun = time.process_time()
        assert held_literal(f"\\{quote}" * 20_000, build({"equals": "Paris"})) is None
        assert time.process_time() - begun < 1


class TestInASuite:
    def test_a_wrong_one_is_a_problem_where_it_stands(self, tmp_path: Path, workshop: Workshop) -> None:
        test = load_one(
            tmp_path,
            """id: a
    prompt: x
    evaluate: {numeric: 5}
    ground_truth: print(2 * 3)
    examples: [{response: "5", score: 1}, {response: "6", score: 0}]
""",
        )
        message = "the ground_truth prints '6', which the check does not expect: found '6', expected 5"
        assert prove([test], workshop) == Proof((Problem(Place("s.yaml", 7, 5), "a", message, "ground-truth-differs"),))

    def test_one_that_cannot_be_run_here_leaves_the_test_unproven(self, tmp_path: Path) -> None:
        test = load_one(
            tmp_path,
            """id: a
    prompt: x
    evaluate: {numeric: 5}
    ground_truth: {language: go, program: x}
    examples: [{response: "5", score: 1}, {response: "6", score: 0}]
""",
        )
        missing = Staged(Unavailable(Outcome.TOOLCHAIN_MISSING, "go is not on PATH"))
        assert prove([test], missing) == Proof((), (Unproven("a", "go is not on PATH"),))
        assert prove([test]) == Proof((), (Unproven("a", "no sandbox was opened"),))

    def test_cases_fill_it_in(self, tmp_path: Path, workshop: Workshop) -> None:
        tests = load_text(
            tmp_path,
            f"""{HEAD}tests:
  - id: a
    prompt: What is ${{n}} squared?
    evaluate: {{numeric: "${{square}}"}}
    ground_truth: print(${{n}} ** 2)
    examples: [{{response: "It is ${{square}}", score: 1}}, {{response: "2", score: 0}}]
    cases:
      three: {{n: 3, square: 9}}
      four: {{n: 4, square: 17}}
""",
        )
        (problem,) = prove(tests, workshop).problems
        assert (problem.test_id, problem.place) == ("a[four]", Place("s.yaml", 7, 5))

    def test_many_tests_are_told_in_their_order(self, tmp_path: Path, workshop: Workshop) -> None:
        entries = "".join(
            f"  - {{id: a{n}, prompt: x{n}, evaluate: {{numeric: 1}}, ground_truth: 'print({n})',"
            " examples: [{response: '1', score: 1}, {response: '2', score: 0}]}\n"
            for n in range(2, 22)
        )
        proof = prove(load_text(tmp_path, f"{HEAD}tests:\n{entries}"), workshop)
        assert [problem.test_id for problem in proof.problems] == [f"a{n}" for n in range(2, 22)]
