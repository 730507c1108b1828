"""What a token may do in the repository, as far as that can be known without writing anything.

GitHub has no call that tells a job's token its permissions, and `permissions` of a repository speak of the account
behind a token, not of the token (docs.github.com, "Get a repository"). What may be read is tried with one small GET.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from llm_testbench.github.answers import at
from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.json_value import JSON

State: TypeAlias = Literal["yes", "no", "unknown"]

_READ = (
    ("contents: read", "baselines from releases and branches", "/releases"),
    ("actions: read", "baselines from recorded runs, and what a fork's run left behind", "/actions/artifacts"),
    ("pull-requests: read", "to find the pull request of a fork's run", "/pulls"),
)
_WRITE = (
    ("contents: write", "to attach a baseline to a release, or keep it on a branch"),
    ("pull-requests: write", "to comment on a pull request"),
    ("checks: write", "to leave a check run on a commit"),
)
_JOB_TOKEN = "ghs_"  # docs.github.com, "Authentication to GitHub: token formats"
_OF_JOB = "only writing would show; the log of the step 'Set up job' lists what the job's token may do"


@dataclass(frozen=True)
class Permission:
    """`key`: as a workflow's `permissions:` has it. `purpose`: what needs it. `said`: GitHub's words, untrusted."""

    key: str
    purpose: str
    state: State
    seen: str
    said: str = ""


def permissions(github: GitHub, token: str) -> tuple[Permission, ...]:
    """One line for each permission that some command needs; at most four GETs."""
    try:
        repository = github.get("", needs="metadata: read")
    except GitHubError as error:
        state: State = "no" if error.status in (401, 403, 404) else "unknown"
        return (Permission("metadata: read", "anything", state, _unseen(error), str(error)),)
    return (*_readable(github), *_writable(repository, token))


def _unseen(error: GitHubError) -> str:
    if error.status == 401:
        return "the token is not valid"
    if error.status == 404:
        return "the repository does not exist, or this token may not see it"
    return "the repository cannot be read"


def _readable(github: GitHub) -> Iterator[Permission]:
    for key, purpose, path in _READ:
        try:
            github.get(path, needs=key, per_page=1)
        except GitHubError as error:
            refused = error.status in (403, 404) and "rate limit" not in str(error)
            seen = "refused" if refused else "could not be tried"
            yield Permission(key, purpose, "no" if refused else "unknown", seen, str(error))
        else:
            yield Permission(key, purpose, "yes", "tried")


def _writable(repository: JSON, token: str) -> Iterator[Permission]:
    push = at(repository, "permissions", "push")
    of_job = token.startswith(_JOB_TOKEN)
    for key, purpose in _WRITE:
        if of_job:
            yield Permission(key, purpose, "unknown", _OF_JOB)
        elif push is False and key == "contents: write":
            yield Permission(key, purpose, "no", "the account of this token may not push")
        else:
            yield Permission(key, purpose, "unknown", "only writing would show")
