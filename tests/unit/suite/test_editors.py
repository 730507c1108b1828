"""What an editor marks by the schema is what `llmtest validate` finds, and where; what it completes is described."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from tests.unit.suite.suites import load_text, write

from llm_testbench import schemas, yaml12
from llm_testbench.errors import FaultsError
from llm_testbench.json_value import JSON
from llm_testbench.suite.load import load
from llm_testbench.suite.schema import suite_schema

VALIDATOR = Draft202012Validator(suite_schema())

SUITE = """\
category: arithmetic
subcategory: sums
defaults: {tags: [smoke], request: {temperature: 0}}
models: [chat]
tests:
  - id: sum
    description: A sum
    prompt: What is 40 + 2?
    max_tokens: 600
    evaluate: {numeric: {expected: 42, abs_tol: 0.5}}
    ground_truth: {language: python, program: print(6 * 7)}
    examples:
      - {response: "42", score: 1}
      - {tool_calls: [{name: f, arguments: {x: 1}}], score: 0}
  - id: told
    messages: [{role: user, content: Hello}]
    tools: [{type: function, function: {name: f, parameters: {}}}]
    must_pass: true
    evaluate: {mean: [{equals: x, weight: 2}, {contains_all: [y, z]}]}
  - id: each
    prompt: Say ${word}.
    evaluate: {equals: "${word}"}
    examples: [{response: "${word}", score: 1}]
    cases: {one: {word: x}}
