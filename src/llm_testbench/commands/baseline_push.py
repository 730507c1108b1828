"""`llmtest baseline push ARTIFACT`: attach an artifact to a release, as the baseline of later gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.commands.connection import Connection, connect
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import packed, plain_output, read_current
from llm_testbench.errors import InconclusiveError, InputError, Place
from llm_testbench.github import releases
from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.usable import partial
from llm_testbench.settings import options
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0 when the release carries it; 2 when the artifact is not fit for it; 3 when GitHub refuses or fails."""
    settings = resolve("baseline push", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    github = required(connect(settings, edges))
    tag, release_id = _release(settings)
    (name,) = arguments
    artifact = read_current(edges.cwd / name, output)
    why = partial(artifact)
    if why:
        raise InputError(f"is not fit as a baseline: {why}", Place(name))
    data = packed(artifact, settings.baseline.asset, output.redactor)
    try:
        url = releases.push(github, tag, release_id, settings.baseline.asset, data)
    except GitHubError as error:
        raise InconclusiveError(f"the baseline was not attached to the release: {error}") from None
    output.line(url)
    return 0


def required(connection: Connection) -> GitHub:
    """The way to GitHub; InputError that says what is missing for it."""
    if connection.github is None:
        raise InputError(connection.missing)
    return connection.github


def _release(settings: Settings) -> tuple[str | None, int | None]:
    """By the tag that was named, else of the event that runs."""
    event = settings.github.event.release
    if settings.github.release is not None:
        return settings.github.release, None
    if event is None:
        raise InputError(f"no release is named: use {options.RELEASE.flag} TAG")
    return event.tag, event.id
