"""Known secrets out of an artifact's texts; words and numbers of the format stay."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from llm_testbench.artifact.document import entry_from_json, entry_to_json, meta_from_json, meta_to_json
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.artifact.rows import row_from_json, row_to_json
from llm_testbench.json_value import JSON
from llm_testbench.redaction import REPLACEMENT, Redactor

# Words of the schema, not texts: a secret that happens to equal one must not make the file invalid.
_CLOSED = frozenset({"phase", "side", "outcome", "copy", "role"})
# What cells are aligned by, from the user's own config and suites: a header value such as a team's name
# may well stand in it, and `***` would merge two of them.
_IDENTITIES = frozenset({"model", "test_id", "category", "subcategory"})
_BY_MODEL = frozenset({"models", "fingerprints", "served_models", "adaptations", "throttled", "asked"})
_RECORDS = frozenset({"tool_calls", "tries"})
_CAPPED = ("response_text", "reasoning_text")


def redacted(artifact: Artifact, redactor: Redactor) -> Artifact:
    """The artifact without known secrets, for reports: a sink's escaping would hide them from later redaction."""
    if redactor.idle:
        return artifact
    return replace(
        artifact,
        meta=meta_from_json(redact_record(meta_to_json(artifact.meta), redactor)),
        tests=tuple(entry_from_json(redact_record(entry_to_json(test), redactor)) for test in artifact.tests),
        results=tuple(redacted_row(row, redactor) for row in artifact.results),
    )


def redacted_row(row: Row, redactor: Redactor) -> Row:
    """The row itself where no known secret occurs in it, else a clean copy."""
    if redactor.idle:
        return row
    record = row_to_json(row)
    return row_from_json(redact_record(record, redactor)) if holds_secret(record, redactor) else row


def holds_secret(record: dict[str, JSON], redactor: Redactor, text: str | None = None) -> bool:
    """Whether `redact_record` would change this row; `text`: its `compact`, where that was made already."""
    text = compact(record) if text is None else text
    return redactor.text(text) != text or _cut(record, redactor) != {}


def redact_record(record: dict[str, JSON], redactor: Redactor) -> dict[str, JSON]:
    """A row, test, stat or meta as JSON without known secrets. Values are replaced, since a secret of
    digits replaced in the text of a number would break the JSON; keys of the record stay.
    """
    clean = {key: _redacted_value(key, value, redactor) for key, value in record.items()}
    return clean | _cut(clean, redactor)


def _cut(record: dict[str, JSON], redactor: Redactor) -> dict[str, JSON]:
    """The texts that were cut at their end and had half of a secret there, without it."""
    if not record.get("response_capped"):
        return {}
    texts = {key: said for key in _CAPPED if isinstance(said := record[key], str)}
    return {key: clean for key, said in texts.items() if (clean := redactor.cut(said)) != said}


def _redacted_value(key: str, value: JSON, redactor: Redactor) -> JSON:
    if key in _CLOSED or key in _IDENTITIES:
        return value
    if key == "arguments":
        return _without_numbers(redactor.json(value), redactor)
    if key in _BY_MODEL and isinstance(value, Mapping):
        return {name: redactor.json(said) for name, said in value.items()}
    if key in _RECORDS and isinstance(value, list):
        return [redact_record(one, redactor) if isinstance(one, dict) else redactor.json(one) for one in value]
    return redactor.json(value)


def _without_numbers(value: JSON, redactor: Redactor) -> JSON:
    """A key of digits alone may come as a number where no schema wants one."""
    if isinstance(value, Mapping):
        return {key: _without_numbers(item, redactor) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_numbers(item, redactor) for item in value]
    said = str(value) if isinstance(value, int | float) else ""
    return REPLACEMENT if redactor.text(said) != said else value


def compact(value: JSON) -> str:
    """JSON on one line, without spaces, non-ASCII as is. A secret shows in it: Redactor knows JSON's escapes."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
