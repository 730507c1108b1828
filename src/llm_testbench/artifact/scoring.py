"""What an evaluator said, in a row: the same when an answer comes in and when a stored one is scored again."""

from __future__ import annotations

from dataclasses import replace

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row
from llm_testbench.evaluators.guard import Crash
from llm_testbench.evaluators.score import Score
from llm_testbench.untrusted import ELLIPSIS

MESSAGE_CAP = 4000  # bytes of UTF-8 kept of a reason or an error, which stand once in every report


def scored(row: Row, result: Score | Crash) -> Row:
    """The row of an answer, not scored so far, with its score; a crashed evaluator makes an error of it."""
    if isinstance(result, Crash):
        return replace(row, outcome=Outcome.EVALUATOR_CRASH, error=short(result.message))
    reason = short(result.reason)
    if result.skipped is not None:
        return replace(row, outcome=result.skipped, skipped=True, reason=reason)
    return replace(row, score=result.value, passed=result.passed, reason=reason)


def short(message: str) -> str:
    """At most MESSAGE_CAP of a reason or an error. Its mark tells the redaction that half of a secret may be left."""
    kept, was_cut = cap(message, MESSAGE_CAP)
    return cap(message, MESSAGE_CAP - len(ELLIPSIS.encode()))[0] + ELLIPSIS if was_cut else kept


def cap(text: str, limit: int) -> tuple[str, bool]:
    """The text cut to `limit` bytes of UTF-8 at a whole character, and whether it was cut."""
    if len(text) * 4 <= limit:
        return text, False
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return text, False
    end = limit
    while data[end] & 0xC0 == 0x80:  # a continuation byte: step back to where its character starts
        end -= 1
    return data[:end].decode("utf-8", "surrogatepass"), True
