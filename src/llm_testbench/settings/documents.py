"""What is written from tables: the config schema, the action's files, the tables of several pages.

`python -m llm_testbench.settings.documents ROOT` writes all of them below ROOT; tests prove that they are current.
With `--image docker://NAME:TAG@sha256:DIGEST` and `--code-image …` the action's files name these, as in a release.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from llm_testbench.evaluators.page import tables as evaluator_tables
from llm_testbench.local.serving.fault_table import FAULTS
from llm_testbench.settings.action_file import ACTION, CODE_ACTION, action_text
from llm_testbench.settings.model_entry import KEYS
from llm_testbench.settings.option import Option
from llm_testbench.settings.options import OPTIONS
from llm_testbench.settings.schema import config_schema

SCHEMA_FILE = "schemas/config.schema.json"
PAGE_FILE = "docs/configuration.md"
FAULTS_FILE = "docs/try-your-ci-offline.md"
EVALUATORS_FILE = "docs/evaluators.md"

_START, _END = "<!-- {}: generated -->", "<!-- end -->"


def schema_text() -> str:
    """The text of schemas/config.schema.json."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def page_text(page: str) -> str:
    """docs/configuration.md with its generated parts made anew; ValueError when a marker is missing."""
    return made_anew(page, _PARTS)


def faults_page_text(page: str) -> str:
    """The same for docs/try-your-ci-offline.md."""
    return made_anew(page, {"faults": faults_table})


def evaluators_page_text(page: str) -> str:
    """The same for docs/evaluators.md."""
    return made_anew(page, evaluator_tables())


def made_anew(page: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """A page with those parts of it made anew that stand between their markers; ValueError when a marker is missing."""
    for name, make in parts.items():
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


def faults_table() -> str:
    """What `serve --fault` takes."""
    rows = [f"| {one.number} | `{one.name}` | {one.summary} | {', '.join(one.threads)} |" for one in FAULTS]
    return "\n".join(["| | fault | what the gateway does | seen in |", "|---:|---|---|---|", *rows])


_PARTS: Mapping[str, Callable[[], str]] = {"options": options_tables, "model keys": model_keys_table}


def _table(rows: list[str]) -> str:
    return "\n".join(["| option | default | set by | commands | meaning |", "|---|---|---|---|---|", *rows])


def _row(option: Option[object]) -> str:
    cells = [f"`{option.name}`", _default(option), _set_by(option), ", ".join(option.commands), _meaning(option)]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _meaning(option: Option[object]) -> str:
    return f"{option.help}; {option.accepted}" if option.accepted else option.help


def _default(option: Option[object]) -> str:
    where = {"record": "to record"}  # the one default that goes by the role
    ways = ((where.get(name, f"in {name}"), text) for name, text in option.defaults.items())
    texts = [_shown(option.default), *(f"{_shown(text)} {way}" for way, text in ways)]
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


def write(root: Path, image: str | None = None, code_image: str | None = None) -> None:
    """Writes all of them below `root`; ValueError, before anything is written, for an image without a digest."""
    texts = {ACTION.path: action_text(ACTION, image), CODE_ACTION.path: action_text(CODE_ACTION, code_image)}
    texts[SCHEMA_FILE] = schema_text()
    texts[PAGE_FILE] = page_text((root / PAGE_FILE).read_text("utf-8"))
    texts[FAULTS_FILE] = faults_page_text((root / FAULTS_FILE).read_text("utf-8"))
    texts[EVALUATORS_FILE] = evaluators_page_text((root / EVALUATORS_FILE).read_text("utf-8"))
    for name, text in texts.items():
        (root / name).write_text(text, "utf-8")


def main(arguments: Sequence[str]) -> int:
    """The command line of this module."""
    parser = argparse.ArgumentParser(prog="python -m llm_testbench.settings.documents", allow_abbrev=False)
    parser.add_argument("root", type=Path)
    parser.add_argument("--image")
    parser.add_argument("--code-image")
    given = parser.parse_args(arguments)
    try:
        write(given.root, given.image, given.code_image)
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
