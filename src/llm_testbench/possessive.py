"""Groups in patterns of `re` that are repeated and never gone back on."""

from __future__ import annotations


def possessive(body: str, times: str = "*") -> str:
    """The pattern of `body` as often as it fits, of which nothing is given back. It must not capture.

    `times`: `*`, `+`, `?` or `{2,}`. A repetition of one character needs none of this: `[a-z]*+`.
    """
    # `(?:body)*+` alone is wrong before Python 3.11.5: re goes on from where the last try, the one in vain, got to
    # (CPython issue 106052). An alternative that never matches sets it back to where that try began. An atomic group is
    # right, too, but remembers every repetition until its end. Captures inside fail on later ones, too (issue 101955).
    return f"(?:{body}|(?!)){times}+"
