"""The known word that a mistyped one was most likely meant to be."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

_DENIALS = ("no_", "not_")
_SHORTEST_STEM = 2  # one letter begins too many words
_HINT = re.compile(r"; did you mean '([^']+)'\?")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The closest known word, or None when none is near.

    The shortest that begins with the word comes first: `contains` is `contains_all`, `go` is `golang`. A word that
    denies is never what one that does not deny was meant to be: `not_contains` would turn a check around.
    """
    denying = word.startswith(_DENIALS)
    words = [other for other in known if denying or not other.startswith(_DENIALS)]
    longer = [other for other in words if other.startswith(word)] if len(word) >= _SHORTEST_STEM else []
    if longer:
        return min(longer, key=len)
    return next(iter(get_close_matches(word, words, n=1, cutoff=0.6)), None)


def hint(word: str, known: Iterable[str]) -> str:
    """`; did you mean x?`, or nothing: to be put behind a message."""
    found = nearest(word, known)
    return f"; did you mean {found!r}?" if found is not None else ""


def hinted(message: str) -> str | None:
    """The word that `hint` put into a message, if it did."""
    found = _HINT.search(message)
    return found[1] if found is not None else None
