"""The kinds of value that options have: how text and YAML become one, and what JSON Schema says of it.

Everything here is pure. Text comes from flags, action inputs and the environment; YAML from the
config file. This module is imported by `llmtest --help`, so it must stay cheap to import.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Generic, TypeVar

from llm_testbench import durations
from llm_testbench.nearest import hint

if TYPE_CHECKING:
    from llm_testbench.json_value import JSON, JSONObject

T = TypeVar("T")
W = TypeVar("W", bound=str)
T_co = TypeVar("T_co", covariant=True)

_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_DURATION = 30 * 24 * 3600.0  # seconds; far below what sockets and locks accept
_SHOWN = 60  # characters of a bad value that a message repeats


class BadValueError(ValueError):
    """A value that its option does not take. `path` leads to the bad part inside the value."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        self.message = message
        self.path = path
        super().__init__(message)

    def below(self, *parents: str | int) -> BadValueError:
        """The same fault, seen from the value that holds this one."""
        return BadValueError(self.message, (*parents, *self.path))


@dataclass(frozen=True)
class Kind(Generic[T_co]):
    """`from_text` and `from_json` raise BadValueError; both accept exactly what `schema` describes, or less."""

    metavar: str
    from_text: Callable[[str], T_co]
    from_json: Callable[[JSON], T_co]
    schema: JSONObject
    is_list: bool = False  # the flag may be repeated
    is_switch: bool = False  # the flag takes no value


def shown(value: JSON) -> str:
    """A bad value as a message repeats it: short, on one line."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)[:_SHOWN]
    if isinstance(value, str):
        text = " ".join(value.split())
        return f'"{text}"' if len(text) <= _SHOWN else f'"{text[: _SHOWN - 1]}…"'
    return "a mapping" if isinstance(value, Mapping) else "a list"


def expected(what: str, value: JSON) -> BadValueError:
    """The usual fault: what was expected and what stands there."""
    return BadValueError(f"expected {what}, not {shown(value)}")


def string(what: str, parse: Callable[[str], T], value: JSON) -> T:
    """`parse` for YAML: anything but text is a fault."""
    if not isinstance(value, str):
        raise expected(what, value)
    return parse(value)


def text(what: str, metavar: str = "TEXT", pattern: str = r"[^\x00-\x1f\x7f]+") -> Kind[str]:
    """One line of text that `pattern` matches as a whole."""
    compiled = re.compile(pattern)

    def parse(value: str) -> str:
        if not compiled.fullmatch(value) or value != value.strip():
            raise expected(what, value)
        return value

    return Kind(metavar, parse, lambda value: string(what, parse, value), {"type": "string", "pattern": f"^{pattern}$"})


def variable() -> Kind[str]:
    """The name of an environment variable."""
    return text("the name of an environment variable", "NAME", _VARIABLE.pattern)


def path() -> Kind[str]:
    """A path as written; whoever resolves it knows what it is relative to."""
    return text("a path", "PATH")


def choice(*words: W) -> Kind[W]:
    """One of `words`."""
    what = " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    by_text: dict[str, W] = {str(word): word for word in words}

    def parse(value: str) -> W:
        if value not in by_text:
            raise BadValueError(f"expected {what}, not {shown(value)}{hint(value, by_text)}")
        return by_text[value]

    return Kind(f"[{'|'.join(words)}]", parse, lambda value: string(what, parse, value), {"enum": list(words)})


def switch() -> Kind[bool]:
    """True or false, in the spellings of YAML 1.2."""
    what = "true or false"

    def parse(value: str) -> bool:
        if value in ("true", "True", "TRUE"):
            return True
        if value in ("false", "False", "FALSE"):
            return False
        raise expected(what, value)

    def from_json(value: JSON) -> bool:
        if not isinstance(value, bool):
            raise expected(what, value)
        return value

    return Kind("", parse, from_json, {"type": "boolean"}, is_switch=True)


def integer(lowest: int, highest: int) -> Kind[int]:
    """A whole number in [lowest, highest]."""
    what = f"a whole number from {lowest} to {highest}"

    def from_json(value: JSON) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            raise expected(what, value)
        return value

    def parse(value: str) -> int:
        if not _INTEGER.fullmatch(value) or not lowest <= int(value) <= highest:
            raise expected(what, value)
        return int(value)

    return Kind("N", parse, from_json, {"type": "integer", "minimum": lowest, "maximum": highest})


def number(lowest: float, highest: float, *, above: bool = False, below: bool = False) -> Kind[float]:
    """A number in [lowest, highest]; `above` and `below` leave the bound itself out."""
    least = f"above {lowest:g} and" if above else f"from {lowest:g}"
    what = f"a number {least} {'below' if below else 'up to' if above else 'to'} {highest:g}"

    def fits(value: float) -> bool:
        return lowest <= value <= highest and not (above and value == lowest) and not (below and value == highest)

    def from_json(value: JSON) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not fits(value):
            raise expected(what, value)
        return float(value)

    def parse(value: str) -> float:
        if not _NUMBER.fullmatch(value) or not fits(float(value)):
            raise expected(what, value)
        return float(value)

    bounds: JSONObject = {
        "exclusiveMinimum" if above else "minimum": lowest,
        "exclusiveMaximum" if below else "maximum": highest,
    }
    return Kind("X", parse, from_json, {"type": "number", **bounds})


def duration() -> Kind[float]:
    """A duration in seconds, above zero and at most 30 days."""
    what = "a duration like 250ms, 45s, 5m or 1h30m"

    def parse(value: str) -> float:
        try:
            seconds = durations.parse(value)
        except ValueError:
            raise expected(what, value) from None
        if not 0 < seconds <= _LONGEST_DURATION:
            raise expected("a duration above zero and up to 720h", value)
        return seconds

    pattern = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"
    return Kind("TIME", parse, lambda value: string(what, parse, value), {"type": "string", "pattern": pattern})


def day() -> Kind[str]:
    """A day of the calendar, as YYYY-MM-DD."""
    what = "a day as YYYY-MM-DD"

    def parse(value: str) -> str:
        # Alone, the library takes other forms, too.
        if not re.fullmatch(_DAY, value) or not _is_day(value):
            raise expected(what, value)
        return value

    return Kind("DATE", parse, lambda value: string(what, parse, value), {"type": "string", "pattern": f"^{_DAY}$"})


def _is_day(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def secret(what: str) -> Kind[str]:
    """A value that no message repeats; visible ASCII, as it goes into an HTTP header."""

    def parse(value: str) -> str:
        kept = value.strip()
        if not kept or not kept.isascii() or not kept.isprintable():
            raise BadValueError(f"expected {what}: visible ASCII characters on one line")
        return kept

    def from_json(value: JSON) -> str:
        if not isinstance(value, str):
            raise BadValueError(f"expected {what} as text; quote it")
        return parse(value)

    return Kind("KEY", parse, from_json, {"type": "string", "minLength": 1})


def split_list(value: str) -> tuple[str, ...]:
    """Items by comma or line; blank lines and a comma at a line's end do no harm, an empty item is a BadValueError."""
    items: list[str] = []
    for line in value.splitlines():
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split(",")]
        if parts[-1] == "" and len(parts) > 1:
            parts.pop()
        if "" in parts:
            raise BadValueError(f"an item is empty in {shown(line)}")
        items.extend(parts)
    return tuple(items)


