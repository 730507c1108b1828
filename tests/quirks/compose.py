"""Random answers, said in random mixes of dialects that lose nothing: what is read must be what was said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hypothesis import strategies as st

from llm_testbench.answer.model import Completion, ToolCall, Usage

Pieces = tuple[str, ...]


@dataclass(frozen=True)
class Call:
    """One tool call, its arguments in the pieces in which a stream sends them."""

    id: str
    name: str
    arguments: dict[str, Any]
    pieces: Pieces


@dataclass(frozen=True)
class Said:
    """An answer, in pieces."""

    text: Pieces
    reasoning: Pieces
    calls: tuple[Call, ...]
    usage: Usage
    finish: str


@dataclass(frozen=True)
class Dialect:
    """How a server says it; the numbers are those of the quirks."""

    parts: bool  # 42
    reasoning_field: Literal["reasoning_content", "reasoning", "reasoning_details", "part"]  # 42, 43
    empty_finish: bool  # 36
    finish_with_text: bool  # 39
    labels: bool  # 40
    usage: Literal["at the end", "everywhere", "on finish", "then zeros"]  # 33, 35
    filter_chunk: bool  # 34
    two_choices: bool  # 41
    numbering: Literal["index", "always 0", "id", "none"]  # 47, 48
    side_by_side: bool
    continued: Literal["absent", "", "null"]  # 49
    backwards: bool  # 50
    name_repeated: bool  # 51
    as_object: bool  # 52
    first: Literal["nothing", "", "null", "{}"]  # 53


@dataclass(frozen=True)
class Framing:
    """How the events are written; the numbers are those of the quirks."""

    fillers: tuple[bytes, ...]  # 1, 2, 3: one before each event, in turn
    space: bool  # 4
    line_ends: tuple[bytes, ...]  # 5: one for each event, in turn
    final_blank_line: bool  # 6
    bom: bool  # 8
    many_lines: bool  # 9
    done: bool  # 13


FILLERS = (
    b"",
    b": ping\n\n",
    b": ping\n",
    b"data: : keepalive\n\n",
    b"data:\n\n",
    b"id: 7\n\n",
    b"retry: 10\n",
    b"\n\n",
)

_WORDS = st.lists(
    st.text(min_size=1, max_size=8) | st.sampled_from(["ü🙂", "\r\n", "data: x\n\n", "[DONE]", "</t"]), max_size=5
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@st.composite
def _calls(draw: st.DrawFn) -> tuple[Call, ...]:
    calls = []
    for number in range(draw(st.integers(0, 3))):
        # One that is empty cannot be told from a placeholder where nothing numbers the calls.
        arguments = draw(st.dictionaries(st.text(max_size=4), _VALUES, min_size=1, max_size=3))
        text = json.dumps(arguments, ensure_ascii=draw(st.booleans()))
        cuts = sorted(draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=3)))
        pieces = tuple(text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True))
        calls.append(Call(f"call_{number}", draw(st.sampled_from(["f", "get_weather"])), arguments, pieces))
    return tuple(calls)


SAID = st.builds(
    Said,
    text=_WORDS.map(tuple),
    reasoning=_WORDS.map(tuple),
    calls=_calls(),
    usage=st.builds(Usage, prompt_tokens=st.integers(1, 9999), completion_tokens=st.integers(1, 9999)),
    finish=st.sampled_from(["stop", "length", "tool_calls", "end_turn", "EOS"]),
)
DIALECTS = st.builds(Dialect)
FRAMINGS = st.builds(
    Framing,
    fillers=st.lists(st.sampled_from(FILLERS), min_size=1, max_size=4).map(tuple),
    space=st.booleans(),
    line_ends=st.lists(st.sampled_from([b"\n", b"\r\n", b"\r"]), min_size=1, max_size=3).map(tuple),
    final_blank_line=st.booleans(),
    bom=st.booleans(),
    many_lines=st.booleans(),
    done=st.booleans(),
)


def read(said: Said, dialect: Dialect) -> Completion:
    """What a client has to make of it, but for the quirks it notes."""
    return Completion(
        text="".join(said.text),
        reasoning="".join(said.reasoning),
        tool_calls=tuple(_read(call, dialect) for call in said.calls),
        finish_reason=said.finish,
        usage=said.usage,
        served_model="model-a" if dialect.labels else None,
        response_id="chatcmpl-1" if dialect.labels else None,
    )


def _read(call: Call, dialect: Dialect) -> ToolCall:
    text = "".join(call.pieces)
    if dialect.as_object:
        text = json.dumps(call.arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return ToolCall(call.name, call.arguments, text, call.id if dialect.numbering != "none" else "")


def chunks(said: Said, dialect: Dialect) -> list[dict[str, Any]]:
    """The chunks of a stream."""
    reasoning = [_reasoning(piece, dialect) for piece in said.reasoning]
    texts = [{"content": [{"type": "text", "text": piece}] if dialect.parts else piece} for piece in said.text]
    deltas = [(0, delta) for delta in [{"role": "assistant", "content": ""}, *reasoning, *texts]]
    number = 1 if dialect.two_choices else 0
    deltas += [(number, {"tool_calls": [fragment]}) for fragment in _fragments(said.calls, dialect)]
    bare = "" if dialect.empty_finish else None
    choices = [{"index": at, "delta": delta, "finish_reason": bare} for at, delta in deltas]
    if dialect.finish_with_text:
        choices[-1]["finish_reason"] = said.finish
    else:
        choices.append({"index": choices[-1]["index"], "delta": {}, "finish_reason": said.finish})
    return list(_with_usage([{"choices": [choice]} for choice in choices], said.usage, dialect))


def _reasoning(piece: str, dialect: Dialect) -> dict[str, Any]:
    if dialect.reasoning_field == "part":
        return {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}
    if dialect.reasoning_field == "reasoning_details":
        return {"reasoning_details": [{"type": "reasoning.text", "text": piece}]}
    return {dialect.reasoning_field: piece}


def _fragments(calls: Sequence[Call], dialect: Dialect) -> list[dict[str, Any]]:
    each = [list(_fragments_of(number, call, dialect)) for number, call in enumerate(calls)]
    if dialect.side_by_side and dialect.numbering == "index":
        longest = max(map(len, each), default=0)
        return [one[turn] for turn in range(longest) for one in each if turn < len(one)]
    return [fragment for one in each for fragment in one]


def _fragments_of(number: int, call: Call, dialect: Dialect) -> Iterator[dict[str, Any]]:
    numbered: dict[str, Any] = {"index": {"index": number}, "always 0": {"index": 0}}.get(dialect.numbering, {})
    said_by_id = dialect.numbering != "none"
    pieces: list[object] = [call.arguments] if dialect.as_object else list(call.pieces)
    placeholder = dialect.first != "nothing" and not dialect.as_object and said_by_id
    if placeholder:
        pieces.insert(0, None if dialect.first == "null" else dialect.first)
    backwards = dialect.backwards and dialect.numbering == "index"
    for turn, piece in enumerate([*pieces, ""] if backwards else pieces):
        names_it = turn == (len(pieces) if backwards else 0)
        fragment: dict[str, Any] = {**numbered, "function": {"arguments": piece}}
        if names_it or (dialect.name_repeated and said_by_id and not backwards):
            fragment["function"]["name"] = call.name
        elif dialect.continued != "absent":
            fragment["function"]["name"] = "" if dialect.continued == "" else None
        if said_by_id and (names_it or dialect.numbering == "id"):
            fragment["id"] = call.id
        elif dialect.continued != "absent":
            fragment["id"] = "" if dialect.continued == "" else None
        yield fragment


def _with_usage(events: list[dict[str, Any]], usage: Usage, dialect: Dialect) -> Iterator[dict[str, Any]]:
    full = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
    zeros = dict.fromkeys(full, 0)
    labels = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "model-a"} if dialect.labels else {}
    if dialect.filter_chunk:
        yield {"id": "", "model": "", "choices": [], "prompt_filter_results": []}
    for place, event in enumerate(events):
        last = place == len(events) - 1
        if dialect.usage == "everywhere":
            event["usage"] = full if last else (zeros if place == 0 else {**full, "completion_tokens": 1})
        elif dialect.usage != "at the end" and last:
            event["usage"] = full
        yield {**labels, **event}
    if dialect.usage in ("at the end", "then zeros"):
        yield {**labels, "choices": [], "usage": full if dialect.usage == "at the end" else zeros}


def stream(said: Said, dialect: Dialect, framing: Framing) -> bytes:
    """The body of a stream."""
    events = chunks(said, dialect)
    written = [_event(json.dumps(event, indent=1 if framing.many_lines else None), framing) for event in events]
    if framing.done:
        written.append(_event("[DONE]", framing))
    out = [b"\xef\xbb\xbf" if framing.bom else b""]
    for place, lines in enumerate(written):
        end = framing.line_ends[place % len(framing.line_ends)]
        last = place == len(written) - 1
        out.append(framing.fillers[place % len(framing.fillers)].replace(b"\n", end))
        out.append(end.join(lines) + (b"" if last and not framing.final_blank_line else end + end))
    return b"".join(out)


def _event(data: str, framing: Framing) -> list[bytes]:
    name = b"data: " if framing.space else b"data:"
    return [name + line.encode() for line in data.split("\n")]


def whole(said: Said, dialect: Dialect) -> dict[str, Any]:
    """The body of an answer that is no stream."""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(said.text) or None}
    if dialect.parts:
        message["content"] = [{"type": "text", "text": piece} for piece in said.text]
    if said.reasoning:
        message |= _reasoning("".join(said.reasoning), dialect) if dialect.reasoning_field != "part" else {}
        if dialect.reasoning_field == "part":
            texts = message["content"] or []
            parts = [{"type": "text", "text": texts}] if isinstance(texts, str) else texts
            message["content"] = [*_reasoning("".join(said.reasoning), dialect)["content"], *parts]
    calls = [
        {
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": call.arguments if dialect.as_object else "".join(call.pieces),
            },
            **({"id": call.id} if dialect.numbering != "none" else {}),
        }
        for call in said.calls
    ]
    choices: list[dict[str, Any]] = [{"index": 0, "message": message, "finish_reason": said.finish}]
    if calls and dialect.two_choices:
        choices.append({"index": 1, "message": {"tool_calls": calls}, "finish_reason": said.finish})
    elif calls:
        message["tool_calls"] = calls
    labels = {"id": "chatcmpl-1", "model": "model-a"} if dialect.labels else {}
    usage = {"prompt_tokens": said.usage.prompt_tokens, "completion_tokens": said.usage.completion_tokens}
    return {**labels, "choices": choices, "usage": usage}
