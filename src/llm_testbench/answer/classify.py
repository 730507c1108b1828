"""What became of an attempt whose call succeeded (design 5.5, the scored outcomes)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from llm_testbench.answer import finish
from llm_testbench.answer.model import Answer, Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.answer.printed_call import printed_call
from llm_testbench.json_value import JSON


def classify(completion: Completion, answer: Answer, tool_names: Collection[str]) -> Outcome:
    """One of outcome.SCORED. `tool_names`: see `offered`."""
    if completion.refused or finish.is_filtered(completion.finish_reason):
        return Outcome.REFUSED
    if not answer.text and not answer.tool_calls:
        return _silent(completion, answer)
    if tool_names and not answer.tool_calls and printed_call(answer.text, tool_names) is not None:
        return Outcome.TOOL_CALL_IN_TEXT
    return Outcome.TRUNCATED if answer.truncated else Outcome.ANSWERED


def _silent(completion: Completion, answer: Answer) -> Outcome:
    # Servers that hide the reasoning still count it.
    reasoned = bool(answer.reasoning) or bool(completion.usage.reasoning_tokens)
    if finish.is_length(completion.finish_reason) and reasoned:
        return Outcome.BUDGET_EXHAUSTED
    return Outcome.TRUNCATED if answer.truncated else Outcome.EMPTY


def offered(tools: JSON) -> tuple[str, ...]:
    """The names of the tools that a request offers, from its OpenAI definitions; what is none has no name."""
    functions = [tool.get("function") for tool in _list(tools) if isinstance(tool, Mapping)]
    names = [function.get("name") for function in functions if isinstance(function, Mapping)]
    return tuple(name for name in names if isinstance(name, str) and name)


def _list(value: JSON) -> Sequence[JSON]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()
