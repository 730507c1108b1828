"""From what was planned and measured to the artifact. Pure."""

from __future__ import annotations

import platform
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal
from urllib.parse import urlsplit

from llm_testbench.artifact.confined import NOTHING_RAN, Confined
from llm_testbench.artifact.copies import with_copies
from llm_testbench.artifact.model import MOST_LIMITS, Artifact, Git, Meta, Row, TestEntry, Throttled
from llm_testbench.artifact.rows import row_key
from llm_testbench.artifact.stats import stats
from llm_testbench.artifact.substituted import with_substituted
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.json_value import JSON, digest
from llm_testbench.suite.model import Test


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What an artifact says about the run as a whole, beside tests, rows and models. Times are aware.

    `catalog_hash`: of all the tests that were divided, where this is one shard of them; None: of those of the run.
    """

    version: str
    started_at: datetime
    finished_at: datetime
    endpoint: str
    repeat: int
    seed: int | None = None
    temperature: float | None = None
    max_tokens_default: int | None = None
    interrupted: bool = False
    role: Literal["record", "gate", "run"] = "run"
    git: Git = field(default_factory=Git)
    shard: str | None = None
    catalog_hash: str | None = None
    adaptations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    throttled: Mapping[str, Throttled] = field(default_factory=dict)
    sandbox: Confined = NOTHING_RAN
    host: Mapping[str, str] = field(default_factory=dict)


def build(facts: RunFacts, tests: Sequence[Test], rows: Iterable[Row], models: Sequence[ModelOptions]) -> Artifact:
    """The artifact of a run: rows sorted, copies and substituted answers marked, statistics over models.

    Nothing is marked in a shard. Who usually answers, and which id a server gives to everything, shows in the whole
    run alone, and a mark would overwrite a score that merging has to give back.
    """
    results = marked(rows) if facts.shard is None else in_order(rows)
    current = [row for row in results if row.side == "current"]
    entries = tuple(sorted(map(entry_of, tests), key=lambda entry: entry.test_id))
    meta = Meta(
        version=facts.version,
        started_at=_utc(facts.started_at),
        finished_at=_utc(facts.finished_at),
        endpoint=public_url(facts.endpoint),
        models={model.name: model.id for model in models},
        repeat=facts.repeat,
        test_count=len(entries),
        catalog_hash=catalog_hash(entries) if facts.catalog_hash is None else facts.catalog_hash,
        seed=facts.seed,
        temperature=facts.temperature,
        max_tokens_default=facts.max_tokens_default,
        # Under the same name the other side may be another model.
        fingerprints=seen(current, lambda row: row.fingerprint),
        served_models=seen(current, lambda row: row.served_model),
        interrupted=facts.interrupted,
        role=facts.role,
        git=facts.git,
        shard=facts.shard,
        adaptations=facts.adaptations,
        throttled={
            name: replace(throttled, limits=throttled.limits[:MOST_LIMITS])
            for name, throttled in facts.throttled.items()
        },
        asked={model.name: way_of_asking(model) for model in models},
        sandbox=facts.sandbox,
        host=facts.host,
    )
    return Artifact(meta=meta, tests=entries, results=results, stats=stats(results))


def marked(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows as an artifact holds them: sorted, copies and substituted answers marked.

    Whatever a row of phase main is marked with, no row of phase confirm changes it.
    """
    return with_substituted(with_copies(in_order(rows)))


def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows as an artifact sorts them."""
    return tuple(sorted(rows, key=row_key))


def way_of_asking(model: ModelOptions) -> str:
    """A digest of where the model is asked and how it is sampled, but for the seed and anything that is secret."""
    # Only where they are set: artifacts that are older than these settings stay comparable.
    by_hand: dict[str, JSON] = {
        "token_limit": model.token_limit,
        "omitted": sorted(model.omitted - _NOT_SAMPLED),
        "tool_choice_required": model.tool_choice_required,
    }
    return digest(
        {
            "endpoint": public_url(model.endpoint),
            "body": model.extra_body,
            "max_tokens": model.max_tokens,
            "temperature": model.temperature,
            **{name: value for name, value in by_hand.items() if value},
        }
    )


_NOT_SAMPLED = frozenset({"stream_options"})  # changes what is counted, not what is answered


def entry_of(test: Test) -> TestEntry:
    """The test as the artifact keeps it."""
    return TestEntry(
        test_id=test.id,
        category=test.category,
        subcategory=test.subcategory,
        request={
            "messages": list(test.messages),
            "tools": list(test.tools),
            "parameters": test.parameters,
            "max_tokens": test.max_tokens,
        },
        check=test.check,
        request_hash=test.request_hash,
        check_hash=test.check_hash,
        suite_file=_relative(test.suite_file),
        line=test.place.line or 0,
        rev=test.rev,
        must_pass=test.must_pass,
        quarantine=test.quarantine,
    )


def catalog_hash(entries: Iterable[TestEntry]) -> str:
    """First 16 hex digits of the SHA-256 over the sorted (id, request_hash)."""
    return digest(sorted([entry.test_id, entry.request_hash] for entry in entries))[:16]


def public_url(url: str) -> str:
    """The URL without user, password, query and fragment; empty when it is none."""
    try:
        parts = urlsplit(url)
        # Raises ValueError for a port that is no number.
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        return ""
    if not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}{parts.path}"


def this_host() -> dict[str, str]:
    """`host` of the machine that runs this: versions and architecture, no name of it."""
    return {"python": platform.python_version(), "platform": f"{platform.system()}-{platform.machine()}".lower()}


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _relative(suite_file: str) -> str:
    """The name alone of an absolute path: an artifact tells nothing about the machine's folders."""
    if PurePosixPath(suite_file).is_absolute() or PureWindowsPath(suite_file).is_absolute():
        return PureWindowsPath(suite_file).name
    return suite_file


def seen(rows: Iterable[Row], what: Callable[[Row], str | None]) -> dict[str, tuple[str, ...]]:
    """By model name what its rows tell, each value once, sorted; a model whose rows tell nothing is not there."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        value = what(row)
        if value:
            found[row.model].add(value)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}
