"""How many columns of a terminal a text takes: Chinese, Japanese and Korean characters take two."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def width_of(text: str) -> int:
    """Columns; combining marks and zero-width characters take none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, width: int) -> int:
    """How many of the first characters fit into `width` columns, at least one of a text that is not empty."""
    if text.isascii():
        return max(min(len(text), width), 1)
    used = 0
    for index, character in enumerate(text):
        used += _columns(character)
        if used > width:
            return max(index, 1)
    return len(text)


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
