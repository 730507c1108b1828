"""The job summary: markdown that GitHub shows on the page of the workflow run."""

from __future__ import annotations

from pathlib import Path

from llm_testbench.github.step_file import UNFINISHED, append, encoded

# Bytes a step. One more, and GitHub shows nothing of it and an error instead.
SUMMARY_LIMIT = 1024 * 1024

# A blank line: markdown that stands in the file already must not run on into ours.
_BREAK = b"\n"


def room(path: Path) -> int:
    """How many bytes `append_summary` still takes; OSError when the file cannot be looked at."""
    return max(SUMMARY_LIMIT - _size(path) - len(_BREAK) - len(UNFINISHED), 0)


def append_summary(path: Path, text: str) -> None:
    """Appends the markdown. OSError; ValueError when the file would grow beyond what GitHub shows."""
    data = encoded(text)
    if len(data) > (left := room(path)):
        raise ValueError(f"the job summary has {len(data)} bytes, and there is room for {left}")
    append(path, _BREAK + data if _size(path) else data)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
