"""The way to GitHub, or what is missing for one."""

from __future__ import annotations

from dataclasses import dataclass

import requests

from llm_testbench.commands.edges import Edges
from llm_testbench.gateway.surroundings import from_environment
from llm_testbench.github.api import TOTAL_WAIT, GitHub, GitHubError
from llm_testbench.settings.model import Settings


@dataclass(frozen=True)
class Connection:
    """`missing`: one sentence where `github` is None."""

    github: GitHub | None
    missing: str = ""


def connect(settings: Settings, edges: Edges, *, total_wait: float = TOTAL_WAIT) -> Connection:
    """Connects nothing yet: the first request does. `total_wait`: seconds that pauses and failed tries may take."""
    event, token = settings.github.event, settings.github.token
    if not event.repository:
        return Connection(None, "no repository is known: set GITHUB_REPOSITORY to owner/name")
    if token is None:
        return Connection(None, "no token of GitHub is given: set the input token, or GITHUB_TOKEN")
    session = requests.Session()
    # The session itself looks up the proxy of each address; the certificates it would not find under every name.
    session.verify = str(settings.ca_bundle) if settings.ca_bundle else from_environment(event.api_url).verify
    try:
        return Connection(
            GitHub(event, token, session=session, clock=edges.clock, sleep=edges.sleep, total_wait=total_wait)
        )
    except GitHubError as error:
        return Connection(None, str(error))
