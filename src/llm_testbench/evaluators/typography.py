"""The forms that models choose between for one and the same character."""

from __future__ import annotations

import unicodedata

# Some models write a no-break hyphen or a narrow space wherever it looks better.
_SAME = {
    " ": "\u00a0\u2007\u2009\u202f",
    "-": "\u2010\u2011\u2212",
    "'": "‘’",
    '"': "“”",
    "": "\u00ad\u2060",
}


def forms(text: str) -> tuple[str, ...]:
    """The text and, where it is another one, its plain form: a pattern may be written for either."""
    return tuple(dict.fromkeys((text, plain(text))))


def plain(text: str) -> str:
    """The text with ASCII spaces, hyphens and quotes, in Unicode's composed form."""
    if text.isascii():
        return text
    for written, forms in _SAME.items():
        for form in forms:
            text = text.replace(form, written)
    return unicodedata.normalize("NFC", text)
