"""The keywords of JSON Schema that jsonschema applies without bounds, with bounds.

It matches `pattern` with `re`, which cannot be stopped, compares the items of `uniqueItems` pairwise,
and follows references without counting.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from llm_testbench.evaluators.bounded_regex import LONG, TIME_LIMIT, TIME_LIMIT_LONG, Pattern, compile_bounded, in_time
from llm_testbench.evaluators.json_size import more_values_than
from llm_testbench.json_value import JSON, canonical

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


class TooMuchWorkError(Exception):
    """A validation was given up."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one validation may take: keywords applied and values compared, and CPU seconds until its last pattern."""

    steps: int
    seconds: float = TIME_LIMIT


USUAL = Budget(100_000)
"""More than an answer up to LONG characters needs; at most about a second."""
_FOR_LONG = Budget(10_000, TIME_LIMIT_LONG)


_SEARCH = 3
"""Steps that a search for a pattern is worth: an ordinary schema runs out of these before it runs out of time."""


def budget_for(text: str) -> Budget:
    """What the validation of an answer may take: see bounded_regex.time_limit."""
    return USUAL if len(text) <= LONG else _FOR_LONG


class _Left(threading.local):
    steps = 0
    deadline = 0.0


_left = _Left()


def start(budget: Budget) -> None:
    """The calling thread's next validation may take this."""
    _left.steps = budget.steps
    _left.deadline = time.thread_time() + budget.seconds


def _spend(steps: int) -> None:
    _left.steps -= steps
    if _left.steps < 0:
        raise TooMuchWorkError("it takes too many steps")


_Keyword = Callable[[Any, Any, Any, Any], Any]


@cache
def bounded(kind: type[Validator]) -> type[Validator]:
    """The class of a draft's validators, each keyword counted and the unbounded ones replaced."""
    replaced: dict[str, _Keyword] = {
        **kind.VALIDATORS,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
    }
    counted = {name: _counted(keyword) for name, keyword in replaced.items()}
    extended: type[Validator] = extend(kind, counted)  # type: ignore[no-untyped-call]  # jsonschema has no types for it
    return extended


def _counted(keyword: _Keyword) -> _Keyword:
    def applied(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        _spend(1)
        return keyword(validator, value, instance, schema)

    return applied


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Pattern:
    return compile_bounded(pattern)


def _found(pattern: str, text: str) -> bool:
    _spend(_SEARCH)
    left = _left.deadline - time.thread_time()
    if left <= 0:
        raise TimeoutError
    compiled = _compiled(pattern)
    return in_time(lambda timeout: compiled.search(text, timeout=timeout), left) is not None


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not _found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in patterns.items():
        for key, value in instance.items():
            if _found(pattern, key):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [key for key in instance if key not in known and not any(_found(pattern, key) for pattern in patterns)]
    if validator.is_type(allowed, "object"):
        for key in extra:
            yield from validator.descend(instance[key], allowed, path=key)
    elif not allowed and extra:
        yield ValidationError(f"the property {extra[0]!r} is not allowed")


def _unique_items(validator: Any, unique: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if unique and validator.is_type(instance, "array"):
        if more_values_than(_left.steps, instance):
            raise TooMuchWorkError("it takes too many steps")
        counted = Counter(canonical(_identity(item)) for item in instance)
        twice = next((item for item, count in counted.items() if count > 1), None)
        if twice is not None:
            yield ValidationError(f"the item {twice} stands there twice")


def _identity(value: JSON) -> JSON:
    """1 and 1.0 are one value in JSON Schema (core 4.2.2), true and 1 are two."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _identity(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_identity(item) for item in value]
    return value
