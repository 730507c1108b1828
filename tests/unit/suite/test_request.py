"""Tools and parameters reach the body as written, but for what the run itself decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.suite.suites import HEAD, faults_of, load_one, write

from llm_testbench.errors import InputError
from llm_testbench.suite.load import load
from llm_testbench.suite.request import RESERVED

BODY = "id: a\n    prompt: x\n    evaluate: {equals: x}\n"
TOOL = '{"type": "function", "function": {"name": "get_x", "strict": true, "parameters": {"type": "object"}}}'


@pytest.mark.parametrize("name", ["t/tools.json", "t/tools.yaml"])
def test_tools_may_stand_in_a_json_or_yaml_file(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, f"[{TOOL}]")
    from_file = load_one(tmp_path, f"{BODY}    tools: {{file: {name}}}\n")
    inline = load_one(tmp_path, f"{BODY}    tools: [{TOOL}]\n")
    assert from_file.tools == inline.tools != ()
    assert from_file.request_hash == inline.request_hash


@pytest.mark.parametrize("key", sorted(RESERVED))
def test_what_the_run_decides_cannot_be_set_by_a_suite(tmp_path: Path, key: str) -> None:
    (line,) = faults_of(tmp_path, f"{HEAD}tests:\n  - {BODY}    request: {{{key}: x}}\n")
    assert line == f"s.yaml:7:15: tests[0].request.{key}: cannot be set by a suite: {RESERVED[key]}"


FAULTS: dict[str, tuple[str, list[str]]] = {
    "request": ("request: [x]", ["s.yaml:7:5: tests[0].request: expected a mapping, got a list"]),
    "tools": ("tools: x", ["s.yaml:7:5: tests[0].tools: expected a list, got 'x'"]),
    "tool": (
        "tools: [{type: x}, {type: function, function: {}}]",
        [
            "s.yaml:7:13: tests[0].tools[0]: the key 'function' is missing",
            "s.yaml:7:14: tests[0].tools[0].type: expected 'function', got 'x'",
            "s.yaml:7:41: tests[0].tools[1].function: the key 'name' is missing",
        ],
    ),
    "name": (
        "tools: [{type: function, function: {name: a b}}]",
        ["s.yaml:7:41: tests[0].tools[0].function.name: expected letters, digits, _ or - as a tool's name of at most"],
    ),
    "parameters": (
        "tools: [{type: function, function: {name: f, parameters: []}}]",
        ["s.yaml:7:50: tests[0].tools[0].function.parameters: expected a JSON Schema, got a list"],
    ),
    "twice": (
        f"tools: [{TOOL}, {TOOL}]",
        ["s.yaml:7:116: tests[0].tools[1]: a tool named 'get_x' stands already in this list"],
    ),
    "file key": (
        "tools: {path: x}",
        [
            "s.yaml:7:5: tests[0].tools: the key 'file' is missing",
            "s.yaml:7:13: tests[0].tools.path: unknown key; expected file",
        ],
    ),
    "no file": ("tools: {file: x.json}", ["s.yaml:7:13: tests[0].tools.file: 'x.json': no such file"]),
    "bad json": ("tools: {file: bad.json}", ["s.yaml:7:13: tests[0].tools.file: 'bad.json': not JSON: Expecting"]),
    "bad yaml": ("tools: {file: bad.yaml}", ["bad.yaml:2:1: not YAML: "]),
    "wrong in the file": ("tools: {file: wrong.yaml}", ["wrong.yaml:2:3: [0].type: expected 'function', got 'x'"]),
}


@pytest.mark.parametrize(("body", "expected"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_are_told_where_they_stand(tmp_path: Path, body: str, expected: list[str]) -> None:
    write(tmp_path, "bad.json", "[")
    write(tmp_path, "bad.yaml", "[")
    write(tmp_path, "wrong.yaml", "-\n  type: x\n  function: {name: f}\n")
    lines = faults_of(tmp_path, f"{HEAD}tests:\n  - {BODY}    {body}\n")
    assert len(lines) == len(expected), lines
    for line, start in zip(lines, expected, strict=True):
        assert line.startswith(start)


def test_a_fault_in_a_named_file_has_its_path_from_the_base(tmp_path: Path) -> None:
    write(tmp_path, "data/tools.yaml", "[x]")
    write(tmp_path, "evals/s.yaml", f"{HEAD}tests:\n  - {BODY}    tools: {{file: ../data/tools.yaml}}\n")
    write(tmp_path, ".git/config", "")
    with pytest.raises(InputError, match=r"^data/tools\.yaml:1:2: \[0\]: expected a mapping"):
        load(["evals/s.yaml"], tmp_path)
