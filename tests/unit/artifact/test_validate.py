from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from tests.unit.artifact.documents import DOCUMENTS, changed
from tests.unit.artifact.samples import FULL_ROW, ROW, artifact, document, row

from llm_testbench import schemas
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.validate import MAX_FAULTS, Fault, RowChecks, check_row, validate_document

PLAIN = Draft202012Validator(schemas.load("artifact"))


def test_a_valid_document_has_no_fault() -> None:
    assert validate_document(document(artifact(ROW, FULL_ROW))) == ()


@settings(max_examples=50)
@given(changed(DOCUMENTS))
def test_the_quick_way_finds_the_faults_that_jsonschema_finds(value: Any) -> None:
    found = {fault.path for fault in validate_document(value)}

    if found or not PLAIN.is_valid(value):
        paths = {error.json_path.removeprefix("$").lstrip(".") for error in PLAIN.iter_errors(value)}
        assert len(found) == len(paths)
        assert {path for path in found if '["' not in path} <= paths


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        pytest.param(("meta", "repeat"), "3", Fault("meta.repeat", "expected integer"), id="type"),
        pytest.param(("meta", "seed"), "3", Fault("meta.seed", "expected integer or null"), id="one of two types"),
        pytest.param(("meta", "role"), "x", Fault("meta.role", "expected one of record, gate, run"), id="word"),
        pytest.param(
            ("results", 0, "copy"), "x", Fault("results[0].copy", "expected one of null, id, header"), id="word or null"
        ),
        pytest.param(("results", 0, "score"), 2, Fault("results[0].score", "expected at most 1"), id="too much"),
        pytest.param(("results", 0, "score"), -1, Fault("results[0].score", "expected at least 0"), id="too little"),
        pytest.param(
            ("tests", 0, "test_id"), "", Fault("tests[0].test_id", "expected a string that is not empty"), id="empty"
        ),
        pytest.param(
            ("tests", 0, "suite_file"),
            "/etc/x",
            Fault("tests[0].suite_file", "expected a relative path or builtin:NAME"),
            id="absolute path",
        ),
        pytest.param(
            ("results", 0, "quirks"), [""] * 21, Fault("results[0].quirks", "expected at most 20 items"), id="too many"
        ),
        pytest.param(
            ("results", 0, "quirks"),
            ["x" * 65],
            Fault("results[0].quirks[0]", "expected at most 64 characters"),
            id="too long",
        ),
        pytest.param(("schema_version",), 2, Fault("schema_version", "expected 1"), id="version"),
        pytest.param(("stats",), {}, Fault("stats", "expected array"), id="no array"),
    ],
)
def test_a_fault_says_where_and_what_was_expected(path: tuple[str | int, ...], value: Any, fault: Fault) -> None:
    whole: Any = document(artifact(ROW))
    at = whole
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value

    assert validate_document(whole) == (fault,)


def test_missing_keys_are_one_fault_that_names_them_all() -> None:
    whole: Any = document(artifact(ROW))
    del whole["results"][0]["score"], whole["results"][0]["passed"]

    assert validate_document(whole) == (Fault("results[0]", "score and passed missing"),)


def test_a_message_never_quotes_what_was_found() -> None:
    whole: Any = document(artifact(ROW))
    whole["meta"]["version"] = {"::error::": "\x1b[31m" * 10_000}

    assert validate_document(whole) == (Fault("meta.version", "expected string"),)


@pytest.mark.parametrize("value", [None, [], 3, "x", {}])
def test_anything_can_be_validated(value: Any) -> None:
    assert validate_document(value)


def test_the_number_of_faults_is_bounded() -> None:
    whole: Any = document(artifact())
    whole["results"] = [None] * 10_000

    assert len(validate_document(whole)) == MAX_FAULTS


def test_a_row_alone_can_be_checked() -> None:
    check_row({**document(artifact(ROW))["results"][0]})  # type: ignore[index,dict-item]  # a list of rows
    with pytest.raises(ArtifactError, match=r"^model and test_id"):
        check_row({})


class TestRowChecks:
    def test_a_checked_row_is_known_by_identity(self) -> None:
        checks = RowChecks()
        one, equal = row(), row()
        checks.check(one)

        assert checks.holds(one)
        assert not checks.holds(equal)

    def test_an_invalid_row_is_refused_and_not_remembered(self) -> None:
        checks = RowChecks()
        broken = row(score=3.0)

        with pytest.raises(ArtifactError, match=r"^score: expected at most 1$"):
            checks.check(broken)

        assert not checks.holds(broken)

    def test_json_that_exists_already_need_not_be_made_again(self) -> None:
        checks = RowChecks()
        with pytest.raises(ArtifactError, match=r"^expected object$"):
            checks.check(row(), [])
