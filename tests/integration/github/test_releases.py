import hashlib
from typing import Any

import pytest
from tests.integration.github.baselines import ASSET, client, measured, no_file, packed
from tests.servers.github import FakeGitHub
from tests.unit.github.wanting import wanted

from llm_testbench.github import sources
from llm_testbench.github.api import GitHubError
from llm_testbench.github.releases import push
from llm_testbench.github.sources import Located, PassedOver, locate

OLD, NEW = packed(measured(version="1.0.0")), packed(measured(version="2.0.0"))
LOCK = f"{ASSET}.{hashlib.sha256(NEW).hexdigest()[:12]}.new"


def found(fake: FakeGitHub, **more: Any) -> Located:
    return locate(wanted("release", **more), (), client(fake), no_file)


def tags(located: Located) -> list[str]:
    return [candidate.tag for candidate in located.candidates]


def release(fake: FakeGitHub, tag: str, day: int, data: bytes | None = NEW, name: str = ASSET, **more: Any) -> int:
    assets = {} if data is None else {name: data, "notes.txt": b"x"}
    return fake.add_release(tag, published_at=f"2026-01-{day:02}T00:00:00Z", assets=assets, **more)


def downloads(fake: FakeGitHub) -> int:
    return sum("/releases/assets/" in seen.path for seen in fake.requests)


def test_the_newest_release_is_the_baseline(fake: FakeGitHub) -> None:
    release(fake, "v1", 1, OLD)
    release(fake, "v2", 2, packed(measured(version="2.0.0", sha="c" * 40)))

    (candidate,) = found(fake).candidates

    assert (candidate.kind, candidate.source, candidate.tag) == ("release", "release v2", "v2")
    assert candidate.artifact.meta.version == "2.0.0"
    assert candidate.sha == "c" * 40
    assert candidate.url == f"{fake.url}/octo/shop/releases/tag/v2"
    assert downloads(fake) == 1


def test_the_token_goes_to_the_api_and_not_to_the_storage(fake: FakeGitHub) -> None:
    release(fake, "v1", 1)

    found(fake)

    assert all("authorization" in seen.headers for seen in fake.requests)
    assert [("authorization" in seen.headers) for seen in fake.storage_requests] == [False]


def test_newest_is_by_the_time_of_publication_not_of_the_commit(fake: FakeGitHub) -> None:
    release(fake, "v1-patch", 9, created_at="2025-01-01T00:00:00Z")
    release(fake, "v2", 5, created_at="2026-01-04T00:00:00Z")

    assert tags(found(fake)) == ["v1-patch"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param({}, ["app-v2"], id="neither drafts nor prereleases nor releases without the asset"),
        pytest.param({"prereleases": True}, ["app-v3-rc1"], id="prereleases on request"),
        pytest.param({"tag": "lib-*"}, ["lib-v1"], id="tag glob"),
        pytest.param({"tag": "app-v?"}, ["app-v2"], id="one character"),
        pytest.param({"tag": "[al]*"}, [], id="brackets are literal"),
        pytest.param({"tag": "App-*"}, [], id="case matters"),
        pytest.param({"excluded_tag": "app-v2"}, ["lib-v1"], id="not the release being made"),
        pytest.param({"asset": "other.json"}, ["app-v1"], id="another asset"),
        pytest.param({"asset": "none.json"}, [], id="an asset that no release has"),
    ],
)
def test_which_releases_count(fake: FakeGitHub, wanted: dict[str, Any], expected: list[str]) -> None:
    release(fake, "app-v1", 1, name="other.json")
    release(fake, "lib-v1", 2)
    release(fake, "app-v2", 3)
    release(fake, "app-v3", 4, data=None)
    release(fake, "app-v3-rc1", 5, prerelease=True)
    fake.add_release("app-v4", draft=True, assets={ASSET: NEW})

    located = found(fake, **wanted)

    assert (tags(located), located.passed_over, located.failed) == (expected, (), ())


def test_the_asset_may_be_on_a_later_page(fake: FakeGitHub) -> None:
    release(fake, "v0", 1)
    for number in range(100):
        release(fake, f"nightly-{number}", 2, data=None)

    assert tags(found(fake)) == ["v0"]
    assert [seen.query.get("page") for seen in fake.requests if seen.path.endswith("/releases")] == [None, "2"]


