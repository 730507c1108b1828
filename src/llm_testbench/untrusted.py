r"""Text that a model, a suite, a server or a fork wrote, and the only four ways out for it.

`str()` and `format()` of an `Untrusted` raise, so that no such text slips into a sink by way
of an f-string: whoever prints it has to say which sink it goes to.

Why markdown means code here: GitHub runs filters over the *text* of rendered HTML, after escapes
and entities are gone. They link `@name`, `#12`, `GH-12`, `owner/repo#1`, commit hashes, `CVE-…`,
`GHSA-…`, e-mail addresses and whatever prefixes a repository has configured (`TICKET-12`), draw
`:emoji:` and math. No escape stops them (`&#64;name` still notifies) and no list of theirs stays
complete. They all leave code elements alone, and inside a code span markdown itself knows no
markup. So foreign text goes out as a code span or a fenced block, never as prose.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NoReturn

ELLIPSIS = "…"
LOG_LINE_LIMIT = 2000  # characters
_ZERO_WIDTH_SPACE = "\u200b"
_BACKTICKS = re.compile(r"`+")
# cmark gives up on code spans behind 80 backticks and counts a fence's in one byte: longer runs would break out.
_LONGEST_RUN = 40
_LONG_RUN = re.compile(f"(`{{{_LONGEST_RUN}}})(?=`)")
_LINE_END = re.compile(r"\r\n?|\n")


class Untrusted:
    """One piece of foreign text; compares and hashes by value. Limits count characters before escaping."""

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

    def markdown(self, limit: int | None = None) -> str:
        """One line of GitHub markdown, valid in any inline place, table cells too: code spans, or nothing.

        Two results must not touch: put something that is no backtick between them.
        """
        # A pipe ends a table cell even inside code, and `\\|` is not read alike by all parsers
        # when another backslash stands before it. Between two spans it is inert everywhere.
        pieces = _with_short_runs(self._one_line(limit)).split("|")
        return "&#124;".join(_code_span(piece) for piece in pieces)

    def markdown_block(self, limit: int | None = None, language: str = "text") -> str:
        """A fenced code block of the text with all its lines; the fence is longer than any inside."""
        lines = [_with_short_runs(line) for line in self._lines(limit)]
        fence = "`" * max(3, 1 + _longest_backticks("\n".join(lines)))
        return "\n".join([fence + language, *lines, fence])

    def html(self, limit: int | None = None) -> str:
        """Escaped for HTML text and quoted attributes; line breaks and tabs stay."""
        return html.escape("\n".join(self._lines(limit)), quote=True)

    def html_line(self, limit: int | None = None) -> str:
        """The same on one line: a blank line would end an HTML block inside markdown."""
        return html.escape(self._one_line(limit), quote=True)

    def terminal(self, limit: int | None = None) -> str:
        """One line for a terminal or the log of a CI job: no escape sequence, no workflow command."""
        return without_workflow_command(self._one_line(limit))

    def terminal_lines(self, limit: int | None = None) -> list[str]:
        """The same for a text with several lines; tabs become four spaces."""
        return [without_workflow_command(line.replace("\t", "    ")) for line in self._lines(limit)]

    def log_line(self, limit: int | None = LOG_LINE_LIMIT) -> str:
        """One line to be put anywhere in a line of a CI log: holds no `::` and no `##`."""
        return re.sub(":(?=:)|#(?=#)", lambda match: match.group() + _ZERO_WIDTH_SPACE, self._one_line(limit))

    def _one_line(self, limit: int | None) -> str:
        return _visible(shortened(" ".join(self._text.split()), limit))

    def _lines(self, limit: int | None) -> list[str]:
        kept = shortened(_LINE_END.sub("\n", self._text), limit)
        return ["\t".join(_visible(part) for part in line.split("\t")) for line in kept.split("\n")]


def without_workflow_command(line: str) -> str:
    """A line that the Actions runner takes for text, with invisible characters added where needed.

    Source of the rule: actions/runner, ActionCommand.cs: `::name::` at the start of a line after
    white space, and `##[name]` anywhere in it. Azure Pipelines and TeamCity read `##vso[`, `##teamcity[`.
    """
    if line.lstrip().startswith("::"):
        line = _ZERO_WIDTH_SPACE + line
    return re.sub(r"#(?=#\w*\[)", "#" + _ZERO_WIDTH_SPACE, line) if "##" in line else line


def _visible(text: str) -> str:
    # The common case in one call; str.isprintable() is false for all that _shown() replaces.
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    """A control, format, surrogate, private-use or unassigned character as its code point, else itself."""
    # Cf holds the bidirectional overrides, which reorder what a reader sees (CVE-2021-42574).
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return character
    point = ord(character)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def shortened(text: str, limit: int | None) -> str:
    """At most `limit` characters. The mark tells the redaction that half of a secret may be left before it."""
    if limit is None or len(text) <= limit:
        return text
    return text[: max(limit - 1, 0)] + ELLIPSIS


def _with_short_runs(text: str) -> str:
    return _LONG_RUN.sub(rf"\1{_ZERO_WIDTH_SPACE}", text)


def _longest_backticks(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _code_span(piece: str) -> str:
    if not piece:
        return ""
    fence = "`" * (1 + _longest_backticks(piece))
    # CommonMark strips one space on both sides, if both have one and there is something else.
    strips = piece.startswith(" ") and piece.endswith(" ") and piece.strip(" ") != ""
    pad = " " if strips or piece.startswith("`") or piece.endswith("`") else ""
    return f"{fence}{pad}{piece}{pad}{fence}"
