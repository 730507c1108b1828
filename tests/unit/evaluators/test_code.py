from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.unit.evaluators.judging import answer, fault_of
from tests.unit.evaluators.workshops import Staged, printing

from llm_testbench.answer.model import Answer
from llm_testbench.answer.outcome import Outcome
from llm_testbench.evaluators.code import LONGEST, MOST_CODE, MOST_FILES, MOST_STDOUT, MOST_TEXT
from llm_testbench.evaluators.guard import Crash, evaluate, evaluate_result
from llm_testbench.evaluators.registry import build, check_hash
from llm_testbench.evaluators.running import runs_code
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.sandbox.model import Ran, SandboxError
from llm_testbench.sandbox.programs import CLOSED, Finished, Program, Unavailable

BLOCK = "```python\nprint(4)\n```"


def code(**parameters: JSON) -> JSONObject:
    return {"code": {"language": "python", "stdout": "4", **parameters}}


@pytest.mark.parametrize(
    ("printed", "value", "reason"),
    [
        pytest.param("4\n", 1, "printed '4', as expected", id="right"),
        pytest.param("4 \r\n\r\n", 1, "printed '4', as expected", id="other line ends"),
        pytest.param("5\n", 0, "line 1 of the output is '5', expected '4'", id="wrong"),
        pytest.param("", 0, "nothing was printed, expected '4'", id="nothing"),
        pytest.param("PASS\n4", 0, "line 1 of the output is 'PASS', expected '4'", id="what it says of itself"),
        pytest.param(b"4\xff", 0, "line 1 of the output is '4?', expected '4'", id="no UTF-8"),
    ],
)
def test_what_is_printed_decides(printed: str | bytes, value: float, reason: str) -> None:
    score = evaluate(build(code()), answer(BLOCK), printing(printed))
    assert not isinstance(score, Crash)
    assert (score.value, score.reason, score.skipped) == (value, reason, None)


@pytest.mark.parametrize(
    ("ran", "reason"),
    [
        pytest.param(
            Ran(exit=1, stdout=b"4"), "the program ended with exit code 1", id="the right output, and a crash"
        ),
        pytest.param(Ran(signal=9, stdout=b"4", limit_hit="wall"), "the program took longer than 30 s", id="time"),
    ],
)
def test_a_program_that_failed_scores_0_whatever_it_printed(ran: Ran, reason: str) -> None:
    score = evaluate(build(code()), answer(BLOCK), Staged(Finished(None, ran)))
    assert not isinstance(score, Crash)
    assert (score.value, score.reason) == (0, reason)


@pytest.mark.parametrize(
    ("parameters", "program"),
    [
        pytest.param({}, Program("python", "print(4)"), id="the code alone"),
        pytest.param(
            {"harness": "a\n{{code}}\nb", "stdin": "1 2\n", "files": {"a/b.txt": "é", "c": 7}, "timeout": "1m30s"},
            Program("python", "a\nprint(4)\nb", b"1 2\n", {"a/b.txt": "é".encode(), "c": b"7"}, 90.0),
            id="everything",
        ),
    ],
)
def test_the_program_is_made_of_the_answer_and_never_holds_what_is_expected(
    parameters: Mapping[str, JSON], program: Program
) -> None:
    workshop = printing("expected 4711")
    evaluate(build(code(**{**parameters, "stdout": "expected 4711"})), answer(BLOCK), workshop)
    assert workshop.programs == [program]
    assert "4711" not in repr(program)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the answer holds no code"),
        ("<think>print(4)", "the answer holds no code"),
        ("#" * (MOST_CODE + 1), f"the code has {MOST_CODE + 1} characters, more than {MOST_CODE} are not run"),
    ],
    ids=["silent", "reasoning alone", "too long"],
)
def test_some_answers_are_judged_without_running_anything(text: str, reason: str) -> None:
    workshop = printing("4")
    score = evaluate(build(code()), answer(text), workshop)
    assert not isinstance(score, Crash)
    assert (score.value, score.reason, score.skipped, workshop.programs) == (0, reason, None, [])


def test_an_answer_cut_at_the_token_limit_is_run_as_far_as_it_goes() -> None:
    workshop = printing("4")
    evaluate(build(code()), Answer("```python\nprint(4", truncated=True), workshop)
    assert workshop.programs[0].source == "print(4"


@pytest.mark.parametrize("outcome", [Outcome.TOOLCHAIN_MISSING, Outcome.NO_SANDBOX])
def test_where_nothing_runs_the_check_is_skipped(outcome: Outcome) -> None:
    score = evaluate(build(code()), answer(BLOCK), Staged(Unavailable(outcome, "there is no compiler")))
    assert not isinstance(score, Crash)
    assert (score.skipped, score.reason, score.passed) == (outcome, "there is no compiler", False)


def test_without_a_workshop_the_check_is_skipped() -> None:
    score = build(code()).evaluate(answer(BLOCK))
    assert (score.skipped, score.reason) == (Outcome.NO_SANDBOX, CLOSED.reason)
    assert runs_code(build(code()))


