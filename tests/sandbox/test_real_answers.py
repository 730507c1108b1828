"""Answers to two tasks as models write them, right and wrong, run in the real sandbox."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.sandbox.toolchains import go_seed, toolchain_path

from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.evaluators.guard import evaluate
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.score import Score
from llm_testbench.json_value import JSONObject
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.sandbox.workshop import Mode, opened

HARNESS = """\
import sys
sys.modules["answer"] = sys.modules[__name__]
__name__ = "answer"
{{code}}
for line in sys.stdin:
    print(merged([[int(end) for end in part.split("-")] for part in line.split()]))
"""
FUNCTION: JSONObject = {
    "code": {
        "language": "python",
        "harness": HARNESS,
        "stdin": "1-3 2-6 8-10\n\n1-4 4-5\n5-6 1-9\n3-4 1-2\n",
        "stdout": "[[1, 6], [8, 10]]\n[]\n[[1, 5]]\n[[1, 9]]\n[[1, 2], [3, 4]]",
        "timeout": "10s",
    }
}
"""Write a function that merges intervals which overlap or touch."""
GOOD = """\
def merged(spans):
    out = []
    for low, high in sorted(spans):
        if out and low <= out[-1][1]:
            out[-1][1] = max(out[-1][1], high)
        else:
            out.append([low, high])
    return out"""

SCRIPT: JSONObject = {
    "code": {
        "language": "bash",
        "files": {"app.log": "ok\nERROR a\nwarn\nERROR b\nno ERROR at the start\n"},
        "stdout": "2",
        "timeout": "10s",
    }
}
"""Print how many lines of app.log begin with ERROR."""


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with opened(Mode.REQUIRE, toolchain_path(), go_seed()) as found:
        assert found.refusal == ""
        yield found.workshop


def scored(workshop: Workshop, check: JSONObject, text: str) -> Score:
    score = evaluate(build(check), normalise(Completion(text)), workshop)
    assert isinstance(score, Score), score
    assert score.skipped is None, score.reason
    return score


def told(code: str, tag: str = "python") -> str:
    return f"```{tag}\n{code}\n```"


TYPED = ("merged(spans):", "merged(spans: List[List[int]]) -> List[List[int]]:")
LAMBDA = """\
from functools import reduce
joined = lambda out, span: [*out[:-1], [out[-1][0], max(out[-1][1], span[1])]]
merged = lambda spans: reduce(
    lambda out, span: joined(out, span) if out and span[0] <= out[-1][1] else [*out, span], sorted(spans), []
)"""
USAGE = 'if __name__ == "__main__":\n    print(merged([[1, 3], [2, 6]]))'
INDENTED = "\n".join(f"   {line}" for line in told(GOOD).split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(told(GOOD), id="a block"),
        pytest.param(GOOD, id="no fence"),
        pytest.param(f"```python\n{GOOD}", id="a fence that the limit cut off"),
        pytest.param(f"Sort first, then merge.\n\n{told(GOOD)}\n\nIt takes O(n log n).", id="prose around"),
        pytest.param(f"Install nothing:\n{told('python3 --version', 'bash')}\n{told(GOOD)}", id="a command before"),
        pytest.param(f"{told(GOOD)}\n\nUse it:\n{told('print(merged([[1, 3]]))')}", id="a usage example behind"),
        pytest.param(told(f"{GOOD}\n\n{USAGE}"), id="a main behind it"),
        pytest.param(f"{told(GOOD)}\n\nThis prints:\n{told('[[1, 6]]', '')}", id="an output behind"),
        pytest.param(f"Example:\n{told('[[1, 3], [2, 6]]', '')}\n{told(GOOD)}", id="an untagged example before"),
        pytest.param(f"1. Sort.\n2. Merge:\n\n{INDENTED}\n3. Done.", id="in a list"),
        pytest.param("\n".join(f"> {line}" for line in told(GOOD).split("\n")), id="in a quotation"),
        pytest.param(told(GOOD, "javascript"), id="the wrong tag"),
        pytest.param(told(GOOD, ""), id="no tag"),
        pytest.param(f"Here is the function: {told(GOOD)}\nIt merges.", id="the fence behind words"),
        pytest.param(f"<pre><code>{GOOD.replace('<', '&lt;')}</code></pre>", id="HTML"),
        pytest.param(told("-    pass\n+    return []", "diff") + "\nSo it is:\n" + told(GOOD), id="a diff before"),
        pytest.param(f"<think>\n{told('def merged(x): return x')}\n</think>\n{told(GOOD)}", id="reasoning before"),
        pytest.param(
            told(f"from __future__ import annotations\nfrom typing import List\n\n{GOOD.replace(*TYPED)}"),
            id="types",
        ),
        pytest.param(
            told(
                "import doctest\n\n"
                + GOOD.replace("    out", '    """\n    >>> merged([])\n    []\n    """\n    out', 1)
            ),
            id="a doctest",
        ),
        pytest.param(told("class Solution:\n    pass\n\n" + GOOD), id="a class beside it"),
        pytest.param(told(LAMBDA), id="a lambda"),
        pytest.param(told(GOOD).replace("\n", "\r\n"), id="line ends of Windows"),
        pytest.param(told(GOOD.replace("    ", "\t")), id="tabs"),
    ],
)
def test_a_right_function_passes_however_it_is_told(workshop: Workshop, text: str) -> None:
    score = scored(workshop, FUNCTION, text)
    assert score.passed, score.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("I'm sorry, but I can't help with that.", "SyntaxError", id="a refusal"),
        pytest.param("Sort them by their start and merge those that overlap.", "SyntaxError", id="an explanation"),
        pytest.param("```python\n```", "SyntaxError", id="an empty block"),
        pytest.param("", "the answer holds no code", id="nothing"),
        pytest.param(told(f"{GOOD}\n\nprint(merged([[1, 3]]))"), "line 1 of the output is", id="prints of its own"),
        pytest.param(told(GOOD.replace("<=", "<")), "line 3 of the output is", id="touching ones stay apart"),
        pytest.param(told(GOOD.replace("sorted(spans)", "spans")), "line 4 of the output is", id="not sorted"),
        pytest.param(told(GOOD.replace("max(out[-1][1], high)", "high")), "line 4 of the output is", id="no maximum"),
        pytest.param(told(GOOD.replace("return out", "print(out)")), "line 2 of the output is 'None'", id="prints"),
        pytest.param(told(GOOD.replace("    return out", "")), "line 1 of the output is 'None'", id="returns nothing"),
        pytest.param(told(GOOD.replace("[low, high]", "(low, high)")), "TypeError", id="tuples"),
        pytest.param(told(GOOD.replace("def merged", "def merge_intervals")), "NameError", id="another name"),
        pytest.param(told(GOOD.replace("(spans)", "(self, spans)")), "TypeError", id="a method"),
        pytest.param(told(GOOD[: GOOD.index("        else")]), "line 1 of the output is 'None'", id="cut off"),
        pytest.param(told("\n".join(f">>> {line}" for line in GOOD.split("\n"))), "SyntaxError", id="a session"),
        pytest.param(told("\n".join(f"+{line}" for line in GOOD.split("\n")), "diff"), "exit code 1", id="a diff"),
        pytest.param(told("def merged(spans):\n    return [[1, 6], [8, 10]]"), "line 2 of the output", id="one case"),
        pytest.param(
            told("print('[[1, 6], [8, 10]]')\nraise SystemExit"), "the output ends before line 2", id="the first line"
        ),
        pytest.param(told("def merged(spans):\n    while True: pass"), "took longer than 10 s", id="no end"),
        pytest.param(told(GOOD) + "\n" + told("broken("), None, id="a broken second block"),
        pytest.param(told("def merged(spans): ...") + "\n" + told(GOOD), "is 'None'", id="a stub first"),
    ],
)
def test_a_function_that_looks_right_says_what_is_wrong(workshop: Workshop, text: str, reason: str | None) -> None:
    score = scored(workshop, FUNCTION, text)
    assert score.passed is (reason is None), score.reason
    assert reason is None or reason in score.reason


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("grep -c '^ERROR' app.log", id="bare"),
        pytest.param("`grep -c '^ERROR' app.log`", id="in backticks"),
        pytest.param("```grep -c '^ERROR' app.log```", id="in a fence on one line"),
        pytest.param("```bash grep -c '^ERROR' app.log```", id="in a fence on one line, with its tag"),
        pytest.param(told("grep -c '^ERROR' app.log", "bash"), id="a block"),
        pytest.param(told("awk '/^ERROR/ { n++ } END { print n + 0 }' app.log", "sh"), id="awk"),
        pytest.param(told("#!/usr/bin/env bash\nset -euo pipefail\ngrep -c '^ERROR' app.log", "shell"), id="a script"),
        pytest.param(
            told('main() {\n  grep -c "^ERROR" "$1"\n}\nmain "${1:-app.log}"', "bash"), id="a script with a main"
        ),
        pytest.param(f"{told('ERROR a', 'log')}\n{told('sed -n /^ERROR/p app.log | wc -l', 'zsh')}", id="behind a log"),
    ],
)
def test_a_right_command_passes_however_it_is_told(workshop: Workshop, text: str) -> None:
    score = scored(workshop, SCRIPT, text)
    assert score.passed, score.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("grep -c ERROR app.log", "is '3', expected '2'", id="anywhere in the line"),
        pytest.param("grep '^ERROR' app.log", "is 'ERROR a', expected '2'", id="the lines themselves"),
        pytest.param("grep -c '^ERROR' *", "is 'app.log:2', expected '2'", id="with the file's name"),
        pytest.param("grep -ci '^error' APP.LOG", "exit code 2", id="another file"),
        pytest.param("grep -c '^ERROR' app.log >&2", "nothing was printed", id="on stderr"),
        pytest.param("grep -c '^ERROR' app.log; false", "exit code 1", id="the right output, and a failure"),
        pytest.param("echo \"Lines: $(grep -c '^ERROR' app.log)\"", "is 'Lines: 2'", id="with words"),
        pytest.param(told("$ grep -c '^ERROR' app.log\n2", "console"), "exit code 127", id="a session"),
        pytest.param("You can run `grep -c '^ERROR' app.log`.", "exit code 127", id="within words"),
        pytest.param("I cannot read your files.", "exit code 127", id="a refusal"),
        pytest.param("2", "exit code 127", id="the result"),
    ],
)
def test_a_command_that_looks_right_says_what_is_wrong(workshop: Workshop, text: str, reason: str) -> None:
    score = scored(workshop, SCRIPT, text)
    assert score.value == 0
    assert reason in score.reason