@pytest.mark.parametrize(
    ("data", "why", "broken"),
    [
        pytest.param(b"<html>", "is not JSON", True, id="no artifact"),
        pytest.param(NEW[:-20], "ends early", True, id="cut"),
        pytest.param(packed(measured(), schema_version=2), "schema_version 2 is newer", True, id="of a newer version"),
        pytest.param(packed(measured(), results=[{}]), "results[0]", True, id="breaks the schema"),
        pytest.param(packed(measured(interrupted=True)), "its run was interrupted", False, id="interrupted"),
        pytest.param(
            packed(measured({"chat": ["a"]}, 1)),
            "only 1 of 2 tests of",
            False,
            id="partial",
        ),
        pytest.param(packed(measured({})), "it holds no results", False, id="empty"),
    ],
)
def test_what_cannot_be_used_is_passed_over_and_told(fake: FakeGitHub, data: bytes, why: str, broken: bool) -> None:
    release(fake, "v1", 1, OLD)
    release(fake, "v2", 2, data)

    located = found(fake)

    assert tags(located) == ["v1"]
    (passed,) = located.passed_over
    assert (passed.source, passed.tag, passed.sha, passed.broken) == ("release v2", "v2", "", broken)
    assert why in passed.why


def test_an_upload_that_failed_is_passed_over(fake: FakeGitHub) -> None:
    release(fake, "v1", 1, OLD)
    newest = release(fake, "v2", 2, b"")
    fake.releases[newest].assets[0].state = "starter"

    located = found(fake)

    assert tags(located) == ["v1"]
    assert located.passed_over == (PassedOver("release v2", "v2", "", "its upload was not completed", broken=False),)


@pytest.mark.parametrize(("told", "asked"), [(True, 0), (False, 1)])
def test_a_file_that_is_too_large_is_broken(
    fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch, told: bool, asked: int
) -> None:
    monkeypatch.setattr("llm_testbench.github.fetch.MAX_PACKED", 5 << 20)
    release(fake, "v2", 2, b" " * (6 << 20))
    if not told:
        monkeypatch.setattr(
            "llm_testbench.github.releases.number", lambda value, key: 1 if key == "size" else value[key]
        )

    (passed,) = found(fake).passed_over

    assert (passed.why, passed.broken) == ("is larger than 5 MiB", True)
    assert downloads(fake) == asked


@pytest.mark.parametrize("role", ["record", "gate", "run"])
def test_people_push_artifacts_of_any_role(fake: FakeGitHub, role: Any) -> None:
    release(fake, "v1", 1, packed(measured(role=role)))

    assert tags(found(fake)) == ["v1"]


def test_no_more_than_ten_assets_are_downloaded(fake: FakeGitHub) -> None:
    for day in range(1, 15):
        release(fake, f"v{day}", day, b"{}")

    located = found(fake)

    assert located.candidates == ()
    assert [passed.tag for passed in located.passed_over] == [f"v{day}" for day in range(14, 4, -1)]
    assert downloads(fake) == 10


@pytest.mark.parametrize("status", [404, 410])
def test_a_file_that_is_gone_is_passed_over(fake: FakeGitHub, status: int) -> None:
    release(fake, "v1", 1, OLD)
    release(fake, "v2", 2)
    fake.fail("GET", "/release-assets/", status)

    located = found(fake)

    assert tags(located) == ["v1"]
    assert [passed.broken for passed in located.passed_over] == [True]
    assert f"HTTP {status}" in located.passed_over[0].why


@pytest.mark.parametrize(
    ("method", "path", "status", "line"),
    [
        ("GET", "/releases$", 403, 'the token lacks "contents: read"'),
        ("GET", "/releases$", 401, "the token is not valid: set the input token"),
        ("GET", "/releases$", 500, "HTTP 500"),
        ("GET", "/releases$", 0, ""),
        ("GET", "/releases/assets/", 502, "HTTP 502"),
        ("GET", "/release-assets/", 403, "HTTP 403"),
    ],
)
def test_trouble_is_a_line_and_no_older_release_stands_in(
    fake: FakeGitHub, method: str, path: str, status: int, line: str
) -> None:
    release(fake, "v1", 1, OLD)
    release(fake, "v2", 2)
    fake.fail(method, path, status, times=99)

    located = found(fake)

    assert (located.candidates, located.passed_over) == ((), ())
    (failed,) = located.failed
    assert failed.startswith("release: GET /repos/octo/shop/releases")
    assert line in failed
    assert fake.token not in failed


