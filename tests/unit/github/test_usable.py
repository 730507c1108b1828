import gzip
import json
from dataclasses import replace
from typing import Any, Literal

import pytest
from tests.unit.artifact.samples import META, ROW, artifact, document, error_row, row, skipped_row

from llm_testbench.artifact.model import Artifact
from llm_testbench.github.usable import Unusable, judged, partial

RECORD = replace(META, interrupted=False, role="record", shard=None)
GOOD = artifact(ROW, meta=RECORD)


def packed(one: Artifact, **changed: Any) -> bytes:
    return gzip.compress(json.dumps({**document(one), **changed}).encode())


def verdict(data: bytes, *, recorded: bool = True) -> Artifact | Unusable:
    return judged(data, "asset", recorded=recorded, max_packed=1 << 20, max_unpacked=1 << 20)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(packed(GOOD), id="gzip"),
        pytest.param(gzip.decompress(packed(GOOD)), id="plain"),
        pytest.param(b"\xef\xbb\xbf" + gzip.decompress(packed(GOOD)), id="with a byte order mark"),
        pytest.param(packed(GOOD, later={"unknown": 1}), id="with a key of a later version"),
    ],
)
def test_a_whole_recording_is_a_baseline(data: bytes) -> None:
    assert verdict(data) == GOOD


def test_the_older_tool_wrote_baselines_too() -> None:
    found = verdict(json.dumps([{"model": "chat", "test_id": "a", "score": 1}]).encode(), recorded=False)

    assert isinstance(found, Artifact)
    assert found.foreign


def deep(levels: int) -> bytes:
    return b'{"schema_version": 1, "meta": ' + b"[" * levels + b"]" * levels + b"}"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(b"", "is not JSON", id="empty"),
        pytest.param(b"<html>", "is not JSON", id="a page"),
        pytest.param(packed(GOOD)[:-9], "gzip file that ends early", id="cut"),
        pytest.param(gzip.compress(b" " * 2_000_000), "holds more than 1 MiB", id="gzip bomb"),
        pytest.param(b"\x1f\x8b" + b"x" * 2_000_000, "is larger than 1 MiB", id="too large"),
        pytest.param(deep(100_000), "nested deeper", id="too deep"),
        pytest.param(packed(GOOD, schema_version=2), "schema_version 2 is newer", id="newer"),
        pytest.param(packed(GOOD, meta={}), "meta", id="schema-broken"),
        pytest.param(packed(GOOD, results=[{"model": "chat"}]), "results[0]", id="a row without a test"),
    ],
)
def test_what_cannot_be_read_is_broken(data: bytes, why: str) -> None:
    found = verdict(data)

    assert isinstance(found, Unusable)
    assert found.broken
    assert why in found.why
    assert "\n" not in found.why


def test_the_schema_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    # The reader is proven equal to the schema, so only a changed schema can tell that it is asked.
    monkeypatch.setattr("llm_testbench.github.usable.validate_document", lambda _: [Fault()])

    assert verdict(packed(GOOD)) == Unusable("breaks the schema at tests[0].rev: expected at least 1", broken=True)


class Fault:
    path, message = "tests[0].rev", "expected at least 1"


@pytest.mark.parametrize("role", ["gate", "run"])
def test_a_baseline_that_was_pushed_may_be_of_any_role_and_a_recording_may_not(role: Literal["gate", "run"]) -> None:
    other = replace(GOOD, meta=replace(RECORD, role=role))

    assert verdict(packed(other), recorded=False) == other
    assert verdict(packed(other)) == Unusable(f"it was measured by role {role}, not record", broken=False)


def cells(scored: int, errored: int = 0, skipped: int = 0, model: str = "chat") -> tuple[Any, ...]:
    return (
        *(row(f"s{number}", model) for number in range(scored)),
        *(error_row(f"e{number}", model) for number in range(errored)),
        *(skipped_row(f"k{number}", model) for number in range(skipped)),
    )


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (artifact(*cells(10), meta=RECORD), ""),
        (artifact(*cells(9, 1), meta=RECORD), ""),
        (artifact(*cells(9, 2), meta=RECORD), "only 9 of 11 tests of model chat were scored"),
        (artifact(*cells(8, 1, 1), meta=RECORD), "only 8 of 10 tests of model chat were scored"),
        (artifact(*cells(99), *cells(0, 1, model="b"), meta=RECORD), "only 0 of 1 tests of model b were scored"),
        (artifact(row("a", attempt=0), error_row("a", attempt=1), meta=RECORD), ""),
        (artifact(*cells(10), meta=replace(RECORD, interrupted=True)), "its run was interrupted"),
        (artifact(*cells(10), meta=replace(RECORD, shard="2/8")), "it is shard 2/8 of a run"),
        (artifact(meta=RECORD), "it holds no results"),
        # The test of that name is in quarantine.
        (artifact(row("a"), error_row("greeting"), meta=RECORD), ""),
        (artifact(error_row("greeting"), meta=RECORD), ""),
    ],
)
def test_a_run_that_is_not_whole_is_no_baseline(one: Artifact, why: str) -> None:
    assert partial(one) == why
    assert verdict(packed(one)) == (Unusable(why, broken=False) if why else one)
