"""The schema for editors accepts what the loader accepts, and marks the usual mistakes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from tests.unit.suite.guide import FILES
from tests.unit.suite.structures import SUITES, read_value
from tests.unit.suite.suites import HEAD, faults_of, load_text

from llm_testbench import schemas, yaml12
from llm_testbench.errors import InputError
from llm_testbench.json_value import JSON
from llm_testbench.suite.schema import schema_text, suite_schema
from llm_testbench.suite.sources import builtin_names, find

VALIDATOR = Draft202012Validator(suite_schema())


def valid(text: str) -> bool:
    return VALIDATOR.is_valid(yaml12.read(text, "s.yaml").value)


def test_the_committed_file_is_what_the_code_generates() -> None:
    assert schemas.text("suite") == schema_text(), (
        "run: python -m llm_testbench.suite.schema > schemas/suite.schema.json"
    )


def test_the_module_prints_the_file() -> None:
    command = [sys.executable, "-m", "llm_testbench.suite.schema"]
    printed = subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8").stdout
    assert printed == schema_text()


def test_the_schema_is_a_schema_of_draft_2020_12() -> None:
    assert suite_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(suite_schema())


def test_every_reference_leads_somewhere() -> None:
    schema = suite_schema()
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    assert set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema))) <= set(definitions)


@pytest.mark.parametrize("name", sorted(name for name in FILES if re.fullmatch(r"evals/\w+\.yaml", name)))
def test_the_suites_of_the_guide_are_valid(name: str) -> None:
    VALIDATOR.validate(yaml12.read(FILES[name], name).value)


@pytest.mark.parametrize("name", builtin_names())
def test_the_built_in_suites_are_valid(name: str, tmp_path: Path) -> None:
    (file,) = find([f"builtin:{name}"], tmp_path)
    VALIDATOR.validate(yaml12.read(file.root.joinpath(*file.parts).read_bytes(), name).value)


CHECK = "evaluate: {equals: x}"
GOOD = {
    "small": f"{{id: a, prompt: x, {CHECK}}}",
    "file": f"{{id: a, prompt: {{file: x.md}}, system: null, {CHECK}}}",
    "messages": f"{{id: a, messages: [{{role: user, content: [{{type: text, text: x}}]}}], {CHECK}}}",
    "placeholders": '{id: a, prompt: x, max_tokens: "${m}", must_pass: "${p}", cases: {c: {m: 1, p: true, e: 2, s: 1}},'
    ' evaluate: {all: [{numeric: {expected: "${e}"}}]}, examples: [{response: x, score: "${s}"}]}',
    "ground truth": f"{{id: a, prompt: x, {CHECK}, ground_truth: {{language: go, program: x}}}}",
    "mean": "{id: a, prompt: x, evaluate: {mean: [{equals: x, weight: 2}, {one_of: [a, b]}]}}",
}
BAD = {
    "no check": "{id: a, prompt: x}",
    "two checks": "{id: a, prompt: x, evaluate: {equals: x, one_of: [y]}}",
    "unknown check": "{id: a, prompt: x, evaluate: {equal: x}}",
    "unknown key": f"{{id: a, promt: x, {CHECK}}}",
    "prompt and messages": f"{{id: a, prompt: x, messages: [{{role: user, content: x}}], {CHECK}}}",
    "id": f"{{id: A b, prompt: x, {CHECK}}}",
    "tag": f"{{id: a, prompt: x, tags: ['a,b'], {CHECK}}}",
    "flag": f"{{id: a, prompt: x, must_pass: 'yes', {CHECK}}}",
    "number": f"{{id: a, prompt: x, rev: 0, {CHECK}}}",
    "role": f"{{id: a, messages: [{{role: bot, content: x}}], {CHECK}}}",
    "tool": f"{{id: a, prompt: x, tools: [{{name: f}}], {CHECK}}}",
    "reserved": f"{{id: a, prompt: x, request: {{model: x}}, {CHECK}}}",
    "score": f"{{id: a, prompt: x, examples: [{{response: x, score: 2}}], {CHECK}}}",
    "example": f"{{id: a, prompt: x, examples: [{{score: 1}}], {CHECK}}}",
    "ground truth": f"{{id: a, prompt: x, {CHECK}, ground_truth: {{language: cobol, program: x}}}}",
    "no case": f"{{id: a, prompt: x, cases: {{}}, {CHECK}}}",
    "case name": f"{{id: a, prompt: x, cases: {{'a b': {{}}}}, {CHECK}}}",
    "no placeholder without cases": f'{{id: a, prompt: x, rev: "${{r}}", {CHECK}}}',
    "half a placeholder": f'{{id: a, prompt: x, rev: "1${{r}}", cases: {{c: {{r: 1}}}}, {CHECK}}}',
}


def suite(entry: str) -> str:
    return f"{HEAD}tests:\n  - {entry}\n"


@pytest.mark.parametrize("entry", GOOD.values(), ids=GOOD.keys())
def test_good_suites_are_valid(entry: str) -> None:
    VALIDATOR.validate(yaml12.read(suite(entry), "s.yaml").value)


@pytest.mark.parametrize("name", sorted(GOOD.keys() - {"file"}))
def test_good_suites_load(tmp_path: Path, name: str) -> None:
    assert load_text(tmp_path, suite(GOOD[name]))


@pytest.mark.parametrize("entry", BAD.values(), ids=BAD.keys())
def test_bad_suites_are_refused_by_both(tmp_path: Path, entry: str) -> None:
    assert not valid(suite(entry))
    assert faults_of(tmp_path, suite(entry))


def test_a_check_may_stand_in_the_defaults_instead() -> None:
    assert valid(f"{HEAD}defaults: {{{CHECK}}}\ntests: [{{id: a, prompt: x}}]")
    assert not valid(f"{HEAD}defaults: {{rev: 1}}\ntests: [{{id: a, prompt: x}}]")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=100)
@given(SUITES)
def test_what_loads_is_valid(tmp_path: Path, value: JSON) -> None:
    try:
        read_value(value, tmp_path)
    except InputError:
        return
    VALIDATOR.validate(value)
