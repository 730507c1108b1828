"""Baselines on a branch: one folder a commit, named by its hash, with the artifact in it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from llm_testbench.gateway.failures import one_line
from llm_testbench.github.ancestry import MAX_COMPARISONS, Ancestry
from llm_testbench.github.answers import sha, text
from llm_testbench.github.api import RAW_TYPE, GitHub, GitHubError
from llm_testbench.github.candidate import Absent, Candidate, Find, PassedOver, short
from llm_testbench.github.fetch import MAX_DOWNLOADS, fetched
from llm_testbench.github.usable import Unusable
from llm_testbench.github.wanted import REF
from llm_testbench.github.why_none import of_branch, of_unknown_commit

_NEEDS = "contents: read"
MOST_ENTRIES = 1000
"""Of a folder in the answer of GitHub (docs.github.com, "Get repository content")."""
_MAX_NAME = 120  # characters in a message


def finds(github: GitHub, branch: str, asset: str, *, most: int = MAX_DOWNLOADS) -> Iterator[Find | Absent]:
    """At most `most` baselines on the branch, nearest to the event's base commit first, downloaded when asked for.

    Raises GitHubError.
    """
    event = github.event
    shown = f"branch {one_line(branch, _MAX_NAME)}"
    if not event.base_sha:
        yield of_unknown_commit(f"{REF}{branch}")
        return
    commits = _folders(github, branch)
    if not commits:
        yield of_branch(event, branch, commits)
        return
    every = frozenset(commits)
    ancestry = Ancestry(github, event.base_sha)
    for downloads in range(most):
        commit = ancestry.nearest(commits)
        if commit is None:
            if not downloads and ancestry.exhausted:
                why = f"{MAX_COMPARISONS} of its {len(commits)} commits are none before {short(event.base_sha)}"
                yield PassedOver(shown, "", "", why, broken=False)
            elif not downloads:
                yield of_branch(event, branch, every)
            return
        commits.discard(commit)
        file = f"{commit}/{quote(asset, safe='')}"
        judged = fetched(
            github, f"/contents/{file}", params={"ref": branch}, needs=_NEEDS, recorded=True, accept=RAW_TYPE
        )
        source = f"{shown} ({short(commit)})"
        if isinstance(judged, Unusable):
            yield PassedOver(source, "", commit, judged.why, judged.broken)
        else:
            url = f"{event.server_url}/{event.repository}/blob/{quote(branch)}/{file}"
            yield Candidate(judged, source, "ref", sha=commit, url=url)


def _folders(github: GitHub, branch: str) -> set[str] | None:
    """The commits that have a folder on the branch; None when the branch does not exist."""
    try:
        entries = github.get("/contents/", needs=_NEEDS, ref=branch)
    except GitHubError as error:
        if error.status == 404:
            return None
        raise
    if isinstance(entries, list) and len(entries) >= MOST_ENTRIES:
        # The newest may be among those that are missing.
        raise GitHubError(
            f"the branch holds {MOST_ENTRIES} entries or more, of which GitHub lists no more: remove old ones"
        )
    folders = [entry for entry in entries if text(entry, "type") == "dir"] if isinstance(entries, list) else []
    return {name for folder in folders if (name := sha(folder, "name"))}
