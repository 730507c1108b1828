"""JSON as a type, its canonical text for hashes, and a reader that hostile input cannot break."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import NoReturn, TypeAlias

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
JSONObject: TypeAlias = "Mapping[str, JSON]"

MAX_DEPTH = 200


def canonical(value: JSON) -> str:
    """The one text of a value: sorted keys, no spaces, non-ASCII as is; ValueError for NaN and infinity."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: JSON) -> str:
    """SHA-256 of the canonical text, 64 hex digits."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def check_plain(value: JSON) -> None:
    """ValueError unless the value can be written and read again: no NaN or infinity, nesting within MAX_DEPTH."""
    check_depth(value)
    canonical(value)


def check_depth(value: JSON, max_depth: int = MAX_DEPTH) -> None:
    """ValueError when the value is nested deeper than `max_depth` levels."""
    if _deeper_than(value, max_depth):
        raise ValueError(f"nested deeper than {max_depth} levels")


def parse(text: str | bytes, max_depth: int | None = MAX_DEPTH, *, unique_keys: bool = False) -> JSON:
    """Strict RFC 8259 JSON; ValueError (one line) on bad syntax, NaN, infinity or nesting over `max_depth`.

    None leaves the depth, which the parser itself bounds near a thousand, to the caller. `unique_keys`: an object that
    names a key twice is refused too, of which readers take the first or the last, as they like.
    """
    pairs = _unique if unique_keys else None
    try:
        value: JSON = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite_float, object_pairs_hook=pairs
        )
    except RecursionError:
        raise ValueError(f"nested deeper than {max_depth or MAX_DEPTH} levels") from None
    if max_depth is not None:
        check_depth(value, max_depth)
    return value


def _unique(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object names one key twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:40]} is out of range")
    return number


def _deeper_than(value: JSON, limit: int) -> bool:
    level: list[JSON] = [value]
    for _ in range(limit + 1):
        below: list[JSON] = []
        for item in level:
            if isinstance(item, Mapping):
                below.extend(item.values())
            elif isinstance(item, Sequence) and not isinstance(item, str):
                below.extend(item)
        if not below:
            return False
        level = below
    return True
