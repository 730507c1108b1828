"""Reading what stands below an evaluator's name, with errors that lead to the fault."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from llm_testbench.evaluators.score import SpecError
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.nearest import hint


def kind(value: JSON) -> str:
    """The JSON type of a value in words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | float):
        return "a number"
    return "a mapping" if isinstance(value, Mapping) else "a list"


def mapping_of(value: JSON, expected: str, path: tuple[str | int, ...] = ()) -> JSONObject:
    """The value as a mapping; SpecError that says what was expected."""
    if not isinstance(value, Mapping):
        raise SpecError(f"expected {expected}, found {kind(value)}", path)
    return value


def text_of(value: JSON, path: tuple[str | int, ...] = (), *, empty: bool = False) -> str:
    """The value as text, a whole number too; SpecError for anything whose spelling YAML has lost."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        # 1.10 and True have lost their spelling: guessing it would compare with the wrong text.
        advice = " (put quotes around it)" if isinstance(value, bool | float) else ""
        raise SpecError(f"expected text, found {kind(value)}{advice}", path)
    if not empty and not value.strip():
        raise SpecError("expected text, found an empty one", path)
    return value


def texts_of(value: JSON, path: tuple[str | int, ...] = ()) -> tuple[str, ...]:
    """The value as a list of at least one text; one text alone is a list of it."""
    if isinstance(value, str | int) and not isinstance(value, bool):
        return (text_of(value, path),)
    if isinstance(value, Mapping) or not isinstance(value, Sequence):
        raise SpecError(f"expected a list of texts, found {kind(value)}", path)
    if not value:
        raise SpecError("expected at least one text, found an empty list", path)
    return tuple(text_of(item, (*path, index)) for index, item in enumerate(value))


class Fields:
    """The fields of one evaluator; a value that is no mapping is short for the first of them."""

    def __init__(self, parameters: JSON, known: Sequence[str]) -> None:
        """Raises SpecError for a key that is not in `known`."""
        self._short = not isinstance(parameters, Mapping)
        self._first = known[0]
        self._values = {known[0]: parameters} if not isinstance(parameters, Mapping) else parameters
        for key in self._values:
            if key not in known:
                advice = hint(key, known) or f"; known are {', '.join(known)}"
                raise SpecError(f"unknown key {key!r}{advice}", (key,))

    def has(self, key: str) -> bool:
        """Whether the field was written."""
        return key in self._values

    def value(self, key: str) -> JSON:
        """What was written there; SpecError when it is missing."""
        if key not in self._values:
            raise SpecError(f"the key {key!r} is missing")
        return self._values[key]

    def path(self, key: str) -> tuple[str | int, ...]:
        """Where the field stands below the evaluator's name."""
        return () if self._short and key == self._first else (key,)

    def text(self, key: str, *, empty: bool = False) -> str:
        """A required text."""
        return text_of(self.value(key), self.path(key), empty=empty)

    def texts(self, key: str) -> tuple[str, ...]:
        """A required list of texts."""
        return texts_of(self.value(key), self.path(key))

    def flag(self, key: str, *, default: bool) -> bool:
        """An optional true or false."""
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise SpecError(f"expected true or false, found {kind(value)}", self.path(key))
        return value

    def number(self, key: str, default: float, *, least: float = 0) -> float:
        """An optional finite number of at least `least`."""
        value = self._values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise SpecError(f"expected a number, found {kind(value)}", self.path(key))
        if value < least:
            raise SpecError(f"expected a number of at least {least}, found {value}", self.path(key))
        return value

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """An optional word out of `choices`."""
        value = self._values.get(key, default)
        if value not in choices:
            near = hint(value, choices) if isinstance(value, str) else ""
            found = repr(value) if isinstance(value, str) else kind(value)
            raise SpecError(f"expected one of {', '.join(choices)}, found {found}{near}", self.path(key))
        return str(value)
