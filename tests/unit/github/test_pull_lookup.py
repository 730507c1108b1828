"""Which pull request a run was of: by GitHub's word alone, and by none that does not fit in every part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from llm_testbench.github.event import Event, PullRequest
from llm_testbench.github.pull_lookup import Outdated, Refused, look_up, still_current, triggering_run
from llm_testbench.json_value import JSON, JSONObject

HEAD, NEWER, BASE = "a" * 40, "e" * 40, "b" * 40
OURS, FORK, OTHER_FORK = 4711, 4712, 4713


def run(**changes: Any) -> dict[str, Any]:
    """As the payload and the API tell it."""
    return {
        "id": 900,
        "run_attempt": 1,
        "event": "pull_request",
        "conclusion": "success",
        "head_sha": HEAD,
        "head_branch": "feature",
        "head_repository": {"id": FORK, "owner": {"login": "mona"}},
        "repository": {"id": OURS},
        "pull_requests": [],
        "run_started_at": "2026-11-01T00:00:00Z",
        **changes,
    }


def pull(number: int = 17, *, head: str = HEAD, repo: int | None = FORK, base: str = "main", **more: Any) -> JSONObject:
    return {
        "number": number,
        "state": "open",
        "head": {"sha": head, "ref": "feature", "repo": None if repo is None else {"id": repo}},
        "base": {"sha": BASE, "ref": base, "repo": {"id": OURS}},
        **more,
    }


@dataclass
class Answers:
    """What GitHub knows. `by_branch`: open ones by `owner:branch`; `by_commit`: all that hold the commit."""

    today: JSON = field(default_factory=run)
    by_branch: Mapping[str, list[JSONObject]] = field(default_factory=dict)
    by_commit: list[JSONObject] = field(default_factory=list)
    event: Event = field(default_factory=lambda: Event(default_branch="main"))
    asked: list[str] = field(default_factory=list)

    def get(self, path: str, /, *, needs: str) -> JSON:
        self.asked.append(f"{path} {needs}")
        return self.today

    def pages(self, path: str, key: str | None = None, *, needs: str, **params: str | int) -> Iterator[JSONObject]:
        self.asked.append(f"{path} {needs}")
        assert params.get("state", "open") == "open"
        return iter(self.by_branch.get(str(params["head"]), []) if "head" in params else self.by_commit)


def found(answers: Answers, payload: dict[str, Any] | None = None, repository: int = OURS) -> Any:
    triggering = triggering_run({"workflow_run": payload or run()})
    assert triggering is not None
    return look_up(answers, triggering, repository)


def by_branch(*pulls: JSONObject, **more: Any) -> Answers:
    return Answers(by_branch={"mona:feature": list(pulls)}, **more)


def test_the_pull_request_of_a_fork_is_found_by_branch_and_held_against_commit_and_repository() -> None:
    answers = by_branch(pull(18, repo=OTHER_FORK), pull(17), pull(19, head=NEWER))
    assert found(answers) == PullRequest(17, HEAD, BASE, fork=True)
    assert answers.asked == ["/actions/runs/900 actions: read", "/pulls pull-requests: read"]


def test_that_of_the_repository_itself_is_no_fork() -> None:
    own = run(head_repository={"id": OURS, "owner": {"login": "octo"}})
    answers = Answers(today=own, by_branch={"octo:feature": [pull(repo=OURS)]})
    assert found(answers, own) == PullRequest(17, HEAD, BASE, fork=False)


def test_where_the_branch_finds_none_the_commit_does() -> None:
    assert found(Answers(by_commit=[pull()])) == PullRequest(17, HEAD, BASE, fork=True)


@pytest.mark.parametrize("told", [None, {"id": FORK, "owner": {"login": "mona"}}], ids=["before", "since"])
def test_of_a_fork_that_was_deleted_the_commit_tells(told: JSON) -> None:
    payload = run(head_repository=told)
    answers = Answers(today=run(head_repository=None), by_commit=[pull(repo=None)])
    assert found(answers, payload) == PullRequest(17, HEAD, BASE, fork=True)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (by_branch(pull(head=NEWER)), "#17 has moved on from aaaaaaa: the run of its new head publishes"),
        (Answers(by_commit=[pull(state="closed")]), "#17 is closed"),
        (Answers(), "no open pull request has the commit aaaaaaa as its head"),
        (by_branch(pull(repo=OTHER_FORK)), "no open pull request has"),
        (Answers(by_commit=[pull(repo=OTHER_FORK)]), "no open pull request has"),
        (by_branch(pull(base="v1"), pull(18, base="v2")), "several pull requests have this head (#17, #18)"),
        (by_branch(pull(), today=run(run_attempt=2)), "was started again: attempt 2 publishes its own results"),
    ],
)
def test_there_is_nothing_to_publish_and_nobody_is_at_fault(answers: Answers, words: str) -> None:
    outdated = found(answers)
    assert isinstance(outdated, Outdated)
    assert words in outdated.why


@pytest.mark.parametrize("conclusion", ["cancelled", "skipped", "stale", "action_required"])
def test_a_run_that_measured_nothing_to_its_end_asks_github_nothing(conclusion: str) -> None:
    answers = by_branch(pull())
    assert isinstance(found(answers, run(conclusion=conclusion)), Outdated)
    assert answers.asked == []


@pytest.mark.parametrize("conclusion", ["success", "failure", "timed_out"])
def test_a_run_that_failed_has_results_like_any_other(conclusion: str) -> None:
    assert isinstance(found(by_branch(pull()), run(conclusion=conclusion)), PullRequest)


@pytest.mark.parametrize("event", ["push", "pull_request_target", "workflow_dispatch", "schedule", "", "x" * 5000])
def test_a_run_of_any_other_event_is_refused(event: str) -> None:
    refused = found(by_branch(pull()), run(event=event))
    assert isinstance(refused, Refused)
    assert "not by pull_request" in refused.why
    assert len(refused.why) < 200


@pytest.mark.parametrize(
    ("payload", "repository", "words"),
    [
        (run(repository={"id": 9}), OURS, "another repository"),
        (run(repository=None), OURS, "another repository"),
        (run(), 0, "another repository"),
        (run(head_sha="main"), OURS, "does not tell run, attempt and commit"),
        (run(run_attempt=None), OURS, "does not tell run, attempt and commit"),
        (run(head_sha=NEWER), OURS, "is not what GitHub says of it"),
        (run(id=901), OURS, "is not what GitHub says of it"),
        (run(head_branch="main"), OURS, "is not what GitHub says of it"),
        (run(run_attempt=3), OURS, "has no attempt 3"),
    ],
)
def test_a_run_that_is_not_what_it_seems_is_refused(payload: dict[str, Any], repository: int, words: str) -> None:
    refused = found(by_branch(pull()), payload, repository)
    assert isinstance(refused, Refused)
    assert words in refused.why


@pytest.mark.parametrize("today", [None, [], {"id": "900"}, "x"])
def test_an_answer_that_is_no_run_refuses(today: JSON) -> None:
    assert isinstance(found(by_branch(pull(), today=today)), Refused)


def test_of_several_into_different_bases_the_one_that_the_run_names_is_taken() -> None:
    several = by_branch(pull(17, base="v1"), pull(18, base="v2"))
    assert found(several, run(pull_requests=[{"number": 18}])).number == 18


def test_else_the_one_into_the_default_branch() -> None:
    assert found(by_branch(pull(17, base="v1"), pull(18, base="main"))).number == 18


@pytest.mark.parametrize("payload", [None, {}, {"workflow_run": None}, {"workflow_run": {"id": True}}, []])
def test_a_payload_without_a_run_has_none(payload: JSON) -> None:
    assert triggering_run(payload) is None


@pytest.mark.parametrize(
    ("answer", "current"),
    [(pull(), True), (pull(head=NEWER), False), (pull(state="closed"), False), (None, False)],
)
def test_whether_it_has_moved_on_is_seen_again(answer: JSON, current: bool) -> None:
    request = PullRequest(17, HEAD, BASE, fork=True)
    assert (still_current(Answers(today=answer), request) is None) == current