def test_a_passing_trouble_is_not_noticed(fake: FakeGitHub) -> None:
    release(fake, "v2", 2)
    fake.fail("GET", "/releases$", 502, times=2)
    fake.fail("GET", "/release-assets/", 0)

    assert tags(found(fake)) == ["v2"]


def test_without_a_token_a_public_repository_can_be_read(fake: FakeGitHub) -> None:
    release(fake, "v2", 2)

    assert tags(locate(wanted("release"), (), client(fake, token=""), no_file)) == ["v2"]


# Models that only an older release has


@pytest.mark.parametrize(
    ("older", "told"),
    [
        pytest.param([measured({"b": ["x"]})], (("b", "release v8"),), id="the next"),
        pytest.param(
            [measured({"a": ["x"]}), measured({"b": ["x"]}), measured({"b": ["x"]})], (("b", "release v7"),), id="later"
        ),
        pytest.param([measured()] * 3 + [measured({"b": ["x"]})], (), id="beyond three"),
        pytest.param([measured({"b": ["x"]}, interrupted=True)], (), id="not whole"),
        pytest.param([], (), id="no older release"),
    ],
)
def test_a_model_that_only_an_older_release_has_is_told(fake: FakeGitHub, older: list[Any], told: Any) -> None:
    release(fake, "v9", 9, packed(measured({"a": ["x"]})))
    for number, artifact in enumerate(older):
        release(fake, f"v{8 - number}", 8 - number, packed(artifact))

    located = locate(wanted("release"), [("a", "x"), ("b", "x")], client(fake), no_file)

    assert (tags(located), located.older, located.passed_over) == (["v9"], told, ())
    assert downloads(fake) <= 1 + sources.OLDER_RELEASES


def test_older_releases_are_looked_at_only_for_a_model_that_is_wholly_absent(fake: FakeGitHub) -> None:
    release(fake, "v1", 1, packed(measured({"a": ["x", "y"]})))
    release(fake, "v2", 2, packed(measured({"a": ["x"]})))

    located = locate(wanted("release"), [("a", "x"), ("a", "y")], client(fake), no_file)

    assert (located.older, downloads(fake)) == ((), 1)


def test_trouble_with_older_releases_loses_no_baseline(fake: FakeGitHub) -> None:
    release(fake, "v1", 1, packed(measured({"b": ["x"]})))
    release(fake, "v2", 2, packed(measured({"a": ["x"]})))
    first = fake.releases[min(fake.releases)].assets[0].id
    fake.fail("GET", f"/releases/assets/{first}", 500, times=99)

    located = locate(wanted("release"), [("a", "x"), ("b", "x")], client(fake), no_file)

    assert tags(located) == ["v2"]
    assert [line.split(":")[0] for line in located.failed] == ["older releases"]


# Push


def names(fake: FakeGitHub, release_id: int) -> dict[str, bytes]:
    return {asset.name: asset.data for asset in fake.releases[release_id].assets}


@pytest.mark.parametrize("draft", [False, True])
@pytest.mark.parametrize("by", ["tag", "id"])
def test_an_artifact_is_attached_to_a_release(fake: FakeGitHub, by: str, draft: bool) -> None:
    made = fake.add_release("shop/v1+2", draft=draft)

    url = push(client(fake), "shop/v1+2" if by == "tag" else None, made if by == "id" else None, ASSET, NEW)

    assert names(fake, made) == {ASSET: NEW}
    assert url.startswith(f"{fake.url}/octo/shop/releases/download/")
    assert url.endswith(ASSET)


def test_what_is_pushed_is_found(fake: FakeGitHub) -> None:
    fake.add_release("v1")
    push(client(fake), "v1", None, ASSET, NEW)

    assert [candidate.artifact.meta.version for candidate in found(fake).candidates] == ["2.0.0"]


