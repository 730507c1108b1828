"""Hypothesis strategies: valid artifacts as JSON, and the same with something changed."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.fields import MAX_COUNT, MAX_MILLISECONDS, MAX_SECONDS
from llm_testbench.artifact.model import MOST_LIMITS, MOST_QUIRKS, QUIRK_CAP, TRY_REASON_CAP

_ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, 1, 2, -1, 1.0, 0.0, 1.5, -0.0, 10**400, 1e300, MAX_COUNT + 1, 999, 1000])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["x" * 65, "x" * 201, [""] * 21, [{"seconds": 1, "limit": 4}] * 101])
    | st.sampled_from(["", "main", "current", "id", "answered", "record", "/etc/passwd", "C:\\x", "\\x", "a/b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
_TEXT = st.text(max_size=8)
_NAME = st.text(min_size=1, max_size=8)
_COUNT = st.integers(0, MAX_COUNT) | st.just(3.0)
_UNIT = st.floats(0, 1) | st.sampled_from([0, 1])
_TIME = st.floats(0, MAX_MILLISECONDS) | st.integers(0, int(MAX_MILLISECONDS))
_OUTCOME = st.sampled_from([outcome.value for outcome in Outcome])
_FREE = st.dictionaries(_TEXT, _ANY, max_size=2)
_LISTS = st.dictionaries(_TEXT, st.lists(_TEXT, max_size=2), max_size=2)

Record = dict[str, Any]


def _record(required: Record, optional: Record) -> st.SearchStrategy[Record]:
    return st.fixed_dictionaries(required, optional={**optional, "unknown_key": _ANY})


_CALL = _record({"name": _TEXT, "arguments": st.none() | _FREE}, {"id": _TEXT, "arguments_text": _TEXT})
_TRY = _record(
    {"outcome": _OUTCOME, "wait_ms": _TIME, "latency_ms": _TIME},
    {"status": st.none() | st.integers(0, 999), "reason": _TEXT | st.just("x" * TRY_REASON_CAP)},
)

ROWS = _record(
    {
        "model": _NAME,
        "test_id": _NAME,
        "category": _TEXT,
        "subcategory": _TEXT,
        "attempt": _COUNT,
        "phase": st.sampled_from(["main", "confirm"]),
        "side": st.sampled_from(["current", "baseline"]),
        "score": _UNIT,
        "passed": st.booleans(),
        "reason": _TEXT,
        "outcome": _OUTCOME,
        "error": st.none() | _TEXT,
        "skipped": st.booleans(),
        "truncated": st.booleans(),
        "latency_ms": _TIME,
    },
    {
        **dict.fromkeys(
            ("response_text", "reasoning_text", "finish_reason", "fingerprint", "served_model", "response_id"),
            st.none() | _TEXT,
        ),
        **dict.fromkeys(
            ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens", "tokens"), st.none() | _COUNT
        ),
        "response_capped": st.booleans(),
        "tool_calls": st.lists(_CALL, max_size=2),
        "copy": st.sampled_from([None, "id", "header"]),
        "ttft_ms": st.none() | _TIME,
        "tries": st.lists(_TRY, max_size=2),
        "quirks": st.lists(_TEXT | st.just("x" * QUIRK_CAP), max_size=3) | st.just([""] * MOST_QUIRKS),
    },
)
_TESTS = _record(
    {
        "test_id": _NAME,
        "category": _TEXT,
        "subcategory": _TEXT,
        "request": _FREE,
        "check": _ANY,
        "request_hash": _TEXT,
        "check_hash": _TEXT,
    },
    {
        "suite_file": st.sampled_from(["", "evals/a.yaml", "builtin:smoke"]),
        "line": _COUNT,
        "rev": st.integers(-MAX_COUNT, MAX_COUNT),
        "must_pass": st.booleans(),
        "quarantine": st.booleans(),
    },
)
_STATS = _record(
    {
        "test_id": _NAME,
        "category": _TEXT,
        "subcategory": _TEXT,
        "mean": st.none() | _UNIT,
        "spread": st.none() | _UNIT,
        "unstable": st.booleans(),
        "truncated": _COUNT,
    },
    {},
)
_LIMIT = _record({"seconds": st.floats(0, MAX_SECONDS) | st.just(1), "limit": _COUNT}, {})
_THROTTLED = _record(
    {"rejected": _COUNT, "lowest": _COUNT},
    {"limits": st.lists(_LIMIT, max_size=2) | st.just([{"seconds": 1, "limit": 4}] * MOST_LIMITS)},
)
_META = _record(
    {
        "version": _TEXT,
        "started_at": _TEXT,
        "finished_at": _TEXT,
        "endpoint": _TEXT,
        "models": st.dictionaries(_TEXT, _TEXT, max_size=2),
        "repeat": _COUNT,
        "test_count": _COUNT,
        "catalog_hash": _TEXT,
    },
    {
        "seed": st.none() | st.integers(-(2**64), 2**64),
        "temperature": st.none() | st.floats(-1000, 1000),
        "max_tokens_default": st.none() | _COUNT,
        **dict.fromkeys(("fingerprints", "served_models", "adaptations"), _LISTS),
        "throttled": st.dictionaries(_TEXT, _THROTTLED, max_size=2),
        "asked": st.dictionaries(_TEXT, _TEXT, max_size=2),
        "interrupted": st.booleans(),
        "role": st.sampled_from(["record", "gate", "run"]),
        "git": _record({}, dict.fromkeys(("repository", "sha", "ref", "run_url"), _TEXT)),
        "shard": st.none() | _TEXT,
        "sandbox": _record(
            {},
            {
                "mode": st.sampled_from(["require", "prefer", "off"]),
                **dict.fromkeys(("layers", "promises"), st.lists(_TEXT, max_size=2)),
                **dict.fromkeys(("layers_missing", "promises_missing"), st.dictionaries(_TEXT, _TEXT, max_size=2)),
                "landlock": _COUNT,
            },
        ),
        "host": st.dictionaries(_TEXT, _TEXT, max_size=2),
    },
)
DOCUMENTS = _record(
    {
        "schema_version": st.sampled_from([1, 1.0]),
        "meta": _META,
        "tests": st.lists(_TESTS, max_size=2),
        "results": st.lists(ROWS, max_size=2),
        "stats": st.lists(_STATS, max_size=2),
    },
    {},
)


@st.composite
def changed(draw: st.DrawFn, records: st.SearchStrategy[Record]) -> Any:
    """A valid record in which one member, at any depth, is replaced, removed or added; or another value."""
    value: Any = copy.deepcopy(draw(records))
    at: Any = value
    while True:
        steps = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not steps:
            break
        step = draw(st.sampled_from(steps))
        below = at[step]
        if isinstance(below, dict | list) and below and draw(st.booleans()):
            at = below
            continue
        if draw(st.integers(0, 3)) == 0:
            del at[step]
        else:
            at[step] = draw(_ANY)
        return value
    return draw(_ANY)
