"""Keeps known secrets out of everything that is written: files, reports, logs, messages."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, quote_plus

from llm_testbench.json_value import JSON

REPLACEMENT = "***"
_CUT = "…"  # what stands where a message was cut, before anybody looked for secrets in it
SHORTEST = 8  # characters; replacing shorter values would garble ordinary text

_PERCENT = re.compile("%[0-9A-F]{2}")


class Redactor:
    """Replaces each known secret by `***`, also as base64 and as URL, JSON or HTML text writes it."""

    __slots__ = ("_needles",)

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        needles: set[str] = set()
        for secret in secrets:
            # Keys come with a line break at the end, and are sent without it.
            stripped = secret.strip()
            if len(stripped) >= SHORTEST:
                needles.update(_spellings(stripped))
        # Longest first: a secret that contains another one must not leave its tail behind.
        self._needles = tuple(sorted(needles, key=lambda needle: (-len(needle), needle)))

    @property
    def idle(self) -> bool:
        """There is no secret to look for."""
        return not self._needles

    def text(self, text: str) -> str:
        """The text with every known secret replaced, also where a cut left only its beginning or its end."""
        for needle in self._needles:
            if needle in text:
                text = text.replace(needle, REPLACEMENT)
        if _CUT in text:
            text = _CUT.join(self._piece(piece) for piece in text.split(_CUT))
        return text

    def _piece(self, piece: str) -> str:
        """What stands between two cuts: at its end the beginning of a secret may be left, at its start the end."""
        for needle in self._needles:
            if needle[:SHORTEST] in piece:
                kept = next((n for n in range(len(needle) - 1, SHORTEST - 1, -1) if piece.endswith(needle[:n])), 0)
                piece = piece[: len(piece) - kept] + REPLACEMENT if kept else piece
            if needle[-SHORTEST:] in piece:
                kept = next((n for n in range(len(needle) - 1, SHORTEST - 1, -1) if piece.startswith(needle[-n:])), 0)
                piece = REPLACEMENT + piece[kept:] if kept else piece
        return piece

    def json(self, value: JSON) -> JSON:
        """A copy with every string redacted, keys too."""
        if not self._needles:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.json(item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [self.json(item) for item in value]
        return value


def _spellings(secret: str) -> set[str]:
    # An environment variable that is no UTF-8 comes as half surrogates.
    raw = secret.encode("utf-8", "surrogatepass")
    spellings = {secret, html.escape(secret), raw.hex(), raw.hex().upper()}
    spellings |= {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    # PHP and some others escape the slash, which base64 keys hold.
    spellings |= {spelling.replace("/", "\\/") for spelling in spellings}
    for in_url in (quote(raw, safe=""), quote_plus(raw), quote(raw)):
        spellings |= {in_url, _PERCENT.sub(lambda match: match.group().lower(), in_url)}
    # Inside a longer base64 text the secret starts at one of three bit offsets; the characters
    # that depend only on the secret are the same whatever surrounds it.
    for offset in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            encoded = encode(b"\0" * offset + raw).decode().rstrip("=")
            start = (8 * offset + 5) // 6
            end = (8 * (offset + len(raw))) // 6
            if end - start >= SHORTEST:
                spellings.add(encoded[start:end])
    return spellings


NO_SECRETS = Redactor()