"""

# What is written instead of what; where the schema's error is reported; the key below it that the loader names: the
# schema reports an unknown key for the mapping that holds it.
BAD: dict[str, tuple[str, str, str, str]] = {
    "category in capitals": ("category: arithmetic", "category: Arithmetic", "category", ""),
    "no subcategory": ("subcategory: sums\n", "", "", ""),
    "a mistyped key of the suite": ("models: [chat]", "model: [chat]", "", ".model"),
    "a model twice": ("[chat]", "[chat, chat]", "models", ""),
    "no model": ("[chat]", "[]", "models", ""),
    "a key that no default is": ("defaults: {", "defaults: {prompt: x, ", "defaults", ".prompt"),
    "a tag with a comma": ("tags: [smoke]", "tags: ['a,b']", "defaults.tags.0", ""),
    "a reserved parameter": ("{temperature: 0}", "{model: x}", "defaults.request.model", ""),
    "no test": (SUITE[SUITE.index("\n  - id: sum") :], " []\n", "tests", ""),
    "a mistyped key of a test": ("max_tokens: 600", "max_token: 600", "tests.0", ".max_token"),
    "an id with a space": ("id: sum", "id: a sum", "tests.0.id", ""),
    "an id that is a number": ("id: sum", "id: 12", "tests.0.id", ""),
    "neither prompt nor messages": ("    prompt: What is 40 + 2?\n", "", "tests.0", ""),
    "prompt and messages": ("    messages:", "    prompt: x\n    messages:", "tests.1", ".prompt"),
    "a prompt that is a list": ("prompt: What is 40 + 2?", "prompt: [x]", "tests.0.prompt", ""),
    "an empty prompt": ("prompt: What is 40 + 2?", "prompt: ''", "tests.0.prompt", ""),
    "a limit as text": ("max_tokens: 600", "max_tokens: '600'", "tests.0.max_tokens", ""),
    "a limit of nothing": ("max_tokens: 600", "max_tokens: 0", "tests.0.max_tokens", ""),
    "a flag as text": ("must_pass: true", "must_pass: 'yes'", "tests.1.must_pass", ""),
    "a long description": ("A sum", "x" * 1001, "tests.0.description", ""),
    "no check": ("    evaluate: {numeric: {expected: 42, abs_tol: 0.5}}\n", "", "tests.0", ""),
    "an unknown evaluator": ("{numeric: {", "{numerc: {", "tests.0.evaluate", ".numerc"),
    "two evaluators": ("{numeric: {", "{equals: x, numeric: {", "tests.0.evaluate", ""),
    "a mistyped parameter": ("abs_tol", "abs_tl", "tests.0.evaluate.numeric", ".abs_tl"),
    "a negative tolerance": ("abs_tol: 0.5", "abs_tol: -1", "tests.0.evaluate.numeric.abs_tol", ""),
    "a weight of nothing": ("weight: 2", "weight: 0", "tests.1.evaluate.mean.0.weight", ""),
    "no part": ("[{equals: x, weight: 2}, {contains_all: [y, z]}]", "[]", "tests.1.evaluate.mean", ""),
    "an unknown part": ("contains_all", "contain_all", "tests.1.evaluate.mean.1", ".contain_all"),
    "a language that is none": ("language: python", "language: cobol", "tests.0.ground_truth.language", ""),
    "a ground truth of nothing": (", program: print(6 * 7)", "", "tests.0.ground_truth", ""),
    "a score above 1": ('"42", score: 1', '"42", score: 2', "tests.0.examples.0.score", ""),
    "an example without score": ('"42", score: 1', '"42"', "tests.0.examples.0", ""),
    "an example of nothing": ('{response: "42", score: 1}', "{score: 1}", "tests.0.examples.0", ""),
    "a key of no example": ('{response: "42"', '{respond: x, response: "42"', "tests.0.examples.0", ".respond"),
    "a call without a name": ("{name: f, arg", "{arg", "tests.0.examples.1.tool_calls.0", ""),
    "arguments that are a list": ("{x: 1}", "[1]", "tests.0.examples.1.tool_calls.0.arguments", ""),
    "a role that is none": ("role: user", "role: bot", "tests.1.messages.0.role", ""),
    "a mistyped key of a message": ("content: Hello", "content: Hello, nam: x", "tests.1.messages.0", ".nam"),
    "a tool without its kind": ("{type: function, ", "{", "tests.1.tools.0", ""),
    "a name with a space": ("function: {name: f", "function: {name: f g", "tests.1.tools.0.function.name", ""),
    "no case": ("cases: {one: {word: x}}", "cases: {}", "tests.2.cases", ""),
    "a case that is a text": ("{one: {word: x}}", "{one: x}", "tests.2.cases.one", ""),
    "a case with a space": ("{one: {word", "{a b: {word", "tests.2.cases", ".a b"),
    "a variable with a dot": ("{word: x}", "{word: x, a.b: 1}", "tests.2.cases.one", ".a.b"),
}  # fmt: skip

GOOD: dict[str, tuple[str, str]] = {
    "as it is": ("", ""),
    "text and messages in a file": ("prompt: What is 40 + 2?", "prompt: {file: prompt.md}"),
    "no default system": ("    prompt: What", "    system: null\n    prompt: What"),
    "a system text": ("    prompt: What", "    system: Be brief.\n    prompt: What"),
    "a short form": ("{numeric: {expected: 42, abs_tol: 0.5}}", "{numeric: 42}"),
    "a check in the defaults": ("defaults: {", "defaults: {evaluate: {equals: x}, "),
    "a nested check": ("{equals: x, weight: 2}", "{any: [{equals: x}, {all: [{one_of: [a, b]}]}], weight: 2}"),
    "content parts": ("content: Hello", "content: [{type: text, text: Hello}]"),
    "any parameter": ("{temperature: 0}", "{stop: [x], reasoning: {effort: low}}"),
    "a program as text": ("{language: python, program: print(6 * 7)}", "print(6 * 7)"),
    "an example of both": ('{response: "42", score: 1}', '{response: "42", tool_calls: [], score: 0.25}'),
    "a placeholder for a number": ("cases: {one: {word: x}}", "rev: ${n}\n    cases: {one: {word: x, n: 2}}"),
    "tools in a file": ("tools: [{type: function, function: {name: f, parameters: {}}}]", "tools: {file: tools.json}"),
    "cases in a file": ("cases: {one: {word: x}}", "cases: {file: cases.jsonl}"),
    "quarantine and another revision": ("must_pass: true", "quarantine: true\n    rev: 3"),
}


def changed(was: str, now: str) -> str:
    assert was in SUITE
    return SUITE.replace(was, now, 1)


def leaves(error: ValidationError) -> Iterator[ValidationError]:
    """The errors that an editor marks: the innermost."""
    if not error.context:
        yield error
    for inner in error.context or ():
        yield from leaves(inner)


def reported(text: str) -> set[tuple[str | int, ...]]:
    value = yaml12.read(text, "s.yaml").value
    return {tuple(leaf.absolute_path) for error in VALIDATOR.iter_errors(value) for leaf in leaves(error)}


def path_of(written: str) -> tuple[str | int, ...]:
    """`tests.0.id` as a path."""
    return tuple(int(step) if step.isdigit() else step for step in written.split(".") if step)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, ".git/config", "")
    write(tmp_path, "prompt.md", "What is 40 + 2?")
    write(tmp_path, "tools.json", "[]")
    write(tmp_path, "cases.jsonl", '{"case": "one", "word": "x"}')
    return tmp_path


@pytest.mark.parametrize("name", GOOD)
def test_a_good_file_has_no_mark_and_loads(folder: Path, name: str) -> None:
    text = changed(*GOOD[name]) if GOOD[name][0] else SUITE
    assert reported(text) == set()
    assert load_text(folder, text)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_marked_where_validate_finds_its_one_fault(folder: Path, name: str) -> None:
    was, now, marked, key = BAD[name]
    text = changed(was, now)
    write(folder, "s.yaml", text)

    with pytest.raises(FaultsError) as caught:
        load(["s.yaml"], folder)

    (fault,) = caught.value.faults
    path = path_of(marked)
    assert path in reported(text)
    assert fault.place == yaml12.read(text, "s.yaml").place((*path, key[1:]) if key else path)


def test_the_tables_are_large_enough() -> None:
    assert len(GOOD) >= 12
    assert len(BAD) >= 25


def test_the_usual_tool_for_pipelines_agrees(tmp_path: Path) -> None:
    """check-jsonschema reads YAML in its own way, and the schema as the command prints it."""
    write(tmp_path, "suite.schema.json", schemas.text("suite"))
    for number, (was, now) in enumerate(GOOD.values()):
        write(tmp_path, f"good-{number}.yaml", changed(was, now) if was else SUITE)
    for number, (was, now, _, _) in enumerate(BAD.values()):
        write(tmp_path, f"bad-{number}.yaml", changed(was, now))
    command = [sys.executable, "-m", "check_jsonschema", "--schemafile", "suite.schema.json", "-o", "json"]
    names = sorted(path.name for path in tmp_path.glob("*.yaml"))

    done = subprocess.run([*command, *names], cwd=tmp_path, capture_output=True, text=True, check=False)

    refused = {Path(error["filename"]).name for error in json.loads(done.stdout)["errors"]}
    assert refused == {name for name in names if name.startswith("bad-")}


def properties(schema: JSON, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every property that an editor may complete."""
    if isinstance(schema, Mapping):
        written = schema.get("properties")
        if isinstance(written, Mapping) and not path.endswith(("/if", "/else")):
            for key, inner in written.items():
                if isinstance(inner, Mapping):
                    yield f"{path}/{key}", inner
        for key, inner in schema.items():
            if key not in ("if", "else"):
                yield from properties(inner, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, inner in enumerate(schema):
            yield from properties(inner, f"{path}/{index}")


def test_every_property_is_described() -> None:
    found = dict(properties(suite_schema()))
    assert len(found) > 200
    assert [path for path, schema in found.items() if not str(schema.get("description", "")).strip()] == []


def test_what_has_a_default_says_so() -> None:
    found = dict(properties(suite_schema()))
    for path in ("/$defs/test/rev", "/$defs/test/must_pass", "/$defs/test_with_cases/quarantine"):
        assert "default" in found[path]
    assert found["/$defs/check_numeric/anyOf/1/abs_tol"]["default"] == 0
    assert found["/$defs/template_check_numeric/anyOf/1/abs_tol"]["default"] == 0
