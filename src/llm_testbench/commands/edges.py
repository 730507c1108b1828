"""What a command touches of the world outside, passed in so that tests need no patching."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from os import environ
from pathlib import Path
from typing import TextIO


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Edges:
    """The report goes to stdout alone; progress and log lines go to stderr."""

    stdout: TextIO = field(default_factory=lambda: sys.stdout)
    stderr: TextIO = field(default_factory=lambda: sys.stderr)
    environ: Mapping[str, str] = field(default_factory=lambda: environ, repr=False)  # holds secrets
    cwd: Path = field(default_factory=Path.cwd)
    clock: Callable[[], float] = time.monotonic  # seconds, for durations
    sleep: Callable[[float], object] = time.sleep  # between tries of calls to GitHub
    now: Callable[[], datetime] = _utc_now
    secrets: set[str] = field(default_factory=set, repr=False)  # a command adds those of its settings

    @property
    def on_github(self) -> bool:
        """Whether this runs as a step of a workflow, whose runner reads commands out of the log."""
        return self.environ.get("GITHUB_ACTIONS") == "true"

    def say(self, line: str) -> None:
        """One line of log on stderr."""
        with suppress(OSError):  # nobody is left to read it, and what was measured has yet to be told elsewhere
            print(line, file=self.stderr, flush=True)
