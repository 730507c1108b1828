"""An artifact that somebody made who may not be trusted at all: the bounds are tighter, and nothing is forgiven.

A baseline comes from this repository's own runs. What a pull request's run left behind comes from whoever opened it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from llm_testbench.artifact.document import artifact_from_json
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.artifact.read import json_from_bytes
from llm_testbench.artifact.validate import validate_document
from llm_testbench.json_value import JSON, check_depth

MAX_PACKED: Final = 32 * 1024 * 1024  # bytes of the file
MAX_UNPACKED: Final = 128 * 1024 * 1024  # bytes of JSON
MAX_VALUES: Final = 5_000_000  # commas and brackets, each of which may cost a hundred bytes of memory
MAX_DEPTH: Final = 100
MAX_ROWS: Final = 50_000
MAX_TESTS: Final = 10_000
MAX_MODELS: Final = 200
MAX_NAME: Final = 1000  # characters of a model, test or category
MAX_TEXT: Final = 1024 * 1024  # characters of any text: a suite's files are no longer, and answers are cut far below


def read_hostile(data: bytes) -> Artifact:
    """The artifact in a file's bytes, plain or gzip; ArtifactError, which quotes nothing of it but escaped keys."""
    value = json_from_bytes(
        data, "", max_packed=MAX_PACKED, max_unpacked=MAX_UNPACKED, max_values=MAX_VALUES, unique_keys=True
    )
    _check_size(value)
    artifact = artifact_from_json(value)
    faults = validate_document(value)
    if faults:
        raise ArtifactError(f"breaks the schema at {faults[0].path or 'its top'}: {faults[0].message}")
    _check_names(artifact)
    _check_rows(artifact)
    return artifact


def _check_size(value: JSON) -> None:
    """Before anything is made of it."""
    if not isinstance(value, Mapping):
        raise ArtifactError("is no artifact: expected an object")
    if "schema_version" not in value:
        # What other tools wrote tells no test from another one of the same name.
        raise ArtifactError("is no artifact of llm-testbench: schema_version is missing")
    for key, most in (("results", MAX_ROWS), ("tests", MAX_TESTS), ("stats", MAX_TESTS)):
        listed = value.get(key)
        if isinstance(listed, list) and len(listed) > most:
            raise ArtifactError(f"expected at most {most} items, found {len(listed)}", path=(key,))
    try:
        check_depth(value, MAX_DEPTH)
    except ValueError as error:
        raise ArtifactError(str(error)) from None
    longest = _longest_text(value)
    if longest > MAX_TEXT:
        raise ArtifactError(f"holds a text of {longest} characters, more than {MAX_TEXT}")


def _longest_text(value: JSON) -> int:
    longest, left = 0, [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            longest = max(longest, len(one))
        elif isinstance(one, Mapping):
            longest = max(longest, max(map(len, one), default=0))
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return longest


def _check_names(artifact: Artifact) -> None:
    """What cells are aligned by, and what tables show: two names that look alike must be alike."""
    if len(artifact.meta.models) > MAX_MODELS:
        raise ArtifactError(
            f"names {len(artifact.meta.models)} models, more than {MAX_MODELS}", path=("meta", "models")
        )
    for name in artifact.meta.models:
        _check_name(name, "meta", "models")
    ids: set[str] = set()
    for number, test in enumerate(artifact.tests):
        for key, name in (("test_id", test.test_id), ("category", test.category), ("subcategory", test.subcategory)):
            _check_name(name, "tests", number, key)
        if test.test_id in ids:
            raise ArtifactError("names a test that was named before", path=("tests", number))
        ids.add(test.test_id)


def _check_name(name: str, *path: str | int) -> None:
    if not name or len(name) > MAX_NAME:
        raise ArtifactError(f"expected a name of 1 to {MAX_NAME} characters", path=path)
    # str.isprintable() is false for control, format and bidirectional characters, surrogates and odd spaces.
    if not name.isprintable():
        raise ArtifactError("expected a name of printable characters", path=path)


def _check_rows(artifact: Artifact) -> None:
    if artifact.meta.shard is not None:
        # A pass of one shard would say nothing about the tests of the others.
        raise ArtifactError("is one shard of a run: publish what llmtest merge makes of all its shards")
    tests: Collection[str] = {test.test_id for test in artifact.tests}
    seen: set[tuple[object, ...]] = set()
    for row in artifact.results:
        if row.model not in artifact.meta.models or row.test_id not in tests:
            raise ArtifactError("holds a row of a model or a test that it does not list", path=("results",))
        key = _attempt(row)
        if key in seen:
            raise ArtifactError("holds one attempt twice", path=("results",))
        seen.add(key)


def _attempt(row: Row) -> tuple[object, ...]:
    return row.model, row.test_id, row.side, row.phase, row.attempt
