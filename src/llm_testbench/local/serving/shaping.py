"""The same answer in JSON of another form, as servers have sent it."""

from __future__ import annotations

import json
from typing import Any

from llm_testbench.local.serving.forms import Body
from llm_testbench.local.serving.saying import REASONING

_FAILED: Body = {"error": {"message": "the engine died", "type": "server_error", "code": 502}}
_FILTERED: Body = {"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}
_BEHIND = "\n\nI have called the tool."


def error_body(_: Body) -> Body:
    """An error in the place of the answer."""
    return dict(_FAILED)


def error_chunk(_: list[Body]) -> list[Body]:
    """The same at the beginning of a stream."""
    return [dict(_FAILED)]


def error_in_choice(body: Body) -> Body:
    """The frame of an answer around an error."""
    choice = {"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "error", **_FAILED}
    return {**body, "choices": [choice]}


def error_in_last_choice(chunks: list[Body]) -> list[Body]:
    """The same, behind the first words."""
    choice = {"index": 0, "delta": {}, "finish_reason": "error", **_FAILED}
    return [*chunks[:1], {**chunks[0], "choices": [choice]}]


def no_choices(body: Body) -> Body:
    """Nothing to say yet."""
    return {**body, "choices": None}


def one_chunk_without_choices(chunks: list[Body]) -> list[Body]:
    """The same as a stream."""
    return [no_choices(chunks[0])]


def error_mid_stream(chunks: list[Body]) -> list[Body]:
    """Some of the answer, then an error, and nothing more."""
    return [*chunks[: max(1, len(chunks) // 2)], {**_FAILED, "choices": []}]


def usage_without_choices(chunks: list[Body]) -> list[Body]:
    """A last chunk that lacks `choices`."""
    kept, usage = _apart(chunks)
    last = {key: value for key, value in kept[0].items() if key != "choices"}
    return [*kept, {**last, "usage": usage}]


def prompt_filter_first(chunks: list[Body]) -> list[Body]:
    """As Azure begins a stream."""
    return [{"id": "", "object": "", "created": 0, "model": "", "choices": [], **_FILTERED}, *chunks]


def with_prompt_filter(body: Body) -> Body:
    """As Azure ends a whole answer."""
    return {**body, **_FILTERED}


def usage_everywhere(chunks: list[Body]) -> list[Body]:
    """Cumulative, from zero to what it came to."""
    kept, usage = _apart(chunks)
    prompt, answer = usage["prompt_tokens"], usage["completion_tokens"]
    for at, chunk in enumerate(kept):
        so_far = answer * at // max(1, len(kept) - 1)
        counts = (prompt, so_far, prompt + so_far) if at else (0, 0, 0)
        chunk["usage"] = dict(zip(("prompt_tokens", "completion_tokens", "total_tokens"), counts, strict=True))
    return kept


def empty_finish_reasons(chunks: list[Body]) -> list[Body]:
    """An empty text for "not yet"."""
    for choice in _choices(chunks):
        choice["finish_reason"] = choice["finish_reason"] or ""
    return chunks


def finish_of_body(reason: str | None, *, only_of_calls: bool = False) -> Any:
    """Another finish_reason of a whole answer."""

    def change(body: Body) -> Body:
        for choice in body["choices"]:
            if not only_of_calls or choice["message"].get("tool_calls"):
                choice["finish_reason"] = reason
        return body

    return change


def finish_of_chunks(reason: str | None, *, only_of_calls: bool = False) -> Any:
    """Another finish_reason of a stream."""

    def change(chunks: list[Body]) -> list[Body]:
        if only_of_calls and not any("tool_calls" in choice["delta"] for choice in _choices(chunks)):
            return chunks
        for choice in _choices(chunks):
            choice["finish_reason"] = reason if choice["finish_reason"] else None
        return chunks

    return change


def finish_with_last_piece(chunks: list[Body]) -> list[Body]:
    """One chunk less."""
    ends = next(at for at, chunk in enumerate(chunks) if chunk["choices"] and chunk["choices"][0]["finish_reason"])
    chunks[ends - 1]["choices"][0]["finish_reason"] = chunks[ends]["choices"][0]["finish_reason"]
    return chunks[:ends] + chunks[ends + 1 :]


def unlabelled_body(body: Body) -> Body:
    """Nothing but what is needed."""
    body |= {"id": None, "object": None}
    body.pop("created", None)
    for choice in body["choices"]:
        choice["index"] = None
    return body


def unlabelled_chunks(chunks: list[Body]) -> list[Body]:
    """The same for each chunk."""
    return [unlabelled_body(chunk) for chunk in chunks]


def calls_in_second_choice(body: Body) -> Body:
    """Text in the first, calls in the second."""
    (first,) = body["choices"]
    message = first["message"]
    calls = message.pop("tool_calls", [])
    message["content"] = message["content"] or ""
    second = {"role": "assistant", "content": None, **({"tool_calls": calls} if calls else {})}
    return {**body, "choices": [first, {**first, "index": 1, "message": second}]}


def calls_in_second_choices(chunks: list[Body]) -> list[Body]:
    """The same as a stream."""
    for choice in _choices(chunks):
        if "tool_calls" in choice["delta"]:
            choice["index"] = 1
    return chunks


def parts_in_body(body: Body) -> Body:
    """As Mistral sends it."""
    for choice in body["choices"]:
        choice["message"]["content"] = _parts(choice["message"]["content"] or "", thinking=True)
    return body


def parts_in_chunks(chunks: list[Body]) -> list[Body]:
    """The same as a stream."""
    for at, choice in enumerate(_choices(chunks)):
        if "content" in choice["delta"]:
            choice["delta"]["content"] = _parts(choice["delta"]["content"], thinking=at == 0)
    return chunks


def reasoning_in_body(body: Body) -> Body:
    """Three names for the same words, as OpenRouter and others send them."""
    for choice in body["choices"]:
        choice["message"] |= _reasoning(choice["message"].get("reasoning_content") or REASONING)
    return body


def reasoning_in_chunks(chunks: list[Body]) -> list[Body]:
    """The same as a stream."""
    choices = list(_choices(chunks))
    known = [choice for choice in choices if "reasoning_content" in choice["delta"]]
    for choice in known or choices[:1]:
        choice["delta"] |= _reasoning(choice["delta"].get("reasoning_content") or REASONING)
    return chunks


def indices_zero(chunks: list[Body]) -> list[Body]:
    """Every call claims the first place."""
    for fragment in _fragments(chunks):
        fragment["index"] = 0
    return chunks


def indices_missing(chunks: list[Body]) -> list[Body]:
    """Calls are told apart by their id, which every fragment has then."""
    ids: dict[int, str] = {}
    for fragment in _fragments(chunks):
        place = fragment.pop("index")
        fragment["id"] = ids.setdefault(place, fragment.get("id", ""))
    return chunks


def empty_ids(chunks: list[Body]) -> list[Body]:
    """What is known already is said once more, without words."""
    for fragment in _fragments(chunks):
        if "id" not in fragment:
            fragment["id"] = ""
            fragment["function"]["name"] = None
    return chunks


def any_order(chunks: list[Body]) -> list[Body]:
    """Of each call the id and the name come last."""
    kept: list[Body] = []
    begun: dict[int, Body] = {}
    for chunk in chunks:
        fragment = next(_fragments([chunk]), None)
        if fragment is not None and "id" in fragment:
            begun[fragment["index"]] = chunk
            continue
        if fragment is None and any(choice["finish_reason"] for choice in _choices([chunk])):
            kept += begun.values()
            begun = {}
        kept.append(chunk)
    return kept


def repeated_names(chunks: list[Body]) -> list[Body]:
    """Each fragment says who is called."""
    names: dict[int, str] = {}
    for fragment in _fragments(chunks):
        function = fragment["function"]
        function["name"] = names.setdefault(fragment["index"], function.get("name") or "")
    return chunks


def objects_in_body(body: Body) -> Body:
    """No text that would have to be parsed once more."""
    for choice in body["choices"]:
        for call in choice["message"].get("tool_calls", ()):
            call["function"]["arguments"] = _object(call["function"]["arguments"])
    return body


def objects_in_chunks(chunks: list[Body]) -> list[Body]:
    """The whole arguments with the name."""
    first: dict[int, Body] = {}
    kept: list[Body] = []
    for chunk in chunks:
        fragment = next(_fragments([chunk]), None)
        if fragment is not None and "id" not in fragment:
            first[fragment["index"]]["function"]["arguments"] += fragment["function"]["arguments"]
            continue
        if fragment is not None:
            first[fragment["index"]] = fragment
        kept.append(chunk)
    for fragment in first.values():
        fragment["function"]["arguments"] = _object(fragment["function"]["arguments"])
    return kept


def empty_objects_first(chunks: list[Body]) -> list[Body]:
    """A placeholder before the arguments."""
    for fragment in _fragments(chunks):
        if "id" in fragment:
            fragment["function"]["arguments"] = "{}"
    return chunks


def text_behind_arguments(body: Body) -> Body:
    """The model went on."""
    for choice in body["choices"]:
        for call in choice["message"].get("tool_calls", ()):
            call["function"]["arguments"] += _BEHIND
    return body


def text_behind_fragments(chunks: list[Body]) -> list[Body]:
    """The same as a stream: behind the last fragment of each call."""
    last = {fragment["index"]: fragment for fragment in _fragments(chunks)}
    for fragment in last.values():
        fragment["function"]["arguments"] += _BEHIND
    return chunks


def _apart(chunks: list[Body]) -> tuple[list[Body], Body]:
    """The chunks of the answer, and the usage: said, or else guessed by what there is."""
    kept = [chunk for chunk in chunks if chunk["choices"]]
    said: Body | None = next((chunk["usage"] for chunk in chunks if chunk.get("usage")), None)
    return kept, said or {"prompt_tokens": 1, "completion_tokens": len(kept), "total_tokens": 1 + len(kept)}


def _choices(chunks: list[Body]) -> Any:
    return (choice for chunk in chunks for choice in chunk["choices"])


def _fragments(chunks: list[Body]) -> Any:
    return (fragment for choice in _choices(chunks) for fragment in choice["delta"].get("tool_calls", ()))


def _parts(text: str, *, thinking: bool) -> list[Body]:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": REASONING}]}
    return [*([thought] if thinking else ()), {"type": "text", "text": text}]


def _reasoning(words: str) -> Body:
    details = [{"type": "reasoning.text", "text": words, "index": 0}]
    return {"reasoning_content": words, "reasoning": words, "reasoning_details": details}


def _object(text: str) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text
