"""Comparing an argument of a tool call with what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.evaluators.exact import MAX_DIGITS, close, exact, numeral
from llm_testbench.evaluators.parameters import kind
from llm_testbench.evaluators.score import SpecError
from llm_testbench.json_value import JSON

ANY_OF = "any_of"


def validate_expected(value: JSON, path: tuple[str | int, ...]) -> None:
    """SpecError for an `any_of` that is no list of values or has keys beside it."""
    if isinstance(value, Mapping):
        if ANY_OF in value:
            options = value[ANY_OF]
            if len(value) > 1:
                raise SpecError("any_of stands alone in its mapping", path)
            if isinstance(options, str | Mapping) or not isinstance(options, Sequence) or not options:
                raise SpecError(f"expected a list of accepted values, found {kind(options)}", (*path, ANY_OF))
        for key, item in value.items():
            validate_expected(item, (*path, key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, item in enumerate(value):
            validate_expected(item, (*path, index))


def matches(found: JSON, expected: JSON) -> bool:
    """Equal, where numbers and booleans may have come as strings and `{any_of: […]}` lists accepted values."""
    if isinstance(expected, Mapping):
        if len(expected) == 1 and ANY_OF in expected:
            options = expected[ANY_OF]
            return isinstance(options, Sequence) and any(matches(found, option) for option in options)
        return (
            isinstance(found, Mapping)
            and found.keys() == expected.keys()
            and all(matches(found[key], value) for key, value in expected.items())
        )
    if isinstance(expected, bool):
        return found is expected or (isinstance(found, str) and found.strip().lower() == str(expected).lower())
    if isinstance(expected, int | float):
        if isinstance(found, str):
            return found == repr(expected) or _reads(found.strip().replace("\u2212", "-"), expected)
        return isinstance(found, int | float) and not isinstance(found, bool) and found == expected
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return (
            isinstance(found, Sequence)
            and not isinstance(found, str)
            and len(found) == len(expected)
            and all(matches(one, other) for one, other in zip(found, expected, strict=True))
        )
    return type(found) is type(expected) and found == expected


def _reads(text: str, expected: int | float) -> bool:
    if len(text) > MAX_DIGITS:
        return False
    try:
        # Equal numbers have equal floats, and these are had in a tenth of the time.
        if float(text) != float(expected):
            return False
    except ValueError:
        return False
    except OverflowError:  # no float holds what is expected
        pass
    number = numeral(text)
    return number is not None and close(number, exact(expected))
