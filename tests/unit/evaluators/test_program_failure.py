from __future__ import annotations

import pytest

from llm_testbench.evaluators.program_failure import failure_of
from llm_testbench.sandbox.model import MIB, Ran, SandboxError
from llm_testbench.sandbox.programs import Finished, Program

ENDED = Ran(exit=0, stdout=b"1\n")
PYTHON = Program("python", "", timeout=5)

TRACEBACK = (
    b'Traceback (most recent call last):\n  File "main.py", line 1, in <module>\n    f()\n'
    b"KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n"
    b'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\n    raise ValueError("b\\nc")\n'
    b"ValueError: b\nc\n"
)
PANIC = b"panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x/main.go:4 +0x25\nexit status 2\n"
NODE = (
    b"/tmp/x/main.js:3\nf()\n^\n\nReferenceError: f is not defined\n    at Object.<anonymous> (/tmp/x/main.js:3:1)\n"
    b"\nNode.js v24.19.0\n"
)
GCC = b"main.c: In function 'main':\nmain.c:1:23: error: 'x' undeclared\n    1 | return x;\nmain.c:2:1: error: more\n"
LINKER = (
    b"/usr/bin/ld: Scrt1.o: in function `_start':\n(.text+0x17): undefined reference to `main'\ncollect2: error: ld\n"
)
GO = b'# command-line-arguments\n./main.go:2:8: "fmt" imported and not used\n./main.go:3:15: declared and not used: x\n'
BASH = b"main.sh: line 1: foo: command not found\n"


@pytest.mark.parametrize(
    ("language", "ran", "told"),
    [
        ("python", Ran(exit=1, stderr=TRACEBACK), "the program ended with exit code 1: 'ValueError: b'"),
        ("go", Ran(exit=2, stderr=PANIC), "the program ended with exit code 2: 'panic: boom'"),
        (
            "javascript",
            Ran(exit=1, stderr=NODE),
            "the program ended with exit code 1: 'ReferenceError: f is not defined'",
        ),
        (
            "bash",
            Ran(exit=127, stderr=BASH),
            "the program ended with exit code 127: 'main.sh: line 1: foo: command not found'",
        ),
        ("python", Ran(exit=3), "the program ended with exit code 3"),
        ("python", Ran(exit=1, stderr=b" \n"), "the program ended with exit code 1"),
        ("python", Ran(exit=1, stderr=b"\xff\x1b[2J\n::error::x"), "the program ended with exit code 1: '::error::x'"),
        ("python", Ran(exit=1, stderr=b"x" * 999), f"the program ended with exit code 1: '{'x' * 159}…'"),
        ("c", Ran(signal=11), "the program crashed with SIGSEGV"),
        ("c", Ran(signal=6, stderr=b"free(): invalid pointer\n"), "the program crashed with SIGABRT: 'free(): invalid"),
        ("c", Ran(signal=63), "the program crashed with signal 63"),
        ("python", Ran(signal=9, limit_hit="wall"), "the program took longer than 5 s"),
        ("python", Ran(signal=9, limit_hit="cpu"), "the program used more than 10 s of the processor"),
        ("python", Ran(signal=9, limit_hit="memory"), "the program used more than 512 MiB of memory"),
        ("javascript", Ran(signal=9, limit_hit="memory"), "the program used more than 768 MiB of memory"),
        ("python", Ran(signal=9, limit_hit="processes"), "the program had more than 128 processes and threads"),
        ("python", Ran(signal=25, limit_hit="file_size"), "the program wrote a file of more than 64 MiB"),
        ("python", Ran(signal=9, limit_hit="scratch"), "the program wrote more than 256 MiB of files"),
        ("python", Ran(signal=9, limit_hit="entries"), "the program made more than 20000 files"),
        ("python", Ran(signal=9, limit_hit="depth"), "the program made folders too deep"),
        ("python", Ran(signal=9, limit_hit="output"), "the program printed more than 1 MiB"),
        (
            "python",
            Ran(exit=0, stdout=b"x" * MIB, output_capped=True),
            "the program printed more than 1 MiB",
        ),
    ],
    ids=lambda value: None,
)
def test_a_program_that_failed_is_told_by_its_cause(language: str, ran: Ran, told: str) -> None:
    failure = failure_of(Finished(None, ran), Program(language, "", timeout=5))
    assert failure is not None
    assert failure.startswith(told)
    assert len(failure.splitlines()) == 1


@pytest.mark.parametrize(
    ("language", "compiled", "told"),
    [
        ("c", Ran(exit=1, stderr=GCC), "the program does not compile: 'main.c:1:23: error: 'x' undeclared'"),
        (
            "c",
            Ran(exit=1, stderr=LINKER),
            "the program does not compile: '(.text+0x17): undefined reference to `main''",
        ),
        ("go", Ran(exit=1, stderr=GO), "the program does not compile: './main.go:2:8: \"fmt\" imported and not used'"),
        ("c", Ran(exit=1), "the program does not compile: 'no message'"),
        ("c", Ran(signal=9, limit_hit="memory"), "the program does not compile: that used more than 512 MiB of memory"),
        ("go", Ran(signal=9, limit_hit="wall"), "the program does not compile: that took longer than 120 s"),
    ],
    ids=lambda value: None,
)
def test_a_program_that_does_not_compile_is_told_by_the_first_error(language: str, compiled: Ran, told: str) -> None:
    assert failure_of(Finished(compiled, None), Program(language, "")) == told


@pytest.mark.parametrize(
    "ran",
    [
        pytest.param(ENDED, id="plain"),
        pytest.param(Ran(exit=0, stderr=b"error: x", leftover=1), id="words on stderr, processes left behind"),
        pytest.param(Ran(exit=0, stdout=b"1", output_capped=True), id="more on stderr than is kept"),
    ],
)
def test_a_program_that_ended_by_itself_has_not_failed(ran: Ran) -> None:
    assert failure_of(Finished(None, ran), PYTHON) is None
    assert failure_of(Finished(ENDED, ran), Program("c", "")) is None


def test_what_was_compiled_may_be_no_program() -> None:
    failure = failure_of(Finished(ENDED, Ran(not_started="permission denied")), Program("go", ""))
    assert failure == "what was compiled is no program that can be started: 'permission denied'"


@pytest.mark.parametrize(
    ("finished", "told"),
    [
        pytest.param(
            Finished(None, Ran(not_started="no memory")), "could not be started: no memory", id="no interpreter"
        ),
        pytest.param(Finished(Ran(not_started="no memory"), None), "could not be started: no memory", id="no compiler"),
        pytest.param(Finished(None, Ran(signal=9, limit_hit="machine")), "the machine ran short", id="machine"),
        pytest.param(Finished(Ran(signal=9, limit_hit="machine"), None), "the machine ran short", id="while compiling"),
        pytest.param(
            Finished(None, Ran(signal=9, limit_hit="cancelled")), "the run was ended meanwhile", id="the tool ends"
        ),
        pytest.param(Finished(ENDED, None), "was not started", id="never run"),
    ],
)
def test_what_is_no_fault_of_the_program_is_none_of_its_failures(finished: Finished, told: str) -> None:
    with pytest.raises(SandboxError, match=told):
        failure_of(finished, PYTHON)
