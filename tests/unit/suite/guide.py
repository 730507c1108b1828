"""The page docs/write-a-suite.md and the files it shows."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "write-a-suite.md").read_text("utf-8")
FILES: dict[str, str] = dict(re.findall(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.M | re.S))
"""By name: a line with the name in backticks and a colon, then a fenced block."""
