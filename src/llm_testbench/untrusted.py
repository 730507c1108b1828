"""Text that a model, a suite, a server or a fork wrote, and the only four ways out for it.

`str()` and `format()` of an `Untrusted` raise, so that no such text slips into a sink by way
of an f-string: whoever prints it has to say which sink it goes to.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NoReturn

ELLIPSIS = "…"

# Every ASCII punctuation character may be backslash-escaped in CommonMark (spec 0.31, section 2.4),
# but `@` and `#` still make mentions and issue links on GitHub after the escape, and a bare
# `www.` or `https://` makes a link in GFM (autolinks extension). Entities survive all of these.
_MARKDOWN_SPECIAL = re.compile(r"[\\`*_{}\[\]()#+!|<>&~@:$=^\"'-]")
_AUTOLINK_DOT = re.compile(r"\bwww(?=\.)", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"^(\s*\d+)([.)])")
# GitHub links a bare 7 to 40 digit hex word as a commit and `GH-12` as an issue.
_ZERO_WIDTH_JOINER = "&#8288;"
_COMMIT_LIKE = re.compile(r"\b(?=[0-9a-f]*[0-9])([0-9a-f]{6})(?=[0-9a-f]{1,34}\b)", re.IGNORECASE)


def _visible(character: str) -> str:
    """A control, format, surrogate or private-use character as its code point, else itself."""
    # Cf holds the bidirectional overrides, which reorder what a reader sees (CVE-2021-42574).
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
    return character


def _shorten(text: str, limit: int | None) -> str:
    if limit is None or len(text) <= limit:
        return text
    return text[: max(limit - 1, 0)] + ELLIPSIS


class Untrusted:
    """One piece of foreign text; compares and hashes by value."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> NoReturn:
        raise TypeError("untrusted text has no str(): use .markdown(), .html(), .terminal() or .log_line()")

    def __format__(self, spec: str) -> NoReturn:
        raise TypeError("untrusted text cannot be formatted: use .markdown(), .html(), .terminal() or .log_line()")

    def __repr__(self) -> str:
        return f"Untrusted(<{len(self._text)} characters>)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Untrusted) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __len__(self) -> int:
        return len(self._text)

    def _one_line(self, limit: int | None) -> str:
        return _shorten(" ".join(self._text.split()), limit)

    def markdown(self, limit: int | None = None) -> str:
        """Inline GitHub markdown, one line: no link, mention, image, HTML, fence, table or emphasis survives.

        `limit` counts characters of the text before escaping.
        """
        text = "".join(_visible(c) for c in self._one_line(limit))
        text = _COMMIT_LIKE.sub("\\1\x00", text)
        text = _AUTOLINK_DOT.sub(lambda match: f"{match.group()}\x00", text)
        text = _MARKDOWN_SPECIAL.sub(lambda match: f"&#{ord(match.group())};", text)
        text = _LIST_NUMBER.sub(lambda match: f"{match.group(1)}&#{ord(match.group(2))};", text)
        return text.replace("\x00", _ZERO_WIDTH_JOINER)

    def markdown_block(self, limit: int | None = None) -> str:
        """A fenced code block of the text with all its lines; the fence is longer than any inside."""
        kept = _shorten(self._text.replace("\r\n", "\n").replace("\r", "\n"), limit)
        lines = ["".join(_visible(c) if c != "\t" else c for c in line) for line in kept.split("\n")]
        longest = max((len(run) for run in re.findall(r"`+", kept)), default=0)
        fence = "`" * max(3, longest + 1)
        return "\n".join([f"{fence}text", *lines, fence])

    def html(self, limit: int | None = None) -> str:
        """Escaped for HTML text and quoted attributes; line breaks stay."""
        kept = _shorten(self._text, limit)
        return html.escape("".join(c if c in "\n\t" else _visible(c) for c in kept), quote=True)

    def terminal(self, limit: int | None = None) -> str:
        """One line without control characters: no escape sequence reaches the terminal."""
        return "".join(_visible(c) for c in self._one_line(limit))

    def log_line(self, limit: int | None = 2000) -> str:
        """One line for a CI log: also no workflow command (`::name::`, `##[name]`) survives."""
        return self.terminal(limit).replace("::", ":\u200b:").replace("##[", "#\u200b#[")
