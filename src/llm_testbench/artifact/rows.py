"""Row ↔ JSON. The reader is written by hand for speed and tested to accept exactly what the schema accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact import fields
from llm_testbench.artifact.model import MOST_QUIRKS, QUIRK_CAP, TRY_REASON_CAP, Phase, Row, Side
from llm_testbench.gateway.model import Try
from llm_testbench.json_value import JSON, check_plain

_OUTCOMES = fields.words_of(Outcome)
_PHASES: Final[Mapping[str, Phase]] = {"main": "main", "confirm": "confirm"}
_SIDES: Final[Mapping[str, Side]] = {"current": "current", "baseline": "baseline"}
_COPIES: Final[Mapping[str, Literal["id", "header"]]] = {"id": "id", "header": "header"}

RowKey = tuple[str, str, str, str, int]


def row_key(row: Row) -> RowKey:
    """What rows are sorted by: model, test_id, side, phase, attempt; `main` before `confirm`."""
    return row.model, row.test_id, row.side, "" if row.phase == "main" else row.phase, row.attempt


def row_to_json(row: Row) -> dict[str, JSON]:
    """The row as the schema's `row`, every key present."""
    return {
        "model": row.model,
        "test_id": row.test_id,
        "category": row.category,
        "subcategory": row.subcategory,
        "attempt": row.attempt,
        "phase": row.phase,
        "side": row.side,
        "score": row.score,
        "passed": row.passed,
        "reason": row.reason,
        "outcome": row.outcome.value,
        "error": row.error,
        "skipped": row.skipped,
        "truncated": row.truncated,
        "response_text": row.response_text,
        "response_capped": row.response_capped,
        "reasoning_text": row.reasoning_text,
        "tool_calls": [_call_to_json(call) for call in row.tool_calls],
        "finish_reason": row.finish_reason,
        "fingerprint": row.fingerprint,
        "served_model": row.served_model,
        "response_id": row.response_id,
        "copy": row.copy,
        "latency_ms": row.latency_ms,
        "ttft_ms": row.ttft_ms,
        "prompt_tokens": row.prompt_tokens,
        "completion_tokens": row.completion_tokens,
        "reasoning_tokens": row.reasoning_tokens,
        "cached_tokens": row.cached_tokens,
        "tokens": row.tokens,
        "tries": [_try_to_json(one) for one in row.tries],
        "quirks": list(row.quirks),
    }


def row_from_json(value: JSON) -> Row:
    """The row of one item of `results`; raises ArtifactError with the path of the first fault."""
    record = fields.members(value)
    return Row(
        model=fields.name(record, "model"),
        test_id=fields.name(record, "test_id"),
        category=fields.text(record, "category"),
        subcategory=fields.text(record, "subcategory"),
        attempt=fields.integer(record, "attempt"),
        phase=fields.one_of(record, "phase", _PHASES),
        side=fields.one_of(record, "side", _SIDES),
        score=fields.number(record, "score", 0, 1),
        passed=fields.flag(record, "passed"),
        reason=fields.text(record, "reason"),
        outcome=fields.one_of(record, "outcome", _OUTCOMES),
        error=fields.required_nullable_text(record, "error"),
        skipped=fields.flag(record, "skipped"),
        truncated=fields.flag(record, "truncated"),
        response_text=fields.nullable_text(record, "response_text"),
        response_capped=fields.flag_or(record, "response_capped", default=False),
        reasoning_text=fields.nullable_text(record, "reasoning_text"),
        tool_calls=fields.items_or_none(record, "tool_calls", _call_from_json),
        finish_reason=fields.nullable_text(record, "finish_reason"),
        fingerprint=fields.nullable_text(record, "fingerprint"),
        served_model=fields.nullable_text(record, "served_model"),
        response_id=fields.nullable_text(record, "response_id"),
        copy=None if record.get("copy") is None else fields.one_of(record, "copy", _COPIES),
        latency_ms=fields.number(record, "latency_ms", 0, fields.MAX_MILLISECONDS),
        ttft_ms=fields.nullable_number(record, "ttft_ms", 0, fields.MAX_MILLISECONDS),
        prompt_tokens=fields.nullable_integer(record, "prompt_tokens"),
        completion_tokens=fields.nullable_integer(record, "completion_tokens"),
        reasoning_tokens=fields.nullable_integer(record, "reasoning_tokens"),
        cached_tokens=fields.nullable_integer(record, "cached_tokens"),
        tokens=fields.nullable_integer(record, "tokens"),
        tries=fields.items_or_none(record, "tries", _try_from_json),
        quirks=fields.items_or_none(record, "quirks", _quirk_from_json, MOST_QUIRKS),
    )


def _call_to_json(call: ToolCall) -> dict[str, JSON]:
    arguments = call.arguments
    if arguments is not None:
        try:
            check_plain(arguments)
        except ValueError:
            # A model's NaN must not cost the whole artifact; arguments_text still holds what it sent.
            arguments = None
    return {"name": call.name, "arguments": arguments, "id": call.id, "arguments_text": call.arguments_text}


def _call_from_json(value: JSON) -> ToolCall:
    record = fields.members(value)
    return ToolCall(
        name=fields.text(record, "name"),
        arguments=fields.nullable_object(record, "arguments"),
        id=fields.text_or(record, "id", ""),
        arguments_text=fields.text_or(record, "arguments_text", ""),
    )


def _try_to_json(one: Try) -> dict[str, JSON]:
    return {
        "status": one.status,
        "outcome": one.outcome.value,
        "wait_ms": one.wait_ms,
        "latency_ms": one.latency_ms,
        "reason": one.reason,
    }


def _try_from_json(value: JSON) -> Try:
    record = fields.members(value)
    return Try(
        status=fields.nullable_integer(record, "status", 0, 999),
        outcome=fields.one_of(record, "outcome", _OUTCOMES),
        wait_ms=fields.number(record, "wait_ms", 0, fields.MAX_MILLISECONDS),
        latency_ms=fields.number(record, "latency_ms", 0, fields.MAX_MILLISECONDS),
        reason=fields.short_text(record["reason"], TRY_REASON_CAP, "reason") if "reason" in record else "",
    )


def _quirk_from_json(value: JSON) -> str:
    return fields.short_text(value, QUIRK_CAP)
