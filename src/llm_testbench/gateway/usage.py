"""Token counts as servers report them, once or in every chunk."""

from __future__ import annotations

from collections.abc import Mapping

from llm_testbench.answer.model import Usage

_WHERE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "prompt_tokens": (("prompt_tokens",), ("input_tokens",)),
    "completion_tokens": (("completion_tokens",), ("output_tokens",)),
    "reasoning_tokens": (
        ("completion_tokens_details", "reasoning_tokens"),
        ("output_tokens_details", "reasoning_tokens"),
        ("reasoning_tokens",),
    ),
    "cached_tokens": (
        ("prompt_tokens_details", "cached_tokens"),
        ("input_tokens_details", "cached_tokens"),
        ("prompt_cache_hit_tokens",),
    ),
}


class UsageReports:
    """The last count that is not zero wins: reports are cumulative, and some begin or end with zeros."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def add(self, usage: object) -> None:
        """One report, of any shape."""
        if not isinstance(usage, dict):
            return
        for name, paths in _WHERE.items():
            found = [count for path in paths if (count := _count(usage, path)) is not None]
            if found:
                count = max(found)
                if count or name not in self._counts:
                    self._counts[name] = count

    def usage(self) -> Usage:
        """What was said; what was not said is None, never 0."""
        return Usage(**self._counts)


def _count(usage: Mapping[str, object], path: tuple[str, ...]) -> int | None:
    value: object = usage
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
