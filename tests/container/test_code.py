"""The target `code`: compilers for what models write, ready for use by a program without rights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.container.engine import Image
from tests.container.runner import KEY, RUNTIME_TOKEN, Runner
from tests.servers.gateway import Gateway

# As the sandbox runs a program: another user, one folder of its own, nothing else to write to.
CONFINED = ["--read-only", "-u", "61184:61184", "--tmpfs", "/scratch:uid=61184,exec", "-w", "/scratch"]
CONFINED += ["-e", "HOME=/scratch", "-e", "TMPDIR=/scratch"]

C = """
#include <math.h>
#include <stdio.h>
int main(void) { printf("%.0f\\n", sqrt(1764)); }
"""
GO = """
package main

import (
    "encoding/json"
    "fmt"
    "net/http"
    "slices"
)

func main() {
    made, _ := json.Marshal(slices.Repeat([]int{42}, 1))
    fmt.Println(string(made[1:3]), http.StatusText(200) == "OK")
}
"""
TYPESCRIPT = """
import { readFileSync } from "node:fs";
type Answer = { value: number };
const answer: Answer = { value: 42 };
console.log(answer.value, typeof readFileSync);
"""

PROGRAMS = {
    "c": ("main.c", C, "gcc -O2 -o main main.c -lm && ./main", "42"),
    "go": ("main.go", GO, "go build -o main main.go && ./main", "42 true"),
    "javascript": ("main.mjs", "console.log([42].at(-1))", "node main.mjs", "42"),
    "typescript": ("main.ts", TYPESCRIPT, "node main.ts", "42 function"),
    "python": ("main.py", "print(42)", "python3 main.py", "42"),
}


@pytest.mark.parametrize(("name", "text", "command", "said"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_is_built_and_run(code: Image, name: str, text: str, command: str, said: str) -> None:
    out = code.shell(f"cat >{name} <<'END'\n{text}\nEND\n{command}", options=CONFINED)
    assert out.strip() == said


def test_the_whole_standard_library_of_go_is_built_already(code: Image) -> None:
    """`-n` prints what would have to be compiled."""
    assert "compile" not in code.shell("go build -n std 2>&1", options=CONFINED)


# Every package of the standard library, built in the sandbox as a program's are. Prints the packages that are compiled
# for it, and the seconds that a program with one import takes.
BUILD = """
import json, re, subprocess
from dataclasses import replace
from llm_testbench.sandbox.languages import LANGUAGES, compile_step
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job
from llm_testbench.sandbox.programs import toolchain

listed = subprocess.run(["go", "list", "std"], check=True, capture_output=True, text=True).stdout.split()
names = [name for name in listed if not re.search("(^|/)(internal|vendor)(/|$)", name)]
sources = (f'import _ "{name}"\\n' for name in names)
go = LANGUAGES["go"]
with Launchers() as launchers:
    found = toolchain(launchers, "go", "/usr/bin", "/opt/go-cache")
    step = compile_step(go, found)
    told = replace(step, argv=(*step.argv[:2], "-x", *step.argv[2:]))
    whole = f"package main\\n{''.join(sources)}func main() {{}}\\n".encode()
    (ran,) = launchers.run(Job((told,), {"main.go": whole}))
    small = 'package main\\nimport "fmt"\\nfunc main() { fmt.Println(42) }\\n'.encode()
    took = [launchers.run(Job((step,), {"main.go": small}))[0].wall for _ in range(5)]
said = ran.stderr.decode()
print(json.dumps({"ok": ran.ok, "said": said[-2000:], "imported": len(names), "seconds": min(took)}))
print(json.dumps(re.findall(r"/compile .*? -p (\\S+)", said)))
"""


@pytest.mark.parametrize("user", ["0", "1000"])
def test_nothing_of_the_standard_library_is_compiled_again_in_the_sandbox(code: Image, user: str) -> None:
    done = code.run("-c", BUILD, options=["--entrypoint", "/opt/llm-testbench/bin/python", "--user", user])
    assert done.code == 0, done.err
    told, compiled = map(json.loads, done.out.splitlines())
    assert told["ok"], told["said"]
    assert told["imported"] > 150
    assert compiled == ["main"]


def test_a_program_cannot_poison_what_the_next_one_is_built_of(code: Image) -> None:
    assert code.shell("find $(go env GOCACHE GOROOT) -not -user root -o -not -type l -perm /022") == ""
    assert code.shell('touch "$(go env GOCACHE)/00/x" 2>&1 || true', options=CONFINED).strip().startswith("touch: ")


def test_go_fetches_nothing(code: Image) -> None:
    assert code.shell("go env GOTOOLCHAIN GOPROXY CGO_ENABLED GOFLAGS").split() == [
        "local",
        "off",
        "0",
        "-buildvcs=false",
    ]


def test_node_is_new_enough_to_run_typescript(code: Image) -> None:
    major, *_ = code.shell("node --version").removeprefix("v").split(".")
    assert int(major) >= 24


def test_there_is_no_program_that_gives_rights(code: Image) -> None:
    assert code.shell("find / -xdev -type f -perm /6000") == ""


HOSTILE = """
import glob, os
print("::set-output name=verdict::pass")
print(os.environ)
for path in ["/proc/1/environ", "/github/workspace/evals/programs.yaml", *glob.glob("/github/file_commands/*")]:
    try:
        print(open(path).read())
    except OSError:
        pass
