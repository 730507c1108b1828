"""Whatever the fake answers is what GitHub describes, and what it is asked against the description shows."""

import json
import re
from typing import Any

import pytest
import requests
from tests.contracts.openapi import DESCRIPTION
from tests.integration.servers.asking import UPLOAD, Asking
from tests.servers.github import FakeGitHub, objects

SHAS = [str(at) * 40 for at in range(1, 6)]


@pytest.fixture
def full(github: FakeGitHub) -> FakeGitHub:
    github.ancestry += SHAS
    github.forked_at["f" * 40] = SHAS[1]
    github.add_release("v1", assets={"a.gz": b"a"})
    github.add_release("v2-rc", prerelease=True)
    github.add_release("v2", draft=True, assets={"b.gz": b"b"})
    github.add_comment(7, "ours")
    github.add_comment(7, "theirs", author="mallory")
    github.add_recording(
        "base", {"artifact.json": b"{}"}, head_sha=SHAS[2], run_id=5, created_at="2026-01-01T00:00:00Z"
    )
    github.add_recording(
        "base", {"artifact.json": b"{}"}, head_sha=SHAS[3], run_id=6, created_at="2026-01-02T00:00:00Z", fork=True
    )
    github.add_branch_file("baselines", "abc/a.json.gz", b"data")
    github.git.tags["v1"] = SHAS[4]
    github.add_check("gate", SHAS[4], external_id="5/1")
    github.add_pull(7, head_sha=SHAS[4])
    github.add_pull(8, head_sha="f" * 40, fork=True)
    return github


READS = [
    "",
    "/releases",
    "/releases?per_page=1&page=2",
    "/releases/latest",
    "/releases/tags/v1",
    "/releases/tags/nothing",
    "/releases/{release}",
    "/releases/0",
    "/releases/{release}/assets",
    "/releases/assets/{asset}",
    "/releases/assets/0",
    "/issues/7/comments",
    "/issues/comments/{comment}",
    "/issues/comments/0",
    "/actions/artifacts",
    "/actions/artifacts?name=base&per_page=1",
    "/actions/artifacts/{recording}",
    "/actions/artifacts/0",
    "/actions/runs",
    "/actions/runs?status=success&head_sha=x",
    "/actions/runs/5",
    "/actions/runs/6",
    "/actions/runs/0",
    "/actions/runs/5/artifacts",
    f"/compare/{SHAS[0]}...{SHAS[4]}",
    f"/compare/{SHAS[0]}...main?per_page=1&page=2",
    "/compare/nothing...main",
    "/contents/?ref=baselines",
    "/contents/abc?ref=baselines",
    "/contents/abc/a.json.gz?ref=baselines",
    "/contents/nothing?ref=baselines",
    "/contents/abc?ref=nothing",
    "/git/ref/heads/main",
    "/git/ref/heads/baselines",
    "/git/ref/heads/nothing",
    "/git/ref/tags/v1",
    "/git/ref/tags/nothing",
    "/tags",
    "/pulls",
    "/pulls?state=all&head=octo:feature&base=main",
    "/pulls/7",
    "/pulls/8",
    "/pulls/0",
    f"/commits/{SHAS[4]}/pulls",
    f"/commits/{SHAS[4]}/check-runs",
    f"/commits/{SHAS[4]}/check-runs?check_name=gate&filter=all&per_page=1",
]


@pytest.mark.parametrize("place", READS)
def test_every_read_and_its_answer_conform(full: FakeGitHub, ask: Asking, place: str) -> None:
    ids = {
        "release": next(iter(full.releases)),
        "asset": next(iter(full.releases.values())).assets[0].id,
        "comment": full.comments[7][0].id,
        "recording": next(iter(full.recordings)),
    }

    answer = ask("GET", place.format_map(ids))

    missing = any(word in place for word in ("nothing", "/0"))
    assert answer.status_code == (404 if missing else 200)
    assert full.problems == []


