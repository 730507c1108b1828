"""What becomes of a comment when GitHub has trouble with one of the four calls that it takes, over HTTP."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from tests.integration.github.test_comment import NUMBER, bodies, event_at, ours
from tests.servers.github import FakeGitHub

from llm_testbench.github import exchange
from llm_testbench.github.api import MAX_TRIES, TOTAL_WAIT, GitHub, GitHubError
from llm_testbench.github.comment import upsert

NEEDS = 'the token lacks "pull-requests: write"'
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation ID 1."
LOCKED = "Unable to create comment because issue is locked."

STEPS = {
    "list": ("GET", "/comments$"),
    "graphql": ("POST", "/graphql$"),
    "create": ("POST", "/comments$"),
    "update": ("PATCH", "/comments/"),
}


@pytest.fixture
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    if "no answer in time" in request.node.name:
        monkeypatch.setattr(exchange, "READ_TIMEOUT", 0.6)  # a loaded machine is slow, too
    with FakeGitHub() as fake:
        yield fake
        assert fake.problems == []


@dataclass
class Time:
    """Passes by sleeping alone."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass(frozen=True)
class Trouble:
    """An answer, or none. Seconds: `reset` until the primary limit is open again, `waits` before the next try."""

    status: int
    said: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    reset: int | None = None
    delay: float = 0.0
    waits: float = 0.0
    told: str = ""

    def put(self, server: FakeGitHub, step: str, times: int) -> None:
        method, path = STEPS[step]
        body = {"message": self.said} if self.said else None
        headers = {**self.headers, **(in_seconds(self.reset) if self.reset is not None else {})}
        server.fail(method, path, self.status, times=times, headers=headers, body=body, delay=self.delay)

    @property
    def limited(self) -> bool:
        return self.status in (403, 429)


def in_seconds(seconds: int) -> dict[str, str]:
    return {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + seconds)}


FINAL = {
    "no permission": Trouble(403, "Resource not accessible by integration", told=NEEDS),
    "not there": Trouble(404, told=f"it does not exist, or {NEEDS}"),
    "converted to a discussion": Trouble(410, "This issue was deleted", told="HTTP 410: This issue was deleted"),
    "locked": Trouble(403, LOCKED, told=LOCKED),
    "not valid": Trouble(422, "Validation Failed", told="HTTP 422: Validation Failed"),
    "busy for an hour": Trouble(429, "Slow down", {"Retry-After": "3600"}, told="next try in 3600s"),
    "secondary limit for an hour": Trouble(403, SECONDARY, {"Retry-After": "3600"}, told="next try in 3600s"),
    "primary limit for an hour": Trouble(403, PRIMARY, reset=3600, told="the rate limit is used up"),
}
PASSING = {
    "busy": Trouble(429, "Slow down", {"Retry-After": "7"}, waits=7),
    "secondary limit": Trouble(403, SECONDARY, {"Retry-After": "9"}, waits=9),
    "secondary limit that says nothing": Trouble(403, SECONDARY, waits=60),
    "primary limit": Trouble(403, PRIMARY, reset=20, waits=21),
    "500": Trouble(500, waits=1),
    "502": Trouble(502, waits=1),
    "503": Trouble(503, waits=1),
    "503 that says how long": Trouble(503, headers={"Retry-After": "5"}, waits=5),
    "504": Trouble(504, waits=1),
    "no answer in time": Trouble(502, delay=0.9, waits=1),
    "cut connection": Trouble(0, waits=1),
}


def published(server: FakeGitHub, time: Time, adapter: HTTPAdapter | None = None) -> str:
    with Session() as session:
        if adapter is not None:
            session.mount("http://", adapter)
        github = GitHub(event_at(server), server.token, session=session, clock=time.clock, sleep=time.sleep)
        return upsert(github, "default", "Better").action


def prepared(server: FakeGitHub, step: str) -> None:
    """A comment that stands makes its change the step that is tried, and none its creation."""
    if step in ("graphql", "update"):
        server.add_comment(NUMBER, ours(server, "Worse"))


def asked(server: FakeGitHub, step: str) -> int:
    method, path = STEPS[step]
    return sum(one.method == method and path.strip("$") in one.path for one in server.requests)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", FINAL)
