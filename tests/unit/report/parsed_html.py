"""A page as a parser reads it: its tags, attributes and text, and what does not balance."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"meta"})
_DRAWN = frozenset({"circle", "line", "path", "rect"})
"""Elements of SVG that are written as `<line/>`."""


@dataclass
class Page:
    """`text`: by the tag that it stands in directly. `attributes`: (tag, name, value)."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    text: list[tuple[str, str]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    unbalanced: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)

    def said(self, *tags: str) -> str:
        """The text that stands directly in these tags, or anywhere, but not in style and title."""
        return "".join(
            text for tag, text in self.text if (tag in tags if tags else tag not in ("style", "title", "pre"))
        )

    def values(self, tag: str, name: str) -> list[str]:
        return [value for where, what, value in self.attributes if (where, what) == (tag, name)]


def parsed(html: str) -> Page:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.page.unbalanced += reader.open
    return reader.page


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._seen(tag, attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._seen(tag, attrs)
        if tag not in _DRAWN:
            self.page.odd.append(f"<{tag}/>")

    def _seen(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.tags.append(tag)
        self.page.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag == "tr":
            self.page.rows.append([])
        if tag in ("td", "th") and self.page.rows:
            self.page.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.page.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        self.page.text.append((self.open[-1] if self.open else "", data))
        if ("td" in self.open or "th" in self.open) and "title" not in self.open:
            self.page.rows[-1][-1] += data.strip()

    def handle_comment(self, data: str) -> None:
        self.page.odd.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        if decl != "doctype html":
            self.page.odd.append(f"<!{decl}")

    def handle_pi(self, data: str) -> None:
        self.page.odd.append(f"<?{data}")

    def unknown_decl(self, data: str) -> None:
        self.page.odd.append(f"<![{data}")
