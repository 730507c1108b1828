"""The report of `llmtest validate`."""

from __future__ import annotations

from tests.unit.report.views.shown import shown

from llm_testbench.errors import Place
from llm_testbench.report.views.validate import Checked, Flaw, validate_json, validate_report

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
        "faults": [
            {"file": "a.yaml", "line": 3, "column": 5, "test_id": "t", "message": "example 1 must score 1"},
            {"file": "a.yaml", "line": None, "column": None, "test_id": None, "message": "elsewhere"},
        ],
    }
    assert validate_json([Checked("b", "ok")])["valid"] is True
