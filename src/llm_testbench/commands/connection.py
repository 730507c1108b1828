"""The way to GitHub, or what is missing for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llm_testbench.commands.edges import Edges
from llm_testbench.settings.model import Settings

if TYPE_CHECKING:
    from llm_testbench.github.api import GitHub


@dataclass(frozen=True)
class Connection:
    """`missing`: one sentence where `github` is None."""

    github: GitHub | None
    missing: str = ""


def connect(settings: Settings, edges: Edges) -> Connection:
    """Connects nothing yet: the first request does."""
    event, token = settings.github.event, settings.github.token
    if not event.repository:
        return Connection(None, "no repository is known: set GITHUB_REPOSITORY to owner/name")
    if token is None:
        return Connection(None, "no token of GitHub is given: set the input token, or GITHUB_TOKEN")
    # Imported late: a run on a laptop needs none of it.
    import requests  # noqa: PLC0415

    from llm_testbench.gateway.surroundings import from_environment  # noqa: PLC0415
    from llm_testbench.github.api import GitHub, GitHubError  # noqa: PLC0415

    around = from_environment(event.api_url)
    session = requests.Session()
    session.trust_env = False  # no password from a .netrc file may replace the token
    session.proxies = dict(around.proxies)
    session.verify = str(settings.ca_bundle) if settings.ca_bundle is not None else around.verify
    try:
        return Connection(GitHub(event, token, session=session, clock=edges.clock))
    except GitHubError as error:
        return Connection(None, str(error))
