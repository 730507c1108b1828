"""The schema accepts what the loader accepts; where the loader is stricter, docs/write-a-suite.md says so."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from tests.unit.suite.guide import FILES, PAGE
from tests.unit.suite.mutations import KEYS, VALUES, mutated, paths
from tests.unit.suite.structures import read_value
from tests.unit.suite.suites import HEAD, faults_of
from tests.unit.suite.test_editors import SUITE

from llm_testbench import yaml12
from llm_testbench.errors import FaultsError
from llm_testbench.json_value import JSON
from llm_testbench.suite.schema import suite_schema

VALIDATOR = Draft202012Validator(suite_schema())

# What a rule is called on the page; how its faults begin; a suite that breaks it, and that the schema accepts.
STRICTER: dict[str, tuple[str, tuple[str, ...]]] = {
    "Names that stand twice": (
        r"stands? already",
        (
            "[{id: a, prompt: x, evaluate: {equals: x}}, {id: a, prompt: y, evaluate: {equals: x}}]",
            "[{id: a, prompt: x, evaluate: {equals: x}, tools: [{type: function, function: {name: f}},"
            " {type: function, function: {name: f, parameters: {}}}]}]",
        ),
    ),
    "Files that are named": (
        r"no such file|not JSON|expected a list",
        ("[{id: a, prompt: {file: no.md}, evaluate: {equals: x}}]",),
    ),
    "Placeholders": (
        r"\(in case|\$\{|two keys are the same",
        (
            '[{id: a, prompt: "${b}", evaluate: {equals: x}, cases: {c: {a: 1}}}]',
            '[{id: a, prompt: "${a}", evaluate: {equals: x}, cases: {c: {a: 1}}}]',
        ),
    ),
    "Conversations": (
        r"expected the id of a tool call|'tool_call_id' is missing|expected content|expected tool_calls in a message"
        r"|expected the system text either",
        (
            "[{id: a, messages: [{role: tool, content: x, tool_call_id: c}], evaluate: {equals: x}}]",
            "[{id: a, messages: [{role: tool, content: x}], evaluate: {equals: x}}]",
            "[{id: a, messages: [{role: user}], evaluate: {equals: x}}]",
            "[{id: a, messages: [{role: user, content: x, tool_calls: [{id: c, name: f}]}], evaluate: {equals: x}}]",
            "[{id: a, system: x, messages: [{role: system, content: x}], evaluate: {equals: x}}]",
        ),
    ),
    "Patterns, schemas and paths": (
        r"the pattern |not a JSON Schema|expected a path|number or name of a group|any_of|list of accepted values"
        r"|is where the program itself goes|cannot be a file and hold",
        (
            "[{id: a, prompt: x, evaluate: {regex: '('}}]",
            "[{id: a, prompt: x, evaluate: {regex: 'x*'}}]",
            "[{id: a, prompt: x, evaluate: {json_schema: {type: txt}}}]",
            "[{id: a, prompt: x, evaluate: {json_field: {path: 'a[', expected: 1}}}]",
            "[{id: a, prompt: x, evaluate: {tool_call_args: {name: f, args: {x: {any_of: 1}}}}}]",
        ),
    ),
    "Texts and numbers": (
        r"found an empty one|put quotes around it|expected a number, a fraction|list of texts, found a number"
        r"|cells, found|control characters|of at most \d+ characters",
        (
            "[{id: a, prompt: x, evaluate: {equals: ''}}]",
            "[{id: a, prompt: x, evaluate: {equals: 1.0}}]",
            "[{id: a, prompt: x, evaluate: {numeric: much}}]",
            "[{id: a, prompt: x, evaluate: {sql: {setup: x, expected: [[1], [1, 2]]}}}]",
            '[{id: a, description: "x\\u0007", prompt: x, evaluate: {equals: x}}]',
        ),
    ),
    "Depth and size": (
        r"nested deeper|are more than|more than \d+",
        (f"[{{id: a, prompt: x, evaluate: {'{all: [' * 12}{{equals: x}}{']}' * 12}}}]",),
    ),
}  # fmt: skip
OVER = re.compile("|".join(begins for begins, _ in STRICTER.values()))


def suites() -> Iterator[JSON]:
    """Good ones, with every key that a suite may have."""
    yield yaml12.read(SUITE, "s.yaml").value
    for name, text in FILES.items():
        if re.fullmatch(r"evals/\w+\.yaml", name) and "file:" not in text:
            yield yaml12.read(text, name).value
    told = """[{role: user, content: x}, {role: assistant, tool_calls: [{id: c, name: f, arguments: {}},
      {id: d, type: function, function: {name: f, arguments: "{}"}}]}, {role: tool, tool_call_id: c, content: y}]"""
    yield yaml12.read(f"{HEAD}tests: [{{id: a, messages: {told}, evaluate: {{equals: x}}}}]", "s.yaml").value
    every = """[
      {regex: {pattern: x, flags: i, group: 0, expected: x}}, {one_of: [a, b]}, {exact_token: x}, {not_contains: [x]},
      {no_unnegated_mention: {pattern: x, window: 10, exempt: y}}, {json_field: {path: "a[0]", expected: 1}},
      {json_fields: {a: 1}}, {json_array: {path: a, expected: [1], ordered: false}}, {json_schema: {type: object}},
      {code: {language: bash, stdout: x, stdin: y, files: {a: b}, timeout: 1s, harness: "{{code}}"}},
      {sql: {setup: x, expected: [[1]], ordered: true}}, {sql: {setup: x, query_check: y}}, {tool_called: f},
      {tool_not_called: {name: f}}, {first_tool: f}, {no_tool_called: true}, {tool_sequence: [f, g]},
      {tool_call_args: {name: f, args: {x: {any_of: [1]}}, exact: true}},
      {tool_arg_values_cover: {name: f, arg: x, values: [1]}}, {any: {checks: [{equals: {expected: x}}]}}
    ]"""
    yield yaml12.read(f"{HEAD}tests: [{{id: a, prompt: x, evaluate: {{all: {every}}}}}]", "s.yaml").value


GOOD = list(suites())


def refusals(suite: JSON, folder: Path) -> list[str] | None:
    """The loader's faults, or None where it accepts the suite."""
    try:
        read_value(suite, folder)
    except FaultsError as error:
        return [fault.message for fault in error.faults]
    return None


