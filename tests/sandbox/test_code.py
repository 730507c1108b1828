"""Answers of models in every language, compiled and run in the real sandbox, and what `code` says of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.sandbox.toolchains import go_seed, toolchain_path

from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.evaluators.guard import evaluate
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.score import Score
from llm_testbench.json_value import JSON
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.sandbox.workshop import Mode, opened


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with opened(Mode.REQUIRE, toolchain_path(), go_seed()) as found:
        assert found.refusal == ""
        yield found.workshop


def judged(workshop: Workshop, text: str, **parameters: JSON) -> Score:
    score = evaluate(build({"code": {"stdout": "42", **parameters}}), normalise(Completion(text)), workshop)
    assert isinstance(score, Score), score
    assert score.skipped is None, score.reason
    assert score.reason.splitlines() == [score.reason]
    return score


GO = 'import "fmt"\n\n{{code}}\n\nfunc main() {\n\tfmt.Println(Twice(21))\n}\n'
C = (
    "#include <stdio.h>\n#define main answer_main\n{{code}}\n#undef main\n"
    'int main(void) { printf("%d\\n", twice(21)); }\n'
)
NODE = '{{code}}\nconst fs = process.getBuiltinModule("fs");\nconsole.log(twice(Number(fs.readFileSync(0, "utf8"))));\n'
PYTHON = (
    'import sys\nsys.modules["answer"] = sys.modules[__name__]\n__name__ = "answer"\n'
    "{{code}}\nprint(twice(int(input())))\n"
)
BASH = "{{code}}\ntwice 21\n"


@pytest.mark.parametrize(
    ("language", "harness", "text"),
    [
        pytest.param("python", PYTHON, "```py\ndef twice(x):\n    return 2 * x\n```", id="python: a function"),
        pytest.param(
            "python",
            PYTHON,
            'Sure:\n\n1. Like this:\n\n   ```python\n   """Twice."""\n   from __future__ import annotations\n\n'
            "   def twice(x: int | str) -> int:\n       return 2 * x\n\n"
            '   if __name__ == "__main__":\n       print(twice(1))\n   ```\n\n2. Run it.',
            id="python: a whole program in a list",
        ),
        pytest.param(
            "python",
            PYTHON,
            "```python\nfrom __future__ import (\n    annotations,\n)\n\nimport pickle\n"
            "from dataclasses import dataclass\nfrom typing import get_type_hints\n\n"
            "@dataclass\nclass Pair:\n    one: int\n    rest: Pair | None = None\n\n"
            "def twice(x):\n    assert get_type_hints(Pair)\n"
            "    return pickle.loads(pickle.dumps(Pair(2 * x))).one\n```",
            id="python: what looks its module up by name",
        ),
        pytest.param("python", None, "print(2 * int(input()))", id="python: no fence"),
        pytest.param("go", GO, "```go\nfunc Twice(x int) int { return 2 * x }\n```", id="go: a function"),
        pytest.param(
            "go",
            GO,
            '```golang\n// Package twice doubles.\npackage twice\n\nimport (\n\t"fmt"\n'
            '\t"math/bits" // (for shifts)\n)\n\n'
            "func Twice(x int) int { _ = bits.Len(1); return x << 1 }\n\nfunc main() { fmt.Println(Twice(1)) }\n```",
            id="go: a whole program of another package",
        ),
        pytest.param(
            "go",
            GO.replace('"fmt"', '("fmt"; "sort"; "math/rand/v2"; m "math")'),
            "```\nfunc Twice(x int) int {\n\ts := []int{x}\n\tsort.Ints(s) // rand.IntN(3)\n\treturn 2 * s[0]\n}\n```",
            id="go: packages that the harness offers",
        ),
        pytest.param(
            "go",
            None,
            '```go\npackage main\n\nimport "fmt"\n\nfunc main() {\n\tvar x int\n'
            "\tfmt.Scan(&x)\n\tfmt.Println(2 * x)\n}\n```",
            id="go: a program",
        ),
        pytest.param("c", C, "```c\nint twice(int x) { return 2 * x; }\n```", id="c: a function"),
        pytest.param(
            "c",
            C,
            "```cpp\n#include <stdio.h>\n#include <math.h>\n\nint twice(int x) { return (int)sqrt(4.0 * x * x); }\n\n"
            'int main(void) {\n    printf("%d", twice(1));\n    return 0;\n}\n```',
            id="c: a whole program, tagged as another language",
        ),
        pytest.param("typescript", NODE, "```ts\nconst twice = (x: number): number => 2 * x;\n```", id="typescript"),
        pytest.param(
            "typescript",
            NODE,
            "```typescript\ninterface Doubler { (x: number): number }\n"
            "export const twice: Doubler = (x) => x * 2;\nexport type { Doubler };\n```",
            id="typescript: a module",
        ),
        pytest.param(
            "javascript",
            NODE,
            "```js\nfunction twice(x) { return 2 * x; }\nmodule.exports = { twice };\n```",
            id="javascript",
        ),
        pytest.param(
            "javascript",
            NODE,
            "```javascript\nexport function twice(x) { return 2 * x; }\n```",
            id="javascript: a module",
        ),
        pytest.param("bash", BASH, "```sh\n#!/bin/bash\ntwice() { echo $((2 * $1)); }\n```", id="bash: a function"),
        pytest.param("bash", None, "```\nread -r x\necho $((x + x))\n```", id="bash: a script"),
    ],
)
def test_right_answers_pass(workshop: Workshop, language: str, harness: str | None, text: str) -> None:
    more: dict[str, JSON] = {} if harness is None else {"harness": harness}
    assert judged(workshop, text, language=language, stdin="21\n", **more) == Score(1.0, "printed '42', as expected")


@pytest.mark.parametrize(
    ("language", "program", "reason"),
    [
        ("python", "print(41)", "line 1 of the output is '41', expected '42'"),
        ("python", "print(42", "the program ended with exit code 1: 'SyntaxError: '(' was never closed'"),
        ("python", "1 / 0", "the program ended with exit code 1: 'ZeroDivisionError: division by zero'"),
        ("python", "while True: pass", "the program took longer than 0.5 s"),
        ("python", "x = bytearray(900 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1", "512 MiB of memory"),
        ("python", "while True: print('x' * 9999)", "the program printed more than 1 MiB"),
        ("python", "print('x' * 2_000_000)", "the program printed more than 1 MiB"),
        ("python", "import os\nos.abort()", "the program crashed with SIGABRT"),
        ("go", "package main\n\nfunc main() { x := 1 }", "the program does not compile: './main.go:"),
        ("go", 'package main\n\nfunc main() { panic("no") }', "the program ended with exit code 2: 'panic: no'"),
        ("go", "package other\n\nfunc F() {}", "what was compiled is no program that can be started"),
        ("c", "int main(void) { return x; }", "the program does not compile: 'main.c:1:25: error: "),
        ("c", "int twice(int x) { return 2 * x; }", "undefined reference to `main"),
        ("c", "int main(void) { return *(volatile int *)0; }", "the program crashed with SIGSEGV"),
        ("javascript", "f()", "the program ended with exit code 1: 'ReferenceError: f is not defined'"),
        ("typescript", "const x: = 1", "the program ended with exit code 1: 'SyntaxError"),
        ("bash", "twice 21", "the program ended with exit code 127: 'main.sh: line 1: twice: command not found'"),
        ("bash", "I cannot help with that.", "the program ended with exit code 127"),
    ],
)
def test_wrong_answers_say_why(workshop: Workshop, language: str, program: str, reason: str) -> None:
    timeout = "500ms" if "while True: pass" in program else "20s"
    score = judged(workshop, f"```{language}\n{program}\n```", language=language, timeout=timeout)
    assert score.value == 0
    assert reason in score.reason


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("print('PASS')\nraise SystemExit(0)", id="says that it passed, and ends"),
        pytest.param("import os\nos._exit(0)", id="ends well before anything is asked of it"),
        pytest.param("print(open('main.py').read())", id="prints its own harness"),
        pytest.param(
            "import os\nfor folder, _, files in os.walk('.'):\n    for name in files:\n"
            "        print(open(os.path.join(folder, name), errors='replace').read())\nprint(os.environ)\nos._exit(0)",
            id="prints all that lies around",
        ),
        pytest.param("print(42)\nimport os\nos.kill(os.getpid(), 9)", id="prints what is right and crashes"),
        pytest.param("def twice(x): return type('L', (), {'__eq__': lambda *_: True})()", id="is equal to everything"),
    ],
)
def test_a_program_is_not_believed(workshop: Workshop, program: str) -> None:
    score = judged(
        workshop, f"```python\n{program}\n```", language="python", stdin="4711\n", harness=PYTHON, stdout="9422"
    )
    assert score.value == 0
    assert "9422" not in score.reason.replace("expected '9422'", "")


def test_files_and_stdin_are_there(workshop: Workshop) -> None:
    score = judged(
        workshop,
        "```python\nprint(open('data/x.txt').read() + input() + open('y').read())\n```",
        language="python",
        stdin="é\n",
        files={"data/x.txt": "ü", "y": 7},
        stdout="üé7",
    )
    assert score.passed, score.reason
