"""Reads the project's JSON Schemas (draft 2020-12): one source for checkout, editable install and wheel.

Cheap to import: `llmtest --help` needs their names.
"""

from __future__ import annotations

from functools import cache
from typing import Any

NAMES = ("config", "suite", "artifact", "comparison", "accepted")


def text(name: str) -> str:
    """The schema file `schemas/<name>.schema.json` as text; KeyError for an unknown name."""
    from pathlib import Path  # noqa: PLC0415 -- see above

    if name not in NAMES:
        raise KeyError(name)
    file_name = f"{name}.schema.json"
    # A wheel carries the folder inside the package; a checkout has it at the repository root.
    packaged = Path(__file__).parent / "schemas" / file_name
    if packaged.is_file():
        return packaged.read_text("utf-8")
    return (Path(__file__).parents[2] / "schemas" / file_name).read_text("utf-8")


@cache
def load(name: str) -> dict[str, Any]:
    """The parsed schema; callers must not change it."""
    import json  # noqa: PLC0415 -- see above

    schema: dict[str, Any] = json.loads(text(name))
    return schema
