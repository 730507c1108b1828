"""Pages of the guide, and the files they show."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"


def page(name: str) -> str:
    """The text of a page."""
    return (DOCS / f"{name}.md").read_text("utf-8")


def files(text: str) -> dict[str, str]:
    """By name: a line with the name in backticks and a colon, then a fenced block."""
    return dict(re.findall(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$", text, re.M | re.S))


PAGE = page("write-a-suite")
FILES = files(PAGE)
