"""Text out of whatever a server put into a content field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from llm_testbench.untrusted import shortened

_REASONING = (
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "thinking",
    "reasoning_text",
    "thinking_blocks",
)
_SHORT = 300  # characters of a name or id; a server that sends more is not describing anything


def clean(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced: it can be written as UTF-8.

    A stream may cut `\\ud83d\\ude00` into two deltas, each of which is valid JSON.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def label(value: object, limit: int = _SHORT) -> str | None:
    """A name or id as a server sends it; None when it is absent, empty or no text."""
    if not isinstance(value, str) or not value:
        return None
    return clean(shortened(value, limit))


@dataclass(slots=True)
class Parts:
    """Text and reasoning, piece by piece."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    listed: bool = False  # some content came as typed parts

    def __bool__(self) -> bool:
        return bool(self.text or self.reasoning or self.refusal)

    def add_content(self, content: object) -> None:
        """A string, or the list of typed parts that some servers send (text, thinking, refusal)."""
        if isinstance(content, str):
            if content:
                self.text.append(content)
        elif isinstance(content, list):
            self.listed = True
            for part in content:
                self._add_part(part)
        elif isinstance(content, dict):
            self.listed = True
            self._add_part(content)

    def add_reasoning(self, holder: Mapping[str, object]) -> None:
        """The one field that holds reasoning; servers that fill several repeat the same words."""
        for key in _REASONING:
            words = _words(holder.get(key))
            if words:
                self.reasoning.append(words)
                return

    def add_refusal(self, refusal: object) -> None:
        """What a server put into `refusal`."""
        if isinstance(refusal, str) and refusal:
            self.refusal.append(refusal)

    def _add_part(self, part: object) -> None:
        if isinstance(part, str):
            self.add_content(part)
            return
        if not isinstance(part, dict):
            return
        kind = part.get("type")
        if kind == "refusal":
            self.add_refusal(part.get("refusal"))
        elif isinstance(kind, str) and ("thinking" in kind or "reasoning" in kind):
            words = _words(part)
            if words:
                self.reasoning.append(words)
        elif isinstance(part.get("text"), str):
            self.add_content(part["text"])


def _words(value: object, depth: int = 5) -> str:
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return "".join(_words(item, depth - 1) for item in value)
    if depth and isinstance(value, dict):
        for key in ("text", "thinking", "content", "summary", "reasoning"):
            words = _words(value.get(key), depth - 1)
            if words:
                return words
    return ""
