"""A comparison as data (design 5.7): what `comparison.json` and `compare --format json` hold."""

from __future__ import annotations

from collections.abc import Mapping

from llm_testbench.compare.accepted_form import acceptance_to_json
from llm_testbench.compare.model import (
    AskedAgain,
    BaselineRun,
    Change,
    ComparedRow,
    Comparison,
    Confirmation,
    Finding,
    Side,
    SinceRelease,
)
from llm_testbench.json_value import JSON

SCHEMA_VERSION = 1


def comparison_to_json(comparison: Comparison) -> dict[str, JSON]:
    """Valid against schemas/comparison.schema.json. Null: not applicable."""
    return {
        "schema_version": SCHEMA_VERSION,
        "verdict": comparison.verdict.value,
        "headline": comparison.headline,
        "role": comparison.role,
        "reasons": [_finding(reason) for reason in comparison.reasons],
        "warnings": [_finding(warning) for warning in comparison.warnings],
        "overall": _row(comparison.overall),
        "models": [_row(row) for row in comparison.models],
        "categories": [_row(row) for row in comparison.categories],
        "tests": [_row(row) for row in comparison.tests],
        "counts": dict(comparison.counts),
        "exchange": comparison.exchange,
        "mde": dict(comparison.mde),
        "blind": comparison.blind,
        "pooled": [_baseline(run) for run in comparison.baselines],
        "confirmation": _confirmation(comparison.confirmation),
        "accept": [acceptance_to_json(entry) for entry in comparison.accept],
        "truncated": _changes(comparison.truncated),
        "latency_ms": _changes(comparison.latency),
        "since_release": _since(comparison.since_release),
    }


def _confirmation(spent: Confirmation) -> dict[str, JSON]:
    return {
        "requests": spent.requests,
        "budget": spent.budget,
        "suspects": spent.suspects,
        "left_out": spent.left_out,
        "why_not": spent.why_not,
    }


def _changes(changes: Mapping[str, Change]) -> dict[str, JSON]:
    return {model: {"before": change.before, "now": change.now} for model, change in changes.items()}


def _since(since: SinceRelease | None) -> dict[str, JSON] | None:
    if since is None:
        return None
    return {
        "tag": since.run.tag,
        "sha": since.run.sha or None,
        "url": since.run.url or None,
        "age_s": since.run.age,
        "overall": None if since.overall is None else _row(since.overall),
        "models": [_row(row) for row in since.models],
        "left_out": since.left_out,
    }


def _baseline(run: BaselineRun) -> dict[str, JSON]:
    return {
        "source": run.source,
        "tag": run.tag or None,
        "sha": run.sha or None,
        "url": run.url or None,
        "finished_at": run.finished_at or None,
        "age_seconds": run.age,
        "cells": run.cells,
        "pooled": run.pooled,
        "used": run.used,
        "why": run.why,
    }


def _row(row: ComparedRow) -> dict[str, JSON]:
    return {
        "model": row.model,
        "category": row.category,
        "test_id": row.test_id,
        "status": row.status.value,
        "baseline": _side(row.baseline),
        "current": _side(row.current),
        "delta": row.delta,
        "ci": None if row.ci is None else list(row.ci),
        "p_worse": row.p_worse,
        "p_better": row.p_better,
        "p_adj": row.p_adj,
        "q": row.q,
        "expected_by_chance": row.expected,
        "mde": row.mde,
        "confirmed": row.confirmed,
        "asked_again": None if row.asked is None else _asked(row.asked),
        "settle": row.settle,
        "badges": list(row.badges),
    }


def _asked(asked: AskedAgain) -> dict[str, JSON]:
    return {
        "variant": asked.variant,
        "needed": asked.needed,
        "current": _side(asked.current),
        "baseline": _side(asked.baseline),
        "p": asked.p,
        "note": asked.note,
    }


def _side(side: Side | None) -> dict[str, JSON] | None:
    return None if side is None else {"mean": side.mean, "n": side.n}


def _finding(finding: Finding) -> dict[str, JSON]:
    return {
        "code": finding.code,
        "message": finding.message,
        "model": finding.model,
        "test_id": finding.test_id,
    }
