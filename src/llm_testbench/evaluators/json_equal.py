"""When a JSON value counts as the expected one (evaluators.md, JSON)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from llm_testbench.evaluators.exact import close, exact, numeral
from llm_testbench.evaluators.typography import plain
from llm_testbench.json_value import JSON

# A hyphen before a digit is a minus, unless it joins the digit to a word: -5 ms, but us-east-1.
_SPACES_AND_HYPHENS = re.compile(r"(?:\s|(?!(?<!\w)-[0-9.])[\u2012\u2013-])+")


def loosely_equal(found: JSON, expected: JSON, abs_tol: Fraction | int = 0) -> bool:
    """Strings without case, spaces and hyphens; `"8"` is 8 and `"true"` is true; numbers within `abs_tol`."""
    if isinstance(expected, bool) or isinstance(found, bool):
        truth = _truth(expected)
        return truth is not None and truth is _truth(found)
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


def sort_key(value: JSON) -> str:
    """Equal for values that are loosely equal (at tolerance 0), different for others."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key!r}:{sort_key(value[key])}" for key in sorted(value)) + "}"
    if value is None:
        return "null"
    if isinstance(value, bool | str):
        truth = _truth(value)
        if truth is not None:
            return str(truth)
    if isinstance(value, int | float | str):
        number = _number(value)
        return repr(_folded(str(value))) if number is None else f"{number.numerator:x}/{number.denominator:x}"
    return "[" + ",".join(sort_key(item) for item in value) + "]"


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
