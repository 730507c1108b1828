"""A push over HTTP that goes wrong at any of its requests: a gate still finds the old baseline or the new one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from requests.exceptions import ConnectionError as LostError
from tests.integration.github.baselines import ASSET, client, measured, no_file, packed
from tests.integration.github.late import Late
from tests.servers.github import FakeGitHub
from tests.unit.github.wanting import wanted

from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.releases import push
from llm_testbench.github.sources import locate

OLD, NEW, OTHER = (packed(measured(version=f"{number}.0.0")) for number in (1, 2, 3))


class KilledError(BaseException):
    """The process ends here."""


class Faulty(HTTPAdapter):
    """Breaks the request of a number, counted from 1; `lasting`: and all after it."""

    def __init__(self, at: int, fault: Callable[[Faulty, PreparedRequest], Response], *, lasting: bool = False) -> None:
        super().__init__()
        self._at, self._fault, self._lasting, self.count = at, fault, lasting, 0

    def send(self, request: PreparedRequest, *more: Any, **options: Any) -> Response:
        self.count += 1
        if self.count == self._at or (self._lasting and self.count > self._at):
            return self._fault(self, request)
        return super().send(request, *more, **options)

    def done(self, request: PreparedRequest) -> None:
        """It takes effect, and nobody reads the answer."""
        super().send(request, timeout=5, stream=False)


def killed_before(_: Faulty, request: PreparedRequest) -> Response:
    raise KilledError


def killed_after(adapter: Faulty, request: PreparedRequest) -> Response:
    adapter.done(request)
    raise KilledError


def cut_before(_: Faulty, request: PreparedRequest) -> Response:
    raise LostError(ConnectionResetError(104, "Connection reset by peer"))


def cut_after(adapter: Faulty, request: PreparedRequest) -> Response:
    adapter.done(request)
    raise LostError(ConnectionResetError(104, "Connection reset by peer"))


def refused(fake: FakeGitHub, status: int) -> Callable[[Faulty, PreparedRequest], Response]:
    def fault(adapter: Faulty, request: PreparedRequest) -> Response:
        # Of the server itself, which leaves an asset without bytes where an upload broke inside of it.
        fake.fail(str(request.method), str(request.path_url.split("?")[0]) + "$", status)
        return HTTPAdapter.send(adapter, request, timeout=5, stream=True)

    return fault


FAULTS: dict[str, Any] = {
    "killed before": lambda _: killed_before,
    "killed after": lambda _: killed_after,
    "cut before": lambda _: cut_before,
    "cut after": lambda _: cut_after,
    "403": lambda fake: refused(fake, 403),
    "404": lambda fake: refused(fake, 404),
    "422": lambda fake: refused(fake, 422),
    "502": lambda fake: refused(fake, 502),
}
REQUESTS = 5  # release, assets, upload, deletion, renaming
STATES = {"with an old one": {ASSET: OLD}, "the first one": {}, "beside another file": {ASSET: OLD, "notes.txt": b"x"}}


def pusher(fake: FakeGitHub, adapter: HTTPAdapter | None = None) -> GitHub:
    session = Session()
    if adapter is not None:
        session.mount("http://", adapter)
    plain = client(fake)
    return GitHub(plain.event, fake.token, session=session, sleep=lambda _: None)


def fetched(fake: FakeGitHub) -> str:
    located = locate(wanted("release"), (), client(fake), no_file)
    assert located.failed == ()
    return located.candidates[0].artifact.meta.version if located.candidates else ""


def attempted(github: GitHub, data: bytes = NEW) -> bool:
    try:
        push(github, "v1", None, ASSET, data)
    except (GitHubError, KilledError):
        return False
    return True


def names(fake: FakeGitHub) -> dict[str, bytes]:
    return {asset.name: asset.data for release in fake.releases.values() for asset in release.assets}


def test_a_push_makes_so_many_requests(fake: FakeGitHub) -> None:
    fake.add_release("v1", assets={ASSET: OLD})
    assert attempted(pusher(fake))
    methods = [seen.method for seen in fake.requests]
    assert methods[:REQUESTS] == ["GET", "GET", "POST", "DELETE", "PATCH"]


@pytest.mark.parametrize("assets", STATES.values(), ids=STATES)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("at", range(1, REQUESTS + 3))
def test_after_any_failure_there_is_a_baseline_and_a_second_push_heals(
    fake: FakeGitHub, at: int, fault: Any, lasting: bool, assets: dict[str, bytes]
) -> None:
    release = fake.releases[fake.add_release("v1", assets=assets)]
    before = fetched(fake)

    done = attempted(pusher(fake, Faulty(at, fault(fake), lasting=lasting)))

    assert fetched(fake) in ({"2.0.0"} if done else {before, "2.0.0"})
    assert attempted(pusher(fake))
    assert fetched(fake) == "2.0.0"
    found = names(fake)
    assert found[ASSET] == NEW
    # Of what an upload that broke left behind, only the name is there, until nobody can be at it any more.
    left = [asset for asset in release.assets if asset.name not in (ASSET, "notes.txt")]
    assert not [asset for asset in left if asset.state == "uploaded"]
    assert ("notes.txt" in found) == ("notes.txt" in assets)


def test_what_a_broken_push_left_is_removed_by_a_later_one(fake: FakeGitHub) -> None:
    release = fake.releases[fake.add_release("v1", assets={ASSET: OLD})]
    for name in ("0123456789ab.new", "0123456789ab.2.new", "not-ours.new"):
        left = fake.add_asset(release.id, f"{ASSET}.{name}", b"")
        left.state, left.created_at = "starter", "2026-01-01T00:00:00Z"
    young = fake.add_asset(release.id, f"{ASSET}.abcdefabcdef.new", b"")

    assert attempted(pusher(fake))

    assert set(names(fake)) == {ASSET, f"{ASSET}.not-ours.new", young.name}


@pytest.mark.parametrize("pushes", [1, 2, 5])
def test_a_file_that_is_exchanged_while_a_gate_looks_is_found_all_the_same(fake: FakeGitHub, pushes: int) -> None:
    fake.add_release("v1", assets={ASSET: OLD})

    class Before(HTTPAdapter):
        """A push comes between each list and its download."""

        pushed = 0

        def send(self, request: PreparedRequest, *more: Any, **options: Any) -> Response:
            if "/releases/assets/" in str(request.url) and self.pushed < pushes:
                self.pushed += 1
                assert attempted(pusher(fake), NEW if self.pushed % 2 else OTHER)
            return super().send(request, *more, **options)

    (candidate,) = locate(wanted("release"), (), pusher(fake, Before()), no_file).candidates

    assert candidate.artifact.meta.version == ("2.0.0" if pushes % 2 else "3.0.0")


def test_a_name_that_somebody_took_meanwhile_is_taken_over(fake: FakeGitHub) -> None:
    fake.add_release("v1", assets={ASSET: OLD})

    def other(adapter: Faulty, request: PreparedRequest) -> Response:
        assert attempted(pusher(fake), OTHER)
        return HTTPAdapter.send(adapter, request, timeout=5, stream=True)

    assert attempted(pusher(fake, Faulty(REQUESTS, other)))  # just before it renames

    assert names(fake) == {ASSET: NEW}


@pytest.mark.parametrize("same", [False, True], ids=["of different bytes", "of the same bytes"])
@pytest.mark.parametrize("round_", range(10))
def test_of_two_pushers_at_once_one_has_the_last_word_and_there_is_always_a_baseline(
    fake: FakeGitHub, round_: int, same: bool
) -> None:
    fake.add_release("v1", assets={ASSET: OLD})
    ended = threading.Event()
    seen: list[str] = []

    def look() -> None:
        while not ended.is_set():
            seen.append(fetched(fake))

    with ThreadPoolExecutor(3) as pool:
        looking = pool.submit(look)
        pushing = [
            pool.submit(attempted, pusher(fake, Late(2 * round_ + number)), NEW if same or number else OTHER)
            for number in range(2)
        ]
        done = [one.result() for one in pushing]
        ended.set()
        looking.result()

    assert done == [True, True]
    assert set(seen) <= {"1.0.0", "2.0.0", "3.0.0"}
    uploaded = {asset.name for release in fake.releases.values() for asset in release.assets if asset.data}
    assert uploaded == {ASSET}
    assert fetched(fake) in ({"2.0.0"} if same else {"2.0.0", "3.0.0"})
