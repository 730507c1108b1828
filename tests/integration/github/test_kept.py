"""Recordings kept on a branch over HTTP, with the real client: what is there stays there, whoever else writes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from tests.integration.github.baselines import ASSET, COMMITS, REPOSITORY, commit, measured, no_file, packed
from tests.integration.github.late import Late
from tests.servers.github import FakeGitHub
from tests.unit.github.wanting import wanted

from llm_testbench.github import kept
from llm_testbench.github.api import TOTAL_WAIT, GitHub, GitHubError
from llm_testbench.github.event import Event
from llm_testbench.github.kept import MOST_REFUSALS, MOST_TRIES, keep
from llm_testbench.github.sources import locate
from llm_testbench.github.wanted import KEPT

BRANCH = "llm/baselines"
HEAD = f"refs/heads/{BRANCH}"


class Before(HTTPAdapter):
    """Acts just before each request of a kind, as another job would at that moment."""

    def __init__(self, holds: bytes, act: Callable[[], object], times: int = 1) -> None:
        super().__init__()
        self._holds, self._act, self._left = holds, act, times

    def send(self, request: PreparedRequest, *more: Any, **options: Any) -> Response:
        body = request.body if isinstance(request.body, bytes) else b""
        if self._left and self._holds in body:
            self._left -= 1
            self._act()
        return super().send(request, *more, **options)


def recorder(
    fake: FakeGitHub, at: str = COMMITS[5], *, adapter: HTTPAdapter | None = None, sleep: Any = None, **event: Any
) -> GitHub:
    about = Event(
        name="push",
        repository=REPOSITORY,
        sha=at,
        ref="refs/heads/main",
        default_branch="main",
        base_sha=COMMITS[-1],
        run_id=7,
        server_url=fake.url,
        api_url=fake.url,
        graphql_url=f"{fake.url}/graphql",
    )
    session = Session()
    if adapter is not None:
        session.mount("http://", adapter)
    return GitHub(
        replace(about, **event), fake.token, session=session, sleep=sleep or (lambda _: None), total_wait=60.0
    )


def files(fake: FakeGitHub, branch: str = BRANCH) -> Mapping[str, bytes]:
    return {path: fake.git.blobs[sha] for path, sha in fake.git.files(fake.git.heads.get(branch)).items()}


def commits(fake: FakeGitHub) -> set[str]:
    return {path.partition("/")[0] for path in files(fake)}


def history(fake: FakeGitHub) -> list[str]:
    return fake.history(fake.git.heads[BRANCH])


def test_the_first_recording_makes_the_branch_and_a_gate_finds_it(fake: FakeGitHub) -> None:
    data = packed(measured())

    url = keep(recorder(fake), BRANCH, ASSET, data)

    assert url == f"{fake.url}/octo/shop/blob/{BRANCH}/{COMMITS[5]}/{ASSET}"
    assert files(fake) == {f"{COMMITS[5]}/{ASSET}": data}
    (candidate,) = locate(wanted(f"ref:{BRANCH}"), (), recorder(fake), no_file).candidates
    assert (candidate.sha, candidate.url) == (COMMITS[5], url)


def test_what_was_kept_stays_and_the_history_does_not_grow(fake: FakeGitHub) -> None:
    for at in COMMITS[:6]:
        keep(recorder(fake, at), BRANCH, ASSET, at.encode())

    assert files(fake) == {f"{at}/{ASSET}": at.encode() for at in COMMITS[:6]}
    assert len(history(fake)) == 1


def test_the_same_commit_again_replaces_its_own_file_alone(fake: FakeGitHub) -> None:
    for at, data in ((COMMITS[1], b"one"), (COMMITS[2], b"two"), (COMMITS[1], b"new")):
        keep(recorder(fake, at), BRANCH, ASSET, data)

    assert files(fake) == {f"{COMMITS[1]}/{ASSET}": b"new", f"{COMMITS[2]}/{ASSET}": b"two"}


def test_the_same_bytes_again_change_nothing(fake: FakeGitHub) -> None:
    keep(recorder(fake), BRANCH, ASSET, b"one")
    head = fake.git.heads[BRANCH]
    fake.requests.clear()

    keep(recorder(fake), BRANCH, ASSET, b"one")

    assert fake.git.heads[BRANCH] == head
    assert [seen.path.rpartition("/")[2] for seen in fake.requests] == ["blobs", "graphql"]


def test_several_products_of_one_commit_stand_side_by_side(fake: FakeGitHub) -> None:
    keep(recorder(fake), BRANCH, "shop.json.gz", b"shop")
    keep(recorder(fake), BRANCH, "chat.json.gz", b"chat")

    assert files(fake) == {f"{COMMITS[5]}/shop.json.gz": b"shop", f"{COMMITS[5]}/chat.json.gz": b"chat"}


def test_a_branch_that_somebody_else_began_is_gone_on_with(fake: FakeGitHub) -> None:
    fake.add_branch_file(BRANCH, f"{COMMITS[1]}/{ASSET}", b"one")
    fake.add_branch_file(BRANCH, f"{COMMITS[2]}/{ASSET}", b"two")

    keep(recorder(fake), BRANCH, ASSET, b"new")

    assert commits(fake) == {COMMITS[1], COMMITS[2], COMMITS[5]}
    assert len(history(fake)) == 1


@pytest.mark.parametrize("gone", [0, 3])
def test_the_newest_commits_stay(fake: FakeGitHub, gone: int) -> None:
    """Those that are gone from the repository are of no use to anybody."""
    shuffled = random.Random(3)
    fake.ancestry = [f"{shuffled.getrandbits(160):040x}" for _ in range(KEPT + 20)]
    unknown = [f"f{number:039x}" for number in range(gone)]
    for at in (*fake.ancestry[: KEPT + 10], *unknown):
        fake.add_branch_file(BRANCH, f"{at}/{ASSET}", at.encode())

    keep(recorder(fake, fake.ancestry[KEPT + 10]), BRANCH, ASSET, b"new")

    assert commits(fake) == set(fake.ancestry[11 : KEPT + 11])
    assert len(commits(fake)) == KEPT


def test_a_branch_of_very_many_recordings_is_cut_at_once(fake: FakeGitHub) -> None:
    fake.ancestry = [commit(number) for number in range(1, 320)]
    tree = fake.git.add_tree({f"{at}/{ASSET}": fake.git.add_blob(at.encode()) for at in fake.ancestry[:318]})
    fake.git.heads[BRANCH] = fake.git.add_commit(tree, (), "many").sha

    keep(recorder(fake, fake.ancestry[318]), BRANCH, ASSET, b"new")

    assert commits(fake) == set(fake.ancestry[319 - KEPT :])


def test_an_old_commit_measured_again_is_kept_all_the_same(fake: FakeGitHub) -> None:
    fake.ancestry = [commit(number) for number in range(1, KEPT + 20)]
    for at in fake.ancestry[5 : KEPT + 5]:
        fake.add_branch_file(BRANCH, f"{at}/{ASSET}", at.encode())

    keep(recorder(fake, fake.ancestry[0]), BRANCH, ASSET, b"old")

    assert commits(fake) == {fake.ancestry[0], *fake.ancestry[6 : KEPT + 5]}


NOT_OURS = {
    "a file at the top": ("README.md", "README.md"),
    "another folder": ("src/main.py", "src"),
    "half a hash": (f"{COMMITS[1][:7]}/{ASSET}", COMMITS[1][:7]),
    "a folder in a folder": (f"{COMMITS[1]}/deep/{ASSET}", f"{COMMITS[1]}/deep"),
    "a file like a commit": (COMMITS[1], COMMITS[1]),
}


@pytest.mark.parametrize(("path", "named"), NOT_OURS.values(), ids=NOT_OURS)
def test_a_branch_that_holds_anything_else_is_left_as_it_is(fake: FakeGitHub, path: str, named: str) -> None:
    fake.add_branch_file(BRANCH, f"{COMMITS[2]}/{ASSET}", b"two")
    head = fake.add_branch_file(BRANCH, path, b"work of years")

    with pytest.raises(GitHubError, match=rf"^{named} on it is no recording, so the branch is left as it is"):
        keep(recorder(fake), BRANCH, ASSET, b"new")

    assert fake.git.heads[BRANCH] == head


def test_what_becomes_foreign_meanwhile_is_not_lost_either(fake: FakeGitHub) -> None:
    keep(recorder(fake, COMMITS[1]), BRANCH, ASSET, b"one")
    meanwhile = Before(b"updateRefs", lambda: fake.add_branch_file(BRANCH, "thesis.tex", b"work of years"))

    with pytest.raises(GitHubError, match=r"^thesis\.tex on it is no recording"):
        keep(recorder(fake, adapter=meanwhile), BRANCH, ASSET, b"new")

    assert files(fake)["thesis.tex"] == b"work of years"


@pytest.mark.parametrize(
    ("branch", "event"),
    [("main", {}), ("trunk", {"default_branch": "trunk"}), ("next", {"ref": "refs/heads/next", "default_branch": ""})],
)
def test_the_branch_of_the_code_is_never_written(fake: FakeGitHub, branch: str, event: dict[str, Any]) -> None:
    with pytest.raises(GitHubError, match="this branch holds the code: name another one"):
        keep(recorder(fake, **event), branch, ASSET, b"new")
    assert fake.requests == []


def test_without_a_commit_nothing_is_kept(fake: FakeGitHub) -> None:
    with pytest.raises(GitHubError, match="the commit that was measured is not known: set GITHUB_SHA"):
        keep(recorder(fake, at=""), BRANCH, ASSET, b"new")
    assert fake.requests == []


@pytest.mark.parametrize(("asset", "more"), [(ASSET, ""), ("a.json", ", or an asset whose name ends in .gz")])
def test_a_recording_that_is_too_large_is_said(
    fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch, asset: str, more: str
) -> None:
    monkeypatch.setattr(kept, "MAX_BYTES", 1 << 20)
    said = f"the recording has 2 MiB, and a branch takes 1 MiB of one: store_responses: failed makes it smaller{more}"
    with pytest.raises(GitHubError) as caught:
        keep(recorder(fake), BRANCH, asset, b"x" * (2 << 20))
    assert str(caught.value) == said
    assert fake.requests == []


# --- Others write, too


@pytest.mark.parametrize("round_", range(20))
def test_of_many_recorders_at_once_none_loses_anything(fake: FakeGitHub, round_: int) -> None:
    """Every second round they also race for making the branch."""
    before = {COMMITS[10]: b"before"} if round_ % 2 else {}
    for at, data in before.items():
        fake.add_branch_file(BRANCH, f"{at}/{ASSET}", data)
    start = threading.Barrier(8)

    def record(number: int) -> None:
        start.wait(5)
        github = recorder(fake, COMMITS[number], adapter=Late(round_ * 8 + number))
        keep(github, BRANCH, ASSET, f"recording {number}".encode())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(record, range(8)))

    expected = {COMMITS[number]: f"recording {number}".encode() for number in range(8)} | before
    assert files(fake) == {f"{at}/{ASSET}": data for at, data in expected.items()}
    assert len(history(fake)) == 1


def test_of_two_that_make_the_branch_both_are_there(fake: FakeGitHub) -> None:
    first = Before(b"updateRefs", lambda: keep(recorder(fake, COMMITS[1]), BRANCH, ASSET, b"other"))

    keep(recorder(fake, COMMITS[2], adapter=first), BRANCH, ASSET, b"own")

    assert files(fake) == {f"{COMMITS[1]}/{ASSET}": b"other", f"{COMMITS[2]}/{ASSET}": b"own"}


def test_who_is_always_too_late_gives_up_at_last(fake: FakeGitHub) -> None:
    number = iter(range(1000, 2000))
    always = Before(b"updateRefs", lambda: keep(recorder(fake, commit(next(number))), BRANCH, ASSET, b"x"), times=999)

    with pytest.raises(GitHubError, match="others were quicker each time"):
        keep(recorder(fake, adapter=always), BRANCH, ASSET, b"own", chance=lambda: 0.1)

    assert len(commits(fake)) == MOST_TRIES


def test_pauses_grow_by_chance_and_end(fake: FakeGitHub) -> None:
    fake.fail("POST", "/git/trees$", 502, times=99)
    pauses: list[float] = []

    with pytest.raises(GitHubError, match="502"):
        keep(recorder(fake, sleep=pauses.append), BRANCH, ASSET, b"own", chance=lambda: 0.5)

    assert pauses[:6] == [0.25, 0.5, 1.0, 2.0, 2.5, 2.5]
    assert 50 < sum(pauses) <= TOTAL_WAIT


# --- Trouble


STEPS = {
    "the blob": ("/git/blobs$", 1),
    "the tree": ("/git/trees$", 1),
    "the commit": ("/git/commits$", 1),
    "the look before": ("/graphql$", 1),
}


@pytest.mark.parametrize(("path", "times"), STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("status", [0, 500, 502, 409, 422])
@pytest.mark.parametrize("after", [False, True], ids=["without effect", "after its effect"])
def test_one_failure_anywhere_is_got_over(fake: FakeGitHub, path: str, times: int, status: int, after: bool) -> None:
    keep(recorder(fake, COMMITS[1]), BRANCH, ASSET, b"one")
    fake.fail("POST", path, status, times=times, after=after)

    keep(recorder(fake, COMMITS[2]), BRANCH, ASSET, b"two")

    assert files(fake) == {f"{COMMITS[1]}/{ASSET}": b"one", f"{COMMITS[2]}/{ASSET}": b"two"}


class Lost(HTTPAdapter):
    """The answer to the move of the branch gets lost; `sent`: it was carried out."""

    def __init__(self, *, sent: bool, meanwhile: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self._sent, self._meanwhile, self._left = sent, meanwhile, 1

    def send(self, request: PreparedRequest, *more: Any, **options: Any) -> Response:
        moves = b"updateRefs" in (request.body if isinstance(request.body, bytes) else b"")
        if not moves or not self._left:
            return super().send(request, *more, **options)
        self._left -= 1
        answer = super().send(request, *more, **options) if self._sent else None
        if answer is not None:
            answer.close()
        self._meanwhile()
        raise ConnectionResetError(104, "Connection reset by peer")


@pytest.mark.parametrize("sent", [False, True])
@pytest.mark.parametrize("others", [False, True])
def test_a_move_whose_answer_is_lost_is_looked_after(fake: FakeGitHub, sent: bool, others: bool) -> None:
    keep(recorder(fake, COMMITS[1]), BRANCH, ASSET, b"one")

    def other() -> None:
        if others:
            keep(recorder(fake, COMMITS[3]), BRANCH, ASSET, b"three")

    keep(recorder(fake, COMMITS[2], adapter=Lost(sent=sent, meanwhile=other)), BRANCH, ASSET, b"two")

    assert commits(fake) == {COMMITS[1], COMMITS[2], *([COMMITS[3]] if others else [])}


@pytest.mark.parametrize("path", ["/git/blobs$", "/git/trees$", "/git/commits$"])
def test_a_missing_permission_is_named_at_once(fake: FakeGitHub, path: str) -> None:
    fake.fail("POST", path, 403, times=99, body={"message": "Resource not accessible by integration"})

    with pytest.raises(GitHubError, match='the token lacks "contents: write"'):
        keep(recorder(fake), BRANCH, ASSET, b"new")

    assert sum(path.strip("$") in seen.path for seen in fake.requests) == 1
    assert files(fake) == {}


def test_a_branch_that_must_not_lose_commits_is_said_to_be_protected(fake: FakeGitHub) -> None:
    keep(recorder(fake, COMMITS[1]), BRANCH, ASSET, b"one")
    fake.protected.add(BRANCH)
    fake.requests.clear()

    with pytest.raises(GitHubError, match=r"must not lose commits; the branch may be protected: let whoever has"):
        keep(recorder(fake), BRANCH, ASSET, b"new")

    moves = [seen for seen in fake.requests if "updateRefs" in str(seen.body)]
    assert len(moves) == MOST_REFUSALS
    assert commits(fake) == {COMMITS[1]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"repository": None}, "GitHub does not show the repository to this token"),
        ({"repository": {"id": "R", "ref": {"target": None}}}, "GitHub does not show what is on the branch"),
        (
            {"repository": {"id": "R", "ref": {"target": {"oid": commit(1), "tree": {"entries": None}}}}},
            "GitHub does not show what is on the branch",
        ),
        (
            {
                "repository": {
                    "id": "R",
                    "ref": {
                        "target": {
                            "oid": commit(1),
                            "tree": {
                                "entries": [{"name": commit(2), "type": "tree", "oid": commit(3), "object": None}]
                            },
                        }
                    },
                }
            },
            "GitHub does not show what is on the branch",
        ),
    ],
)
def test_half_an_answer_is_no_empty_branch(fake: FakeGitHub, data: object, said: str) -> None:
    fake.fail("POST", "/graphql$", 200, times=99, body={"data": data})

    with pytest.raises(GitHubError, match=said):
        keep(recorder(fake), BRANCH, ASSET, b"new")

    assert fake.git.heads == {}


def test_an_object_without_a_name_is_not_used(fake: FakeGitHub) -> None:
    fake.fail("POST", "/git/blobs$", 201, times=99, body={"sha": "../x"})

    with pytest.raises(GitHubError, match="POST /git/blobs: the answer names no object"):
        keep(recorder(fake), BRANCH, ASSET, b"new")
