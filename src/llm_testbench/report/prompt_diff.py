"""What changed in a test's request, as a unified diff of its text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff

from llm_testbench.json_value import JSON, JSONObject

MOST_LINES = 400  # of each side; the time of a diff grows with their square
CONTEXT = 2


def prompt_diff(before: JSONObject, now: JSONObject) -> str:
    """Lines with `-`, `+` and two around them, `⋯` where some are left out; empty when equal. Foreign text."""
    old, new = list(_lines(before))[:MOST_LINES], list(_lines(now))[:MOST_LINES]
    lines = list(unified_diff(old, new, lineterm="", n=CONTEXT))[3:]  # two lines of file names, one of the first place
    return "\n".join("⋯" if line.startswith("@@") else line for line in lines)


def _lines(request: JSONObject) -> Iterator[str]:
    messages = request.get("messages")
    for message in messages if isinstance(messages, Sequence) and not isinstance(messages, str) else ():
        if isinstance(message, Mapping):
            yield f"[{message.get('role')}]"
            content = message.get("content")
            if isinstance(content, str):
                yield from content.split("\n")
            yield from _rest({key: value for key, value in message.items() if key != "role" and value != content})
    yield from _rest({key: value for key, value in request.items() if key != "messages"})


def _rest(value: Mapping[str, JSON]) -> Iterator[str]:
    filled = {key: item for key, item in value.items() if item not in (None, {}, [], ())}
    if filled:
        yield from json.dumps(filled, indent=1, ensure_ascii=False, sort_keys=True).split("\n")
