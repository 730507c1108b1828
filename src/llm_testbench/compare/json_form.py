"""A comparison as data (design 5.7): what `comparison.json` and `compare --format json` hold."""

from __future__ import annotations

from llm_testbench.compare.model import BaselineRun, ComparedRow, Comparison, Finding, Side
from llm_testbench.json_value import JSON

SCHEMA_VERSION = 1


def comparison_to_json(comparison: Comparison) -> dict[str, JSON]:
    """Valid against schemas/comparison.schema.json. Null: not applicable, or not judged by this version."""
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
        "mde": {},
        "pooled": [_baseline(run) for run in comparison.baselines],
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
        "ci": None,
        "p_worse": None,
        "p_better": None,
        "p_adj": None,
        "q": None,
        "confirmed": None,
        "badges": list(row.badges),
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
