"""Meta, tests and stats ↔ JSON, and the strict reader of a whole document (design 5.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from llm_testbench.artifact import fields
from llm_testbench.artifact.confined import NOTHING_RAN, confined_from_json, confined_to_json
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import (
    MOST_LIMITS,
    SCHEMA_VERSION,
    Artifact,
    Git,
    Meta,
    Stat,
    TestEntry,
    Throttled,
)
from llm_testbench.artifact.rows import row_from_json, row_key
from llm_testbench.json_value import JSON, JSONObject

_ROLES: Final[Mapping[str, Literal["record", "gate", "run"]]] = {"record": "record", "gate": "gate", "run": "run"}
_RELATIVE = re.compile(r"^(?![/\\]|[A-Za-z]:[/\\])")
_MAX_SEED = 2**64
_MAX_TEMPERATURE = 1000


def meta_to_json(meta: Meta) -> dict[str, JSON]:
    """The schema's `meta`, every key present."""
    return {
        "version": meta.version,
        "started_at": meta.started_at,
        "finished_at": meta.finished_at,
        "endpoint": meta.endpoint,
        "models": dict(meta.models),
        "seed": meta.seed,
        "temperature": meta.temperature,
        "max_tokens_default": meta.max_tokens_default,
        "repeat": meta.repeat,
        "test_count": meta.test_count,
        "catalog_hash": meta.catalog_hash,
        "fingerprints": _lists_to_json(meta.fingerprints),
        "served_models": _lists_to_json(meta.served_models),
        "interrupted": meta.interrupted,
        "role": meta.role,
        "git": {
            "repository": meta.git.repository,
            "sha": meta.git.sha,
            "ref": meta.git.ref,
            "run_url": meta.git.run_url,
        },
        "shard": meta.shard,
        "adaptations": _lists_to_json(meta.adaptations),
        "throttled": {name: _throttled_to_json(throttled) for name, throttled in meta.throttled.items()},
        "asked": dict(meta.asked),
        "sandbox": confined_to_json(meta.sandbox),
        "host": dict(meta.host),
    }


def entry_to_json(test: TestEntry) -> dict[str, JSON]:
    """The schema's `test`, every key present."""
    return {
        "test_id": test.test_id,
        "category": test.category,
        "subcategory": test.subcategory,
        "request": dict(test.request),
        "check": test.check,
        "request_hash": test.request_hash,
        "check_hash": test.check_hash,
        "suite_file": test.suite_file,
        "line": test.line,
        "rev": test.rev,
        "must_pass": test.must_pass,
        "quarantine": test.quarantine,
    }


def stat_to_json(stat: Stat) -> dict[str, JSON]:
    """The schema's `stat`."""
    return {
        "test_id": stat.test_id,
        "category": stat.category,
        "subcategory": stat.subcategory,
        "mean": stat.mean,
        "spread": stat.spread,
        "unstable": stat.unstable,
        "truncated": stat.truncated,
    }


def artifact_from_json(value: JSON) -> Artifact:
    """A document of this version; ArtifactError names the first fault. Rows come out sorted."""
    record = fields.members(value)
    _check_version(record)
    return Artifact(
        meta=fields.below(record, "meta", meta_from_json),
        tests=fields.items(record, "tests", entry_from_json),
        results=tuple(sorted(fields.items(record, "results", row_from_json), key=row_key)),
        stats=fields.items(record, "stats", _stat_from_json),
    )


def _check_version(record: JSONObject) -> None:
    if "schema_version" not in record:
        raise ArtifactError("is no artifact: neither schema_version nor results is there")
    version = fields.integer(record, "schema_version", 0)
    if version > SCHEMA_VERSION:
        raise ArtifactError(
            f"schema_version {version} is newer than this llm-testbench reads ({SCHEMA_VERSION}); update it",
            kind="too_new",
            path=("schema_version",),
        )
    if version < SCHEMA_VERSION:
        raise fields.wrong(str(SCHEMA_VERSION), version).below("schema_version")


