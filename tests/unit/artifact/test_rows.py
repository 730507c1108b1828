from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from tests.unit.artifact.documents import ROWS, changed
from tests.unit.artifact.samples import FULL_ROW, ROW

from llm_testbench import schemas
from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Row
from llm_testbench.artifact.rows import row_from_json, row_key, row_to_json
from llm_testbench.json_value import JSON, MAX_DEPTH

SCHEMA: dict[str, Any] = schemas.load("artifact")["$defs"]["row"]
VALID = Draft202012Validator(SCHEMA).is_valid


def accepted(value: Any) -> bool:
    try:
        row_from_json(value)
    except ArtifactError:
        return False
    return True


@pytest.mark.parametrize("row", [pytest.param(ROW, id="plain"), pytest.param(FULL_ROW, id="every field set")])
def test_a_row_comes_back_as_it_was(row: Row) -> None:
    assert row_from_json(row_to_json(row)) == row


@pytest.mark.parametrize("row", [pytest.param(ROW, id="plain"), pytest.param(FULL_ROW, id="every field set")])
def test_a_written_row_has_every_key_of_the_schema_and_is_valid(row: Row) -> None:
    value = row_to_json(row)

    assert list(value) == list(SCHEMA["properties"])
    assert VALID(value)


@given(ROWS)
def test_the_reader_accepts_what_the_schema_accepts(value: Any) -> None:
    assert VALID(value)
    assert accepted(value)


@given(changed(ROWS))
def test_the_reader_and_the_schema_agree_on_a_changed_row(value: Any) -> None:
    assert accepted(value) == VALID(value)


def test_the_schema_knows_every_outcome() -> None:
    outcomes = [outcome.value for outcome in Outcome]

    assert SCHEMA["properties"]["outcome"]["enum"] == outcomes
    assert SCHEMA["properties"]["tries"]["items"]["properties"]["outcome"]["enum"] == outcomes


@pytest.mark.parametrize(
    ("change", "line"),
    [
        pytest.param({"score": "1"}, "score: expected a number from 0 to 1, found a string", id="text for a number"),
        pytest.param({"score": True}, "score: expected a number from 0 to 1, found a boolean", id="boolean"),
        pytest.param({"score": float("nan")}, "score: expected a number from 0 to 1, found another number", id="NaN"),
        pytest.param({"score": 1.01}, "score: expected a number from 0 to 1, found another number", id="range"),
        pytest.param(
            {"attempt": True}, "attempt: expected an integer from 0 to 9007199254740991, found a boolean", id="no int"
        ),
        pytest.param(
            {"attempt": 0.5}, "attempt: expected an integer from 0 to 9007199254740991, found another number", id="half"
        ),
        pytest.param({"model": ""}, "model: expected a string that is not empty, found an empty string", id="empty"),
        pytest.param({"model": None}, "model: expected a string, found null", id="null"),
        pytest.param({"phase": "later"}, "phase: expected one of main, confirm, found a string", id="unknown word"),
        pytest.param({"copy": "cache"}, "copy: expected one of id, header, found a string", id="unknown copy"),
        pytest.param({"passed": 1}, "passed: expected true or false, found another number", id="number for a boolean"),
        pytest.param({"error": []}, "error: expected a string or null, found an array", id="array for a string"),
        pytest.param({"tries": {}}, "tries: expected an array, found an object", id="object for an array"),
        pytest.param({"tries": [None]}, "tries[0]: expected an object, found null", id="null for an object"),
        pytest.param({"quirks": [""] * 21}, "quirks: expected at most 20 items, found 21", id="too many"),
        pytest.param({"quirks": ["x" * 65]}, "quirks[0]: expected at most 64 characters, found 65", id="too long"),
        pytest.param(
            {"tries": [{"outcome": "auth", "wait_ms": 0, "latency_ms": 0, "reason": "x" * 201}]},
            "tries[0].reason: expected at most 200 characters, found 201",
            id="too long a reason",
        ),
        pytest.param({"tool_calls": [{}]}, "tool_calls[0].name: is missing", id="missing, deep inside"),
        pytest.param(
            {"tool_calls": [{"name": "f", "arguments": "{}"}]},
            "tool_calls[0].arguments: expected an object or null, found a string",
            id="text for arguments",
        ),
    ],
)
def test_a_fault_is_named_with_its_place_and_never_quotes_the_value(change: dict[str, JSON], line: str) -> None:
    with pytest.raises(ArtifactError) as caught:
        row_from_json({**row_to_json(ROW), **change})

    assert str(caught.value) == line


def test_rows_of_older_artifacts_have_neither_quirks_nor_reasons() -> None:
    value: Any = row_to_json(FULL_ROW)
    del value["quirks"]
    for one in value["tries"]:
        del one["reason"]

    row = row_from_json(value)

    assert VALID(value)
    assert (row.quirks, [one.reason for one in row.tries]) == ((), ["", ""])


@pytest.mark.parametrize("key", SCHEMA["required"])
def test_a_missing_key_is_named(key: str) -> None:
    value = row_to_json(ROW)
    del value[key]

    with pytest.raises(ArtifactError, match=f"^{key}: is missing$"):
        row_from_json(value)


@pytest.mark.parametrize("value", [None, [], "row", 1])
def test_a_row_is_an_object(value: JSON) -> None:
    with pytest.raises(ArtifactError, match=r"^expected an object"):
        row_from_json(value)


def test_an_integer_may_be_written_with_a_dot() -> None:
    attempt = row_from_json({**row_to_json(ROW), "attempt": 3.0}).attempt

    assert (attempt, type(attempt)) == (3, int)


def deep(levels: int) -> JSON:
    value: JSON = {}
    for _ in range(levels):
        value = {"x": value}
    return value


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"x": float("nan")}, id="NaN"),
        pytest.param(deep(MAX_DEPTH + 1), id="too deep"),
        pytest.param(deep(5000), id="deeper than the stack"),
    ],
)
def test_arguments_that_json_cannot_hold_do_not_cost_the_row(arguments: dict[str, JSON]) -> None:
    row = replace(ROW, tool_calls=(ToolCall("f", arguments, "as sent"),))

    assert row_to_json(row)["tool_calls"] == [
        {"name": "f", "arguments": None, "id": "", "arguments_text": "as sent"},
    ]


def test_the_deepest_arguments_that_are_written_are_read_again() -> None:
    row = replace(ROW, tool_calls=(ToolCall("f", deep(MAX_DEPTH), "as sent"),))  # type: ignore[arg-type]  # an object

    assert row_from_json(row_to_json(row)) == row


def test_arguments_nested_too_deep_are_refused() -> None:
    value = {**row_to_json(ROW), "tool_calls": [{"name": "f", "arguments": deep(MAX_DEPTH + 1)}]}

    with pytest.raises(ArtifactError, match=r"^tool_calls\[0\].arguments: nested deeper than 200 levels$"):
        row_from_json(value)


def test_rows_sort_by_model_test_side_phase_attempt() -> None:
    ordered = [
        replace(ROW, model="a", test_id="b", side="baseline", phase="confirm", attempt=9),
        replace(ROW, model="a", test_id="b", side="current", phase="main", attempt=0),
        replace(ROW, model="a", test_id="b", side="current", phase="main", attempt=10),
        replace(ROW, model="a", test_id="b", side="current", phase="confirm", attempt=2),
        replace(ROW, model="a", test_id="c", attempt=0),
        replace(ROW, model="b", test_id="a", attempt=0),
    ]

    assert sorted(Random(1).sample(ordered, len(ordered)), key=row_key) == ordered
