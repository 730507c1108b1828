"""What is wrong with an artifact, and where in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

Kind = Literal["missing", "broken", "too_new"]

_LONGEST_STEP = 80


class ArtifactError(ValueError):
    """An artifact that cannot be used; `str()` is one line: file, JSON path of the first fault, what was expected.

    `path` leads from the document to the fault (keys and indexes). Only keys of the file are quoted
    from it, escaped and cut; sinks must still treat the line as untrusted.
    """

    def __init__(
        self, message: str, *, kind: Kind = "broken", path: tuple[str | int, ...] = (), source: str = ""
    ) -> None:
        self.message = message
        self.kind: Kind = kind
        self.path = path
        self.source = source
        super().__init__(": ".join(part for part in (source, show_path(path), message) if part))

    def below(self, *steps: str | int) -> ArtifactError:
        """The same fault, seen from further out."""
        return ArtifactError(self.message, kind=self.kind, path=(*steps, *self.path), source=self.source)

    def of(self, source: str) -> ArtifactError:
        """The same fault, naming the file."""
        return ArtifactError(self.message, kind=self.kind, path=self.path, source=source)


def show_path(path: Sequence[str | int]) -> str:
    """`results[3].tool_calls[0].name`; a key that is no plain word stands quoted in brackets."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        elif step.isascii() and step.isidentifier() and len(step) <= _LONGEST_STEP:
            shown += f".{step}" if shown else step
        else:
            kept = step if len(step) <= _LONGEST_STEP else step[: _LONGEST_STEP - 1] + "…"
            shown += f"[{json.dumps(kept)}]"
    return shown
