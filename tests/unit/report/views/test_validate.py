"""The report of `llmtest validate`."""

from __future__ import annotations

from tests.unit.report.views.shown import shown

from llm_testbench.errors import Place
from llm_testbench.report.views.validate import Checked, Flaw, Unproven, validate_json, validate_report

FLAW = Flaw(Place("a.yaml", 3, 5), "example 1 must score 1", "t")


def test_valid_files_are_listed_with_what_they_hold() -> None:
    text = shown(validate_report([Checked("a.yaml", "2 tests with 4 examples")]))

    assert text.startswith("All valid")
    assert "a.yaml: 2 tests with 4 examples" in text


def test_faults_come_first_each_with_its_place() -> None:
    text = shown(validate_report([Checked("a.yaml", "2 tests", (FLAW, Flaw(None, "elsewhere")))]))

    assert text.startswith("2 faults found")
    assert "a.yaml:3:5  t  example 1 must score 1" in text
    assert "elsewhere" in text


def test_as_data_each_fault_has_file_line_and_column() -> None:
    checked = [Checked("a.yaml", "2 tests", (FLAW, Flaw(None, "elsewhere")))]

    assert validate_json(checked) == {
        "valid": False,
        "checked": [{"name": "a.yaml", "what": "2 tests"}],
        "unproven": [],
        "faults": [
            {"file": "a.yaml", "line": 3, "column": 5, "test_id": "t", "message": "example 1 must score 1"},
            {"file": "a.yaml", "line": None, "column": None, "test_id": None, "message": "elsewhere"},
        ],
    }
    assert validate_json([Checked("b", "ok")])["valid"] is True


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
