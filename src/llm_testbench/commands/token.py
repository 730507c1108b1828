"""What the token may do on GitHub, and what a workflow has to add."""

from __future__ import annotations

from llm_testbench.commands.connection import connect
from llm_testbench.commands.edges import Edges
from llm_testbench.errors import InputError
from llm_testbench.github.permissions import Permission, permissions
from llm_testbench.report.views.doctor import Advice, Fact
from llm_testbench.settings.model import Settings

_LONGEST_WAIT = 5.0  # seconds for pauses and failed tries together


def token_facts(settings: Settings, edges: Edges) -> tuple[tuple[Fact, ...], tuple[Advice, ...]]:
    """Facts and advice; nothing where neither a repository nor a token is known."""
    token = settings.github.token
    if token is None and not settings.github.event.repository:
        return (), ()
    try:
        connection = connect(settings, edges, total_wait=_LONGEST_WAIT)
    except InputError as error:  # authorities or a proxy that do not exist
        return (Fact("anything", "unknown", said=str(error)),), ()
    if connection.github is None or token is None:
        return (Fact("anything", "unknown", said=connection.missing),), ()
    found = permissions(connection.github, token)
    return tuple(_fact(one) for one in found), tuple(_advice(one) for one in found if one.state == "no")


def _fact(one: Permission) -> Fact:
    return Fact(one.key, one.state, f"{one.purpose}; {one.seen}", one.said)


def _advice(one: Permission) -> Advice:
    if one.key == "metadata: read":
        return Advice("", "give a token that may read the repository: set GITHUB_TOKEN, or the input token")
    return Advice("", f'add "{one.key}" to the permissions of the job, or give another token')
