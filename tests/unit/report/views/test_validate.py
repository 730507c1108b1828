"""The report of `llmtest validate`."""

from __future__ import annotations

from tests.unit.report.views.shown import shown

from llm_testbench.errors import Place
from llm_testbench.report.views.validate import Checked, Flaw, Unproven, validate_json, validate_report

FLAW = Flaw(Place("a.yaml", 3, 5), "example 1 must score 1", "example-score", "t")
ELSEWHERE = Flaw(None, "unknown key; did you mean 'prompt'?", "unknown-key")
NOTE = Flaw(Place("a.yaml", 4), "a bare 'yes' passes", "guessable", "t")


def test_valid_files_are_listed_with_what_they_hold() -> None:
    text = shown(validate_report([Checked("a.yaml", "2 tests with 4 examples")]))

    assert text.startswith("All valid")
    assert "a.yaml: 2 tests with 4 examples" in text


def test_faults_come_first_each_with_its_place() -> None:
    text = shown(validate_report([Checked("a.yaml", "2 tests", (FLAW, ELSEWHERE))]))

    assert text.startswith("2 faults found")
    assert "a.yaml:3:5  t  example 1 must score 1" in text
    assert "did you mean 'prompt'?" in text


def test_notes_stand_apart_and_leave_all_valid() -> None:
    text = shown(validate_report([Checked("a.yaml", "2 tests", (NOTE,))]))
    both = shown(validate_report([Checked("a.yaml", "2 tests", (NOTE, FLAW))]))

    assert text.startswith("All valid, 1 note")
    assert "what is weak, and fails nothing" in text
    assert both.startswith("1 fault found, 1 note")
    assert both.index("what is wrong") < both.index("what is weak")


def test_the_form_of_the_data_is_what_the_page_promises() -> None:
    checked = [Checked("a.yaml", "2 tests", (FLAW, ELSEWHERE, NOTE))]

    assert validate_json(checked) == {
        "schema_version": 1,
        "valid": False,
        "checked": [{"name": "a.yaml", "what": "2 tests"}],
        "unproven": [],
        "faults": [
            {
                "file": "a.yaml",
                "line": 3,
                "column": 5,
                "test_id": "t",
                "rule": "example-score",
                "severity": "error",
                "message": "example 1 must score 1",
                "suggestion": None,
            },
            {
                "file": "a.yaml",
                "line": None,
                "column": None,
                "test_id": None,
                "rule": "unknown-key",
                "severity": "error",
                "message": "unknown key; did you mean 'prompt'?",
                "suggestion": "prompt",
            },
            {
                "file": "a.yaml",
                "line": 4,
                "column": None,
                "test_id": "t",
                "rule": "guessable",
                "severity": "note",
                "message": "a bare 'yes' passes",
                "suggestion": None,
            },
        ],
    }
    assert validate_json([Checked("b", "ok")])["valid"] is True
    assert validate_json([Checked("b", "ok", (NOTE,))])["valid"] is True


UNPROVEN = (
    Unproven("go is not on PATH", tuple(f"t{number}" for number in range(12))),
    Unproven("no\x1b sandbox", ("u",)),
)


def test_what_could_not_be_proven_here_is_counted_and_named() -> None:
    text = shown(validate_report([Checked("a.yaml", "20 tests", (), UNPROVEN)]))

    assert text.startswith("No fault found, 13 tests not proven")
    named = ", ".join(f"t{number}" for number in range(10))
    assert f"a.yaml: 12 tests could not be proven here, go is not on PATH: {named} and 2 more" in " ".join(text.split())
    assert "a.yaml: 1 test could not be proven here, no\\x1b sandbox: u" in text


def test_faults_and_what_could_not_be_proven_stand_together() -> None:
    text = shown(validate_report([Checked("a.yaml", "20 tests", (FLAW,), UNPROVEN)]))

    assert text.startswith("1 fault found")
    assert "1 test could not be proven here" in text


def test_as_data_what_could_not_be_proven_is_no_fault() -> None:
    data = validate_json([Checked("a.yaml", "20 tests", (), UNPROVEN[1:])])

    assert data["valid"] is True
    assert data["unproven"] == [{"file": "a.yaml", "reason": "no\x1b sandbox", "test_ids": ["u"]}]
