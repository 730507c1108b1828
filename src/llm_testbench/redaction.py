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
        """The text with every known secret replaced."""
        for needle in self._needles:
            if needle in text:
                text = text.replace(needle, REPLACEMENT)
        return text

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
    spellings = {secret, html.escape(secret), json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
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
