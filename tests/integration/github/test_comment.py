"""The comment over HTTP, with the real client; every request is held against GitHub's own description."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from tests.servers.github import FakeGitHub

from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.comment import marker, room, upsert
from llm_testbench.github.event import Event, PullRequest

NUMBER = 7


@pytest.fixture
def server() -> Iterator[FakeGitHub]:
    with FakeGitHub() as fake:
        yield fake
        assert fake.problems == []


class Before(HTTPAdapter):
    """Acts just before the first request of a kind is sent, as another run would at that moment."""

    def __init__(self, method: str, path: str, act: Callable[[], object]) -> None:
        super().__init__()
        self._first = (method, path)
        self._act = [act]

    def send(self, request: PreparedRequest, *more: Any, **options: Any) -> Response:
        method, path = self._first
        if self._act and request.method == method and path in (request.url or ""):
            self._act.pop()()
        return super().send(request, *more, **options)


def event_at(server: FakeGitHub, run: int = 10) -> Event:
    return Event(
        name="pull_request",
        repository="octo/shop",
        run_id=run,
        run_attempt=1,
        pull_request=PullRequest(NUMBER, "a" * 40, "b" * 40, fork=False),
        server_url=server.url,
        api_url=server.url,
        graphql_url=server.environ["GITHUB_GRAPHQL_URL"],
    )


def client(server: FakeGitHub, run: int = 10, adapter: HTTPAdapter | None = None) -> GitHub:
    session = Session()
    if adapter is not None:
        session.mount("http://", adapter)
    return GitHub(event_at(server, run), server.token, session=session, sleep=lambda seconds: None)


def ours(server: FakeGitHub, body: str, run: int = 9) -> str:
    return f"{marker('default', event_at(server, run))}\n\n{body}"


def bodies(server: FakeGitHub) -> list[str]:
    return [one.body.rpartition("-->\n\n")[2] for one in server.comments[NUMBER]]


def writes(server: FakeGitHub) -> list[str]:
    return [one.method for one in server.requests if one.method != "GET" and one.path != "/graphql"]


def test_a_comment_is_created_and_then_changed_in_place(server: FakeGitHub) -> None:
    first = upsert(client(server, 10), "default", "**Worse**: `@someone` – 2 tests")
    second = upsert(client(server, 11), "default", "Better")

    assert (first.action, second.action) == ("created", "updated")
    assert first.url == second.url
    assert first.url.endswith(f"/octo/shop/pull/{NUMBER}#issuecomment-{server.comments[NUMBER][0].id}")
    assert bodies(server) == ["Better"]
    assert writes(server) == ["POST", "PATCH"]


def test_ours_is_found_on_the_third_page_and_planted_ones_before_it_are_not(server: FakeGitHub) -> None:
    for number in range(120):
        server.add_comment(NUMBER, ours(server, "planted", run=99), author="mallory")
        server.add_comment(NUMBER, f"talk {number}", author="octocat")
    server.add_comment(NUMBER, ours(server, "Worse"))

    assert upsert(client(server), "default", "Better").action == "updated"

    assert len(server.comments[NUMBER]) == 241
    assert bodies(server)[-1] == "Better"
    assert bodies(server).count("planted") == 120


def test_duplicates_of_ours_go_and_comments_of_other_pull_requests_stay(server: FakeGitHub) -> None:
    server.add_comment(8, ours(server, "elsewhere"))
    for body in ("first", "second", "third"):
        server.add_comment(NUMBER, ours(server, body))

    assert upsert(client(server), "default", "Better").action == "updated"

    assert bodies(server) == ["Better"]
    assert len(server.comments[8]) == 1


def test_a_newer_runs_comment_stays(server: FakeGitHub) -> None:
    server.add_comment(NUMBER, ours(server, "newer", run=11))

    assert upsert(client(server, 10), "default", "older").action == "kept"

    assert bodies(server) == ["newer"]
    assert writes(server) == []


def test_the_longest_body_is_taken(server: FakeGitHub) -> None:
    left = room("default", event_at(server))

    upsert(client(server), "default", "é" * (left // 2) + "x" * (left % 2))

    assert len(server.comments[NUMBER][0].body.encode()) == 65_536


@pytest.mark.parametrize("after", [False, True], ids=["before it was done", "after it was done"])
@pytest.mark.parametrize("there", [False, True], ids=["creation", "change"])
def test_a_connection_that_is_lost_costs_neither_the_comment_nor_a_second_one(
    server: FakeGitHub, there: bool, after: bool
) -> None:
    if there:
        server.add_comment(NUMBER, ours(server, "Worse"))
    server.fail("PATCH" if there else "POST", "/comments", 0, after=after)

    posted = upsert(client(server), "default", "Better")

    assert bodies(server) == ["Better"]
    assert posted.url.endswith(f"-{server.comments[NUMBER][0].id}")


def test_a_comment_deleted_just_before_it_is_changed_is_made_anew(server: FakeGitHub) -> None:
    server.add_comment(NUMBER, ours(server, "Worse"))
    adapter = Before("PATCH", "/comments/", server.comments[NUMBER].clear)

    assert upsert(client(server, adapter=adapter), "default", "Better").action == "created"
    assert bodies(server) == ["Better"]


def test_a_comment_deleted_just_before_its_author_is_asked_for_is_forgotten(server: FakeGitHub) -> None:
    server.add_comment(NUMBER, ours(server, "first"))
    server.add_comment(NUMBER, ours(server, "second"))
    adapter = Before("POST", "/graphql", server.comments[NUMBER].pop)

    assert upsert(client(server, adapter=adapter), "default", "Better").action == "updated"
    assert bodies(server) == ["Better"]


@pytest.mark.parametrize(
    ("method", "path", "there"),
    [("GET", "/comments", False), ("POST", "/comments", False), ("PATCH", "/comments/", True), ("POST", "/gr", True)],
)
def test_a_missing_permission_is_named(server: FakeGitHub, method: str, path: str, there: bool) -> None:
    if there:
        server.add_comment(NUMBER, ours(server, "Worse"))
    server.fail(method, path, 403, times=9)

    with pytest.raises(GitHubError) as caught:
        upsert(client(server), "default", "Better")

    assert 'the token lacks "pull-requests: write"' in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_error_of_graphql_creates_nothing(server: FakeGitHub) -> None:
    server.add_comment(NUMBER, ours(server, "Worse"))
    refusal: Mapping[str, object] = {"errors": [{"message": "Resource not accessible by integration"}]}
    server.fail("POST", "/graphql", 200, times=2, body=refusal)

    with pytest.raises(GitHubError, match="Resource not accessible by integration"):
        upsert(client(server), "default", "Better")
    assert writes(server) == []


def test_of_many_runs_at_once_one_comment_is_left(server: FakeGitHub) -> None:
    with ThreadPoolExecutor(6) as pool:
        posted = list(pool.map(lambda run: upsert(client(server, run), "default", f"run {run}"), range(10, 16)))

    (left,) = server.comments[NUMBER]
    assert {one.url.rpartition("-")[2] for one in posted} == {str(left.id)}
