"""The outputs of a step, for the steps and jobs after it.

Source of the rules: actions/runner, FileCommandManager.cs and SetOutputFileCommand.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from llm_testbench.github.step_file import append, encoded

# GitHub's bound is 1 MB for a job's outputs, counted in UTF-16.
OUTPUTS_LIMIT = 1_000_000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,}")  # 128 bits in base 64


def _random() -> str:
    return secrets.token_hex(16)


def write_outputs(path: Path, values: Mapping[str, str], token: Callable[[], str] = _random) -> None:
    """Appends every value under its name, or none of them.

    Each stands between delimiters that nobody who wrote the value could know: `token` draws 128 random bits.
    OSError; ValueError, which never quotes a value, for a bad name or token, a NUL, or values that are too long.
    """
    size = sum(len(text.encode("utf-16-le", "surrogatepass")) for pair in values.items() for text in pair)
    if size > OUTPUTS_LIMIT:
        longest = max(values, key=lambda name: len(values[name]))
        raise ValueError(
            f"the outputs have {size} bytes in UTF-16, of which GitHub takes {OUTPUTS_LIMIT}; the longest is {longest}"
        )
    append(path, b"".join(_entry(name, value, token) for name, value in values.items()))


def _entry(name: str, value: str, token: Callable[[], str]) -> bytes:
    if not _NAME.fullmatch(name):
        raise ValueError(f"no name of an output: {name!r}")
    if "\0" in value:
        raise ValueError(f"the output {name} holds a NUL character")
    delimiter = _delimiter(name, value, token)
    return encoded(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def _delimiter(name: str, value: str, token: Callable[[], str]) -> str:
    drawn = token()
    if not _TOKEN.fullmatch(drawn):
        raise ValueError("the delimiter of an output has 22 or more letters, digits, dashes and underscores")
    if drawn in value:
        raise ValueError(f"the output {name} holds its own delimiter")
    return f"ghadelimiter_{drawn}"
