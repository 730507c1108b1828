"""What the fake GitHub does not do: answers of older servers, and odd ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import responses

from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.event import Event
from llm_testbench.github.releases import published, push

REPO = "https://api.github.com/repos/octo/shop"
UPLOADS = "https://uploads.github.com/repos/octo/shop/releases/1/assets"
NAME = "baseline.json.gz"
STAGED = f"{NAME}.3a6eb0790f39.new"  # of b"data"


@pytest.fixture
def web() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


@pytest.fixture
def github() -> GitHub:
    return GitHub(Event(repository="octo/shop"), "t" * 20, session=requests.Session(), sleep=lambda _: None)


def asset(number: int, name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "size": 4,
        "state": "uploaded",
        "browser_download_url": f"https://github.com/{number}",
        **more,
    }


def release(web: responses.RequestsMock, *assets: object) -> None:
    web.get(f"{REPO}/releases/1", json={"id": 1, "upload_url": UPLOADS + "{?name,label}"})
    web.get(f"{REPO}/releases/1/assets", json=list(assets))


@pytest.mark.parametrize(
    "digest", [None, "", "sha256:3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7"]
)
def test_without_a_digest_the_bytes_are_compared(
    web: responses.RequestsMock, github: GitHub, digest: str | None
) -> None:
    release(web, asset(5, NAME, digest=digest))
    web.get(f"{REPO}/releases/assets/5", body=b"data")

    assert push(github, None, 1, NAME, b"data") == "https://github.com/5"
    assert len(web.calls) == (2 if digest else 3)


@pytest.mark.parametrize(
    "old",
    [
        pytest.param(asset(5, NAME, digest="sha256:00"), id="another digest"),
        pytest.param(asset(5, NAME), id="other bytes of the same size"),
        pytest.param(asset(5, NAME, size=3), id="another size"),
        pytest.param(asset(5, NAME, state="starter"), id="an upload that failed"),
    ],
)
def test_an_asset_that_differs_is_replaced(web: responses.RequestsMock, github: GitHub, old: dict[str, Any]) -> None:
    release(web, old)
    web.get(f"{REPO}/releases/assets/5", body=b"atad")
    web.post(UPLOADS, json=asset(6, STAGED), status=201)
    web.delete(f"{REPO}/releases/assets/5", status=204)
    web.patch(f"{REPO}/releases/assets/6", json=asset(6, NAME))

    assert push(github, None, 1, NAME, b"data") == "https://github.com/6"


def test_an_upload_that_github_calls_incomplete_destroys_nothing(web: responses.RequestsMock, github: GitHub) -> None:
    release(web, asset(5, NAME, size=3))
    web.post(UPLOADS, json=asset(6, STAGED, state="open"), status=201)

    with pytest.raises(GitHubError, match=f"did not take the whole of {STAGED}"):
        push(github, None, 1, NAME, b"data")
    assert "DELETE" not in {call.request.method for call in web.calls}


@pytest.mark.parametrize(
    ("tag", "name"),
    [(None, ""), ("", NAME), ("v1", ""), ("v1", ".hidden"), ("v1", "dot."), ("v1", "a/b"), ("v1", "a b"), ("v1", "ä")],
)
def test_what_cannot_be_pushed_is_not_tried(
    web: responses.RequestsMock, github: GitHub, tag: str | None, name: str
) -> None:
    with pytest.raises(GitHubError, match=r"no release is named|is a name that GitHub would change"):
        push(github, tag, None, name, b"data")
    assert len(web.calls) == 0


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"draft": None}, id="draft is unknown"),
        pytest.param({"prerelease": None}, id="prerelease is unknown"),
        pytest.param({"published_at": None}, id="not published"),
        pytest.param({"assets": None}, id="no list of assets"),
        pytest.param({"assets": [None, 3, {"name": NAME}, {"id": 7}]}, id="assets that are none"),
    ],
)
def test_an_odd_release_is_none(web: responses.RequestsMock, github: GitHub, odd: dict[str, Any]) -> None:
    whole = {
        "id": 1,
        "tag_name": "v1",
        "published_at": "2026-01-01T00:00:00Z",
        "draft": False,
        "prerelease": False,
        "assets": [asset(5, NAME)],
    }
    web.get(f"{REPO}/releases", json=[whole | odd if odd else odd, whole | {"id": 2}])

    assert [one.id for one in published(github, "*", NAME, prereleases=False, excluded_tag="")] == [2]