def writes(full: FakeGitHub, ask: Asking) -> list[requests.Response]:
    release = next(iter(full.releases))
    asset = ask.upload(release, "new.gz", b"new")
    comment = ask("POST", "/issues/7/comments", json={"body": "hello"})
    blob = ask("POST", "/git/blobs", json={"content": "aGk=", "encoding": "base64"})
    entry = {"path": "d/f", "mode": "100644", "type": "blob", "sha": blob.json()["sha"]}
    tree = ask("POST", "/git/trees", json={"tree": [entry]})
    commit = ask("POST", "/git/commits", json={"message": "m", "tree": tree.json()["sha"], "parents": []})
    sha = commit.json()["sha"]
    done = {"status": "completed", "conclusion": "success"}
    output = {"title": "t", "summary": "s"}
    check = ask("POST", "/check-runs", json={"name": "gate", "head_sha": SHAS[4], **done, "output": output})
    mark = {"path": "a.yaml", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m"}
    return [
        asset,
        ask.upload(release, "new.gz", b"again"),
        ask("PATCH", asset.json()["url"], json={"name": "renamed.gz", "label": "x"}),
        ask("DELETE", asset.json()["url"]),
        ask("PATCH", asset.json()["url"], json={"name": "gone.gz"}),
        ask("POST", "/releases", json={"tag_name": "v9", "name": "Nine", "body": "notes", "draft": False}),
        ask("POST", "/releases", json={"tag_name": "v9"}),
        ask("PATCH", f"/releases/{release}", json={"body": "other notes", "make_latest": "false"}),
        ask("PATCH", f"/releases/{release}", json={"tag_name": "v9"}),
        ask("PATCH", "/releases/0", json={"draft": False}),
        comment,
        ask("PATCH", comment.json()["url"], json={"body": "bye"}),
        ask("PATCH", comment.json()["url"], json={"body": " "}),
        ask("DELETE", comment.json()["url"]),
        ask("DELETE", comment.json()["url"]),
        blob,
        tree,
        ask("POST", "/git/trees", json={"tree": [], "base_tree": "nothing"}),
        commit,
        ask("POST", "/git/commits", json={"message": "m", "tree": "nothing"}),
        ask("POST", "/git/refs", json={"ref": "refs/heads/new", "sha": sha}),
        ask("POST", "/git/refs", json={"ref": "refs/heads/new", "sha": sha}),
        ask("PATCH", "/git/refs/heads/new", json={"sha": sha}),
        ask("PATCH", "/git/refs/heads/nothing", json={"sha": sha}),
        ask("POST", "/git/refs", json={"ref": "refs/tags/new", "sha": sha}),
        ask("PATCH", "/git/refs/tags/new", json={"sha": SHAS[4]}),
        ask("PATCH", "/git/refs/tags/new", json={"sha": SHAS[4], "force": True}),
        ask("PUT", "/contents/n.txt", json={"message": "m", "content": "aGk=", "branch": "new"}),
        ask("PUT", "/contents/n.txt", json={"message": "m", "content": "aGk=", "branch": "new"}),
        ask("PUT", "/contents/n.txt", json={"message": "m", "content": "aGk=", "branch": "new", "sha": "nothing"}),
        ask("PUT", "/contents/n.txt", json={"message": "m", "content": "aGk=", "branch": "nothing"}),
        check,
        ask("PATCH", check.json()["url"], json={**done, "output": {**output, "annotations": [mark] * 50}}),
        ask("PATCH", check.json()["url"], json={**done, "output": {**output, "summary": "漢" * 30_000}}),
        ask("PATCH", "/check-runs/0", json=done),
    ]


def test_every_write_and_its_answer_conform(full: FakeGitHub, ask: Asking) -> None:
    statuses = [one.status_code for one in writes(full, ask)]

    assert full.problems == []
    assert statuses == [
        *(201, 422, 200, 204, 404),
        *(201, 422, 200, 422, 404),
        *(201, 200, 422, 204, 404),
        *(201, 201, 422, 201, 422),
        *(201, 422, 200, 422),
        *(201, 422, 200),
        *(201, 422, 409, 404),
        *(201, 200, 422, 404),
    ]


def test_the_tests_above_ask_for_everything_that_the_fake_plays(full: FakeGitHub, ask: Asking) -> None:
    from tests.contracts.openapi import github  # noqa: PLC0415
    from tests.servers.github.fake import _ENDPOINTS  # noqa: PLC0415

    described = json.loads(DESCRIPTION.read_bytes())["paths"]
    known = {operation["operationId"] for methods in described.values() for operation in methods.values()}
    writes(full, ask)
    asked = {(one.method, one.path.removeprefix("/uploads")) for one in full.requests}
    asked |= {("GET", full.site.repo.removeprefix(full.url) + re.sub(r"\{\w+\}", "1", one)) for one in READS}
    asked.add(("GET", full.site.repo.removeprefix(full.url) + "/actions/artifacts/1/zip"))
    matches = [
        github().match(method, path.partition("?")[0], uploads=up) for method, path in asked for up in (False, True)
    ]

    assert known >= _ENDPOINTS.keys()
    assert _ENDPOINTS.keys() <= {one.operation.id for one in matches if one is not None}


@pytest.mark.parametrize(
    ("method", "place", "options", "problem"),
    [
        pytest.param("GET", "/stars", {}, "GitHub's description has no such method and path", id="path"),
        pytest.param("DELETE", "/releases", {}, "GitHub's description has no such method and path", id="method"),
        pytest.param("GET", "/releases?sort=asc", {}, "query parameter 'sort' is not declared", id="query"),
        pytest.param("POST", "/issues/7/comments", {"json": {"text": "x"}}, "'body' is a required property", id="body"),
        pytest.param("POST", "/issues/7/comments", {"json": ["x"]}, "is not of type 'object'", id="list"),
        pytest.param("POST", "/issues/7/comments", {"data": "x"}, "content type '' is not declared", id="media"),
        pytest.param("GET", "/issues", {}, "the fake does not play issues/list-for-repo", id="not played"),
    ],
)
def test_a_request_that_breaks_the_contract_is_a_problem_and_the_server_lives_on(
    github: FakeGitHub, ask: Asking, method: str, place: str, options: dict[str, Any], problem: str
) -> None:
    ask(method, place, **options)

    assert github.problems[0].startswith(f"{method} /repos/octo/shop{place.partition('?')[0]}: ")
    assert problem in "\n".join(github.problems)
    assert ask("GET", "/releases").status_code == 200


def test_a_comment_without_a_body_is_refused_as_unprocessable(ask: Asking) -> None:
    assert ask("POST", "/issues/7/comments", json={"text": "x"}).status_code == 422


def test_a_body_that_is_no_json_is_refused(ask: Asking) -> None:
    answer = ask("POST", "/issues/7/comments", data="{", headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["message"]) == (400, "Problems parsing JSON")


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        pytest.param({"author": None}, "$.author: None is not of type 'object'", id="null"),
        pytest.param({"made_up": 1}, "('made_up' was unexpected)", id="invented"),
        pytest.param({"published_at": "today"}, "$.published_at: 'today' is not a 'date-time'", id="format"),
    ],
)
def test_an_answer_that_breaks_the_contract_is_a_problem(
    github: FakeGitHub, ask: Asking, monkeypatch: pytest.MonkeyPatch, broken: dict[str, Any], problem: str
) -> None:
    whole = objects.release
    monkeypatch.setattr(objects, "release", lambda site, one: {**whole(site, one), **broken})
    made = github.add_release("v1")

    ask("GET", f"/releases/{made}")

    (found,) = github.problems
    assert found.startswith(f"GET /repos/octo/shop/releases/{made}: answer 200: ")
    assert problem in found


def _broken(*_: object) -> None:
    raise KeyError("x")


def test_a_fake_that_breaks_says_so(github: FakeGitHub, ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "release", _broken)
    made = github.add_release("v1")

    assert ask("GET", f"/releases/{made}").status_code == 500
    assert github.problems == [f"GET /repos/octo/shop/releases/{made}: the fake broke: KeyError('x')"]


def test_an_upload_belongs_on_the_host_of_uploads(github: FakeGitHub, ask: Asking) -> None:
    made = github.add_release("v1")

    assert ask("POST", f"/releases/{made}/assets?name=a", data=b"x", headers=UPLOAD).status_code == 404
    assert github.problems != []
