"""The check run over HTTP, with the real client; every request is held against GitHub's own description."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.integration.github.test_comment import client
from tests.servers.github import FakeGitHub
from tests.servers.github.state import CheckRun

from llm_testbench.github.api import GitHubError
from llm_testbench.github.check_run import BATCH, MOST, NEEDS, Annotation, Check, Left, leave

SHA = "a" * 40
CHECK = Check("llm-testbench", SHA, (10, 1), "http://github.example/run", "failure", "Worse", "## Worse\n")
MARK = Annotation("evals/a.yaml", 7, "failure", "Worse: total", "it dropped")
LOST = ({"status": 502}, {"status": 0})


def left(fake: FakeGitHub, check: Check = CHECK, marks: int = 0) -> Left:
    return leave(client(fake), check, [replace(MARK, line=number + 1) for number in range(marks)])


def attempt(number: int, **changes: Any) -> Check:
    return replace(CHECK, run=(10, number), **changes)


def only(fake: FakeGitHub) -> CheckRun:
    (one,) = fake.checks.values()
    return one


def test_it_is_ended_as_soon_as_it_is_there(fake: FakeGitHub) -> None:
    done = left(fake, marks=1)
    made = only(fake)
    assert (made.name, made.head_sha, made.status, made.conclusion) == ("llm-testbench", SHA, "completed", "failure")
    assert (made.title, made.summary, made.external_id) == ("Worse", "## Worse\n", "10/1")
    assert made.details_url == CHECK.url
    assert made.completed_at is not None
    assert all(seen.body.get("conclusion", "failure") == "failure" for seen in fake.requests if seen.body)
    assert done == Left(f"{fake.site.html}/runs/{made.id}", marked=1)
    (said,) = made.annotations
    assert said == {
        "path": "evals/a.yaml",
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "failure",
        "title": "Worse: total",
        "message": "it dropped",
    }


@pytest.mark.parametrize(
    ("marks", "requests"), [(0, 0), (1, 1), (BATCH, 1), (BATCH + 1, 2), (MOST, 10), (MOST + 1, 10)]
)
def test_annotations_come_in_batches_and_end_somewhere(fake: FakeGitHub, marks: int, requests: int) -> None:
    assert left(fake, marks=marks).marked == min(marks, MOST)
    assert [one["start_line"] for one in only(fake).annotations] == list(range(1, min(marks, MOST) + 1))
    assert sum(seen.method == "PATCH" for seen in fake.requests) == requests


def test_a_line_that_is_not_known_is_the_first(fake: FakeGitHub) -> None:
    leave(client(fake), CHECK, [replace(MARK, line=0)])
    assert only(fake).annotations[0]["start_line"] == 1


def test_a_run_that_is_run_again_writes_over_what_it_left(fake: FakeGitHub) -> None:
    left(fake)
    left(fake, attempt(2, conclusion="success", title="No drop found"))
    made = only(fake)
    assert (made.external_id, made.conclusion, made.title) == ("10/2", "success", "No drop found")


def test_what_marks_lines_is_not_written_over_for_github_takes_no_mark_away(fake: FakeGitHub) -> None:
    left(fake, marks=2)
    left(fake, attempt(2, conclusion="success"))
    first, second = fake.checks.values()
    assert (first.conclusion, len(first.annotations)) == ("failure", 2)
    assert (second.conclusion, len(second.annotations)) == ("success", 0)
    shown = client(fake).pages(f"/commits/{SHA}/check-runs", "check_runs")
    assert [one["conclusion"] for one in shown] == ["success"]


def test_the_words_of_a_later_attempt_stand(fake: FakeGitHub) -> None:
    left(fake, attempt(2, title="later"))
    done = left(fake, attempt(1), marks=1)
    assert done.kept
    assert done.url == f"{fake.site.html}/runs/{only(fake).id}"
    assert only(fake).title == "later"


@pytest.mark.parametrize(
    ("name", "external_id", "app"),
    [
        pytest.param("llm-testbench", "ca5fe6b7-1ff0", "github-actions", id="a job of the same name"),
        pytest.param("llm-testbench", "11/1", "github-actions", id="another run"),
        pytest.param("llm-testbench (nightly)", "10/1", "github-actions", id="another key"),
        pytest.param("llm-testbench", "10/1", "somebody", id="another app's"),
        pytest.param("llm-testbench", "", "github-actions", id="nobody's"),
    ],
)
def test_what_is_not_ours_stays_as_it_is(fake: FakeGitHub, name: str, external_id: str, app: str) -> None:
    other = fake.add_check(name, SHA, external_id=external_id, app=app)
    left(fake)
    assert (other.status, other.title) == ("queued", None)
    assert [one.title for one in fake.checks.values()] == [None, "Worse"]


def test_it_is_found_on_a_later_page(fake: FakeGitHub) -> None:
    left(fake)
    for number in range(120):
        fake.add_check("llm-testbench", SHA, external_id=f"{11 + number}/1")
    left(fake, attempt(2, title="again"))
    assert len(fake.checks) == 121
    assert next(iter(fake.checks.values())).title == "again"


@pytest.mark.parametrize("lost", LOST)
def test_an_answer_that_is_lost_leaves_one(fake: FakeGitHub, lost: dict[str, Any]) -> None:
    fake.fail("POST", "/check-runs$", **lost, after=True)
    assert left(fake, marks=1).marked == 1
    assert only(fake).title == "Worse"


@pytest.mark.parametrize("lost", LOST)
def test_a_request_that_is_lost_is_made_again(fake: FakeGitHub, lost: dict[str, Any]) -> None:
    fake.fail("POST", "/check-runs$", **lost)
    assert left(fake).url
    assert only(fake).title == "Worse"


@pytest.mark.parametrize("lost", LOST)
def test_annotations_never_arrive_twice(fake: FakeGitHub, lost: dict[str, Any]) -> None:
    fake.fail("PATCH", "/check-runs/", **lost, after=True)
    done = left(fake, marks=BATCH + 1)
    assert done.marked == 0
    assert "PATCH" in done.trouble
    assert len(only(fake).annotations) == BATCH


def test_the_verdict_stands_where_a_line_is_refused(fake: FakeGitHub) -> None:
    fake.fail("PATCH", "/check-runs/", 422)
    done = left(fake, marks=2)
    assert (done.marked, only(fake).conclusion) == (0, "failure")
    assert "HTTP 422" in done.trouble


@pytest.mark.parametrize("status", [401, 403, 404, 422, 500, 503])
def test_a_refusal_is_an_error(fake: FakeGitHub, status: int) -> None:
    fake.fail("POST", "/check-runs$", status, times=2)
    with pytest.raises(GitHubError, match=f"/check-runs: HTTP {status}") as caught:
        left(fake)
    assert (f'lacks "{NEEDS}"' in str(caught.value)) == (status in (403, 404))
    assert fake.checks == {}


def test_an_answer_that_is_no_check_run_is_an_error(fake: FakeGitHub) -> None:
    fake.fail("POST", "/check-runs$", 201, body={"hello": "there"})
    with pytest.raises(GitHubError, match="the answer is no check run"):
        left(fake)
