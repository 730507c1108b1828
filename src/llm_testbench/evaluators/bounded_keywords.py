"""The keywords of JSON Schema that jsonschema applies without bounds, with bounds.

It matches `pattern` with `re`, which cannot be stopped, compares the items of `uniqueItems` pairwise,
and follows references without counting.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from llm_testbench.evaluators.bounded_regex import TIME_LIMIT, Pattern, compile_bounded
from llm_testbench.json_value import JSON, canonical

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_STEPS = 100_000
"""Keywords applied in one validation: about a second."""


class TooMuchWorkError(Exception):
    """A validation was given up."""


class _Budget(threading.local):
    steps = 0
    deadline = 0.0


_budget = _Budget()


def start_budget(steps: int = MAX_STEPS) -> None:
    """What the calling thread's next validation may take: so many steps, and TIME_LIMIT until its last pattern."""
    _budget.steps = steps
    _budget.deadline = time.monotonic() + TIME_LIMIT


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
        _budget.steps -= 1
        if _budget.steps < 0:
            raise TooMuchWorkError("it takes too many steps")
        return keyword(validator, value, instance, schema)

    return applied


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Pattern:
    return compile_bounded(pattern)


def _found(pattern: str, text: str) -> bool:
    left = _budget.deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return _compiled(pattern).search(text, timeout=left) is not None


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
