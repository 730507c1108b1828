"""The plain values of the room: ToolCall, Usage, Completion (as received), Answer (as scored)."""

from __future__ import annotations

from dataclasses import dataclass

from llm_testbench.json_value import JSONObject


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the model made. `arguments` is None when `arguments_text` is no JSON object."""

    name: str
    arguments: JSONObject | None
    arguments_text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None means that it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer as it came off the wire, not normalised. `reasoning` is what came in a field of its own."""

    text: str
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    refused: bool = False
    usage: Usage = Usage()
    served_model: str | None = None
    fingerprint: str | None = None
    response_id: str | None = None
    quirks: tuple[str, ...] = ()  # by name and sorted: where only our reading of an undocumented form made it an answer


@dataclass(frozen=True, slots=True)
class Answer:
    """The normal form that evaluators see (answer.normalise); `truncated`: cut at the token limit."""

    text: str
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    truncated: bool = False
