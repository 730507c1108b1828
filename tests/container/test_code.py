"""The target `code`: compilers for what models write, ready for use by a program without rights."""

from __future__ import annotations

import pytest
from tests.container.engine import Image

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