def disagreement(suite: JSON, folder: Path) -> str:
    """What schema and loader do not agree on; empty where all of it is on the page."""
    refused = refusals(suite, folder)
    valid = VALIDATOR.is_valid(suite)
    if refused is None:
        return "" if valid else "loads, and is not valid"
    return "; ".join(message for message in refused if not OVER.search(message)) if valid else ""


@pytest.mark.parametrize("suite", GOOD, ids=range(len(GOOD)))
def test_both_accept_the_suites_to_be_changed(tmp_path: Path, suite: JSON) -> None:
    assert refusals(suite, tmp_path) is None
    VALIDATOR.validate(suite)


@pytest.mark.parametrize("suite", GOOD, ids=range(len(GOOD)))
def test_they_agree_on_every_value_replaced_left_out_and_every_key_added(tmp_path: Path, suite: JSON) -> None:
    seen: set[tuple[object, ...]] = set()
    found = {}
    for path in paths(suite):
        shape = tuple("#" if isinstance(step, int) else step for step in path)
        if not path or shape in seen:
            continue
        seen.add(shape)
        for name, changed in changes(suite, path):
            told = disagreement(changed, tmp_path)
            if told:
                found[f"{shape} {name}"] = told
    assert found == {}


def changes(suite: JSON, path: tuple[str | int, ...]) -> Iterator[tuple[str, JSON]]:
    """The suite with one thing else at `path`."""
    for value in VALUES:
        changed, holder = _copied(suite, path)
        holder[path[-1]] = value
        yield f"= {value!r}", changed
    changed, holder = _copied(suite, path)
    del holder[path[-1]]
    yield "left out", changed
    for key in KEYS:
        changed, holder = _copied(suite, path)
        if isinstance(holder[path[-1]], dict) and key not in holder[path[-1]]:
            holder[path[-1]][key] = "x"
            yield f"with {key}", changed


def _copied(suite: JSON, path: tuple[str | int, ...]) -> tuple[JSON, Any]:
    changed: Any = copy.deepcopy(suite)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    return changed, holder


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150, deadline=None
)
@given(mutated(GOOD))
def test_they_agree_on_suites_with_several_changes(tmp_path: Path, suite: JSON) -> None:
    assert disagreement(suite, tmp_path) == ""


@pytest.mark.parametrize(
    ("name", "entries"),
    [
        pytest.param(name, text, id=f"{name} {n}")
        for name, (_, texts) in STRICTER.items()
        for n, text in enumerate(texts)
    ],
)
def test_a_stricter_rule_of_the_page_is_one(tmp_path: Path, name: str, entries: str) -> None:
    text = f"{HEAD}tests: {entries}"

    assert VALIDATOR.is_valid(yaml12.read(text, "s.yaml").value)
    assert all(re.search(STRICTER[name][0], fault) for fault in faults_of(tmp_path, text))


def test_the_page_lists_the_stricter_rules() -> None:
    section = PAGE.split("## What an editor cannot see\n")[1].split("\n## ")[0]
    assert re.findall(r"^- \*\*(.*?)\*\*", section, re.MULTILINE) == list(STRICTER)
