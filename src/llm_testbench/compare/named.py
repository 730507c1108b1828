"""Foreign names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.compare.model import Quoted


def named(names: Sequence[str], most: int) -> tuple[str | Quoted, ...]:
    """The first `most` of them, and how many more there are; nothing for none. The caller bounds their length."""
    words = tuple(part for name in names[:most] for part in (", ", Quoted(name)))[1:]
    return (*words, f" and {len(names) - most} more") if len(names) > most else words