def meta_from_json(record: JSONObject) -> Meta:
    """The meta of `meta`."""
    return Meta(
        version=fields.text(record, "version"),
        started_at=fields.text(record, "started_at"),
        finished_at=fields.text(record, "finished_at"),
        endpoint=fields.text(record, "endpoint"),
        models=fields.record_of(record, "models", fields.text),
        seed=fields.nullable_integer(record, "seed", -_MAX_SEED, _MAX_SEED),
        temperature=fields.nullable_number(record, "temperature", -_MAX_TEMPERATURE, _MAX_TEMPERATURE),
        max_tokens_default=fields.nullable_integer(record, "max_tokens_default"),
        repeat=fields.integer(record, "repeat"),
        test_count=fields.integer(record, "test_count"),
        catalog_hash=fields.text(record, "catalog_hash"),
        fingerprints=_lists_from_json(record, "fingerprints"),
        served_models=_lists_from_json(record, "served_models"),
        interrupted=fields.flag_or(record, "interrupted", default=False),
        role=fields.one_of(record, "role", _ROLES) if "role" in record else "run",
        git=fields.below(record, "git", _git_from_json) if "git" in record else Git(),
        shard=fields.nullable_text(record, "shard"),
        adaptations=_lists_from_json(record, "adaptations"),
        throttled=fields.record_of(record, "throttled", _throttled_from_json) if "throttled" in record else {},
        asked=fields.record_of(record, "asked", fields.text) if "asked" in record else {},
        sandbox=fields.below(record, "sandbox", confined_from_json) if "sandbox" in record else NOTHING_RAN,
        host=fields.record_of(record, "host", fields.text) if "host" in record else {},
    )


def _throttled_to_json(throttled: Throttled) -> dict[str, JSON]:
    return {
        "rejected": throttled.rejected,
        "lowest": throttled.lowest,
        "limits": [{"seconds": seconds, "limit": limit} for seconds, limit in throttled.limits],
    }


def _throttled_from_json(models: JSONObject, name: str) -> Throttled:
    return fields.below(
        models,
        name,
        lambda record: Throttled(
            rejected=fields.integer(record, "rejected"),
            lowest=fields.integer(record, "lowest"),
            limits=fields.items_or_none(record, "limits", _limit_from_json, MOST_LIMITS),
        ),
    )


def _limit_from_json(value: JSON) -> tuple[float, int]:
    record = fields.members(value)
    return fields.number(record, "seconds", 0, fields.MAX_SECONDS), fields.integer(record, "limit")


def _git_from_json(record: JSONObject) -> Git:
    return Git(
        repository=fields.text_or(record, "repository", ""),
        sha=fields.text_or(record, "sha", ""),
        ref=fields.text_or(record, "ref", ""),
        run_url=fields.text_or(record, "run_url", ""),
    )


def entry_from_json(value: JSON) -> TestEntry:
    """The test of one item of `tests`."""
    record = fields.members(value)
    suite_file = fields.text_or(record, "suite_file", "")
    if not _RELATIVE.search(suite_file):
        raise ArtifactError("expected a relative path or builtin:NAME, found an absolute path", path=("suite_file",))
    return TestEntry(
        test_id=fields.name(record, "test_id"),
        category=fields.text(record, "category"),
        subcategory=fields.text(record, "subcategory"),
        request=fields.any_object(record, "request"),
        check=fields.anything(record, "check"),
        request_hash=fields.text(record, "request_hash"),
        check_hash=fields.text(record, "check_hash"),
        suite_file=suite_file,
        line=fields.integer_or(record, "line", 0),
        rev=fields.integer_or(record, "rev", 1, -fields.MAX_COUNT),
        must_pass=fields.flag_or(record, "must_pass", default=False),
        quarantine=fields.flag_or(record, "quarantine", default=False),
    )


def _stat_from_json(value: JSON) -> Stat:
    record = fields.members(value)
    return Stat(
        test_id=fields.name(record, "test_id"),
        category=fields.text(record, "category"),
        subcategory=fields.text(record, "subcategory"),
        mean=fields.required_nullable_number(record, "mean", 0, 1),
        spread=fields.required_nullable_number(record, "spread", 0, 1),
        unstable=fields.flag(record, "unstable"),
        truncated=fields.integer(record, "truncated"),
    )


def _lists_to_json(lists: Mapping[str, tuple[str, ...]]) -> dict[str, JSON]:
    return {name: list(words) for name, words in lists.items()}


def _lists_from_json(record: JSONObject, key: str) -> Mapping[str, tuple[str, ...]]:
    return fields.record_of(record, key, _texts) if key in record else {}


def _texts(record: JSONObject, key: str) -> tuple[str, ...]:
    return fields.items(record, key, fields.one_text)
