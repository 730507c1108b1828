"""Values of the artifact room for its tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.build import RunFacts
from llm_testbench.artifact.confined import Confined
from llm_testbench.artifact.document import entry_to_json, meta_to_json, stat_to_json
from llm_testbench.artifact.model import SCHEMA_VERSION, Artifact, Git, Meta, Row, TestEntry, Throttled
from llm_testbench.artifact.rows import row_key, row_to_json
from llm_testbench.artifact.stats import stats
from llm_testbench.gateway.model import ModelOptions, Try
from llm_testbench.json_value import JSON

ROW = Row(
    model="chat",
    test_id="greeting",
    category="language",
    subcategory="politeness",
    attempt=0,
    outcome=Outcome.ANSWERED,
    score=1.0,
    passed=True,
    reason="found 'hello'",
    response_text="hello",
    latency_ms=200.5,
)

FULL_ROW = replace(
    ROW,
    attempt=3,
    phase="confirm",
    side="baseline",
    outcome=Outcome.TRUNCATED,
    truncated=True,
    response_capped=True,
    reasoning_text="they greet me",
    tool_calls=(
        ToolCall(name="f", arguments={"x": [1, {"y": None}]}, arguments_text='{"x":[1,{"y":null}]}', id="call_1"),
        ToolCall(name="g", arguments=None, arguments_text="{not json"),
    ),
    finish_reason="length",
    fingerprint="fp_1",
    served_model="org/chat-b",
    response_id="resp-1",
    copy="header",
    ttft_ms=20.25,
    prompt_tokens=10,
    completion_tokens=5,
    reasoning_tokens=2,
    cached_tokens=8,
    tokens=15,
    tries=(Try(None, Outcome.NETWORK, 0.0, 3.5, "connection reset"), Try(200, Outcome.ANSWERED, 250.0, 200.5)),
    quirks=("stream-flag-ignored", "no-done"),
)

META = Meta(
    version="1.2.3",
    started_at="2026-05-01T10:00:00Z",
    finished_at="2026-05-01T10:05:00Z",
    endpoint="https://gateway.example.com/v1",
    models={"chat": "org/chat"},
    repeat=1,
    test_count=1,
    catalog_hash="0123456789abcdef",
    seed=1234,
    temperature=0.5,
    max_tokens_default=4096,
    fingerprints={"chat": ("fp_1", "fp_2")},
    served_models={"chat": ("org/chat-b",)},
    interrupted=True,
    role="record",
    git=Git("org/app", "abc123", "refs/heads/main", "https://github.com/org/app/actions/runs/1"),
    shard="2/8",
    adaptations={"chat": ("max_completion_tokens",)},
    throttled={"chat": Throttled(37, 4, ((1.5, 8), (2.0, 4)))},
    asked={"chat": "3" * 64},
    sandbox=Confined("require", ("seccomp",), {"own_uid": "not root"}, ("network",), {"files": "no"}, 7),
    host={"python": "3.12.1", "platform": "linux-x86_64"},
)

ENTRY = TestEntry(
    test_id="greeting",
    category="language",
    subcategory="politeness",
    request={"messages": [{"role": "user", "content": "Say hello"}], "tools": [], "parameters": {}, "max_tokens": None},
    check={"contains_all": ["hello"]},
    request_hash="1" * 64,
    check_hash="2" * 64,
    suite_file="evals/language.yaml",
    line=7,
    rev=2,
    must_pass=True,
    quarantine=True,
)

FACTS = RunFacts(
    version="1.2.3",
    started_at=datetime(2026, 5, 1, 10, 0, tzinfo=UTC),
    finished_at=datetime(2026, 5, 1, 10, 5, tzinfo=UTC),
    endpoint="http://127.0.0.1:8000/v1",
    repeat=2,
)

CHAT = ModelOptions(name="chat", id="org/chat", endpoint="http://127.0.0.1:8000/v1")


def row(test_id: str = "greeting", model: str = "chat", attempt: int = 0, score: float = 1.0, **more: object) -> Row:
    """A scored row."""
    base = replace(ROW, test_id=test_id, model=model, attempt=attempt, score=score, passed=score >= 0.99)
    return replace(base, **more)  # type: ignore[arg-type]  # any field of a row


def error_row(test_id: str = "greeting", model: str = "chat", attempt: int = 0, **more: object) -> Row:
    """A row of a call that failed."""
    return row(
        test_id, model, attempt, 0.0, **{"error": "503", "outcome": Outcome.SERVER, "response_text": None, **more}
    )


def skipped_row(test_id: str = "greeting", model: str = "chat", attempt: int = 0, **more: object) -> Row:
    """A row whose evaluator lacked something."""
    return row(test_id, model, attempt, 0.0, **{"skipped": True, "outcome": Outcome.TOOLCHAIN_MISSING, **more})


def artifact(*rows: Row, tests: tuple[TestEntry, ...] = (ENTRY,), meta: Meta = META) -> Artifact:
    """An artifact of these rows."""
    ordered = tuple(sorted(rows, key=row_key))
    return Artifact(meta=meta, tests=tests, results=ordered, stats=stats(ordered))


def document(one: Artifact) -> dict[str, JSON]:
    """The artifact as one JSON value."""
    return {
        "schema_version": SCHEMA_VERSION,
        "meta": meta_to_json(one.meta),
        "tests": [entry_to_json(test) for test in one.tests],
        "results": [row_to_json(found) for found in one.results],
        "stats": [stat_to_json(found) for found in one.stats],
    }
