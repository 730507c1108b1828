"""What the commands get from outside: the checkout, GitHub, Docker, the clock, and the files of a workflow's step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scripts.release.history import History
from scripts.release.publishing import ReleaseError
from scripts.release.registry import Run, run

from llm_testbench.github.api import GitHub
from llm_testbench.github.event import read_event
from llm_testbench.github.session import session_for

UNNAMED = "org/llm-testbench"
"""The repository where nothing names one, as on a laptop."""


@dataclass(frozen=True)
class Edges:
    """`say`: one line for a person. `sleep`: seconds."""

    root: Path
    environ: Mapping[str, str]
    say: Callable[[str], object]
    today: Callable[[], str]
    run: Run

    @property
    def history(self) -> History:
        """Of the checkout."""
        return History(self.root)

    @property
    def repository(self) -> str:
        """`owner/name`."""
        return self.environ.get("GITHUB_REPOSITORY") or UNNAMED

    def github(self) -> GitHub:
        """The way to GitHub; ReleaseError without a repository or token."""
        event, token = read_event(self.environ), self.environ.get("GITHUB_TOKEN", "")
        if not event.repository or not token:
            raise ReleaseError("no way to GitHub: set GITHUB_REPOSITORY and GITHUB_TOKEN")
        return GitHub(event, token, session=session_for(event.api_url))

    def output(self, values: Mapping[str, str]) -> None:
        """Outputs of the step; none of these values has a line break."""
        path = self.environ.get("GITHUB_OUTPUT")
        if path:
            with Path(path).open("a", encoding="utf-8") as file:
                file.writelines(f"{name}={value}\n" for name, value in values.items())


def of_machine(root: Path, environ: Mapping[str, str]) -> Edges:
    """Those of this process."""
    return Edges(root, environ, print, lambda: datetime.now(UTC).date().isoformat(), run)
