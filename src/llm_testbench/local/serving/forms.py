"""A completion as JSON: whole, or in the chunks of a stream. Who asked for it may change what is made here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from llm_testbench.answer.model import Completion, ToolCall
from llm_testbench.local.serving.question import Question

Body: TypeAlias = dict[str, Any]
"""A JSON object that is still being made."""

PIECES = 4  # deltas that a streamed text is spread over
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Stamp:
    """What is new with every answer: its id, and when it was made in seconds since the epoch."""

    id: str
    created: int


def whole(said: Completion, question: Question, stamp: Stamp) -> Body:
    """The body of an answer that is not streamed."""
    message: Body = {"role": "assistant", "content": said.text or (None if said.tool_calls else "")}
    if said.refused and said.finish_reason != "content_filter":
        message |= {"content": None, "refusal": said.text or "refused"}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    if said.tool_calls:
        message["tool_calls"] = [_call(call, at) for at, call in enumerate(said.tool_calls)]
    choice = {"index": 0, "message": message, "finish_reason": finish_of(said)}
    return {**_labels(said, question, stamp, "chat.completion"), "choices": [choice], "usage": usage(said, question)}


def chunks(said: Completion, question: Question, stamp: Stamp) -> list[Body]:
    """The chunks that say the same, and at their end, where it was asked for, the usage."""
    refusal = said.refused and said.finish_reason != "content_filter"
    deltas: list[Body] = [{"role": "assistant", "content": ""}]
    if said.reasoning:
        deltas.append({"reasoning_content": said.reasoning})
    deltas += [{"refusal" if refusal else "content": piece} for piece in _cut(said.text, PIECES)]
    for at, call in enumerate(said.tool_calls):
        deltas += [{"tool_calls": [fragment]} for fragment in _fragments(call, at)]
    made = [chunk(said, question, stamp, delta) for delta in deltas]
    made.append(chunk(said, question, stamp, {}, finish_of(said)))
    if question.wants_usage:
        last = {**_labels(said, question, stamp, "chat.completion.chunk"), "choices": []}
        made.append({**last, "usage": usage(said, question)})
    return made


def chunk(said: Completion, question: Question, stamp: Stamp, delta: Body, finish: str | None = None) -> Body:
    """One chunk with one choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**_labels(said, question, stamp, "chat.completion.chunk"), "choices": [choice]}


def usage(said: Completion, question: Question) -> Body:
    """The tokens, as they are known or else by the number of characters."""
    known = said.usage
    prompt = known.prompt_tokens
    prompt = max(1, question.characters // _CHARACTERS_PER_TOKEN) if prompt is None else prompt
    answer = known.completion_tokens
    if answer is None:
        length = len(said.text) + len(said.reasoning) + sum(len(call.arguments_text) for call in said.tool_calls)
        answer = max(1, length // _CHARACTERS_PER_TOKEN)
    counted: Body = {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
    if known.reasoning_tokens is not None:
        counted["completion_tokens_details"] = {"reasoning_tokens": known.reasoning_tokens}
    if known.cached_tokens is not None:
        counted["prompt_tokens_details"] = {"cached_tokens": known.cached_tokens}
    return counted


def finish_of(said: Completion) -> str:
    """Why the answer ends."""
    return said.finish_reason or ("tool_calls" if said.tool_calls else "stop")


def _labels(said: Completion, question: Question, stamp: Stamp, kind: str) -> Body:
    labels = {
        "id": said.response_id or stamp.id,
        "object": kind,
        "created": stamp.created,
        "model": said.served_model or question.model,
    }
    return {**labels, "system_fingerprint": said.fingerprint} if said.fingerprint else labels


def _call(call: ToolCall, at: int) -> Body:
    function = {"name": call.name, "arguments": call.arguments_text}
    return {"id": call.id or f"call_{at + 1}", "type": "function", "function": function}


def _fragments(call: ToolCall, at: int) -> list[Body]:
    """Id and name first, then the arguments in two halves, as most servers send them."""
    first = _call(call, at)
    first["function"]["arguments"] = ""
    return [{"index": at, **first}] + [
        {"index": at, "function": {"arguments": half}} for half in _cut(call.arguments_text, 2)
    ]


def _cut(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // pieces))
    return [text[at : at + size] for at in range(0, len(text), size)]


def printed(call: ToolCall) -> str:
    """The call as a model prints it that was not taught to make it."""
    said = {"name": call.name, "arguments": call.arguments if call.arguments is not None else call.arguments_text}
    return f"<tool_call>\n{json.dumps(said, ensure_ascii=False)}\n</tool_call>"
