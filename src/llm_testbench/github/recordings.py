"""Baselines as workflow artifacts of runs that recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import MAX_UNPACKED
from llm_testbench.github.ancestry import MAX_COMPARISONS, Ancestry
from llm_testbench.github.answers import number, sha, text
from llm_testbench.github.api import JSON_TYPE, GitHub
from llm_testbench.github.candidate import Candidate, Find, PassedOver, short
from llm_testbench.github.event import Event
from llm_testbench.github.fetch import MAX_DOWNLOADS, fetched
from llm_testbench.github.one_file import one_file
from llm_testbench.github.usable import Unusable
from llm_testbench.json_value import JSONObject

ARTIFACT_NAME = "llm-testbench-baseline"

_NEEDS = "actions: read"


@dataclass(frozen=True)
class Recording:
    """A workflow artifact of this repository that has not expired."""

    id: int
    run_id: int
    head_sha: str
    created_at: str  # RFC 3339 in UTC
    size: int  # bytes of the archive


def finds(github: GitHub, asset: str, *, most: int = MAX_DOWNLOADS) -> Iterator[Find]:
    """At most `most` recordings at the event's base commit or before it, newest first, downloaded when asked for.

    Raises GitHubError.
    """
    event = github.event
    if not event.base_sha:
        yield PassedOver("base", "", "", "the commit to look from is not known: set GITHUB_SHA", broken=False)
        return
    ancestry = Ancestry(github, event.base_sha)
    downloads = 0
    for recording in recordings(github):
        if downloads == most:
            return
        if ancestry.before(recording.head_sha) is None:
            continue
        downloads += 1
        source = f"run {recording.run_id} ({short(recording.head_sha)})"
        judged = _judged(github, recording, asset)
        if isinstance(judged, Unusable):
            yield PassedOver(source, "", recording.head_sha, judged.why, judged.broken)
        else:
            url = f"{event.server_url}/{event.repository}/actions/runs/{recording.run_id}"
            yield Candidate(judged, source, "base", sha=recording.head_sha, url=url)
    if ancestry.exhausted and not downloads:
        why = f"none of the newest {MAX_COMPARISONS} recordings is of {short(event.base_sha)} or a commit before it"
        yield PassedOver("base", "", "", why, broken=False)


def recordings(github: GitHub) -> tuple[Recording, ...]:
    """All that this repository's own runs left under the agreed name, newest first."""
    items = github.pages("/actions/artifacts", "artifacts", needs=_NEEDS, name=ARTIFACT_NAME)
    found = [one for item in items if (one := _recording(item, github.event)) is not None]
    return tuple(sorted(found, key=lambda one: (one.created_at, one.id), reverse=True))


def _recording(item: JSONObject, event: Event) -> Recording | None:
    home, head = number(item, "workflow_run", "repository_id"), number(item, "workflow_run", "head_repository_id")
    recording = Recording(
        id=number(item, "id"),
        run_id=number(item, "workflow_run", "id"),
        head_sha=sha(item, "workflow_run", "head_sha"),
        created_at=text(item, "created_at"),
        size=number(item, "size_in_bytes"),
    )
    # A run for a fork's pull request leaves its artifacts here too, and holds whatever the fork likes.
    own = home != 0 and home == head
    ours = recording.run_id == event.run_id
    fits = text(item, "name") == ARTIFACT_NAME and item.get("expired") is False
    return recording if own and fits and not ours and recording.id and recording.head_sha else None


def _judged(github: GitHub, recording: Recording, asset: str) -> Artifact | Unusable:
    names = tuple(dict.fromkeys((asset, "artifact.json.gz", "artifact.json")))

    def unpack(data: bytes) -> bytes:
        return one_file(data, names, MAX_UNPACKED)

    path = f"/actions/artifacts/{recording.id}/zip"
    return fetched(github, path, size=recording.size, needs=_NEEDS, recorded=True, accept=JSON_TYPE, unpack=unpack)
