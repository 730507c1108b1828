"""Strict reading of single fields of untrusted JSON; accepts exactly what the schema's types accept.

As in JSON Schema, a boolean is no number and 3.0 is an integer; NaN fails every range.
All raise ArtifactError with the key as its path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.json_value import JSON, JSONObject, check_depth

MAX_COUNT = 2**53 - 1  # the largest integer that every JSON reader keeps exactly
MAX_MILLISECONDS = 1e12  # some thirty years
MAX_SECONDS = MAX_MILLISECONDS / 1000

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")


def wrong(expected: str, found: object) -> ArtifactError:
    """`expected a string, found null`; never quotes the value."""
    return ArtifactError(f"expected {expected}, found {_kind(found)}")


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "another number"
        case str():
            return "a string" if value else "an empty string"
        case Mapping():
            return "an object"
        case _:
            return "an array"


def members(value: JSON) -> JSONObject:
    """The value as an object."""
    if type(value) is not dict:
        raise wrong("an object", value)
    return value


def nullable_object(record: JSONObject, key: str) -> JSONObject | None:
    """A required member that is an object or null."""
    value = anything(record, key)
    if value is None or type(value) is dict:
        return value
    raise wrong("an object or null", value).below(key)


def any_object(record: JSONObject, key: str) -> JSONObject:
    """A required object, whatever it holds."""
    value = nullable_object(record, key)
    if value is None:
        raise wrong("an object", value).below(key)
    return value


def anything(record: JSONObject, key: str) -> JSON:
    """Any required value whose nesting can be written again."""
    if key not in record:
        raise _missing(key)
    value = record[key]
    try:
        check_depth(value)
    except ValueError as error:
        raise ArtifactError(str(error), path=(key,)) from None
    return value


def _missing(key: str) -> ArtifactError:
    return ArtifactError("is missing", path=(key,))


def text(record: JSONObject, key: str) -> str:
    """A required string."""
    value = record.get(key)
    if type(value) is str:
        return value
    raise _missing(key) if key not in record else wrong("a string", value).below(key)


def name(record: JSONObject, key: str) -> str:
    """A required string that is not empty."""
    value = text(record, key)
    if not value:
        raise wrong("a string that is not empty", value).below(key)
    return value


def text_or(record: JSONObject, key: str, default: str) -> str:
    """A string that may be absent, but not null."""
    return text(record, key) if key in record else default


def one_text(value: JSON) -> str:
    """An item that is a string."""
    if type(value) is str:
        return value
    raise wrong("a string", value)


def short_text(value: JSON, most: int, *above: str) -> str:
    """The value as a string of at most `most` characters; a fault is told below `above`."""
    if type(value) is not str:
        raise wrong("a string", value).below(*above)
    if len(value) > most:
        raise ArtifactError(f"expected at most {most} characters, found {len(value)}", path=above)
    return value


def nullable_text(record: JSONObject, key: str) -> str | None:
    """A string, null or absent."""
    value = record.get(key)
    if value is None or type(value) is str:
        return value
    raise wrong("a string or null", value).below(key)


def required_nullable_text(record: JSONObject, key: str) -> str | None:
    """A string or null."""
    if key not in record:
        raise _missing(key)
    return nullable_text(record, key)


def flag(record: JSONObject, key: str) -> bool:
    """A required boolean."""
    value = record.get(key)
    if type(value) is bool:
        return value
    raise _missing(key) if key not in record else wrong("true or false", value).below(key)


def flag_or(record: JSONObject, key: str, *, default: bool) -> bool:
    """A boolean that may be absent, but not null."""
    return flag(record, key) if key in record else default


def number(record: JSONObject, key: str, low: float, high: float) -> float:
    """A required number within low..high."""
    value = record.get(key)
    # Exact types, since a bool is an int to isinstance; the range also refuses NaN.
    if (type(value) is float or type(value) is int) and low <= value <= high:
        return float(value)
    raise _missing(key) if key not in record else wrong(f"a number from {low:g} to {high:g}", value).below(key)


def nullable_number(record: JSONObject, key: str, low: float, high: float) -> float | None:
    """A number within low..high, null or absent."""
    value = record.get(key)
    return None if value is None else number(record, key, low, high)


def required_nullable_number(record: JSONObject, key: str, low: float, high: float) -> float | None:
    """A number within low..high or null."""
    if key not in record:
        raise _missing(key)
    return nullable_number(record, key, low, high)


def integer(record: JSONObject, key: str, low: int = 0, high: int = MAX_COUNT) -> int:
    """A required integer within low..high."""
    value = record.get(key)
    if type(value) is int:
        if low <= value <= high:
            return value
    elif type(value) is float and value.is_integer() and low <= value <= high:
        return int(value)
    raise _missing(key) if key not in record else wrong(f"an integer from {low} to {high}", value).below(key)


def integer_or(record: JSONObject, key: str, default: int, low: int = 0, high: int = MAX_COUNT) -> int:
    """An integer within low..high that may be absent, but not null."""
    return integer(record, key, low, high) if key in record else default


def nullable_integer(record: JSONObject, key: str, low: int = 0, high: int = MAX_COUNT) -> int | None:
    """An integer within low..high, null or absent."""
    value = record.get(key)
    if value is None or (type(value) is int and low <= value <= high):
        return value  # nearly always, and five times a row
    return integer(record, key, low, high)


def one_of(record: JSONObject, key: str, words: Mapping[str, T]) -> T:
    """What a required word stands for."""
    value = record.get(key)
    if type(value) is str and value in words:
        return words[value]
    raise _missing(key) if key not in record else wrong(f"one of {', '.join(words)}", value).below(key)


def words_of(enum: type[E]) -> Mapping[str, E]:
    """The table for `one_of` of an enumeration."""
    return {member.value: member for member in enum}


def items(record: JSONObject, key: str, read: Callable[[JSON], T], most: int | None = None) -> tuple[T, ...]:
    """A required array of at most `most` items, each read."""
    value = record.get(key)
    if type(value) is not list:
        raise _missing(key) if key not in record else wrong("an array", value).below(key)
    if most is not None and len(value) > most:
        raise ArtifactError(f"expected at most {most} items, found {len(value)}", path=(key,))
    return each(value, read, key)


def items_or_none(record: JSONObject, key: str, read: Callable[[JSON], T], most: int | None = None) -> tuple[T, ...]:
    """An array, or none of it when absent."""
    if key not in record or record[key] == []:
        return ()
    return items(record, key, read, most)


def each(values: list[JSON], read: Callable[[JSON], T], *above: str | int) -> tuple[T, ...]:
    """Every item read; a fault is told with its index below `above`."""
    found: list[T] = []
    try:
        for value in values:
            found.append(read(value))  # noqa: PERF401 - how many were read is the index of the fault
    except ArtifactError as fault:
        raise fault.below(*above, len(found)) from None
    return tuple(found)


def record_of(record: JSONObject, key: str, read: Callable[[JSONObject, str], T]) -> Mapping[str, T]:
    """A required object whose every member is read with `read(object, its key)`."""
    return below(record, key, lambda inner: {member: read(inner, member) for member in inner})


def below(record: JSONObject, key: str, read: Callable[[JSONObject], T]) -> T:
    """A required object, read; a fault in it is told below `key`."""
    if key not in record:
        raise _missing(key)
    try:
        return read(members(record[key]))
    except ArtifactError as fault:
        raise fault.below(key) from None
