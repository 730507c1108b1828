"""Answers that cost a model no thought, made from what a test asks: no check may pass on one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from llm_testbench.json_value import JSON
from llm_testbench.suite.model import Test

ANYTHING = ("Lorem ipsum dolor sit amet.", "xyzzy plugh 731")
"""Texts that have nothing to do with any question: who passes on both forbids something and asks for nothing."""

Kind: TypeAlias = Literal["echo", "number", "word", "guess"]

_LONGEST_QUOTE = 80  # characters
_MOST_OFFERS = 10  # of one prompt
# Possessive, and begun once in a run of digits: a prompt may be a megabyte of them.
_NUMBER = re.compile(r"(?<![\w.,])(?<![\w.][-\u2212])[-+\u2212]?[0-9][0-9_,]*+(?:\.[0-9]++)?(?!\w)")
# An apostrophe inside a word begins no quotation. A quote that ends nothing takes the rest of its line along.
_QUOTED = re.compile(
    r"""\"([^"\n]*+)(\")?|(?<!\w)'([^'\n]*+)(')?(?!\w)|`([^`\n]*+)(`)?"""
    r"|\u201c([^\u201d\n]*+)(\u201d)?|\u00ab([^\u00bb\n]*+)(\u00bb)?"
)
_BETWEEN = re.compile(r"\s*(?:,|;|/|\||,?\s*\bor\b)\s*")
_CHOICE = re.compile(r"/|\||\bor\b")


@dataclass(frozen=True, slots=True)
class Cheat:
    """`text` is the answer; `told` says in words where it comes from."""

    kind: Kind
    text: str
    told: str


def cheats(test: Test) -> tuple[Cheat, ...]:
    """The cheap answers to a test, without those that are the same text; the prompt itself first."""
    asked = _asked(test)
    if not asked:
        return ()
    prompts = (asked[-1], "\n\n".join(asked))
    found = [Cheat("echo", prompt, "the prompt, sent back") for prompt in prompts]
    found += _numbers(prompts[1])
    found += _words(prompts[1])
    found += [Cheat("guess", word, "a bare") for word in ("yes", "no")]
    first: dict[str, Cheat] = {}
    for cheat in found:
        first.setdefault(cheat.text, cheat)
    return tuple(first.values())


def _asked(test: Test) -> list[str]:
    """What the user says, message by message."""
    texts = (_text(message.get("content")) for message in test.messages if message.get("role") == "user")
    return [text for text in texts if text.strip()]


def _text(content: JSON) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "\n".join(part for part in parts if isinstance(part, str))


def _numbers(prompt: str) -> Iterator[Cheat]:
    numbers = [match[0].rstrip("_,") for match in _NUMBER.finditer(prompt)]
    for which, number in zip(("first", "last"), (numbers[:1] + numbers[-1:]), strict=False):
        yield Cheat("number", number, f"the {which} number of the prompt,")


def _words(prompt: str) -> Iterator[Cheat]:
    """The first and the last quoted text. Where the prompt offers two to choose from, either is a guess.

    One out of three or more that are offered is an answer like any other.
    """
    quoted = [match for match in _QUOTED.finditer(prompt) if 0 < len(_inner(match)) <= _LONGEST_QUOTE]
    offered = list(_offered(prompt, quoted))
    for group in offered[:_MOST_OFFERS]:
        if len(group) == 2:
            for match in group:
                yield Cheat("guess", _inner(match), "one of the two answers that the prompt offers,")
    chosen = {_inner(match) for group in offered for match in group}
    plain = [_inner(match) for match in quoted]
    for which, word in zip(("first", "last"), (plain[:1] + plain[-1:]), strict=False):
        if word not in chosen:
            yield Cheat("word", word, f"the {which} quoted text of the prompt,")


def _offered(prompt: str, quoted: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Runs of quoted texts with nothing but `or`, a comma or a stroke between them, and an `or` or a stroke in it."""
    group: list[re.Match[str]] = []
    joined = ""
    for match in quoted:
        between = prompt[group[-1].end() : match.start()] if group else ""
        if group and _BETWEEN.fullmatch(between):
            group.append(match)
            joined += between
            continue
        if len(group) > 1 and _CHOICE.search(joined):
            yield group
        group, joined = [match], ""
    if len(group) > 1 and _CHOICE.search(joined):
        yield group


def _inner(match: re.Match[str]) -> str:
    """The text between the quotes; empty where they do not close."""
    closed = [part for part in match.groups() if part is not None]
    return closed[0] if len(closed) == 2 else ""
