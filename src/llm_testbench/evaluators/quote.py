"""How a reason quotes foreign text: one short line."""

from __future__ import annotations

import json

from llm_testbench.json_value import JSON

LIMIT = 80
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def quote(text: str, limit: int = LIMIT) -> str:
    """The text in single quotes, at most `limit` characters of it, on one line and without surrogates."""
    # Cut before collapsing, so that quoting a huge answer costs nothing.
    line = " ".join(text[: limit * 8].split())
    if len(line) > limit or len(text) > limit * 8:
        line = line[: limit - 1] + "…"
    # A lone surrogate could not be written to any UTF-8 file.
    return f"'{line.encode('utf-8', 'replace').decode('utf-8')}'"


def quote_all(texts: tuple[str, ...], limit: int = LIMIT) -> str:
    """The texts quoted and joined by commas, those beyond `limit` characters counted."""
    shown: list[str] = []
    length = 0
    for text in texts:
        part = quote(text, limit)
        if shown and length + len(part) > limit:
            return f"{', '.join(shown)} and {len(texts) - len(shown)} more"
        shown.append(part)
        length += len(part)
    return ", ".join(shown)


def quote_json(value: JSON, limit: int = LIMIT) -> str:
    """The value as one short line of JSON, without quotes around it."""
    line = ""
    try:
        # Piece by piece: of a huge value only the beginning is written.
        for piece in _ENCODER.iterencode(value):
            line += piece
            if len(line) > limit * 8:
                break
    except (ValueError, RecursionError):  # an integer of more digits than Python prints
        line = "a value too large to show"
    return quote(line, limit)[1:-1]
