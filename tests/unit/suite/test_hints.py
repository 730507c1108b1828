"""A mistyped key gets the nearest one that exists, on every level of a suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.suite.suites import HEAD, faults_of, write

from llm_testbench.errors import FaultsError
from llm_testbench.nearest import hint, hinted, nearest
from llm_testbench.suite.load import load

CHECK = "evaluate: {equals: x}"


def entry(body: str) -> str:
    return f"{HEAD}tests:\n  - {{id: a, {body}}}\n"


@pytest.mark.parametrize(
    ("text", "mistyped", "meant"),
    [
        pytest.param(f"{HEAD}test: [{{id: a, prompt: x, {CHECK}}}]", "test", "tests", id="suite"),
        pytest.param(f"{HEAD}defaults: {{sytem: x}}\ntests: []", "defaults.sytem", "system", id="defaults"),
        pytest.param(f"{HEAD}defaults: {{evaluate: {{equal: x}}}}\ntests: []", ".equal", "equals", id="default check"),
        pytest.param(entry(f"promt: x, {CHECK}"), "promt", "prompt", id="test"),
        pytest.param(entry(f"prompt: {{fil: x}}, {CHECK}"), "fil", "file", id="prompt"),
        pytest.param(entry("prompt: x, evaluate: {numerc: 1}"), "numerc", "numeric", id="evaluator"),
        pytest.param(
            entry("prompt: x, evaluate: {all: [{contain_all: [x]}]}"), "contain_all", "contains_all", id="part"
        ),
        pytest.param(entry("prompt: x, evaluate: {mean: [{equals: x, wieght: 2}]}"), "wieght", "weight", id="weight"),
        pytest.param(entry("prompt: x, evaluate: {all: {check: []}}"), "check", "checks", id="long form"),
        pytest.param(
            entry("prompt: x, evaluate: {numeric: {expected: 1, abs_tl: 1}}"), "abs_tl", "abs_tol", id="parameter"
        ),
        pytest.param(entry("prompt: x, evaluate: {json_field: {pth: a, expected: 1}}"), "pth", "path", id="JSON"),
        pytest.param(entry("prompt: x, evaluate: {code: {langage: go, stdout: x}}"), "langage", "language", id="code"),
        pytest.param(
            entry("prompt: x, evaluate: {sql: {setup: x, querycheck: y}}"), "querycheck", "query_check", id="sql"
        ),
        pytest.param(entry("prompt: x, evaluate: {tool_call_args: {nme: f, args: {}}}"), "nme", "name", id="tool call"),
        pytest.param(
            entry(f"prompt: x, {CHECK}, examples: [{{respnse: x, score: 1}}]"), "respnse", "response", id="example"
        ),
        pytest.param(
            entry(f"prompt: x, {CHECK}, examples: [{{tool_calls: [{{name: f, argments: {{}}}}], score: 1}}]"),
            "argments",
            "arguments",
            id="call of an example",
        ),
        pytest.param(entry(f"messages: [{{role: user, contnt: x}}], {CHECK}"), "contnt", "content", id="message"),
        pytest.param(
            entry(f"messages: [{{role: assistant, tool_calls: [{{id: c, nam: f}}]}}], {CHECK}"),
            "nam",
            "name",
            id="call of a message",
        ),
        pytest.param(entry(f"prompt: x, {CHECK}, ground_truth: {{progam: x}}"), "progam", "program", id="ground truth"),
        pytest.param(entry(f"prompt: x, {CHECK}, tools: {{fil: x}}"), "fil", "file", id="tools"),
        pytest.param(
            entry('prompt: "${contry}", evaluate: {equals: x}, cases: {c: {country: x}}'),
            "${contry}",
            "country",
            id="case",
        ),
    ],
)
def test_the_nearest_key_is_named(tmp_path: Path, text: str, mistyped: str, meant: str) -> None:
    told = [fault for fault in faults_of(tmp_path, text) if mistyped in fault]
    assert any(f"did you mean '{meant}'?" in fault for fault in told), faults_of(tmp_path, text)


def test_a_fault_knows_its_test_and_its_rule(tmp_path: Path) -> None:
    write(tmp_path, "s.yaml", entry(f"prompt: x, rv: 1, {CHECK}"))
    with pytest.raises(FaultsError) as caught:
        load(["s.yaml"], tmp_path)
    assert [(fault.test_id, fault.rule) for fault in caught.value.faults] == [("a", "unknown-key")]


@pytest.mark.parametrize("word", ["promt", "evaluat", "zzz"])
def test_what_a_message_hints_at_can_be_read_out_of_it(word: str) -> None:
    known = ("prompt", "evaluate")
    assert hinted(f"unknown key{hint(word, known)}") == nearest(word, known)
