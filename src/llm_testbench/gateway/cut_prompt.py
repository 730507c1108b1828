"""Whether a server has cut the prompt without a word, to fit its context (research: quirk 31)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.answer.model import Usage
from llm_testbench.json_value import JSON, JSONObject

FEWEST_WORDS = 256  # no server's context is shorter


def was_cut(messages: Sequence[JSONObject], usage: Usage) -> bool:
    """Whether the server counted so few prompt tokens that it cannot have read these messages whole.

    A token spans no white space in any usual tokeniser, so a prompt has no fewer tokens than words. A quarter is
    left for the unusual ones. Texts without white space are never suspected. Tokens from a cache may be counted
    within the prompt's or beside them.
    """
    if not usage.prompt_tokens:
        return False
    seen = usage.prompt_tokens + (usage.cached_tokens or 0)
    texts = [text for message in messages for text in _texts(message.get("content"))]
    if sum(map(len, texts)) < 2 * max(FEWEST_WORDS, seen):
        return False
    words = sum(len(text.split()) for text in texts)
    return words >= FEWEST_WORDS and 4 * seen < 3 * words


def _texts(content: JSON) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, Sequence) else ()
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return [text for text in texts if isinstance(text, str)]
