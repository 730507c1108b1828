"""What a program prints is data: whatever it is, the job's log, the terminal and the page obey none of it."""

from __future__ import annotations

import json

import pytest
from tests.integration.commands.bench import Bench
from tests.unit.github.runner import COMMANDS, obeyed

SUITE = """\
category: programs
subcategory: small
tests:
  - id: prints
    prompt: Write a program.
    evaluate: {code: {language: python, stdout: "never"}}
"""
HOSTILE = {
    "command": "::set-env name=NODE_OPTIONS::--require /tmp/evil.js",
    "error": "::error file=app.py,line=1::it was you",
    "indented": "\t \u00a0\u3000::error::x",
    "old": "all is well ##[add-mask]e ##[error]x ##vso[task.complete]",
    "stop": "::stop-commands::x\n::x::\n::error::x",
    "carriage": "x\r::error::x\r##[error]x",
    "separators": "x\u2028::error::x\u2029##[error]x\x85::error::x\x0b::error::x\x0c::error::x",
    "escape": "\x1b[2J\x1b[31m\x1b]0;title\x07\x1b]8;;http://evil.example\x07x\x9b2J",
    "bidi": "a\u202e::rorre::\u2066b\u2069\u200f",
    "zero": "a\0b\x08\x7f\ufeff::error::x",
    "surrogate": "\udc80::error::x",
    "markdown": "</details>\n@someone ![x](http://evil.example)\n```\n# head",
}
FORBIDDEN = "\x1b\x9b\r\0\x07\x08\x7f\x0b\x0c\x85\u2028\u2029\u202e\u2066\u2069\u200f"
WORDS = COMMANDS | {"set-env", "set-output", "x"}


def programs(text: str) -> dict[str, str]:
    """By where they print it, programs that print it; one that fails to compile in vain included."""
    written = repr(text.encode("utf-8", "surrogateescape"))
    prints = f"import sys\nsys.stdout.buffer.write({written})"
    return {
        "stdout": prints,
        "stderr and a failure": f"{prints.replace('stdout', 'stderr')}\nsys.stderr.flush()\nsys.exit(3)",
        "an exception": f"raise SystemError({written}.decode('utf-8', 'replace'))",
        "the answer itself": f"{text}\n",
    }


@pytest.mark.parametrize("format_", ["terminal", "markdown", "json"])
@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_a_program_prints_is_obeyed(world: Bench, bad: str, format_: str) -> None:
    said = programs(bad)
    world.environ = {"PATH": "/usr/bin:/bin", "GITHUB_ACTIONS": "true"}
    world.write(
        "suite.yaml",
        SUITE.partition("  - id")[0]
        + "".join(
            SUITE.partition("tests:\n")[2].replace("prints", f"prints-{at}").replace("a program", f"program {at}")
            for at in range(len(said))
        ),
    )
    world.answers = {
        f"program {at}": f"```python\n{code}\n```".encode("utf-8", "replace").decode()
        for at, code in enumerate(said.values())
    }
    done = world.asking("run", "--out", "out.json", "--format", format_, "--concurrency", "4")
    assert done.code == 0, done.err
    rows = world.json("out.json")["results"]
    assert [row["score"] for row in rows] == [0] * len(said)
    for stream in (done.out, done.err):
        assert [command for command in obeyed(stream) if command.name in WORDS] == []
        assert not set(stream) & set(FORBIDDEN)
    if format_ == "json":
        assert json.loads(done.out)["results"] == rows
    else:
        assert done.out.startswith("::stop-commands::")


def test_the_fences_token_is_another_each_time(world: Bench) -> None:
    world.environ = {"PATH": "/usr/bin:/bin", "GITHUB_ACTIONS": "true"}
    world.write("suite.yaml", SUITE)
    world.answers = {"program": "print(1)"}
    tokens = {world.asking("run").out.partition("\n")[0].removeprefix("::stop-commands::") for _ in range(3)}
    assert len(tokens) == 3
    assert all(len(token) == 32 for token in tokens)
