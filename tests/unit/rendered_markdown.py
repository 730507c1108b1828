"""Markdown as GitHub's own parser reads it, with all of its extensions: tags, text in and outside code, tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

_VOID = frozenset({"br", "hr", "img", "input"})


@dataclass
class Rendered:
    """`prose`: text nodes outside code, where GitHub looks for mentions, issues and emoji."""

    html: str
    tags: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    prose: str = ""
    code: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    unbalanced: list[str] = field(default_factory=list)


def rendered(markdown: str) -> Rendered:
    """With raw HTML let through, so that every tag that survives is seen."""
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES)
    reader = _Reader(Rendered(html))
    reader.feed(html)
    reader.close()
    reader.result.unbalanced += reader.open
    return reader.result


class _Reader(HTMLParser):
    def __init__(self, result: Rendered) -> None:
        super().__init__(convert_charrefs=True)
        self.result = result
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.result.tags.append(tag)
        self.result.attributes += [name for name, _ in attrs]
        if tag not in _VOID:
            self.open.append(tag)
        match tag:
            case "code":
                self.result.code.append("")
            case "table":
                self.result.tables.append([])
            case "tr":
                self.result.tables[-1].append([])
            case "td" | "th":
                self.result.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.result.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if "code" in self.open:
            self.result.code[-1] += data
        else:
            self.result.prose += data
        if "td" in self.open or "th" in self.open:
            self.result.tables[-1][-1][-1] += data

    def handle_comment(self, data: str) -> None:
        self.result.tags.append("!--")

    def handle_decl(self, decl: str) -> None:
        self.result.tags.append("!")

    def handle_pi(self, data: str) -> None:
        self.result.tags.append("?")

    def unknown_decl(self, data: str) -> None:
        self.result.tags.append("![")
