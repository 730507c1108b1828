"""Paths into a JSON value: `a.b[0]`, with `["any key"]` for keys that hold a dot or bracket."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from llm_testbench.evaluators.json_text import Found
from llm_testbench.evaluators.score import SpecError
from llm_testbench.json_value import JSON

Steps: TypeAlias = tuple[str | int, ...]

_STEP = re.compile(r'\.?(?P<key>[^.\[\]"]+)|\[(?P<index>[0-9]{1,9})\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]')


def steps_of(path: str, where: tuple[str | int, ...] = ()) -> Steps:
    """The keys and indexes of a path; the empty path is the value itself. SpecError when it cannot be read."""
    steps: list[str | int] = []
    position = 1 if path == "$" or path.startswith(("$.", "$[")) else 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None or (match["key"] is not None and (position == 0) == match[0].startswith(".")):
            raise SpecError(f"expected a path like a.b[0], found {path!r:.80}", where)
        position = match.end()
        if match["index"] is not None:
            steps.append(int(match["index"]))
        else:
            steps.append(match["key"] if match["key"] is not None else json.loads(match["quoted"]))
    return tuple(steps)


def at(value: JSON, steps: Steps) -> Found | None:
    """What stands there, or None when nothing does."""
    for step in steps:
        if isinstance(step, str):
            if not isinstance(value, Mapping) or step not in value:
                return None
            value = value[step]
        else:
            if not isinstance(value, Sequence) or isinstance(value, str) or step >= len(value):
                return None
            value = value[step]
    return Found(value)
