"""The run on disk as plain values (design 5.4, schemas/artifact.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.confined import NOTHING_RAN, Confined
from llm_testbench.gateway.model import Try
from llm_testbench.json_value import JSON, JSONObject

SCHEMA_VERSION = 1
TEXT_CAP = 256 * 1024  # bytes of UTF-8 kept of each stored text
MOST_TRIES = 64
MOST_QUIRKS = 20
QUIRK_CAP = 64  # characters
TRY_REASON_CAP = 200  # characters
MOST_LIMITS = 100

Phase = Literal["main", "confirm"]
Side = Literal["current", "baseline"]


@dataclass(frozen=True, slots=True)
class Row:
    """One attempt. `error` set: the call failed and `score` says nothing. Latencies in milliseconds."""

    model: str
    test_id: str
    category: str
    subcategory: str
    attempt: int
    outcome: Outcome
    score: float = 0.0
    passed: bool = False
    reason: str = ""
    error: str | None = None
    skipped: bool = False
    truncated: bool = False
    phase: Phase = "main"
    side: Side = "current"
    response_text: str | None = None  # None: not stored
    response_capped: bool = False  # a stored text was cut at TEXT_CAP
    reasoning_text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    fingerprint: str | None = None
    served_model: str | None = None
    response_id: str | None = None
    copy: Literal["id", "header"] | None = None
    latency_ms: float = 0.0
    ttft_ms: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    tokens: int | None = None  # prompt + completion where both are known
    tries: tuple[Try, ...] = ()
    quirks: tuple[str, ...] = ()  # what was odd about the form of the answer, by name

    @property
    def scored(self) -> bool:
        """Counts in the mean."""
        return self.error is None and not self.skipped


@dataclass(frozen=True, slots=True)
class TestEntry:
    """A test as it was asked, once per artifact. An empty hash is unknown (a foreign artifact)."""

    __test__ = False

    test_id: str
    category: str
    subcategory: str
    request: JSONObject = field(default_factory=dict)  # {messages, tools, parameters, max_tokens}
    check: JSON = None
    request_hash: str = ""
    check_hash: str = ""
    suite_file: str = ""
    line: int = 0
    rev: int = 1
    must_pass: bool = False
    quarantine: bool = False


@dataclass(frozen=True, slots=True)
class Stat:
    """A test over models, from rows of phase main and side current. `spread`: highest − lowest model mean."""

    test_id: str
    category: str
    subcategory: str
    mean: float | None
    spread: float | None
    unstable: bool
    truncated: int  # attempts cut at the token limit


@dataclass(frozen=True, slots=True)
class Git:
    """Where the run's checkout stood; empty strings when unknown."""

    repository: str = ""
    sha: str = ""
    ref: str = ""
    run_url: str = ""


@dataclass(frozen=True, slots=True)
class Throttled:
    """How a server limited the calls to one model: `rejected` tries (429, 529), the lowest limit of calls at a time.

    `limits`: (seconds since the start of the run, calls at a time from then on), at most MOST_LIMITS.
    """

    rejected: int
    lowest: int
    limits: tuple[tuple[float, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Meta:
    """The run as a whole. Times are RFC 3339 in UTC; endpoints carry no credentials and no query."""

    version: str
    started_at: str
    finished_at: str
    endpoint: str
    models: Mapping[str, str]  # name → id
    repeat: int
    test_count: int
    catalog_hash: str
    seed: int | None = None
    temperature: float | None = None
    max_tokens_default: int | None = None
    fingerprints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    served_models: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    interrupted: bool = False
    role: Literal["record", "gate", "run"] = "run"
    git: Git = Git()
    shard: str | None = None
    adaptations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    throttled: Mapping[str, Throttled] = field(default_factory=dict)  # by name, those that were
    asked: Mapping[str, str] = field(default_factory=dict)  # name → digest of where and how, see build.way_of_asking
    sandbox: Confined = NOTHING_RAN
    host: Mapping[str, str] = field(default_factory=dict)  # python, platform


@dataclass(frozen=True, slots=True)
class Artifact:
    """Rows sorted by model, test_id, side, phase, attempt. `foreign`: read from one of the Go tool's shapes."""

    meta: Meta
    tests: tuple[TestEntry, ...]
    results: tuple[Row, ...]
    stats: tuple[Stat, ...]
    foreign: bool = False
