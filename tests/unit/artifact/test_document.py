from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.unit.artifact.documents import DOCUMENTS, changed
from tests.unit.artifact.samples import ENTRY, FULL_ROW, META, ROW, artifact, document

from llm_testbench import schemas
from llm_testbench.artifact.document import artifact_from_json
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Git
from llm_testbench.json_value import JSON

SCHEMA = schemas.load("artifact")
VALID = Draft202012Validator(SCHEMA).is_valid


def accepted(value: Any) -> bool:
    try:
        artifact_from_json(value)
    except ArtifactError:
        return False
    return True


def test_an_artifact_comes_back_as_it_was() -> None:
    one = artifact(ROW, FULL_ROW)

    assert artifact_from_json(document(one)) == one


def test_a_written_document_has_every_key_of_the_schema_and_is_valid() -> None:
    value: Any = document(artifact(ROW, FULL_ROW))

    assert VALID(value)
    assert list(value) == list(SCHEMA["properties"])
    assert list(value["meta"]) == list(SCHEMA["$defs"]["meta"]["properties"])
    assert list(value["tests"][0]) == list(SCHEMA["$defs"]["test"]["properties"])
    assert list(value["stats"][0]) == list(SCHEMA["$defs"]["stat"]["properties"])


@settings(max_examples=50)
@given(DOCUMENTS)
def test_the_reader_accepts_what_the_schema_accepts(value: Any) -> None:
    assert VALID(value)
    assert accepted(value)


@settings(max_examples=50)
@given(changed(DOCUMENTS))
def test_the_reader_and_the_schema_agree_on_a_changed_document(value: Any) -> None:
    assert accepted(value) == VALID(value)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x), max_leaves=5
    )
)
def test_no_value_breaks_the_reader(value: Any) -> None:
    assert not accepted(value)


def test_rows_in_another_order_are_sorted() -> None:
    value: Any = document(artifact(ROW, FULL_ROW))
    value["results"].reverse()

    assert artifact_from_json(value) == artifact(ROW, FULL_ROW)


def test_unknown_keys_are_ignored_everywhere() -> None:
    value: Any = document(artifact(ROW, FULL_ROW))
    for record in (
        value,
        value["meta"],
        value["meta"]["git"],
        value["tests"][0],
        value["stats"][0],
        value["results"][0],
        value["results"][0]["tries"][0],
        value["results"][0]["tool_calls"][0],
    ):
        record["from_the_future"] = {"x": 1}

    assert VALID(value)
    assert artifact_from_json(value) == artifact(ROW, FULL_ROW)


def test_what_a_short_document_leaves_out_has_a_default() -> None:
    value: Any = document(artifact(meta=replace(META, git=Git())))
    for key in set(value["meta"]) - set(SCHEMA["$defs"]["meta"]["required"]):
        del value["meta"][key]

    meta = artifact_from_json(value).meta

    assert (meta.seed, meta.interrupted, meta.role, meta.git, meta.host, meta.throttled) == (
        None,
        False,
        "run",
        Git(),
        {},
        {},
    )


@pytest.mark.parametrize(
    ("version", "kind", "message"),
    [
        pytest.param(2, "too_new", "schema_version 2 is newer than this llm-testbench reads (1); update it", id="2"),
        pytest.param(99, "too_new", "schema_version 99 is newer than this llm-testbench reads (1); update it", id="99"),
        pytest.param(0, "broken", "expected 1, found another number", id="0"),
        pytest.param(True, "broken", "expected an integer from 0 to 9007199254740991, found a boolean", id="true"),
        pytest.param(
            "1", "broken", "expected an integer from 0 to 9007199254740991, found a string", id="text, not a number"
        ),
        pytest.param(1.5, "broken", "expected an integer from 0 to 9007199254740991, found another number", id="1.5"),
    ],
)
def test_another_schema_version_is_told_apart(version: JSON, kind: str, message: str) -> None:
    with pytest.raises(ArtifactError) as caught:
        artifact_from_json({**document(artifact()), "schema_version": version})

    assert (caught.value.kind, str(caught.value)) == (kind, f"schema_version: {message}")


def test_a_newer_version_is_told_before_anything_else_is_looked_at() -> None:
    with pytest.raises(ArtifactError) as caught:
        artifact_from_json({"schema_version": 2})

    assert caught.value.kind == "too_new"


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        pytest.param(("meta",), [], "meta: expected an object, found an array", id="meta"),
        pytest.param(("meta", "role"), "x", "meta.role: expected one of record, gate, run, found a string", id="role"),
        pytest.param(
            ("meta", "models", "a b"), 1, 'meta.models["a b"]: expected a string, found another number', id="odd key"
        ),
        pytest.param(
            ("meta", "fingerprints", "chat"),
            [1],
            "meta.fingerprints.chat[0]: expected a string, found another number",
            id="list of names",
        ),
        pytest.param(
            ("meta", "throttled", "chat"), {"rejected": 1}, "meta.throttled.chat.lowest: is missing", id="throttled"
        ),
        pytest.param(
            ("meta", "throttled", "chat", "limits"),
            [{"seconds": 1, "limit": 1}] * 101,
            "meta.throttled.chat.limits: expected at most 100 items, found 101",
            id="too many limits",
        ),
        pytest.param(
            ("meta", "throttled", "chat", "limits", 0, "seconds"),
            -1,
            "meta.throttled.chat.limits[0].seconds: expected a number from 0 to 1e+09, found another number",
            id="limit",
        ),
        pytest.param(("meta", "git", "sha"), None, "meta.git.sha: expected a string, found null", id="git"),
        pytest.param(("tests", 0, "check"), ..., "tests[0].check: is missing", id="missing in a test"),
        pytest.param(("tests", 0, "request"), None, "tests[0].request: expected an object, found null", id="request"),
        pytest.param(
            ("tests", 0, "suite_file"),
            "/home/me/evals.yaml",
            "tests[0].suite_file: expected a relative path or builtin:NAME, found an absolute path",
            id="absolute path",
        ),
        pytest.param(("stats", 0, "mean"), ..., "stats[0].mean: is missing", id="missing in a stat"),
        pytest.param(
            ("results", 1, "score"),
            2,
            "results[1].score: expected a number from 0 to 1, found another number",
            id="row",
        ),
        pytest.param(("stats",), ..., "stats: is missing", id="missing part"),
    ],
)
def test_the_first_fault_is_named_with_its_path(path: tuple[str | int, ...], value: Any, line: str) -> None:
    whole: Any = document(artifact(ROW, FULL_ROW))
    at = whole
    for step in path[:-1]:
        at = at[step]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value

    with pytest.raises(ArtifactError) as caught:
        artifact_from_json(whole)

    assert str(caught.value) == line
    assert not VALID(whole)


def test_a_check_nested_too_deep_is_refused() -> None:
    value: JSON = 1
    for _ in range(300):
        value = [value]

    with pytest.raises(ArtifactError, match=r"^tests\[0\].check: nested deeper than 200 levels$"):
        artifact_from_json(document(artifact(tests=(replace(ENTRY, check=value),))))