for path in ["/github/file_commands/output", "/github/workspace/left", "/tmp/left"]:
    try:
        open(path, "a").write("verdict=pass")
    except OSError:
        pass
print(42)
"""
ANSWERS = {
    "in python": "```python\nprint(42)\n```",
    "in go": f"```go\n{GO}```",
    "in c": f"```c\n{C}```",
    "in javascript": "```js\nconsole.log([42].at(-1))\n```",
    "in typescript": f"```ts\n{TYPESCRIPT}```",
    "in bash": "```sh\necho $((6 * 7))\n```",
    "in a hurry": "```python\nprint(41)\n```",
    "in spite": f"```python{HOSTILE}```",
    "in sql": "```sql\nSELECT 42\n```",
}
STDOUT = {"in go": "42 true", "in typescript": "42 function"}
LANGUAGE_OF = {"in a hurry": "python", "in spite": "python"}


def suite() -> str:
    """A test for each answer, as JSON, which is YAML."""
    tests: list[dict[str, object]] = []
    for words in ANSWERS:
        language = LANGUAGE_OF.get(words, words.removeprefix("in "))
        check: dict[str, object] = {"code": {"language": language, "stdout": STDOUT.get(words, "42")}}
        if words == "in sql":
            check = {"sql": {"setup": "CREATE TABLE t (n);", "expected": [[42]]}}
        examples = [{"response": "```\nno program\n```", "score": 0}]
        tests.append(
            {"id": words.replace(" ", "-"), "prompt": f"{words}, please", "evaluate": check, "examples": examples}
        )
    return json.dumps({"category": "programs", "subcategory": "all", "tests": tests})


@pytest.fixture
def step(code: Image, gateway: Gateway, tmp_path: Path) -> Runner:
    """A workspace with that suite, asked of a gateway that answers with programs."""
    gateway.answer = lambda body: next(said for words, said in ANSWERS.items() if f"{words}, please" in str(body))
    made = Runner(code, tmp_path)
    made.write("llm-testbench.yaml", "models: [m]\nsuites: [evals/programs.yaml]\nrepeat: 1\n")
    made.write("evals/programs.yaml", suite())
    made.inputs["endpoint"] = gateway.url
    return made


def test_a_step_runs_what_models_wrote_and_none_of_it_reaches_the_job(step: Runner) -> None:
    done = step.step(baseline="none")
    assert done.code == 0, done.err
    artifact = step.result("artifact.json")
    scores = {row["test_id"].replace("-", " "): row["score"] for row in artifact["results"]}
    assert scores == {words: 0.0 if words in LANGUAGE_OF else 1.0 for words in ANSWERS}
    assert {row["outcome"] for row in artifact["results"]} == {"answered"}
    assert {"own_uid", "landlock_files", "seccomp"} <= set(artifact["meta"]["sandbox"]["layers"])
    assert (step.outputs["verdict"], step.not_the_owners()) == ("no_baseline", [])
    assert [path.name for path in step.files if path.name == "left"] == []
    told = done.out + done.err + "".join(path.read_text("utf-8", "replace") for path in step.files)
    assert KEY not in told
    assert RUNTIME_TOKEN not in told
    assert [line for line in (done.out + done.err).splitlines() if line.lstrip().startswith("::set-output")] == []


def test_an_ordinary_user_gets_the_same_scores(code: Image, step: Runner, tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    results.chmod(0o777)
    asked = ["gate", "--endpoint", step.inputs["endpoint"], "--models", "m", "--suites", "/work/evals/programs.yaml"]
    asked += ["--repeat", "1", "--baseline", "none", "--output-dir", "/results"]
    mounted = ["-v", f"{tmp_path / 'workspace'}:/work:ro", "-v", f"{results}:/results", "-w", "/work"]
    done = code.run(*asked, options=[*mounted, "--user", "1000:1000"])
    assert done.code == 0, done.err
    artifact = json.loads((results / "artifact.json").read_text("utf-8"))
    scores = {row["test_id"].replace("-", " "): row["score"] for row in artifact["results"]}
    assert scores == {words: 0.0 if words in LANGUAGE_OF else 1.0 for words in ANSWERS}
