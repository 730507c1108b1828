"""What became of an attempt, machine-readable (design 5.5)."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """Scored outcomes count in the mean, errored ones never do, skipped ones lack something."""

    ANSWERED = "answered"
    REFUSED = "refused"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    BUDGET_EXHAUSTED = "budget_exhausted"
    TOOL_CALL_IN_TEXT = "tool_call_in_text"

    NETWORK = "network"
    TIMEOUT = "timeout"
    IDLE_TIMEOUT = "idle_timeout"
    EMPTY_STREAM = "empty_stream"
    PROTOCOL = "protocol"
    RATE_LIMITED = "rate_limited"
    AUTH = "auth"
    SERVER = "server"
    REJECTED = "rejected"
    CONTEXT_LENGTH = "context_length"
    SUBSTITUTED = "substituted"
    EVALUATOR_CRASH = "evaluator_crash"

    TOOLCHAIN_MISSING = "toolchain_missing"
    NO_SANDBOX = "no_sandbox"
    NO_CREDENTIALS = "no_credentials"


SCORED = frozenset(
    {
        Outcome.ANSWERED,
        Outcome.REFUSED,
        Outcome.EMPTY,
        Outcome.TRUNCATED,
        Outcome.BUDGET_EXHAUSTED,
        Outcome.TOOL_CALL_IN_TEXT,
    }
)
SKIPPED = frozenset({Outcome.TOOLCHAIN_MISSING, Outcome.NO_SANDBOX, Outcome.NO_CREDENTIALS})