def test_what_will_not_pass_is_told_at_once(server: FakeGitHub, step: str, name: str) -> None:
    trouble, time = FINAL[name], Time()
    prepared(server, step)
    trouble.put(server, step, times=99)
    if (step, name) == ("update", "not there"):
        # Deleted, as far as it knows.
        with pytest.raises(GitHubError, match="the comment disappeared whenever it was written"):
            published(server, time)
        return

    with pytest.raises(GitHubError) as caught:
        published(server, time)

    assert trouble.told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (NEEDS in str(caught.value)) == (NEEDS in trouble.told)
    assert time.slept == []
    assert asked(server, step) == 1


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", PASSING)
def test_what_passes_is_waited_for(server: FakeGitHub, step: str, name: str) -> None:
    trouble, time = PASSING[name], Time()
    prepared(server, step)
    trouble.put(server, step, times=1)

    published(server, time)

    assert bodies(server) == ["Better"]
    # A creation that may have been made all the same is looked for instead.
    waited = trouble.limited or step != "create"
    assert time.slept == ([pytest.approx(trouble.waits, abs=1)] if waited else [])


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", PASSING)
def test_what_does_not_pass_after_all_is_given_up(server: FakeGitHub, step: str, name: str) -> None:
    trouble, time = PASSING[name], Time()
    prepared(server, step)
    trouble.put(server, step, times=99)

    with pytest.raises(GitHubError) as caught:
        published(server, time)

    assert NEEDS not in str(caught.value)
    assert sum(time.slept) <= TOTAL_WAIT
    assert 2 <= asked(server, step) <= 2 * MAX_TRIES
    if trouble.limited:
        assert "the rate limit is used up" in str(caught.value)


@pytest.mark.parametrize(
    ("said", "headers", "reset", "waits"),
    [(PRIMARY, {}, 20, 21), (SECONDARY, {"Retry-After": "8"}, None, 8), (SECONDARY, {}, None, 60)],
    ids=["primary", "secondary", "secondary that says nothing"],
)
def test_graphql_tells_of_a_limit_with_http_200(
    server: FakeGitHub, said: str, headers: dict[str, str], reset: int | None, waits: float
) -> None:
    time = Time()
    prepared(server, "graphql")
    body = {"errors": [{"type": "RATE_LIMITED", "message": said}]}
    limit = {**headers, **(in_seconds(reset) if reset is not None else {})}
    server.fail("POST", "/graphql", 200, headers=limit, body=body)

    assert published(server, time) == "updated"
    assert bodies(server) == ["Better"]
    assert time.slept == [pytest.approx(waits, abs=1)]


def test_graphql_that_stays_limited_is_told_as_a_limit(server: FakeGitHub) -> None:
    prepared(server, "graphql")
    body = {"errors": [{"type": "RATE_LIMITED", "message": PRIMARY}]}
    server.fail("POST", "/graphql", 200, times=99, headers=in_seconds(3600), body=body)

    with pytest.raises(GitHubError, match=f"{PRIMARY}; the rate limit is used up, next try in 36"):
        published(server, Time())


class AfterTheChange(HTTPAdapter):
    """Acts when the comment was changed, before the next question."""

    def __init__(self, trouble: Trouble, server: FakeGitHub) -> None:
        super().__init__()
        self._trouble, self._server = trouble, server
        self._changed = False

    def send(self, request: PreparedRequest, *more: Any, **options: Any) -> Response:
        history = b"userContentEdits" in (request.body if isinstance(request.body, bytes) else b"")
        if history and not self._changed:
            self._changed = True
            self._trouble.put(self._server, "graphql", times=99)
        return super().send(request, *more, **options)


@pytest.mark.parametrize("name", [*FINAL, *PASSING])
def test_a_history_that_cannot_be_had_costs_some_time_and_nothing_else(server: FakeGitHub, name: str) -> None:
    time = Time()
    prepared(server, "update")

    assert published(server, time, AfterTheChange({**FINAL, **PASSING}[name], server)) == "updated"

    assert bodies(server) == ["Better"]
    assert sum(time.slept) <= TOTAL_WAIT


def test_ours_is_found_behind_more_than_a_thousand_comments(server: FakeGitHub) -> None:
    server.remaining = 10_000
    for number in range(1_050):
        server.add_comment(NUMBER, f"talk {number}", author="octocat")
    prepared(server, "update")

    assert published(server, Time()) == "updated"

    assert len(server.comments[NUMBER]) == 1_051
    assert bodies(server)[-1] == "Better"
    assert asked(server, "list") == 2 * 11