def test_pushing_the_same_again_changes_nothing(fake: FakeGitHub) -> None:
    made = fake.add_release("v1")
    url = push(client(fake), "v1", None, ASSET, NEW)
    fake.requests.clear()

    assert push(client(fake), "v1", None, ASSET, NEW) == url

    assert names(fake, made) == {ASSET: NEW}
    assert {seen.method for seen in fake.requests} == {"GET"}


def test_another_content_takes_the_place_of_the_old(fake: FakeGitHub) -> None:
    made = fake.add_release("v1", assets={ASSET: OLD, "notes.txt": b"x"})

    push(client(fake), "v1", None, ASSET, NEW)

    assert names(fake, made) == {ASSET: NEW, "notes.txt": b"x"}
    assert [seen.method for seen in fake.requests if seen.method != "GET"] == ["POST", "DELETE", "PATCH"]


@pytest.mark.parametrize("status", [500, 403, 422, 0])
def test_a_failed_upload_leaves_the_old_asset(fake: FakeGitHub, status: int) -> None:
    made = fake.add_release("v1", assets={ASSET: OLD})
    fake.fail("POST", "/assets$", status, times=99)

    with pytest.raises(GitHubError):
        push(client(fake), "v1", None, ASSET, NEW)
    assert names(fake, made)[ASSET] == OLD


@pytest.mark.parametrize("after", [False, True], ids=["not done", "done, and the answer lost"])
@pytest.mark.parametrize("status", [502, 0])
def test_an_upload_that_breaks_is_made_again(fake: FakeGitHub, status: int, after: bool) -> None:
    made = fake.add_release("v1", assets={ASSET: OLD})
    fake.fail("POST", "/assets$", status, after=after)

    push(client(fake), "v1", None, ASSET, NEW)

    assert names(fake, made) == {ASSET: NEW}


def test_a_deletion_whose_answer_is_lost_is_no_trouble(fake: FakeGitHub) -> None:
    made = fake.add_release("v1", assets={ASSET: OLD})
    fake.fail("DELETE", "/assets/", 0, after=True)

    push(client(fake), "v1", None, ASSET, NEW)

    assert names(fake, made) == {ASSET: NEW}


def test_a_renaming_that_fails_says_where_the_file_is_and_is_made_up_for(fake: FakeGitHub) -> None:
    made = fake.add_release("v1", assets={ASSET: OLD})
    fake.fail("PATCH", "/assets/", 403)

    with pytest.raises(GitHubError, match=f"the file stands there as {LOCK}: do the same again") as caught:
        push(client(fake), "v1", None, ASSET, NEW)
    assert caught.value.status == 403
    assert names(fake, made) == {LOCK: NEW}

    push(client(fake), "v1", None, ASSET, NEW)
    assert names(fake, made) == {ASSET: NEW}


def test_a_starter_of_the_name_is_replaced(fake: FakeGitHub) -> None:
    made = fake.add_release("v1", assets={ASSET: b""})
    fake.releases[made].assets[0].state = "starter"

    push(client(fake), "v1", None, ASSET, NEW)

    assert names(fake, made) == {ASSET: NEW}


def test_what_is_missing_for_a_push_is_said(fake: FakeGitHub) -> None:
    fake.add_release("v1")
    github = client(fake)

    with pytest.raises(GitHubError, match=r'/releases/tags/v9: HTTP 404: .* the token lacks "contents: write"'):
        push(github, "v9", None, ASSET, NEW)
    with pytest.raises(GitHubError, match="HTTP 404"):
        push(github, None, 9, ASSET, NEW)
    with pytest.raises(GitHubError, match="no release is named"):
        push(github, None, None, ASSET, NEW)
    with pytest.raises(GitHubError, match="GitHub would change"):
        push(github, "v1", None, "my baseline.gz", NEW)


def test_a_permission_that_is_missing_is_not_taken_for_a_draft(fake: FakeGitHub) -> None:
    fake.add_release("v1")
    fake.fail("GET", "/releases/tags/", 403)

    with pytest.raises(GitHubError, match='the token lacks "contents: write"'):
        push(client(fake), "v1", None, ASSET, NEW)
    assert len(fake.requests) == 1
