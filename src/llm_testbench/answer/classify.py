"""What became of an attempt whose call succeeded (design 5.5, the scored outcomes)."""

from __future__ import annotations

from collections.abc import Collection

from llm_testbench.answer.model import Answer, Completion
from llm_testbench.answer.normalise import LENGTH_REASONS
from llm_testbench.answer.outcome import Outcome
from llm_testbench.answer.printed_call import printed_call


def classify(completion: Completion, answer: Answer, tool_names: Collection[str]) -> Outcome:
    """One of outcome.SCORED. `tool_names`: the tools that the request offered."""
    if completion.refused or completion.finish_reason == "content_filter":
        return Outcome.REFUSED
    if not answer.text and not answer.tool_calls:
        return _silent(completion, answer)
    if tool_names and not answer.tool_calls and printed_call(answer.text, tool_names) is not None:
        return Outcome.TOOL_CALL_IN_TEXT
    return Outcome.TRUNCATED if answer.truncated else Outcome.ANSWERED


def _silent(completion: Completion, answer: Answer) -> Outcome:
    # Servers that hide the reasoning still count it.
    reasoned = bool(answer.reasoning) or bool(completion.usage.reasoning_tokens)
    if completion.finish_reason in LENGTH_REASONS and reasoned:
        return Outcome.BUDGET_EXHAUSTED
    return Outcome.TRUNCATED if answer.truncated else Outcome.EMPTY
