"""`llmtest validate`: faults on their lines, for people, editors and GitHub."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.integration.commands.bench import SUITE, Bench, Done
from tests.unit.suite.guide import FILES, PAGE

from llm_testbench.suite.rules import RULES

ON_GITHUB = {"GITHUB_ACTIONS": "true"}
COMMAND = re.compile(r"::error (?P<properties>[^:\n]*)::(?P<message>[^\n]*)")
BAD = SUITE.replace("  - id: capital\n    prompt:", "  - id: capital\n    promt:")


def annotated(done: Done) -> list[tuple[dict[str, str], str]]:
    """The errors that GitHub would show: properties, as it reads them, and the message."""
    found = []
    for line in done.err.splitlines():
        match = COMMAND.fullmatch(line)
        if match is not None:
            pairs = (pair.partition("=") for pair in match["properties"].split(","))
            found.append(({key: unescaped(value) for key, _, value in pairs}, unescaped(match["message"])))
    return found


def unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def faults(done: Done) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(done.out)["faults"]
    return found


def test_a_fault_is_told_to_an_editor_with_its_place_rule_and_what_was_meant(world: Bench) -> None:
    world.write("evals/bad.yaml", BAD)

    done = world.llmtest("validate", "evals/bad.yaml", "--format", "json")

    assert (done.code, done.err) == (2, "")
    assert json.loads(done.out)["schema_version"] == 1
    assert {fault["rule"] for fault in faults(done)} == {"missing-key", "unknown-key"}
    assert faults(done)[1] == {
        "file": "evals/bad.yaml",
        "line": 12,
        "column": 5,
        "test_id": "capital",
        "rule": "unknown-key",
        "severity": "error",
        "message": "tests[1].promt: unknown key; did you mean 'prompt'?",
        "suggestion": "prompt",
    }


def test_the_page_shows_what_is_printed(world: Bench) -> None:
    (shown,) = re.findall(r'^```json\n({\n  "schema_version".*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
    world.write("evals/percent.yaml", FILES["evals/percent.yaml"].replace("description:", "descripton:"))

    done = world.llmtest("validate", "evals/percent.yaml", "--format", "json")

    assert json.loads(done.out) == json.loads(shown)


def test_the_page_lists_every_rule() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \| (error|note) \| (.*) \|$", PAGE, re.MULTILINE)
    assert listed == [(name, rule.severity, rule.summary) for name, rule in RULES.items()]


def test_a_note_fails_nothing_and_is_data_too(world: Bench) -> None:
    world.write("s.yaml", SUITE.replace("What is the capital of France? One word.", 'Is it "Paris" or "Lyon"?'))

    done = world.llmtest("validate", "s.yaml")
    data = world.llmtest("validate", "s.yaml", "--format", "json", environ=ON_GITHUB)

    assert (done.code, data.code) == (0, 0)
    assert done.out.startswith("All valid, 1 note\n")
    assert [(fault["rule"], fault["severity"]) for fault in faults(data)] == [("guessable", "note")]
    assert json.loads(data.out)["valid"] is True
    assert annotated(data) == []


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("s.yaml", "tests: [", "not-yaml"),
        ("s.yaml", BAD, "unknown-key"),
        ("s.yaml", SUITE.replace("equals:", "equal:"), "unknown-evaluator"),
        ("s.yaml", SUITE.replace("id: capital", "id: two-and-two"), "duplicate-id"),
        ("s.yaml", SUITE.replace("id: capital", "id: Capital"), "bad-value"),
        (
            "s.yaml",
            SUITE.replace("prompt: What is the capital of France? One word.", "prompt: {file: no.md}"),
            "unreadable-file",
        ),
        ("s.yaml", SUITE.replace("{numeric: 4}", "{numeric: {expected: 4, tol: 1}}"), "unknown-key"),
        ("s.yaml", SUITE.replace("{numeric: 4}", "{json_field: {path: a}}"), "missing-key"),
        ("s.yaml", SUITE + "    cases: {a: {b: 1}}\n", None),
        (
            "s.yaml",
            SUITE.replace("capital of France", "capital of ${contry}") + "    cases: {a: {country: 1}}\n",
            "unknown-placeholder",
        ),
        ("s.yaml", SUITE.replace("evaluate: {equals: Paris}", "rev: 2"), "missing-key"),
        ("s.yaml", SUITE.replace('"Lyon", score: 0', '"Lyon", score: 1'), "example-score"),
        ("no.yaml", None, "unreadable-file"),
        ("empty.yaml", "# nothing yet\n", "missing-key"),
        ("c.yaml", "modles: [m]\n", "bad-config"),
        ("accepted.yaml", "[{modl: m}]\n", "unknown-key"),
        ("a.json", "{", "bad-artifact"),
        ("a.json", '{"schema_version": 1}', "bad-artifact"),
    ],
)
def test_every_fault_has_a_rule(world: Bench, name: str, text: str | None, rule: str | None) -> None:
    if text is not None:
        world.write(name, text)

    done = world.llmtest("validate", name, "--format", "json")

    found = {fault["rule"] for fault in faults(done)}
    assert found <= set(RULES)
    assert (rule in found) if rule is not None else not found


def test_a_folder_is_told_with_how_its_files_are_named(world: Bench) -> None:
    world.write("evals/s.yaml", SUITE)

    done = world.llmtest("validate", "evals/")

    assert done.code == 2
    assert "is a folder: name its files, like evals/*.yaml" in done.out


def test_a_filter_that_leaves_no_test_and_too_much_have_rules_too(world: Bench) -> None:
    none = world.llmtest("validate", "--suites", "suite.yaml", "--tests", "x", "--format", "json")
    nowhere = world.llmtest("validate", "--suites", "no.yaml", "--format", "json")

    assert [fault["rule"] for fault in faults(none)] == ["no-test-selected"]
    assert [fault["rule"] for fault in faults(nowhere)] == ["unreadable-file"]


def test_github_shows_a_fault_on_its_line(world: Bench) -> None:
    world.write("evals/bad.yaml", BAD)

    done = world.llmtest("validate", "evals/bad.yaml", environ=ON_GITHUB)

    assert annotated(done)[1] == (
        {"file": "evals/bad.yaml", "line": "12", "col": "5", "title": "llm-testbench: unknown-key"},
        "capital: tests[1].promt: unknown key; did you mean 'prompt'?",
    )


def test_the_path_is_the_one_from_the_root_of_the_checkout(world: Bench) -> None:
    world.write("evals/bad.yaml", BAD)
    world.write(".github/llm-testbench.yaml", "suites: [../evals/*.yaml]\n")
    outside = world.folder / "elsewhere"
    outside.mkdir()

    told = world.llmtest("validate", environ={**ON_GITHUB, "GITHUB_WORKSPACE": str(world.folder.parent)})
    not_there = world.llmtest("validate", environ={**ON_GITHUB, "GITHUB_WORKSPACE": str(outside)})
    data = world.llmtest("validate", "--format", "json")

    assert [properties["file"] for properties, _ in annotated(told)] == [f"{world.folder.name}/evals/bad.yaml"] * 2
    assert [set(properties) for properties, _ in annotated(not_there)] == [{"title"}] * 2
    assert all("evals/bad.yaml:1" in message for _, message in annotated(not_there))
    assert {fault["file"] for fault in faults(data)} == {"evals/bad.yaml"}


def test_it_is_silent_elsewhere_and_where_it_is_told_to_be(world: Bench) -> None:
    world.write("s.yaml", BAD)
    asked = {**ON_GITHUB, "LLMTB_ANNOTATIONS": "false"}

    assert annotated(world.llmtest("validate", "s.yaml")) == []
    assert annotated(world.llmtest("validate", "s.yaml", "--no-annotations", environ=ON_GITHUB)) == []
    assert annotated(world.llmtest("validate", "s.yaml", environ=asked)) == []
    world.write("llm-testbench.yaml", "gate: {annotations: false}\n")
    assert annotated(world.llmtest("validate", "s.yaml", environ=ON_GITHUB)) == []


@pytest.mark.parametrize(("wrong", "lines"), [(9, 9), (10, 10), (11, 10), (60, 10)])
def test_of_many_faults_the_last_line_counts_the_rest(world: Bench, wrong: int, lines: int) -> None:
    world.write(
        "s.yaml",
        "category: c\nsubcategory: s\nmodels: [m]\ntests:\n"
        + "".join(
            f"  - {{id: t{number}, prompt: x, evaluate: {{equals: y}}, examples: [{{response: y, score: 1}}]}}\n"
            for number in range(wrong)
        ),
    )

    told = annotated(world.llmtest("validate", "s.yaml", environ=ON_GITHUB))

    assert len(told) == lines
    rest = [message for _, message in told if "not shown here" in message]
    assert rest == (
        [f"{wrong - 9} more faults are not shown here: the log of this step has all of them"] * (wrong > 10)
    )


HOSTILE = (
    "::set-output name=x::y",
    "a%0A::error::b",
    "a\\n::add-mask::b",
    "a\\r::error::b",
    "x,line=1::oops",
    "##[error]oops",
    "a\\u2028::error::b",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_stays_inside_its_annotation(world: Bench, text: str) -> None:
    world.write(
        "s.yaml", SUITE.replace("    prompt: What is the capital", f'    "{text}": 1\n    prompt: What is the capital')
    )

    done = world.llmtest("validate", "s.yaml", environ=ON_GITHUB)

    ((properties, _),) = annotated(done)
    assert properties == {"file": "s.yaml", "line": "12", "col": "5", "title": "llm-testbench: unknown-key"}
    assert [line for line in done.err.splitlines() if line.lstrip().startswith("::") or "##[" in line] == [
        line for line in done.err.splitlines() if COMMAND.fullmatch(line)
    ]
    assert len(done.err.splitlines()) == 1
    assert not re.search(r"^\s*::(?!stop-commands::|[0-9a-f]{32}::)", done.out, re.MULTILINE)


def test_the_name_of_a_file_stays_inside_its_property(world: Bench) -> None:
    name = "a,line=7::b%0A.yaml"
    world.write(name, BAD)

    told = annotated(world.llmtest("validate", name, environ=ON_GITHUB))

    assert {properties["line"] for properties, _ in told} == {"11", "12"}
    assert len(told) == 2


def test_a_check_that_passes_for_nothing_is_told_on_its_line(world: Bench) -> None:
    world.write(
        "s.yaml",
        SUITE.replace("What is the capital of France? One word.", "Is Paris the capital? Say paris.")
        .replace("equals:", "contains_all:")
        .replace("contains_all: Paris", "contains_all: [paris]"),
    )

    done = world.llmtest("validate", "s.yaml", environ=ON_GITHUB)

    ((properties, message),) = annotated(done)
    assert done.code == 2
    assert (properties["line"], properties["title"]) == ("13", "llm-testbench: passes-on-echo")
    assert message.startswith("capital: the check passes on the prompt, sent back: ")
