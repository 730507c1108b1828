"""Accepted drops as data, and as the text that a person pastes into accepted.yaml (schemas/accepted.schema.json)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from llm_testbench.compare.model import Acceptance
from llm_testbench.json_value import JSON

LONGEST_NAME = 1000  # characters of a model, test or category
LONGEST_REASON = 4000
MOST_SCORES = 1000  # of one cell
MOST_TESTS = 10_000  # of one entry

# Backticks and `##` would be broken up on their way through a report, so that what is pasted were another name.
_ESCAPED = re.compile(r'["\\`]|#(?=#)')


def acceptance_to_json(entry: Acceptance) -> dict[str, JSON]:
    """As accepted.yaml has it: only the keys that say something."""
    form: dict[str, JSON] = {"model": entry.model}
    if entry.test is not None:
        form |= {"test": entry.test, "scores": list(entry.tests[entry.test])}
    else:
        if entry.category is not None:
            form["category"] = entry.category
        form["tests"] = {test: list(scores) for test, scores in entry.tests.items()}
    return form | {key: word for key, word in (("reason", entry.reason), ("until", entry.until)) if word}


def to_yaml(entries: Iterable[Acceptance]) -> str:
    """One item of a list for each entry, every string quoted; "" of none. Read again, it gives the same entries."""
    return "".join(f"{line}\n" for entry in entries for line in _lines(entry))


def _lines(entry: Acceptance) -> Iterator[str]:
    yield f"- model: {quoted(entry.model)}"
    if entry.test is not None:
        yield f"  test: {quoted(entry.test)}"
        yield f"  scores: {_list(entry.tests[entry.test])}"
    elif entry.category is not None:
        yield f"  category: {quoted(entry.category)}"
    if entry.reason:
        yield f"  reason: {quoted(entry.reason)}"
    if entry.until:
        yield f"  until: {quoted(entry.until)}"
    if entry.test is None:
        yield "  tests:"
        yield from (f"    {quoted(test)}: {_list(scores)}" for test, scores in entry.tests.items())


def _list(scores: Iterable[float]) -> str:
    return f"[{', '.join(map(_figure, scores))}]"


def _figure(score: float) -> str:
    """All its digits and no exponent, in which readers of YAML 1.1 see no number."""
    return str(int(score)) if score in (0, 1) else f"{Decimal(repr(score)):f}"


def quoted(word: str) -> str:
    """A double-quoted scalar on one line, of visible characters only (YAML 1.2.2, section 5.7)."""
    escaped = _ESCAPED.sub(lambda found: f"\\{found[0]}" if found[0] in '"\\' else f"\\x{ord(found[0]):02x}", word)
    return f'"{"".join(letter if letter.isprintable() else _escape(ord(letter)) for letter in escaped)}"'


def _escape(point: int) -> str:
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
