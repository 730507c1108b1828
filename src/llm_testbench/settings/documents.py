"""What is written from the option table: the config schema and the tables in docs/configuration.md.

`python -m llm_testbench.settings.documents ROOT` writes both below ROOT; a test proves that they are current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from llm_testbench.settings.model_entry import KEYS
from llm_testbench.settings.option import Option
from llm_testbench.settings.options import OPTIONS
from llm_testbench.settings.schema import config_schema

SCHEMA_FILE = "schemas/config.schema.json"
PAGE_FILE = "docs/configuration.md"

_START, _END = "<!-- {}: generated -->", "<!-- end -->"


def schema_text() -> str:
    """The text of schemas/config.schema.json."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def page_text(page: str) -> str:
    """The page with its generated parts made anew; ValueError when a marker is missing."""
    for name, make in _PARTS.items():
        start = _START.format(name)
        before, found, rest = page.partition(start)
        _, closed, after = rest.partition(_END)
        if not found or not closed:
            raise ValueError(f"the page lacks {start} … {_END}")
        page = f"{before}{start}\n\n{make()}\n\n{_END}{after}"
    return page


def options_tables() -> str:
    """One table for each group of options."""
    groups = dict.fromkeys(option.group for option in OPTIONS)
    return "\n\n".join(
        f"### {group}\n\n{_table([_row(option) for option in OPTIONS if option.group == group])}" for group in groups
    )


def model_keys_table() -> str:
    """The keys of a mapping in `models`."""
    rows = [f"| `{key.name}` | {key.help} |" for key in KEYS]
    return "\n".join(["| key | meaning |", "|---|---|", *rows])


_PARTS: Mapping[str, Callable[[], str]] = {"options": options_tables, "model keys": model_keys_table}


def _table(rows: list[str]) -> str:
    return "\n".join(["| option | default | set by | commands | meaning |", "|---|---|---|---|---|", *rows])


def _row(option: Option[object]) -> str:
    cells = [f"`{option.name}`", _default(option), _set_by(option), ", ".join(option.commands), option.help]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _default(option: Option[object]) -> str:
    texts = [_shown(option.default), *(f"{_shown(text)} in {name}" for name, text in option.defaults.items())]
    return "; ".join(texts)


def _shown(text: str) -> str:
    return "unset" if text in ("", "none") else f"`{text}`"


def _set_by(option: Option[object]) -> str:
    ways = []
    if "flag" in option.sources:
        short = f", `{option.short}`" if option.short else ""
        ways.append(f"`{option.flag}`{short}")
    if "input" in option.sources:
        ways.append("input")
    if "env" in option.sources:
        ways.extend(f"`{name}`" for name in option.env)
    if "config" in option.sources:
        ways.append(f"file: `{option.key}`")
    return ", ".join(ways)


def write(root: Path) -> None:
    """Writes both files below `root`."""
    (root / SCHEMA_FILE).write_text(schema_text(), "utf-8")
    page = root / PAGE_FILE
    page.write_text(page_text(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
