"""The last release, beside whose means those of a run are shown where it is compared with a recorded run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.redact import redacted
from llm_testbench.commands.baseline_runs import age
from llm_testbench.commands.baselines import Baseline, wanted
from llm_testbench.commands.connection import connect
from llm_testbench.commands.output import Output
from llm_testbench.compare.model import BaselineRun
from llm_testbench.compare.scope import LastRelease
from llm_testbench.compare.since_release import mostly_recorded
from llm_testbench.github.api import GitHubError
from llm_testbench.github.candidate import Candidate
from llm_testbench.github.sources import of_releases
from llm_testbench.github.wanted import RELEASE, is_path
from llm_testbench.settings.model import Settings

PATIENCE = 10.0
"""Seconds that pauses and failed tries may take: what is only told for information holds nobody up."""
LOOKED_AT = 2
"""Releases that are downloaded until one can be used."""


def last_release(
    baseline: Baseline, runs: Sequence[BaselineRun], current: Artifact, settings: Settings, output: Output
) -> LastRelease | None:
    """None where the comparison is not with a recorded run, or there is no such release. Never raises for trouble.

    `runs`: what `current` is compared with, in the order of the search for `baseline`.
    """
    if not mostly_recorded(runs):
        return None
    for place, candidate in zip(baseline.places, baseline.candidates, strict=True):
        if runs[place].tag:
            return LastRelease(runs[place], candidate)
    if _looked_for(settings):
        return None
    found = _newest(settings, output)
    if found is None:
        return None
    run = BaselineRun(found.source, found.tag, found.sha, found.url, found.artifact.meta.finished_at)
    return LastRelease(replace(run, age=age(run, current)), redacted(found.artifact, output.redactor))


def _looked_for(settings: Settings) -> bool:
    """Releases came before the recorded run, so that all of them were looked at, and none could be used."""
    sources = [source for source in settings.baseline.sources if not is_path(source)]
    return sources[:1] == [RELEASE]


def _newest(settings: Settings, output: Output) -> Candidate | None:
    # A connection of its own: the comment needs what patience is left of the other one.
    connection = connect(settings, output.edges, total_wait=PATIENCE)
    if connection.github is None:
        return None
    try:
        releases = of_releases(connection.github, wanted(settings), most=LOOKED_AT)
        return next((find for find in releases if isinstance(find, Candidate)), None)
    except GitHubError as error:
        output.log(f"note: how far the means are from the last release is not known: {error}")
        return None
