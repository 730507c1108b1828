"""The event that started the run, from the variables and the payload file of GitHub Actions.

Source: docs.github.com, "Variables reference" and "Events that trigger workflows". A payload is read as
what it is, text from outside: every field may be missing or of another type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from llm_testbench.github.answers import at, is_sha, number, sha, text
from llm_testbench.json_value import JSON, parse

MAX_PAYLOAD = 32 * 1024 * 1024  # bytes; GitHub's own limit for a webhook is 25 MB

DEPENDABOT = "dependabot[bot]"
_OF_PULL_REQUESTS = frozenset({"pull_request", "pull_request_review", "pull_request_review_comment"})
"""Events that run with the rights of whoever opened the pull request; `pull_request_target` runs with the base's."""
_OF_DEPENDABOT = _OF_PULL_REQUESTS | {"push", "create", "deployment", "deployment_status"}
_QUEUED = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-([1-9][0-9]{0,17})-[0-9a-f]{40,64}")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?")


@dataclass(frozen=True)
class PullRequest:
    """`fork`: its head is in another repository, or in one that is gone."""

    number: int
    head_sha: str
    base_sha: str
    fork: bool


@dataclass(frozen=True)
class Release:
    """The release that a `release` event is about."""

    id: int
    tag: str


@dataclass(frozen=True)
class Event:
    """What is known about where the run takes place; empty where it is not on GitHub.

    `sha`: the commit that is measured, of a pull request its head. `base_sha`: a recording to compare with
    stands at this commit or at one before it. `queued`: the number of the pull request that a merge group was made for.
    """

    name: str = ""
    repository: str = ""  # owner/name
    sha: str = ""
    ref: str = ""
    default_branch: str = ""
    base_sha: str = ""
    pull_request: PullRequest | None = None
    queued: int = 0
    release: Release | None = None
    deleted: bool = False  # the push took a branch or tag away, and pushed no commit
    run_id: int = 0
    run_attempt: int = 0
    server_url: str = "https://github.com"
    api_url: str = "https://api.github.com"
    graphql_url: str = "https://api.github.com/graphql"
    actor: str = ""  # who started the run
    trouble: str = ""  # why the payload could not be read, one line

    @property
    def from_outside(self) -> bool:
        """What is measured was written by somebody who may not push here: a pull request of a fork, or Dependabot's."""
        return self.pull_request is not None and (self.pull_request.fork or self.actor == DEPENDABOT)

    @property
    def without_secrets(self) -> bool:
        """GitHub hands the run none of the repository's secrets, and a token that may only read.

        Source: docs.github.com, "Using secrets in GitHub Actions" and "Troubleshooting Dependabot on GitHub Actions".
        """
        if self.actor == DEPENDABOT and self.name in _OF_DEPENDABOT:
            return True
        return self.name in _OF_PULL_REQUESTS and self.pull_request is not None and self.pull_request.fork

    @property
    def run_url(self) -> str:
        """The page of the workflow run, or "" outside one."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}" if self.run_id else ""


NO_EVENT = Event()


def read_event(environ: Mapping[str, str]) -> Event:
    """The event that `GITHUB_*` describe; a payload that cannot be read leaves its fields empty and sets `trouble`."""
    name = environ.get("GITHUB_EVENT_NAME", "")
    payload, trouble = read_payload(environ.get("GITHUB_EVENT_PATH", ""))
    pull_request = _pull_request(payload)
    measured = pull_request.head_sha if pull_request is not None else _commit(environ.get("GITHUB_SHA", ""))
    return Event(
        name=name,
        repository=_matching(_REPOSITORY, environ.get("GITHUB_REPOSITORY")),
        sha=measured,
        ref=environ.get("GITHUB_REF", ""),
        default_branch=text(payload, "repository", "default_branch"),
        base_sha=_base_sha(name, payload, pull_request) or measured,
        pull_request=pull_request,
        queued=_queued(payload) if name == "merge_group" else 0,
        deleted=name == "push" and at(payload, "deleted") is True,
        release=_release(payload) if name == "release" else None,
        run_id=_count(environ.get("GITHUB_RUN_ID")),
        run_attempt=_count(environ.get("GITHUB_RUN_ATTEMPT")),
        server_url=_matching(_URL, _url(environ, "SERVER", NO_EVENT)) or NO_EVENT.server_url,
        # Never the default in place of one that is no address: the token would go to another server.
        api_url=_url(environ, "API", NO_EVENT),
        graphql_url=_url(environ, "GRAPHQL", NO_EVENT),
        actor=environ.get("GITHUB_ACTOR", ""),
        trouble=trouble,
    )


def read_payload(path: str) -> tuple[JSON, str]:
    """The JSON of the payload file, or None; and why it could not be read, one line."""
    if not path:
        return None, ""
    try:
        if Path(path).exists() and not Path(path).is_file():
            return None, f"the event's payload is no file: {path}"
        with Path(path).open("rb") as file:
            data = file.read(MAX_PAYLOAD + 1)
        if len(data) > MAX_PAYLOAD:
            return None, f"the event's payload is larger than {MAX_PAYLOAD >> 20} MiB: {path}"
        return parse(data.decode("utf-8")), ""
    except OSError as error:
        return None, f"the event's payload cannot be read ({error.strerror or error}): {path}"
    except ValueError as error:
        return None, f"the event's payload is not JSON ({error}): {path}"


def _pull_request(payload: JSON) -> PullRequest | None:
    found = at(payload, "pull_request")
    if number(found, "number") < 1:
        return None
    # A deleted fork leaves null. Unequal ids, not the `fork` flag: the base itself may be a fork.
    head, base = at(found, "head", "repo", "id"), at(found, "base", "repo", "id")
    return PullRequest(
        number=number(found, "number"),
        head_sha=sha(found, "head", "sha"),
        base_sha=sha(found, "base", "sha"),
        fork=head is None or head != base,
    )


def _queued(payload: JSON) -> int:
    """The payload of a merge group names no pull request, but the branch that GitHub makes for it does."""
    found = _QUEUED.fullmatch(text(payload, "merge_group", "head_ref"))
    return int(found[1]) if found is not None else 0


def _release(payload: JSON) -> Release | None:
    identity, tag = number(payload, "release", "id"), text(payload, "release", "tag_name")
    return Release(identity, tag) if identity and tag else None


def _base_sha(name: str, payload: JSON, pull_request: PullRequest | None) -> str:
    """Empty where the measured commit itself is the newest that counts."""
    if pull_request is not None:
        return pull_request.base_sha
    if name == "merge_group":
        return sha(payload, "merge_group", "base_sha")
    return ""


def _matching(pattern: re.Pattern[str], value: str | None) -> str:
    return value if value is not None and pattern.fullmatch(value) else ""


def _commit(word: str) -> str:
    """Only a whole commit hash: it goes into paths of the API."""
    return word if is_sha(word) else ""


def _url(environ: Mapping[str, str], name: str, default: Event) -> str:
    given = environ.get(f"GITHUB_{name}_URL", "").strip().rstrip("/")
    return given or str(getattr(default, f"{name.lower()}_url"))


def _count(digits: str | None) -> int:
    return int(digits) if digits is not None and re.fullmatch("[0-9]{1,18}", digits) else 0
