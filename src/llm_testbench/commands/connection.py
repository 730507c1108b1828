"""The way to GitHub, or what is missing for one."""

from __future__ import annotations

from dataclasses import dataclass

from llm_testbench.commands.edges import Edges
from llm_testbench.github.api import TOTAL_WAIT, GitHub, GitHubError
from llm_testbench.github.session import session_for
from llm_testbench.settings.model import Settings


@dataclass(frozen=True)
class Connection:
    """`missing`: one sentence where `github` is None."""

    github: GitHub | None
    missing: str = ""

    @property
    def required(self) -> GitHub:
        """The way to GitHub; GitHubError that says what is missing for it."""
        if self.github is None:
            raise GitHubError(self.missing)
        return self.github


def connect(settings: Settings, edges: Edges, *, total_wait: float = TOTAL_WAIT) -> Connection:
    """Connects nothing yet: the first request does. `total_wait`: seconds that pauses and failed tries may take."""
    event, token = settings.github.event, settings.github.token
    if not event.repository:
        return Connection(None, "no repository is known: set GITHUB_REPOSITORY to owner/name")
    if token is None:
        return Connection(None, "no token of GitHub is given: set the input token, or GITHUB_TOKEN")
    session = session_for(event.api_url, settings.ca_bundle)
    try:
        return Connection(
            GitHub(event, token, session=session, clock=edges.clock, sleep=edges.sleep, total_wait=total_wait)
        )
    except GitHubError as error:
        return Connection(None, str(error))