def words(what: str, *, at_least: int = 0, metavar: str = "LIST") -> Kind[tuple[str, ...]]:
    """Text items, by comma or line; a YAML list, or one text in the same form."""

    def parse(value: str) -> tuple[str, ...]:
        items = split_list(value)
        if len(items) < at_least:
            raise expected(what, value)
        return items

    def from_json(value: JSON) -> tuple[str, ...]:
        if isinstance(value, str):
            return parse(value)
        if not isinstance(value, list) or len(value) < at_least:
            raise expected(what, value)
        return tuple(_item(item, index) for index, item in enumerate(value))

    def _item(item: JSON, index: int) -> str:
        if not isinstance(item, str) or not item.strip():
            raise expected("text", item).below(index)
        return item.strip()

    item_schema: JSONObject = {"type": "string", "pattern": r"\S"}
    schema: JSONObject = {
        "anyOf": [{"type": "string"}, {"type": "array", "items": item_schema, "minItems": at_least}],
    }
    return Kind(metavar, parse, from_json, schema, is_list=True)


def several(*words: W) -> Kind[tuple[W, ...]]:
    """At least one of `words`, none of them twice: by comma or line, or a YAML list."""
    what = f"at least one of {', '.join(words)}"
    one = choice(*words)

    def parse(value: str) -> tuple[W, ...]:
        items = tuple(one.from_text(item) for item in split_list(value))
        if not items:
            raise expected(what, value)
        _twice(items)
        return items

    def from_json(value: JSON) -> tuple[W, ...]:
        if isinstance(value, str):
            return parse(value)
        if not isinstance(value, list) or not value:
            raise expected(what, value)
        found: list[W] = []
        for index, item in enumerate(value):
            try:
                found.append(one.from_json(item))
                _twice(found)
            except BadValueError as fault:
                raise fault.below(index) from None
        return tuple(found)

    item_schema: JSONObject = {"enum": list(words)}
    listed: JSONObject = {"type": "array", "items": item_schema, "minItems": 1, "uniqueItems": True}
    return Kind("LIST", parse, from_json, {"anyOf": [{"type": "string"}, listed]}, is_list=True)


def _twice(items: Sequence[str]) -> None:
    """BadValueError when an item stands there twice."""
    for index, item in enumerate(items):
        if item in items[:index]:
            raise BadValueError(f"{shown(item)} stands twice")


def by_name(what: str, kind: Kind[T], metavar: str) -> Kind[Mapping[str, T]]:
    """A value for each model name: a YAML mapping, or `NAME=VALUE` by comma or line."""

    def parse(value: str) -> Mapping[str, T]:
        found: dict[str, T] = {}
        for item in split_list(value):
            # A name may hold `=`, a value never does.
            name, separator, given = item.rpartition("=")
            if not separator or not name.strip():
                raise expected(what, item)
            if name.strip() in found:
                raise BadValueError(f"the name {shown(name.strip())} stands twice")
            found[name.strip()] = kind.from_text(given.strip())
        return found

    def from_json(value: JSON) -> Mapping[str, T]:
        if not isinstance(value, Mapping):
            raise expected(what, value)
        found: dict[str, T] = {}
        for name, item in value.items():
            try:
                found[name] = kind.from_json(item)
            except BadValueError as fault:
                raise fault.below(name) from None
        return found

    schema: JSONObject = {"type": "object", "additionalProperties": kind.schema}
    return Kind(metavar, parse, from_json, schema, is_list=True)


def nullable(kind: Kind[T]) -> Kind[T | None]:
    """The kind, or nothing: `null` in YAML, `null` or `none` as text."""

    def parse(value: str) -> T | None:
        return None if value in ("null", "none") else kind.from_text(value)

    def from_json(value: JSON) -> T | None:
        return None if value is None else kind.from_json(value)

    schema: JSONObject = {"anyOf": [kind.schema, {"type": "null"}]}
    return Kind(kind.metavar, parse, from_json, schema, kind.is_list, kind.is_switch)
