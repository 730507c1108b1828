"""Which pull request a finished workflow run was about: what `workflow_run` tells, checked against GitHub itself.

Such a run belongs to whoever opened the pull request, so that nothing it wrote says where its results may be shown.
Only what GitHub says of it counts: its commit, its branch and the repository of that. Source of the fields:
docs.github.com, "Webhook events and payloads", `workflow_run`; of a fork's run `pull_requests` is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from llm_testbench.github.answers import at, number, sha, text
from llm_testbench.github.event import Event, PullRequest
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.untrusted import shortened

EVENT = "workflow_run"
"""The event of a workflow that begins when another one has ended."""
PULL_REQUEST = "pull_request"
NOT_RUN = frozenset({"cancelled", "skipped", "stale", "action_required"})
"""Conclusions of a run that measured nothing to its end."""

MOST_PULLS = 100  # looked at of each list
_READ_RUNS, _READ_PULLS = "actions: read", "pull-requests: read"


@dataclass(frozen=True)
class TriggeringRun:
    """The run that has ended. `head_repository_id`: 0 where that repository is gone. `pulls`: numbers, as far as told.

    `began`: when this attempt of it did, RFC 3339. Texts are foreign: a fork names its branches as it likes.
    """

    id: int
    attempt: int
    event: str
    conclusion: str
    head_sha: str
    head_branch: str
    head_owner: str
    head_repository_id: int
    repository_id: int
    began: str = ""
    pulls: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outdated:
    """There is nothing to publish, and nobody did anything wrong: `why`, one line."""

    why: str


@dataclass(frozen=True)
class Refused:
    """The run is none whose results may be published: `why`, one line."""

    why: str


class Pulls(Protocol):
    """What is used of `api.GitHub`, with its errors."""

    @property
    def event(self) -> Event:
        """Where the run takes place."""

    def get(self, path: str, /, *, needs: str) -> JSON:
        """The JSON there."""

    def pages(self, path: str, key: str | None = None, *, needs: str, **params: str | int) -> Iterator[JSONObject]:
        """Every item of every page."""


def triggering_run(payload: JSON) -> TriggeringRun | None:
    """The run of a `workflow_run` payload; None where it names none."""
    found = at(payload, EVENT)
    return _run(found) if isinstance(found, Mapping) else None


def look_up(github: Pulls, run: TriggeringRun, repository_id: int) -> PullRequest | Outdated | Refused:
    """The open pull request that the run measured. `repository_id`: of the payload, where the workflow stands.

    Three GETs as a rule. Raises GitHubError.
    """
    why = _unfit(run, repository_id)
    if why:
        return Refused(why)
    if run.conclusion in NOT_RUN:
        return Outdated(f"run {run.id} was not carried out to its end: {run.conclusion}")
    today = _run(github.get(f"/actions/runs/{run.id}", needs=_READ_RUNS))
    if today is None or _identity(today) != _identity(run):
        return Refused(f"what the event says of run {run.id} is not what GitHub says of it")
    if today.attempt != run.attempt:
        if today.attempt < run.attempt:
            return Refused(f"run {run.id} has no attempt {run.attempt}")
        return Outdated(f"run {run.id} was started again: attempt {today.attempt} publishes its own results")
    return _pull_request(github, run)


def still_current(github: Pulls, request: PullRequest) -> Outdated | None:
    """What became of the pull request since it was looked up: None while it is open and its head where it was."""
    return _gone(github.get(f"/pulls/{request.number}", needs=_READ_PULLS), request.head_sha)


def _unfit(run: TriggeringRun, repository_id: int) -> str:
    if run.event != PULL_REQUEST:
        return f"run {run.id} was started by {shortened(run.event, 40) or 'no event'}, not by {PULL_REQUEST}"
    if not run.id or not run.attempt or not run.head_sha:
        return "the event's payload does not tell run, attempt and commit"
    if not repository_id or run.repository_id != repository_id:
        return f"run {run.id} is of a workflow in another repository"
    return ""


def _run(found: JSON) -> TriggeringRun | None:
    if number(found, "id") < 1:
        return None
    pulls = at(found, "pull_requests")
    listed: Sequence[JSON] = pulls if isinstance(pulls, list) else ()
    return TriggeringRun(
        id=number(found, "id"),
        attempt=number(found, "run_attempt"),
        event=text(found, "event"),
        conclusion=text(found, "conclusion"),
        head_sha=sha(found, "head_sha"),
        head_branch=text(found, "head_branch"),
        head_owner=text(found, "head_repository", "owner", "login"),
        head_repository_id=number(found, "head_repository", "id"),
        repository_id=number(found, "repository", "id"),
        began=text(found, "run_started_at"),
        pulls=tuple(one for pull in listed[:MOST_PULLS] if (one := number(pull, "number")) > 0),
    )


def _identity(run: TriggeringRun) -> tuple[object, ...]:
    # A fork that was deleted since is gone from both, or from the later answer alone.
    return run.id, run.event, run.head_sha, run.head_branch, run.repository_id


def _pull_request(github: Pulls, run: TriggeringRun) -> PullRequest | Outdated:
    gone: list[Outdated] = []
    for found in (_of_branch(github, run), _of_commit(github, run)):
        fitting: dict[int, tuple[PullRequest, str]] = {}
        for item in found:
            request = _request(item, run)
            if request is None:
                continue
            outdated = _gone(item, run.head_sha)
            if outdated is not None:
                gone.append(outdated)
            else:
                fitting[request.number] = (request, text(item, "base", "ref"))
        if fitting:
            return _chosen(fitting, run, github.event.default_branch)
    return gone[0] if gone else Outdated(f"no open pull request has the commit {run.head_sha[:7]} as its head")


def _of_branch(github: Pulls, run: TriggeringRun) -> Iterator[JSONObject]:
    if run.head_owner and run.head_branch:
        head = f"{run.head_owner}:{run.head_branch}"
        yield from islice(github.pages("/pulls", needs=_READ_PULLS, state="open", head=head), MOST_PULLS)


def _of_commit(github: Pulls, run: TriggeringRun) -> Iterator[JSONObject]:
    """Also where the fork is gone, or its branch, and for those that were closed meanwhile."""
    yield from islice(github.pages(f"/commits/{run.head_sha}/pulls", needs=_READ_PULLS), MOST_PULLS)


def _request(item: JSONObject, run: TriggeringRun) -> PullRequest | None:
    """The pull request, when it is from the run's repository into this one; its head may be elsewhere by now."""
    base, head = number(item, "base", "repo", "id"), number(item, "head", "repo", "id")
    # 0: that fork is gone, and its commit alone is left to tell whose it was.
    if number(item, "number") < 1 or base != run.repository_id or head not in (run.head_repository_id, 0):
        return None
    return PullRequest(
        number=number(item, "number"),
        head_sha=sha(item, "head", "sha"),
        base_sha=sha(item, "base", "sha"),
        fork=head != base,
    )


def _gone(item: JSON, head_sha: str) -> Outdated | None:
    which = f"pull request #{number(item, 'number')}"
    if text(item, "state") != "open":
        return Outdated(f"{which} is closed")
    if sha(item, "head", "sha") != head_sha:
        return Outdated(f"{which} has moved on from {head_sha[:7]}: the run of its new head publishes its own results")
    return None


def _chosen(
    fitting: Mapping[int, tuple[PullRequest, str]], run: TriggeringRun, default_branch: str
) -> PullRequest | Outdated:
    """One branch may have pull requests into several others, and a run does not always tell which one it is of."""
    told = [request for number_, (request, _) in fitting.items() if number_ in run.pulls]
    into_default = [request for request, base in fitting.values() if base == default_branch]
    for some in ([request for request, _ in fitting.values()], told, into_default):
        if len(some) == 1:
            return some[0]
    listed = ", ".join(f"#{number_}" for number_ in sorted(fitting)[:5])
    return Outdated(f"several pull requests have this head ({listed}), and the run does not tell which one it is of")
