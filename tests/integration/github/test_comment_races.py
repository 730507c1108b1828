"""Publishers at the same time over HTTP, each request as late as chance has it, before its effect and after."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from requests import Session
from tests.servers.github import FakeGitHub
from tests.servers.github.http import Request

from llm_testbench.github.api import GitHub
from llm_testbench.github.comment import marker, upsert
from llm_testbench.github.event import Event, PullRequest

ROUNDS = 50
RUNS = range(10, 18)
KEYS = ("default", "nightly")
SHORT, LONG = 0.001, 0.04  # seconds before the effect, and again before the answer
OFTEN = 0.85  # share of the short ones: others write and look while a long one lasts


@pytest.fixture
def server() -> Iterator[FakeGitHub]:
    with FakeGitHub() as fake:
        fake.remaining = 1_000_000
        yield fake
        assert fake.problems == []


class Chance:
    """Delays by a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> tuple[float, float]:
        with self._lock:
            return self._seconds(), self._seconds()

    def _seconds(self) -> float:
        return self._random.random() * (SHORT if self._random.random() < OFTEN else LONG)


def published(server: FakeGitHub, number: int, run: int, key: str) -> str:
    event = Event(
        name="pull_request",
        repository="octo/shop",
        run_id=run,
        run_attempt=1,
        pull_request=PullRequest(number, "a" * 40, "b" * 40, fork=False),
        api_url=server.url,
        graphql_url=server.environ["GITHUB_GRAPHQL_URL"],
    )
    with Session() as session:
        github = GitHub(event, server.token, session=session, sleep=lambda seconds: None)
        return upsert(github, key, f"{key} by run {run}").url


def planted(key: str) -> str:
    event = Event(run_id=99, run_attempt=1, sha="a" * 40)
    return f"{marker(key, event)}\n\nplanted"


def test_of_eight_publishers_at_once_the_newest_has_the_last_word(server: FakeGitHub) -> None:
    began, kinds, rewritten = time.monotonic(), Counter[str](), 0
    chance = Random(0)
    with ThreadPoolExecutor(len(RUNS)) as pool:
        for number in range(1, ROUNDS + 1):
            server.delay = None
            server.add_comment(number, planted(KEYS[0]), author="mallory")
            for key in KEYS[: number % 3]:
                published(server, number, 9, key)
            server.delay = Chance(number)
            asked = len(server.requests)
            runs = chance.sample([(run, KEYS[run % 2]) for run in RUNS], len(RUNS))
            urls = list(pool.map(lambda one, number=number: (one[1], published(server, number, *one)), runs))

            theirs, *ours = server.comments[number]
            assert (theirs.body, theirs.author, theirs.edits) == (planted(KEYS[0]), "mallory", [])
            standing = {one.body.rpartition("-->\n\n")[2]: one for one in ours}
            assert sorted(standing) == [f"{KEYS[0]} by run 16", f"{KEYS[1]} by run 17"], f"round {number}"
            assert len(ours) == len(KEYS)
            assert {url.rpartition("-")[2] for _, url in urls} == {str(one.id) for one in ours}
            kinds.update(one.method for one in server.requests[asked:])
            rewritten += sum(len(one.edits) > 2 for one in ours)
    print(  # noqa: T201 -- the measure that `pytest -s` shows
        f"\n{ROUNDS} rounds of {len(RUNS)} publishers: {time.monotonic() - began:.1f} s, {dict(kinds)},"
        f" {rewritten} comments changed more than once"
    )
