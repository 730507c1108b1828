"""From a completion as received to the answer that evaluators see (evaluators.md, Normalisation)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from llm_testbench.answer import finish
from llm_testbench.answer.model import Answer, Completion

# A tag that is quoted (`</think>`) is spoken about, not used.
_TAG = re.compile(r"(?<![`'\"])<(/?)(think|thinking|reasoning)\s{0,8}>(?![`'\"])", re.IGNORECASE)
_NAME = re.compile(r"(?:think|thinking|reasoning)\s{0,8}>", re.IGNORECASE)
_ZERO_WIDTH = "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
_WHITE_SPACE = "".join(chr(n) for n in range(0x3001) if chr(n).isspace())
_ENDS = _ZERO_WIDTH + _WHITE_SPACE

# A model that writes more of them goes round in circles.
_MAX_TAGS = 2000


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    name: str
    closing: bool


def normalise(completion: Completion) -> Answer:
    """Reasoning apart from text, line ends LF, nothing invisible at the ends."""
    text, reasoning, unclosed = _split(_unix_lines(completion.text).strip(_ENDS))
    reasonings = (_unix_lines(completion.reasoning).strip(_ENDS), reasoning)
    return Answer(
        text=text,
        reasoning="\n".join(part for part in reasonings if part),
        tool_calls=completion.tool_calls,
        truncated=unclosed or finish.is_length(completion.finish_reason),
    )


def holds_reasoning(text: str) -> bool:
    """Whether `normalise` takes reasoning out of this text, because the server left it there between tags."""
    if "<" not in text or _TAG.search(text) is None:
        return False
    _, reasoning, unclosed = _split(_unix_lines(text).strip(_ENDS))
    return bool(reasoning) or unclosed


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _split(text: str) -> tuple[str, str, bool]:
    """(answer, reasoning, whether a block was opened and never closed) of a stripped text."""
    if "<" not in text or _NAME.search(text) is None:
        return text, "", False
    found = islice(_TAG.finditer(text), _MAX_TAGS + 1)
    tags = [_Tag(m.start(), m.end(), m[2].lower(), bool(m[1])) for m in found]
    if len(tags) > _MAX_TAGS:
        answers = not tags[0].closing and bool(text[: tags[0].start].strip(_ENDS))
        return (text, "", False) if answers else ("", text, True)
    closings = _closings(tags)
    reasoning: list[str] = []
    kept = index = 0
    while index < len(tags):
        tag = tags[index]
        if tag.closing:
            # Only closing tags up to the next opening one: the opening stood in the prompt's template.
            while index + 1 < len(tags) and tags[index + 1].closing:
                index += 1
            body, closed = text[kept : tags[index].start], index
        elif text[kept : tag.start].strip(_ENDS):
            break  # a block in the middle of the answer belongs to it
        else:
            closing = closings.get(index)
            if closing is None:
                reasoning.append(text[tag.end :].strip(_ENDS))
                return "", "\n".join(part for part in reasoning if part), True
            body, closed = text[tag.end : tags[closing].start], closing
        reasoning.append(body.strip(_ENDS))
        kept, index = tags[closed].end, closed + 1
    return text[kept:].strip(_ENDS), "\n".join(part for part in reasoning if part), False


def _closings(tags: list[_Tag]) -> dict[int, int]:
    """For every opening tag that some tag closes, which: the balanced one, else the next of that name."""
    pairs: dict[int, int] = {}
    open_by_name: dict[str, list[int]] = {}
    for index, tag in enumerate(tags):
        opened = open_by_name.setdefault(tag.name, [])
        if not tag.closing:
            opened.append(index)
        elif opened:
            pairs[opened.pop()] = index
    next_closing: dict[str, int] = {}
    for index in range(len(tags) - 1, -1, -1):
        tag = tags[index]
        if tag.closing:
            next_closing[tag.name] = index
        elif index not in pairs and tag.name in next_closing:
            pairs[index] = next_closing[tag.name]
    return pairs
