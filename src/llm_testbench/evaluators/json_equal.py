"""When a JSON value counts as the expected one (evaluators.md, JSON)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from llm_testbench.evaluators.exact import close, exact, numeral
from llm_testbench.evaluators.typography import plain
from llm_testbench.json_value import JSON

# A hyphen before a digit is a minus, unless it joins the digit to a word: -5 ms, but us-east-1.
_SPACES_AND_HYPHENS = re.compile(r"(?:\s|(?!(?<!\w)-[0-9.])[\u2012\u2013-])+")

_Key: TypeAlias = tuple[str, str]


def loosely_equal(found: JSON, expected: JSON, abs_tol: Fraction | int = 0) -> bool:
    """Strings without case, spaces and hyphens; `"8"` is 8 and `"true"` is true; numbers within `abs_tol`.

    Two texts are compared as texts, so that version "1.10" is not "1.1" and code "007" is not "7".
    """
    if isinstance(expected, bool) or isinstance(found, bool):
        truth = _truth(expected)
        return truth is not None and truth is _truth(found)
    if isinstance(expected, str) and isinstance(found, str) and not abs_tol:
        return _folded(found) == _folded(expected)
    if isinstance(expected, int | float | str) and isinstance(found, int | float | str):
        left, right = _number(found), _number(expected)
        if left is not None and right is not None:
            return close(left, right, abs_tol)
        return isinstance(found, str) and isinstance(expected, str) and _folded(found) == _folded(expected)
    if isinstance(expected, Mapping):
        return (
            isinstance(found, Mapping)
            and found.keys() == expected.keys()
            and all(loosely_equal(found[key], value, abs_tol) for key, value in expected.items())
        )
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return (
            isinstance(found, Sequence)
            and not isinstance(found, str)
            and len(found) == len(expected)
            and all(loosely_equal(one, other, abs_tol) for one, other in zip(found, expected, strict=True))
        )
    return found is None and expected is None


def overlap(found: Sequence[JSON], expected: Sequence[JSON]) -> int:
    """How many items of both are loosely equal in pairs, as many pairs as can be."""
    left, right = Counter(map(_item_key, found)), Counter(map(_item_key, expected))
    texts = Counter({key: count for key, count in (left & right).items() if key[0]})
    left_texts, left_others = _apart(left - texts)
    right_texts, right_others = _apart(right - texts)
    # A number may stand for a text of it that has no partner among the texts; the rest are numbers for numbers.
    forth, back = left_texts & right_others, right_texts & left_others
    others = (left_others - back) & (right_others - forth)
    return texts.total() + forth.total() + back.total() + others.total()


def _apart(items: Counter[_Key]) -> tuple[Counter[str], Counter[str]]:
    """Texts, counted by the number that each may be, and all else."""
    texts: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for (text, key), count in items.items():
        (texts if text else others)[key] += count
    texts.pop("", None)
    return texts, others


def _item_key(value: JSON) -> _Key:
    """Of a text, the text and the number that it may be; of anything else, one of its own."""
    key = _key(value)
    if not isinstance(value, str) or _truth(value) is not None:
        return "", key
    return _folded(value), key if _number(value) is not None else ""


def _key(value: JSON) -> str:
    """Equal for values that are loosely equal (at tolerance 0), within others also for texts of equal numbers."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key!r}:{_key(value[key])}" for key in sorted(value)) + "}"
    if value is None:
        return "null"
    if isinstance(value, bool | str):
        truth = _truth(value)
        if truth is not None:
            return str(truth)
    if isinstance(value, int | float | str):
        number = _number(value)
        return repr(_folded(str(value))) if number is None else f"{number.numerator:x}/{number.denominator:x}"
    return "[" + ",".join(_key(item) for item in value) + "]"


def _truth(value: JSON) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else None


def _number(value: int | float | str) -> Fraction | None:
    return numeral(plain(value).strip()) if isinstance(value, str) else exact(value)


def _folded(text: str) -> str:
    text = plain(text).strip()
    # What is nothing but hyphens means them.
    return _SPACES_AND_HYPHENS.sub("", text).casefold() or text
