"""Fields of GitHub's answers, each of which may be missing or of another type."""

from __future__ import annotations

import re
from collections.abc import Mapping

from llm_testbench.json_value import JSON

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def at(value: JSON, *keys: str) -> JSON:
    """What stands at the path of keys, or None."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def text(value: JSON, *keys: str) -> str:
    """The text there, or ""."""
    found = at(value, *keys)
    return found if isinstance(found, str) else ""


def number(value: JSON, *keys: str) -> int:
    """The whole number there, or 0, which no id is."""
    found = at(value, *keys)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def sha(value: JSON, *keys: str) -> str:
    """The whole commit hash there, or "": nothing else may go into a path."""
    found = text(value, *keys)
    return found if is_sha(found) else ""


def is_sha(word: str) -> bool:
    """A whole commit hash, of SHA-1 or SHA-256."""
    return _SHA.fullmatch(word) is not None
