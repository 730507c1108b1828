"""The wildcards of this project: `*` and `?`, nothing else; brackets are literal, case matters."""

from __future__ import annotations

import fnmatch
import re

_WILD = re.compile(r"[*?]")


def is_wild(pattern: str) -> bool:
    """Whether the pattern holds a wildcard."""
    return _WILD.search(pattern) is not None


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern to be matched (`.match`) against a whole word."""
    # fnmatch's translation is safe from exponential backtracking, which `.*.*.*` would not be.
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]")))
