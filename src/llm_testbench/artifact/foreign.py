"""The three shapes that the older Go tool wrote, as artifacts: `{meta, results, stats}`, `{results}`, a bare array.

Whatever is not there is filled in; only a row's model, test_id and score (or error) are needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact import fields
from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact, Meta, Row, TestEntry
from llm_testbench.artifact.rows import row_key
from llm_testbench.artifact.stats import stats
from llm_testbench.evaluators.score import PASS_MARK
from llm_testbench.json_value import JSON, JSONObject


def is_foreign(value: JSON) -> bool:
    """A bare array, or an object with `results` that names no schema version."""
    return type(value) is list or (type(value) is dict and "schema_version" not in value and "results" in value)


def foreign_from_json(value: JSON) -> Artifact:
    """The artifact of a foreign document, statistics recomputed; ArtifactError names the first fault."""
    if type(value) is list:
        meta: JSONObject = {}
        rows = fields.each(value, _row)
    else:
        record = fields.members(value)
        meta = _object(record, "meta")
        rows = fields.items(record, "results", _row)
    results = tuple(sorted(_numbered(rows), key=row_key))
    tests = _tests(results)
    return Artifact(
        meta=_meta(meta, results, len(tests)),
        tests=tests,
        results=results,
        stats=stats(results),
        foreign=True,
    )


def _row(value: JSON) -> Row:
    record = fields.members(value)
    error = _text(record, "error") or None
    skipped = record.get("skipped") is True
    unscored = error is not None or skipped
    # Go's `omitempty` leaves a score of 0 out, so that its absence is no fault where the evaluator spoke.
    spoke = record.get("passed") is False or ("reason" in record and "passed" not in record)
    zero = "score" not in record and spoke
    score = 0.0 if unscored or zero else fields.number(record, "score", 0, 1)
    truncated = record.get("truncated") is True or record.get("finish_reason") == "length"
    outcome = Outcome.TRUNCATED if truncated else Outcome.ANSWERED
    if unscored:
        outcome = Outcome.SERVER if error is not None else Outcome.TOOLCHAIN_MISSING
    prompt, completion = _count(record, "prompt_tokens"), _count(record, "completion_tokens")
    return Row(
        model=fields.name(record, "model"),
        test_id=fields.name(record, "test_id"),
        category=_text(record, "category"),
        subcategory=_text(record, "subcategory"),
        attempt=_count(record, "attempt") or 0,
        outcome=outcome,
        score=score,
        passed=not unscored and score >= PASS_MARK,
        reason=_text(record, "reason"),
        error=error,
        skipped=skipped,
        truncated=truncated,
        response_text=_text_or_none(record, "response_text"),
        finish_reason=_text(record, "finish_reason") or None,
        latency_ms=_milliseconds(record, "latency_ms"),
        prompt_tokens=prompt,
        completion_tokens=completion,
        tokens=_tokens(record, prompt, completion),
    )


def _tokens(record: JSONObject, prompt: int | None, completion: int | None) -> int | None:
    if prompt is not None and completion is not None:
        return prompt + completion
    return _count(record, "tokens")


def _numbered(rows: Iterable[Row]) -> Iterable[Row]:
    """Attempts of each cell from 0 on, in the order of their own numbers, else of the file."""
    cell: defaultdict[CellKey, list[Row]] = defaultdict(list)
    for row in rows:
        cell[row.model, row.test_id].append(row)
    for group in cell.values():
        for number, row in enumerate(sorted(group, key=lambda row: row.attempt)):
            yield replace(row, attempt=number)


def _tests(rows: Iterable[Row]) -> tuple[TestEntry, ...]:
    found = {row.test_id: TestEntry(row.test_id, row.category, row.subcategory) for row in rows}
    return tuple(found[test_id] for test_id in sorted(found))


def _meta(record: JSONObject, rows: tuple[Row, ...], test_count: int) -> Meta:
    named = _object(record, "models")
    ids = {row.model: row.model for row in rows}
    ids |= {name: fields.text(named, name) for name in ids if type(named.get(name)) is str}
    return Meta(
        version=_text(record, "version"),
        started_at=_text(record, "started_at"),
        finished_at=_text(record, "finished_at"),
        endpoint="",
        models=ids,
        repeat=max((row.attempt + 1 for row in rows), default=0),
        test_count=test_count,
        catalog_hash="",
    )


def _text(record: JSONObject, key: str) -> str:
    return _text_or_none(record, key) or ""


def _text_or_none(record: JSONObject, key: str) -> str | None:
    value = record.get(key)
    return value if type(value) is str else None


def _object(record: JSONObject, key: str) -> JSONObject:
    value = record.get(key)
    return value if type(value) is dict else {}


def _count(record: JSONObject, key: str) -> int | None:
    try:
        return fields.nullable_integer(record, key)
    except ArtifactError:
        return None


def _milliseconds(record: JSONObject, key: str) -> float:
    try:
        return fields.nullable_number(record, key, 0, fields.MAX_MILLISECONDS) or 0.0
    except ArtifactError:
        return 0.0
