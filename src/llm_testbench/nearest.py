"""The known word that a mistyped one was most likely meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The closest known word, or None when none is near."""
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=0.6)), None)


def hint(word: str, known: Iterable[str]) -> str:
    """`; did you mean x?`, or nothing: to be put behind a message."""
    found = nearest(word, known)
    return f"; did you mean {found!r}?" if found is not None else ""