@pytest.mark.parametrize(("printed", "value"), [("4\n", 1), ("print(4)", 0)])
def test_a_ground_truth_prints_what_the_program_must_print(printed: str, value: float) -> None:
    workshop = printing("4")
    score = evaluate_result(build(code()), printed, workshop)
    assert not isinstance(score, Crash)
    assert (score.value, workshop.programs) == (value, [])


def test_a_sandbox_that_fails_is_no_score() -> None:
    crash = evaluate(build(code()), answer(BLOCK), Staged(SandboxError("the launcher is gone")))
    assert crash == Crash("code could not be checked, the sandbox failed: the launcher is gone")


@pytest.mark.parametrize(
    ("check", "path", "message"),
    [
        pytest.param("python", (), "expected a mapping like {language: python", id="short form"),
        pytest.param({"stdout": "4"}, (), "the key 'language' is missing", id="no language"),
        pytest.param({"language": "rust", "stdout": "4"}, ("language",), "one of python, go, c", id="unknown language"),
        pytest.param({"language": "pyton", "stdout": "4"}, ("language",), "did you mean 'python'?", id="mistyped"),
        pytest.param({"language": 3, "stdout": "4"}, ("language",), "found a number", id="a number for a language"),
        pytest.param({"language": "python"}, (), "only what a program prints is checked", id="nothing to check"),
        pytest.param(
            {"language": "python", "harness": "{{code}}"}, (), "never its exit code", id="a harness that judges itself"
        ),
        pytest.param({"language": "python", "stdout": " \n"}, ("stdout",), "found an empty one", id="nothing to print"),
        pytest.param({"language": "python", "stdout": 1.5}, ("stdout",), "put quotes around it", id="a spelling lost"),
        pytest.param(code(harness="x")["code"], ("harness",), "{{code}} once, where", id="a harness without the code"),
        pytest.param(code(harness="{{code}}{{code}}")["code"], ("harness",), "found it 2 times", id="the code twice"),
        pytest.param(code(files=["a"])["code"], ("files",), "a mapping of relative paths", id="files as a list"),
        pytest.param(
            code(files={"a": 1.5})["code"], ("files", "a"), "put quotes around it", id="a file's spelling lost"
        ),
        pytest.param(
            code(files={"main.py": ""})["code"], ("files", "main.py"), "where the program itself", id="source"
        ),
        pytest.param(
            code(files={"program/a": ""})["code"], ("files", "program/a"), "where the program itself", id="program"
        ),
        pytest.param(code(files={"a": "", "a/b": ""})["code"], ("files", "a/b"), "cannot be a file and", id="clash"),
        pytest.param(code(timeout=30)["code"], ("timeout",), "a duration like 250ms", id="no unit"),
        pytest.param(code(timeout="0s")["code"], ("timeout",), "above zero and up to 2m", id="no time"),
        pytest.param(code(timeout=f"{LONGEST + 1:g}s")["code"], ("timeout",), "up to 2m, found '121s'", id="too long"),
        pytest.param(code(expected="4")["code"], ("expected",), "unknown key 'expected'", id="unknown key"),
    ],
)
def test_a_check_that_cannot_be_meant_is_refused(check: JSON, path: tuple[str, ...], message: str) -> None:
    fault = fault_of({"code": check})
    assert fault.path == ("code", *path)
    assert message in str(fault)


@pytest.mark.parametrize(
    "path",
    [
        *("", "/etc/passwd", "../a", "a/../b", "a//b", "a/", "./a", ".tmp/a", "-o", "a\\b", "a b", "a\0", "a\n", "é"),
        *("a/" * 8 + "a", "x" * 201),
    ],
    ids=ascii,
)
def test_a_file_lies_beside_the_program(path: str) -> None:
    assert "expected a relative path like data/input.txt" in str(fault_of(code(files={path: ""})))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"stdout": "x" * (MOST_STDOUT + 1)}, f"expected at most {MOST_STDOUT} characters"),
        ({"harness": "{{code}}" + "x" * MOST_TEXT}, f"expected at most {MOST_TEXT} characters"),
        ({"stdin": "x" * (MOST_TEXT + 1)}, f"expected at most {MOST_TEXT} characters"),
        ({"files": {"a": "x" * MOST_TEXT, "b": "x"}}, f"expected at most {MOST_TEXT} characters"),
        ({"files": {f"f{n}": "" for n in range(MOST_FILES + 1)}}, f"expected at most {MOST_FILES} files, found"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else "",
)
def test_everything_has_a_limit(parameters: dict[str, JSON], message: str) -> None:
    assert message in str(fault_of(code(**parameters)))


@pytest.mark.parametrize(
    ("parameters", "equal"),
    [
        ({"stdout": 4}, True),
        ({"stdout": "4\n"}, True),
        ({"timeout": "30s"}, True),
        ({"stdin": "", "files": {}}, True),
        ({"timeout": "31s"}, False),
        ({"language": "bash"}, False),
        ({"stdout": "5"}, False),
        ({"harness": "{{code}}"}, False),
        ({"stdin": "1"}, False),
        ({"files": {"a": "1"}}, False),
    ],
    ids=str,
)
def test_what_changes_the_score_changes_the_hash(parameters: dict[str, JSON], equal: bool) -> None:
    assert (check_hash(code(**parameters)) == check_hash(code())) is equal
