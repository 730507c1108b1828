"""An artifact that an attacker made: bounded, strict, and refused in one line that quotes nothing of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.artifact.documents import DOCUMENTS, changed
from tests.unit.artifact.samples import ENTRY, META, ROW, artifact, document

from llm_testbench.artifact import hostile
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.hostile import read_hostile

ONE = artifact(ROW, replace(ROW, attempt=1), meta=replace(META, shard=None))
MARK = "EVIL"


def packed(change: Callable[[Any], object] = lambda value: None) -> bytes:
    value = json.loads(json.dumps(document(ONE)))
    change(value)
    return json.dumps(value).encode()


def put(*path: str | int, value: Any) -> Callable[[Any], object]:
    def change(document: Any) -> None:
        at = document
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value

    return change


def deep_text(levels: int) -> bytes:
    return packed()[:-1] + b', "more": ' + b"[" * levels + b"]" * levels + b"}"


@pytest.mark.parametrize("data", [packed(), gzip.compress(packed()), b"\xef\xbb\xbf" + packed()])
def test_an_honest_one_is_read(data: bytes) -> None:
    assert read_hostile(data) == ONE


HOSTILE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "is not JSON"),
    "no JSON": (MARK.encode(), "is not JSON"),
    "half of it": (packed()[:-9], "is not JSON"),
    "two of them": (packed() + packed(), "is not JSON"),
    "gzip that ends early": (gzip.compress(packed())[:-9], "ends early or is damaged"),
    "gzip in gzip": (gzip.compress(gzip.compress(packed())), "is not UTF-8"),
    "UTF-16": (packed().decode().encode("utf-16"), "is not UTF-8"),
    "UTF-32": (packed().decode().encode("utf-32"), "is not UTF-8"),
    "latin-1": (packed().replace(b"hello", b"h\xe9llo"), "is not UTF-8"),
    "surrogates in UTF-8": (packed().replace(b"hello", b"\xed\xa0\x80"), "is not UTF-8"),
    "NaN": (packed().replace(b'"score": 1.0', b'"score": NaN'), "NaN is not JSON"),
    "infinity": (packed().replace(b'"score": 1.0', b'"score": 1e999'), "out of range"),
    "a number of a million digits": (packed().replace(b'"score": 1.0', b'"score": ' + b"9" * 10**6), "is not JSON"),
    "a key twice": (packed().replace(b'"score": 1.0', b'"score": 0.0, "score": 1.0', 1), "names one key twice"),
    "a key twice, escaped": (
        packed().replace(b'"score": 1.0', b'"score": 0.0, "\\u0073core": 1.0', 1),
        "names one key twice",
    ),
    "a depth that the parser refuses": (deep_text(10**5), "nested deeper"),
    "a depth that the parser takes": (deep_text(hostile.MAX_DEPTH + 1), "nested deeper than 100 levels"),
    "a bare array": (b"[]", "is no artifact"),
    "an artifact of another tool": (packed(lambda value: value.pop("schema_version")), "schema_version is missing"),
    "a newer version": (packed(put("schema_version", value=2)), "is newer than this llm-testbench reads"),
    "a shard": (packed(put("meta", "shard", value=MARK)), "is one shard of a run"),
    "a score above one": (packed(put("results", 0, "score", value=2)), "results[0].score: expected a number"),
    "a score of text": (packed(put("results", 0, "score", value=MARK)), "results[0].score"),
    "an unknown outcome": (packed(put("results", 0, "outcome", value=MARK)), "results[0].outcome: expected one of"),
    "an unknown role": (packed(put("meta", "role", value=MARK)), "meta.role: expected one of"),
    "an absolute path": (packed(put("tests", 0, "suite_file", value=f"/{MARK}")), "tests[0].suite_file"),
    "meta that is a list": (packed(put("meta", value=[MARK])), "meta: expected an object"),
    "a row of no model": (packed(put("results", 0, "model", value=MARK)), "a row of a model or a test that"),
    "a row of no test": (packed(put("results", 0, "test_id", value=MARK)), "a row of a model or a test that"),
    "an attempt twice": (packed(put("results", 1, "attempt", value=0)), "holds one attempt twice"),
    "a test twice": (packed(lambda value: value["tests"].append(value["tests"][0])), "tests[1]: names a test that was"),
    "a test id with a line break": (packed(put("tests", 0, "test_id", value=f"{MARK}\n")), "printable characters"),
    "a category that turns text around": (packed(put("tests", 0, "category", value=f"{MARK}\u202e")), "printable"),
    "half a character as a model": (packed(put("meta", "models", value={"\ud800": "x"})), "printable characters"),
    "a model with an escape": (packed(put("meta", "models", value={"\x1b[31m": "x"})), "printable characters"),
    "a model with a hidden space": (packed(put("meta", "models", value={"chat\u200b": "x"})), "printable characters"),
    "a model without a name": (packed(put("meta", "models", value={"": "x"})), "a name of 1 to 1000 characters"),
    "a model with a long name": (packed(put("meta", "models", value={"x" * 1001: "x"})), "a name of 1 to 1000"),
    "too many models": (
        packed(put("meta", "models", value={f"m{n}": "x" for n in range(hostile.MAX_MODELS + 1)})),
        "names 201 models, more than 200",
    ),
    "too many tests": (packed(put("tests", value=[{}] * (hostile.MAX_TESTS + 1))), "tests: expected at most 10000"),
    "too many rows": (packed(put("results", value=[0] * (hostile.MAX_ROWS + 1))), "results: expected at most 50000"),
    "too many statistics": (packed(put("stats", value=[0] * (hostile.MAX_TESTS + 1))), "stats: expected at most"),
    "a long text": (packed(put("results", 0, "reason", value="x" * (hostile.MAX_TEXT + 1))), "a text of 1048577"),
    "a long key": (packed(put("x" * (hostile.MAX_TEXT + 1), value=0)), "a text of 1048577 characters"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "words"), HOSTILE.values(), ids=HOSTILE)
def test_a_trick_is_refused_in_one_short_line(data: bytes, words: str) -> None:
    with pytest.raises(ArtifactError) as refused:
        read_hostile(data)
    said = str(refused.value)
    assert words in said
    assert "\n" not in said
    assert MARK not in said
    assert len(said) < 400


def test_a_bomb_is_given_up_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile, "MAX_UNPACKED", 2 * 1024 * 1024)
    with pytest.raises(ArtifactError, match="holds more than 2 MiB"):
        read_hostile(gzip.compress(b" " * (64 * 1024 * 1024)))


def test_a_file_that_is_larger_than_the_limit_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile, "MAX_PACKED", 1024 * 1024)
    with pytest.raises(ArtifactError, match="is larger than 1 MiB"):
        read_hostile(b"\x1f\x8b" + b"x" * (1024 * 1024))


def test_many_small_values_are_counted_before_they_are_made() -> None:
    with pytest.raises(ArtifactError, match="holds more than 5000000 values"):
        read_hostile(b"[" * (hostile.MAX_VALUES + 1))


def test_commas_in_texts_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile, "MAX_VALUES", 500)
    talks = packed(put("results", 0, "reason", value='[{,"\\' * 1000))
    assert read_hostile(talks).results[0].reason.startswith('[{,"')
    with pytest.raises(ArtifactError, match="holds more than 500 values"):
        read_hostile(packed(put("more", value=[0] * 600)))


@pytest.mark.parametrize("end", ["", "\\"])
def test_a_text_without_an_end_is_looked_through_once(end: str) -> None:
    with pytest.raises(ArtifactError, match="is not JSON"):
        read_hostile(("," * hostile.MAX_VALUES + '"' + '\\",' * 1_000_000 + end).encode())


@given(DOCUMENTS | changed(DOCUMENTS) | st.recursive(st.none() | st.text(), st.lists))
def test_whatever_it_holds_it_is_read_or_refused(value: Any) -> None:
    try:
        found = read_hostile(json.dumps(value).encode())
    except ArtifactError as refused:
        assert "\n" not in str(refused)
    else:
        assert found.meta.shard is None
        assert all(row.model in found.meta.models for row in found.results)


@given(st.binary(max_size=300))
def test_whatever_the_bytes_it_is_read_or_refused(data: bytes) -> None:
    with pytest.raises(ArtifactError):
        read_hostile(data)


def test_the_check_of_a_test_is_data_and_is_not_looked_into() -> None:
    check = {"regex": "(" * 50, "python": MARK, "plugin:evil": None}
    found = read_hostile(packed(put("tests", 0, "check", value=check)))
    assert found.tests == (replace(ENTRY, check=check),)
