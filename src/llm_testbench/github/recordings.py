"""Baselines as workflow artifacts of runs that recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import MAX_UNPACKED
from llm_testbench.github.ancestry import MAX_COMPARISONS, Ancestry
from llm_testbench.github.answers import number, sha, text
from llm_testbench.github.api import JSON_TYPE, GitHub
from llm_testbench.github.candidate import Absent, Candidate, Find, PassedOver, short
from llm_testbench.github.event import Event
from llm_testbench.github.fetch import MAX_DOWNLOADS, fetched
from llm_testbench.github.one_file import one_file
from llm_testbench.github.usable import Unusable
from llm_testbench.github.wanted import ARTIFACT_NAME, BASE
from llm_testbench.github.why_none import of_recordings, of_unknown_commit
from llm_testbench.json_value import JSONObject

EXPIRED = "its file is gone: it has expired (after 90 days, unless the repository says otherwise), or was deleted"

_NEEDS = "actions: read"


@dataclass(frozen=True)
class Recording:
    """A workflow artifact of this repository. `expired`: its file is gone."""

    id: int
    run_id: int
    head_sha: str
    created_at: str  # RFC 3339 in UTC
    size: int  # bytes of the archive
    expired: bool = False


def finds(github: GitHub, asset: str, *, most: int = MAX_DOWNLOADS) -> Iterator[Find | Absent]:
    """At most `most` recordings at the event's base commit or before it, newest first, downloaded when asked for.

    Raises GitHubError.
    """
    event = github.event
    if not event.base_sha:
        yield of_unknown_commit(BASE)
        return
    ancestry = Ancestry(github, event.base_sha)
    downloads = 0
    every = recordings(github)
    there = [recording for recording in every if not recording.expired]
    for recording in there:
        if downloads == most:
            return
        if ancestry.before(recording.head_sha) is None:
            continue
        downloads += 1
        source = f"run {recording.run_id} ({short(recording.head_sha)})"
        judged = _judged(github, recording, asset)
        if isinstance(judged, Unusable):
            why = EXPIRED if judged.gone else judged.why
            yield PassedOver(source, "", recording.head_sha, why, judged.broken)
        else:
            url = f"{event.server_url}/{event.repository}/actions/runs/{recording.run_id}"
            yield Candidate(judged, source, "base", sha=recording.head_sha, url=url)
    if downloads:
        return
    if ancestry.exhausted:
        why = f"none of the newest {MAX_COMPARISONS} recordings is of {short(event.base_sha)} or a commit before it"
        yield PassedOver("base", "", "", why, broken=False)
    else:
        yield of_recordings(event, usable=len(there), expired=len(every) - len(there))


def recordings(github: GitHub) -> tuple[Recording, ...]:
    """All that this repository's own runs left under the agreed name, expired ones included, newest first."""
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
        # Where it is not said that it has not, nothing is there to be had.
        expired=item.get("expired") is not False,
    )
    # A run for a fork's pull request leaves its artifacts here too, and holds whatever the fork likes.
    own = home != 0 and home == head
    ours = recording.run_id == event.run_id
    fits = text(item, "name") == ARTIFACT_NAME
    return recording if own and fits and not ours and recording.id and recording.head_sha else None


def _judged(github: GitHub, recording: Recording, asset: str) -> Artifact | Unusable:
    names = tuple(dict.fromkeys((asset, "artifact.json.gz", "artifact.json")))

    def unpack(data: bytes) -> bytes:
        return one_file(data, names, MAX_UNPACKED)

    path = f"/actions/artifacts/{recording.id}/zip"
    return fetched(github, path, size=recording.size, needs=_NEEDS, recorded=True, accept=JSON_TYPE, unpack=unpack)
