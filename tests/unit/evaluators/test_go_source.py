from __future__ import annotations

import re

import pytest

from llm_testbench.evaluators.go_source import joined

PLACE = "{{code}}"
HARNESS = 'package main\n\nimport "fmt"\n\n{{code}}\n\nfunc main() {\n\tfmt.Println(Add(1, 2))\n}\n'
ADD = "func Add(a, b int) int { return a + b }"


def imports(program: str) -> list[str]:
    """What the one import declaration of a program lists."""
    assert program.startswith("package main\n\nimport (\n")
    assert len(re.findall(r"^package|^import", program, re.MULTILINE)) == 2
    return [line.strip() for line in program.partition("(")[2].partition("\n)\n")[0].split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("code", "listed"),
    [
        pytest.param(ADD, ['"fmt"'], id="a function alone"),
        pytest.param(f"package main\n\n{ADD}", ['"fmt"'], id="a package clause"),
        pytest.param(f"package calc // of sums\n{ADD}", ['"fmt"'], id="another package"),
        pytest.param(f"// Package calc adds.\npackage calc\n{ADD}", ['"fmt"'], id="a comment before the clause"),
        pytest.param(f"/* c */ package main; {ADD}", ['"fmt"'], id="a comment and a semicolon"),
        pytest.param(f'import "fmt"\n{ADD}', ['"fmt"'], id="an import of both"),
        pytest.param(f'package main\nimport "strings"\n{ADD}', ['"strings"', '"fmt"'], id="an import of its own"),
        pytest.param(f'import (\n\t"os"\n\t"strings"\n)\n{ADD}', ['"os"', '"strings"', '"fmt"'], id="several"),
        pytest.param(
            f'import "os"\nimport (\n"io"; "log"\n)\n{ADD}', ['"os"', '"io"', '"log"', '"fmt"'], id="declarations"
        ),
        pytest.param(f'import("os")\n{ADD}', ['"os"', '"fmt"'], id="no space"),
        pytest.param(f"import `os`\n{ADD}", ["`os`", '"fmt"'], id="backticks"),
        pytest.param(
            f'import (\n\t"os" // (for args)\n\t// "io"\n)\n{ADD}', ['"os"', '"fmt"'], id="comments with parentheses"
        ),
        pytest.param(
            f'import (\n\tstr "strings"\n\t_ "embed"\n\t. "math"\n)\n{ADD}',
            ['str "strings"', '_ "embed"', '. "math"', '"fmt"'],
            id="named",
        ),
        pytest.param('import "unused"\nfunc Add(a, b int) int { return 3 }', ['"unused"', '"fmt"'], id="an unused one"),
    ],
)
def test_package_and_imports_stand_once_in_front(code: str, listed: list[str]) -> None:
    program = joined(HARNESS, PLACE, code)
    assert imports(program) == listed
    assert ")\nfunc Add" not in program.partition("\n)\n")[2]
    assert program.index("func Add") < program.index("func main")


@pytest.mark.parametrize(
    ("offered", "code", "listed"),
    [
        pytest.param('"sort"', "func F() { sort.Ints(nil) }", ['"sort"'], id="used"),
        pytest.param('"sort"', "func F() {}", [], id="not used"),
        pytest.param('"sort"', 'func F() { _ = "sort.Ints" }', [], id="named in a text"),
        pytest.param('"sort"', "// sort.Ints\nfunc F() {}", [], id="named in a comment"),
        pytest.param('"sort"', "func F() { resort.Ints() }", [], id="part of a name"),
        pytest.param('"math/rand/v2"', "func F() { rand.Int() }", ['"math/rand/v2"'], id="a version"),
        pytest.param('s "sort"', "func F() { s.Ints(nil) }", ['s "sort"'], id="by another name"),
        pytest.param('s "sort"', "func F() { sort.Ints(nil) }", [], id="by its own name where it has another"),
        pytest.param('_ "embed"', "func F() {}", ['_ "embed"'], id="for its effect"),
    ],
)
def test_a_harness_may_offer_packages_that_the_code_does_not_use(offered: str, code: str, listed: list[str]) -> None:
    assert imports(joined(f"import {offered}\n{PLACE}\nfunc main() {{}}", PLACE, code)) == listed


def test_a_harness_may_leave_its_head_out() -> None:
    assert joined("{{code}}\nfunc main() {}", PLACE, ADD) == f"package main\n\nimport (\n)\n\n{ADD}\nfunc main() {{}}"


@pytest.mark.parametrize(
    ("harness", "code", "mains"),
    [
        pytest.param(HARNESS, f"{ADD}\nfunc main() {{ Add(1, 2) }}", 1, id="both have one"),
        pytest.param("{{code}}\nfunc helper() {}", f"{ADD}\nfunc main() {{ Add(1, 2) }}", 1, id="the code alone"),
        pytest.param(HARNESS, f"{ADD}\n// func main() is above\nfunc mainly() {{}}", 1, id="alike"),
    ],
)
def test_a_main_of_the_code_gives_way_to_that_of_the_harness(harness: str, code: str, mains: int) -> None:
    program = joined(harness, PLACE, code)
    assert len(re.findall(r"^func main\(\)", program, re.MULTILINE)) == mains
    assert "func _()" in program or "func main() { Add" in program or "mainly" in program


@pytest.mark.parametrize(
    "unit", ["/*", "`", '"', "'", "import (", 'import "a"\n', "package ", "//", "\\", "func main()\n"]
)
def test_a_large_hostile_answer_is_joined_in_one_go(unit: str) -> None:
    # A pattern that tries every place anew would take hours.
    assert joined(HARNESS, PLACE, unit * (256 * 1024 // len(unit))).startswith("package main")
