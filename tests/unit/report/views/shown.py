"""A document as a reader sees it, to be searched by tests."""

from __future__ import annotations

from llm_testbench.report import markdown, terminal
from llm_testbench.report.document import Document


def shown(document: Document) -> str:
    """On a wide terminal, columns set apart by two spaces at most."""
    lines = terminal.render(document, 400, color=False).splitlines()
    return "\n".join("  ".join(part.strip() for part in line.split("  ") if part.strip()) for line in lines)


def as_markdown(document: Document) -> str:
    return markdown.render(document)


def in_order(text: str, *parts: str) -> None:
    """Each part stands somewhere behind the one before it."""
    position = 0
    for part in parts:
        assert part in text[position:], f"{part!r} does not stand in this order in:\n{text}"
        position = text.index(part, position) + len(part)
