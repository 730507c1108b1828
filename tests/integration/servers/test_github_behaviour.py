"""The fake behaves as GitHub does where a client could notice."""

import base64
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
import requests
from tests.integration.servers.asking import UPLOAD, Asking
from tests.servers.github import FakeGitHub

BINARY = {"Accept": "application/octet-stream"}
ROOT = Path(__file__).parents[3]


# --- Paging


@pytest.mark.parametrize(
    ("query", "count", "relations"),
    [
        ("", 30, {"next", "last"}),
        ("?per_page=100", 100, {"next", "last"}),
        ("?per_page=500", 100, {"next", "last"}),
        ("?per_page=100&page=2", 20, {"prev", "first"}),
        ("?per_page=50&page=2", 50, {"prev", "next", "last", "first"}),
        ("?per_page=100&page=9", 0, {"prev", "first"}),
    ],
)
def test_a_list_comes_in_pages_with_links(
    github: FakeGitHub, ask: Asking, query: str, count: int, relations: set[str]
) -> None:
    for at in range(120):
        github.add_comment(7, str(at))

    answer = ask("GET", f"/issues/7/comments{query}")

    assert len(answer.json()) == count
    assert answer.links.keys() == relations


def test_a_list_of_one_page_has_no_links(github: FakeGitHub, ask: Asking) -> None:
    github.add_comment(7, "one")

    assert ask("GET", "/issues/7/comments").links == {}


def test_links_lead_through_every_item_once_and_name_the_repository_by_id(github: FakeGitHub, ask: Asking) -> None:
    ids = [github.add_comment(7, str(at)) for at in range(250)]
    seen = []
    place = "/issues/7/comments?per_page=100"
    while place:
        answer = ask("GET", place)
        seen += [one["id"] for one in answer.json()]
        place = answer.links.get("next", {}).get("url", "")
        assert not place or "/repositories/" in place

    assert seen == ids
    assert github.problems == []


def test_artifacts_come_in_pages_inside_of_an_object_and_are_filtered_by_their_whole_name(
    github: FakeGitHub, ask: Asking
) -> None:
    for at in range(101):
        github.add_recording(
            "base", {}, head_sha="x", run_id=at, created_at=f"2026-01-01T00:{at // 60:02}:{at % 60:02}Z"
        )
    github.add_recording("base-2", {}, head_sha="x", run_id=999, created_at="2026-01-02T00:00:00Z")

    answer = ask("GET", "/actions/artifacts?name=base&per_page=100")

    assert answer.json()["total_count"] == 101
    assert [one["workflow_run"]["id"] for one in answer.json()["artifacts"]] == list(range(100, 0, -1))
    assert len(ask.get(answer.links["next"]["url"])["artifacts"]) == 1


# --- Who asks


@pytest.mark.parametrize(
    ("token", "method", "place", "status"),
    [
        pytest.param("wrong", "GET", "/releases", 401, id="a wrong token"),
        pytest.param("", "GET", "/releases", 200, id="reading without a token"),
        pytest.param("", "POST", "/issues/7/comments", 401, id="writing without a token"),
    ],
)
def test_a_token_is_needed_to_write_and_must_be_right(
    github: FakeGitHub, token: str, method: str, place: str, status: int
) -> None:
    options = {"json": {"body": "x"}} if method == "POST" else {}
    asking = Asking(github, token)
    with asking.session:
        assert asking(method, place, **options).status_code == status
    assert github.problems == []


@pytest.mark.parametrize(("token", "status"), [(None, 200), ("", 404)])
def test_a_private_repository_is_not_there_without_a_token(token: str | None, status: int) -> None:
    with FakeGitHub(private=True) as github:
        asking = Asking(github, token)
        with asking.session:
            assert asking("GET", "").status_code == status


def test_another_repository_is_not_there(github: FakeGitHub, ask: Asking) -> None:
    assert ask("GET", f"{github.url}/repos/octo/other").status_code == 404
    assert github.problems == []


def test_drafts_are_for_those_with_a_token_only(github: FakeGitHub, ask: Asking) -> None:
    draft = github.add_release("v2", draft=True, assets={"a": b"a"})
    asset = github.releases[draft].assets[0].id
    stranger = Asking(github, "")

    with stranger.session:
        assert [one["draft"] for one in ask.get("/releases")] == [True]
        assert stranger.get("/releases") == []
        assert stranger("GET", f"/releases/{draft}").status_code == 404
        assert stranger("GET", f"/releases/assets/{asset}").status_code == 404
    assert ask("GET", "/releases/tags/v2").status_code == 404


def test_every_answer_tells_the_rate_limit_and_an_exhausted_one_is_refused(github: FakeGitHub, ask: Asking) -> None:
    github.remaining = 1

    assert ask("GET", "/releases").headers["X-RateLimit-Remaining"] == "0"
    answer = ask("GET", "/releases")
    assert answer.status_code == 403
    assert answer.headers["X-RateLimit-Remaining"] == "0"
    assert answer.headers["X-RateLimit-Reset"].isdigit()
    assert "rate limit exceeded" in answer.json()["message"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"User-Agent": None}, 403),
        ({"X-GitHub-Api-Version": "2022-11-28"}, 200),
        ({"X-GitHub-Api-Version": "1999-01-01"}, 400),
        ({"Accept": "application/vnd.github+json"}, 200),
        ({"Accept": "text/html, application/json;q=0.9"}, 200),
        ({"Accept": "text/html"}, 415),
    ],
)
def test_what_github_wants_of_headers(github: FakeGitHub, ask: Asking, headers: dict[str, Any], status: int) -> None:
    if headers.get("User-Agent", "") is None:
        ask.session.headers["User-Agent"] = ""
        headers = {}

    assert ask("GET", "/releases", headers=headers).status_code == status
    assert github.problems == []


# --- Releases


def test_the_latest_release_is_the_one_of_the_newest_commit_and_no_prerelease(github: FakeGitHub, ask: Asking) -> None:
    assert ask("GET", "/releases/latest").status_code == 404
    github.add_release("v1", created_at="2026-01-02T00:00:00Z", published_at="2026-01-02T00:00:00Z")
    github.add_release("v0.9.1", created_at="2026-01-01T00:00:00Z", published_at="2026-01-09T00:00:00Z")
    github.add_release("v2-rc", created_at="2026-01-03T00:00:00Z", prerelease=True)
    github.add_release("v2", created_at="2026-01-04T00:00:00Z", draft=True)

    assert ask.get("/releases/latest")["tag_name"] == "v1"
    assert [one["tag_name"] for one in ask.get("/releases")] == ["v2", "v2-rc", "v1", "v0.9.1"]
    assert [one["published_at"] is None for one in ask.get("/releases")] == [True, False, False, False]


def test_an_asset_is_json_or_a_redirect_to_the_storage(github: FakeGitHub, ask: Asking) -> None:
    release = github.releases[github.add_release("v1", assets={"a.gz": b"bytes"})]
    place = f"/releases/assets/{release.assets[0].id}"

    assert ask.get(place)["size"] == 5
    redirect = ask("GET", place, headers=BINARY, allow_redirects=False)
    assert redirect.status_code == 302
    assert redirect.headers["Location"].startswith(github.site.storage)
    assert "?" in redirect.headers["Location"]
    # requests drops the token, as the port is another.
    assert ask("GET", place, headers=BINARY).content == b"bytes"
    assert github.problems == []
    (seen,) = github.storage_requests
    assert "authorization" not in seen.headers


def test_the_storage_refuses_the_token_and_an_address_without_its_signature(github: FakeGitHub, ask: Asking) -> None:
    release = github.releases[github.add_release("v1", assets={"a.gz": b"bytes"})]
    redirect = ask("GET", f"/releases/assets/{release.assets[0].id}", headers=BINARY, allow_redirects=False)
    signed = redirect.headers["Location"]

    assert requests.get(signed.partition("?")[0], timeout=10).status_code == 403
    assert requests.get(signed.replace("release-assets/", "release-assets/9"), timeout=10).status_code == 404
    assert github.problems == []
    leak = ask("GET", signed)
    assert leak.status_code == 400
    assert "Only one auth mechanism allowed" in leak.text
    assert len(github.problems) == 1
    assert github.token not in github.problems[0]


def test_an_upload_is_stored_and_a_second_of_the_same_name_is_refused(github: FakeGitHub, ask: Asking) -> None:
    release = github.add_release("v1")

    first = ask.upload(release, "a.gz", b"\x00\xff")
    second = ask.upload(release, "a.gz", b"other")

    assert first.status_code == 201
    assert first.json()["name"] == "a.gz"
    assert ask("GET", first.json()["url"], headers=BINARY).content == b"\x00\xff"
    assert second.status_code == 422
    assert second.json()["errors"] == [{"resource": "ReleaseAsset", "field": "name", "code": "already_exists"}]
    assert [one.data for one in github.releases[release].assets] == [b"\x00\xff"]


def test_github_renames_files_with_odd_names(github: FakeGitHub, ask: Asking) -> None:
    assert ask.upload(github.add_release("v1"), "my report.gz", b"x").json()["name"] == "my.report.gz"


def test_an_empty_upload_is_refused(github: FakeGitHub, ask: Asking) -> None:
    assert ask.upload(github.add_release("v1"), "a", b"").status_code == 400


def test_an_upload_says_its_length(github: FakeGitHub, ask: Asking) -> None:
    place = f"{github.site.uploads}/releases/{github.add_release('v1')}/assets?name=a"

    assert ask("POST", place, data=iter([b"x", b"y"]), headers=UPLOAD).status_code == 400


def test_an_upload_to_a_release_that_is_not_there_is_lost(github: FakeGitHub, ask: Asking) -> None:
    assert ask("POST", f"{github.site.uploads}/releases/1/assets?name=a", data=b"x", headers=UPLOAD).status_code == 404
    assert ask("GET", "/releases/1/assets").status_code == 404
    assert github.problems == []


def test_a_name_that_is_taken_cannot_be_taken_by_renaming(github: FakeGitHub, ask: Asking) -> None:
    release = github.releases[github.add_release("v1", assets={"a": b"a", "b": b"b"})]
    place = f"/releases/assets/{release.assets[0].id}"

    assert ask("PATCH", place, json={"name": "b"}).status_code == 422
    assert ask("PATCH", place, json={"name": "c"}).json()["name"] == "c"
    assert ask("PATCH", place, json={"name": "c"}).status_code == 200
    assert ask("DELETE", place).status_code == 204
    assert ask("DELETE", place).status_code == 404
    assert [one.name for one in release.assets] == ["b"]


# --- Comments


def test_comments_are_listed_by_id_and_since_a_time(github: FakeGitHub, ask: Asking) -> None:
    first, second = github.add_comment(7, "a"), github.add_comment(7, "b", author="mallory")
    github.add_comment(8, "elsewhere")
    ask("PATCH", f"/issues/comments/{first}", json={"body": "a2"})

    listed = ask.get("/issues/7/comments")

    assert [(one["id"], one["body"], one["user"]["login"]) for one in listed] == [
        (first, "a2", "github-actions[bot]"),
        (second, "b", "mallory"),
    ]
    since = listed[0]["updated_at"]
    assert [one["id"] for one in ask.get(f"/issues/7/comments?since={since}")] == [first]


@pytest.mark.parametrize(("body", "status"), [("x" * 65_536, 201), ("x" * 65_537, 422), ("é" * 32_769, 422), ("", 422)])
def test_a_comment_has_a_body_of_bounded_length(github: FakeGitHub, ask: Asking, body: str, status: int) -> None:
    assert ask("POST", "/issues/7/comments", json={"body": body}).status_code == status
    assert len(github.comments[7]) == (status == 201)


def test_a_comment_that_was_deleted_is_gone_for_good(github: FakeGitHub, ask: Asking) -> None:
    made = ask("POST", "/issues/7/comments", json={"body": "x"}).json()

    assert made["user"]["login"] == github.viewer
    assert ask("DELETE", made["url"]).status_code == 204
    assert ask("PATCH", made["url"], json={"body": "y"}).status_code == 404
    assert github.comments[7] == []


# --- GraphQL

AUTHORS = """query($ids: [ID!]!) {
  viewer { login }
  nodes(ids: $ids) {
    __typename
    ... on IssueComment { databaseId viewerDidAuthor author { login } }
    ... on User { name }
  }
}"""


def test_graphql_tells_whose_comments_they_are(github: FakeGitHub, ask: Asking) -> None:
    ours, theirs = github.add_comment(7, "a"), github.add_comment(7, "b", author="mallory")
    ids = [one["node_id"] for one in ask.get("/issues/7/comments")]

    answer = ask.graphql(AUTHORS, ids=ids)

    assert answer == {
        "data": {
            "viewer": {"login": "github-actions[bot]"},
            "nodes": [
                {
                    "__typename": "IssueComment",
                    "databaseId": ours,
                    "viewerDidAuthor": True,
                    "author": {"login": "github-actions"},
                },
                {
                    "__typename": "IssueComment",
                    "databaseId": theirs,
                    "viewerDidAuthor": False,
                    "author": {"login": "mallory"},
                },
            ],
        }
    }
    assert github.problems == []


def test_graphql_gives_null_and_an_error_for_a_node_that_is_not_there(github: FakeGitHub, ask: Asking) -> None:
    answer = ask.graphql(AUTHORS, ids=["IC_nothing"])

    assert answer["data"]["nodes"] == [None]
    assert [(one["type"], one["path"]) for one in answer["errors"]] == [("NOT_FOUND", ["nodes", 0])]
    assert github.problems == []


def test_graphql_takes_100_ids_at_most(github: FakeGitHub, ask: Asking) -> None:
    github.add_comment(7, "a")
    node_id = github.comments[7][0].node_id

    assert len(ask.graphql(AUTHORS, ids=[node_id] * 100)["data"]["nodes"]) == 100
    refused = ask.graphql(AUTHORS, ids=[node_id] * 101)
    assert refused["data"] is None
    assert refused["errors"][0]["message"] == "You may not provide more than 100 node ids; you provided 101."


EDITS = """query($ids: [ID!]!, $first: Int) {
  nodes(ids: $ids) { ... on IssueComment {
    includesCreatedEdit
    userContentEdits(first: $first) { totalCount nodes { diff editor { __typename login } } }
    pullRequest { headRefOid }
  } }
}"""


def test_graphql_tells_what_a_comment_said_before(github: FakeGitHub, ask: Asking) -> None:
    number = github.add_comment(7, "one")
    (comment,) = github.comments[7]
    (never_edited,) = ask.graphql(EDITS, ids=[comment.node_id], first=5)["data"]["nodes"]
    ask("PATCH", f"{github.site.repo}/issues/comments/{number}", json={"body": "two"})
    github.edit_comment(comment, "three", editor="octocat")
    github.add_pull(7, head_sha="d" * 40)

    (edited,) = ask.graphql(EDITS, ids=[comment.node_id], first=2)["data"]["nodes"]
    (whole,) = ask.graphql(EDITS, ids=[comment.node_id], first=100)["data"]["nodes"]

    assert never_edited == {
        "includesCreatedEdit": False,
        "userContentEdits": {"totalCount": 0, "nodes": []},
        "pullRequest": None,
    }
    assert edited["userContentEdits"]["totalCount"] == 3
    assert edited["userContentEdits"]["nodes"] == [
        {"diff": "three", "editor": {"__typename": "User", "login": "octocat"}},
        {"diff": "two", "editor": {"__typename": "Bot", "login": "github-actions"}},
    ]
    assert [one["diff"] for one in whole["userContentEdits"]["nodes"]] == ["three", "two", "one"]
    assert edited["pullRequest"] == {"headRefOid": "d" * 40}
    assert github.problems == []


@pytest.mark.parametrize(
    ("first", "words"), [(None, "You must provide a `first`"), (101, "exceeds the `first` limit of 100"), (0, "limit")]
)
def test_graphql_wants_to_know_how_much_of_the_history(
    github: FakeGitHub, ask: Asking, first: int | None, words: str
) -> None:
    github.add_comment(7, "one")

    answer = ask.graphql(EDITS, ids=[github.comments[7][0].node_id], first=first)

    assert answer["data"] is None
    assert words in answer["errors"][0]["message"]


def test_an_old_server_has_no_history(github: FakeGitHub, ask: Asking) -> None:
    github.keeps_edits = False

    answer = ask.graphql(EDITS, ids=["IC_1"], first=1)

    assert answer == {"errors": [{"message": "Field 'userContentEdits' doesn't exist on type 'IssueComment'"}]}
    assert github.problems == []


def test_an_id_above_32_bits_is_null_as_database_id(github: FakeGitHub, ask: Asking) -> None:
    github.add_comment(7, "a")
    github.comments[7][0].id = 2**31

    answer = ask.graphql(
        "query($id: ID!) { node(id: $id) { id ... on IssueComment { databaseId fullDatabaseId } } rateLimit { cost } }",
        id=github.comments[7][0].node_id,
    )

    assert answer["data"]["node"]["databaseId"] is None
    assert answer["data"]["node"]["fullDatabaseId"] == str(2**31)
    assert github.problems == []


@pytest.mark.parametrize(
    ("body", "status", "problem"),
    [
        ({"query": "{ viewer { nick } }"}, 200, "Field 'nick' doesn't exist on type 'User'"),
        ({"query": "{ viewer { login }"}, 200, 'Parse error on "end of file"'),
        ({"question": "x"}, 400, "'query' is a required property"),
    ],
)
def test_graphql_refuses_what_github_would_refuse(
    github: FakeGitHub, ask: Asking, body: dict[str, Any], status: int, problem: str
) -> None:
    answer = ask("POST", f"{github.url}/graphql", json=body)

    assert answer.status_code == status
    assert "data" not in answer.json()
    assert problem in github.problems[0]


def test_graphql_reads_json_only(github: FakeGitHub, ask: Asking) -> None:
    assert ask("POST", f"{github.url}/graphql", data=b"{").status_code == 400
    assert github.problems == ["POST /graphql: the body is not JSON"]


def test_graphql_knows_the_types_of_what_it_answers(github: FakeGitHub, ask: Asking) -> None:
    made = github.add_comment(7, "x")

    answer = ask.graphql(f'{{ __typename nodes(ids: ["IC_fake{made}"]) {{ ... on Node {{ __typename id }} }} }}')

    assert answer["data"]["__typename"] == "Query"
    assert answer["data"]["nodes"] == [{"__typename": "IssueComment", "id": github.comments[7][0].node_id}]
    assert github.problems == []


@pytest.mark.parametrize("token", ["", "wrong"])
def test_graphql_needs_a_token(github: FakeGitHub, token: str) -> None:
    asking = Asking(github, token)
    with asking.session:
        assert asking("POST", f"{github.url}/graphql", json={"query": AUTHORS}).status_code == 401


# --- Workflow artifacts


def test_an_artifact_is_a_zip_behind_a_redirect(github: FakeGitHub, ask: Asking) -> None:
    made = github.add_recording(
        "base", {"artifact.json": b"{}"}, head_sha="x", run_id=5, created_at="2026-01-01T00:00:00Z"
    )

    answer = ask("GET", f"/actions/artifacts/{made}/zip")

    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.read("artifact.json") == b"{}"
    assert ask("GET", f"/actions/artifacts/{made}/tar").status_code == 404
    assert github.problems == []


def test_an_artifact_needs_a_token_and_expires(github: FakeGitHub, ask: Asking) -> None:
    made = github.add_recording("b", {}, head_sha="x", run_id=5, created_at="2026-01-01T00:00:00Z", expired=True)
    stranger = Asking(github, "")

    with stranger.session:
        assert stranger("GET", f"/actions/artifacts/{made}/zip").status_code == 401
    assert ask.get(f"/actions/artifacts/{made}")["expired"] is True
    assert ask("GET", f"/actions/artifacts/{made}/zip").status_code == 410
    assert github.problems == []


@pytest.mark.parametrize("fork", [False, True])
def test_an_artifact_of_a_fork_names_another_head_repository(github: FakeGitHub, ask: Asking, fork: bool) -> None:
    made = github.add_recording("b", {}, head_sha="x", run_id=5, created_at="2026-01-01T00:00:00Z", fork=fork)

    run = ask.get(f"/actions/artifacts/{made}")["workflow_run"]

    assert (run["repository_id"] != run["head_repository_id"]) == fork
    assert run["repository_id"] == ask.get("")["id"]


def test_a_run_is_found_by_branch_and_its_artifacts_by_run(github: FakeGitHub, ask: Asking) -> None:
    github.add_run(5, "x")
    github.add_run(6, "y", branch="feature")

    assert [one["id"] for one in ask.get("/actions/runs?branch=feature")["workflow_runs"]] == [6]
    assert ask.get("/actions/runs/5/artifacts")["total_count"] == 0
    assert ask("GET", "/actions/runs/9/artifacts").status_code == 404


# --- Commits


@pytest.mark.parametrize(
    ("base", "head", "status", "ahead", "behind"),
    [
        ("b", "b", "identical", 0, 0),
        ("a", "d", "ahead", 3, 0),
        ("d", "b", "behind", 0, 2),
        ("d", "side", "diverged", 1, 2),
        ("a", "main", "ahead", 3, 0),
    ],
)
def test_two_commits_are_compared(
    github: FakeGitHub, ask: Asking, base: str, head: str, status: str, ahead: int, behind: int
) -> None:
    github.ancestry += ["a", "b", "c", "d"]
    github.forked_at["side"] = "b"

    answer = ask.get(f"/compare/{base}...{head}?per_page=1")

    assert (answer["status"], answer["ahead_by"], answer["behind_by"]) == (status, ahead, behind)
    assert len(answer["commits"]) == min(ahead, 1)
    assert github.problems == []


@pytest.mark.parametrize("basehead", ["a...nothing", "nothing...a", "a..a", "a...orphan"])
def test_commits_that_are_not_there_or_not_related_are_not_found(
    github: FakeGitHub, ask: Asking, basehead: str
) -> None:
    github.ancestry += ["a"]
    github.add_branch_file("orphan", "x", b"x")

    assert ask("GET", f"/compare/{basehead}").status_code == 404


# --- Files


def test_a_folder_lists_its_names_and_a_file_comes_in_base64_or_raw(github: FakeGitHub, ask: Asking) -> None:
    data = bytes(range(256))
    github.add_branch_file("baselines", "abc/one.gz", data)
    github.add_branch_file("baselines", "abc/deep/two.gz", b"2")
    github.add_branch_file("baselines", "top", b"t")

    assert [(one["name"], one["type"]) for one in ask.get("/contents/?ref=baselines")] == [
        ("abc", "dir"),
        ("top", "file"),
    ]
    assert [(one["path"], one["type"]) for one in ask.get("/contents/abc?ref=baselines")] == [
        ("abc/deep", "dir"),
        ("abc/one.gz", "file"),
    ]
    file = ask.get("/contents/abc/one.gz?ref=baselines")
    assert base64.b64decode(file["content"]) == data
    assert "\n" in file["content"][:-1]
    raw = ask("GET", "/contents/abc/one.gz?ref=baselines", headers={"Accept": "application/vnd.github.raw+json"})
    assert raw.content == data
    assert ask("GET", "/contents/abc/one.gz").status_code == 404
    assert github.problems == []


def test_a_large_file_has_no_content_in_json(github: FakeGitHub, ask: Asking) -> None:
    github.add_branch_file("baselines", "big", b"x" * (1024 * 1024 + 1))

    file = ask.get("/contents/big?ref=baselines")

    assert (file["content"], file["encoding"], file["size"]) == ("", "none", 1024 * 1024 + 1)


def test_a_file_is_written_only_over_the_one_that_is_known(github: FakeGitHub, ask: Asking) -> None:
    github.ancestry += ["a"]
    text = {"message": "m", "content": base64.b64encode(b"1").decode()}

    first = ask("PUT", "/contents/x/y", json=text)
    assert first.status_code == 201
    assert first.json()["commit"]["parents"][0]["sha"] == "a"
    assert ask("PUT", "/contents/x/y", json={**text, "content": "???"}).status_code == 422
    sha = first.json()["content"]["sha"]
    assert ask("PUT", "/contents/x/y", json={**text, "content": "Mg==", "sha": sha}).status_code == 200
    assert base64.b64decode(ask.get("/contents/x/y")["content"]) == b"2"
    assert ask.get("/compare/a...main")["ahead_by"] == 2
    assert github.problems == []


def test_objects_of_git_are_named_as_git_names_them(github: FakeGitHub, ask: Asking) -> None:
    blob = ask("POST", "/git/blobs", json={"content": "hello\n"}).json()["sha"]
    tree = ask(
        "POST", "/git/trees", json={"tree": [{"path": "a", "mode": "100644", "type": "blob", "sha": blob}]}
    ).json()

    # Of `git hash-object` and `git mktree`.
    assert blob == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert tree["sha"] == "0976950c1fdbcb52435a433913017bf044b3a58f"


def test_a_branch_moves_forward_only_unless_forced(github: FakeGitHub, ask: Asking) -> None:
    old = github.add_branch_file("baselines", "a", b"1")
    new = github.add_branch_file("baselines", "a", b"2")

    assert ask("PATCH", "/git/refs/heads/baselines", json={"sha": old}).status_code == 422
    assert ask("PATCH", "/git/refs/heads/baselines", json={"sha": old, "force": True}).status_code == 200
    assert ask("PATCH", "/git/refs/heads/baselines", json={"sha": new}).status_code == 200
    assert ask("PATCH", "/git/refs/heads/baselines", json={"sha": "0" * 40}).status_code == 422
    assert ask("POST", "/git/refs", json={"ref": "refs/heads/x", "sha": "0" * 40}).status_code == 422
    assert ask("POST", "/git/refs", json={"ref": "main", "sha": new}).status_code == 422
    assert github.problems == []


def test_a_tag_is_made_once_and_moves_when_forced(github: FakeGitHub, ask: Asking) -> None:
    old, new = (github.add_branch_file("baselines", "a", data) for data in (b"1", b"2"))

    assert ask("POST", "/git/refs", json={"ref": "refs/tags/v1", "sha": new}).status_code == 201
    assert ask("POST", "/git/refs", json={"ref": "refs/tags/v1", "sha": old}).status_code == 422
    assert ask("GET", "/git/ref/heads/v1").status_code == 404
    assert ask("PATCH", "/git/refs/tags/v1", json={"sha": old}).status_code == 422
    assert ask("PATCH", "/git/refs/tags/v1", json={"sha": old, "force": True}).status_code == 200
    assert ask("GET", "/git/ref/tags/v1").json()["object"]["sha"] == old
    assert [(one["name"], one["commit"]["sha"]) for one in ask("GET", "/tags").json()] == [("v1", old)]
    assert github.problems == []


def test_a_draft_is_published_with_its_words(github: FakeGitHub, ask: Asking) -> None:
    made = ask("POST", "/releases", json={"tag_name": "v1", "name": "One", "body": "notes", "draft": True}).json()
    assert (made["draft"], made["published_at"], made["name"], made["body"]) == (True, None, "One", "notes")

    shown = ask("PATCH", f"/releases/{made['id']}", json={"draft": False}).json()

    assert (shown["draft"], shown["name"], shown["body"]) == (False, "One", "notes")
    assert shown["published_at"]
    assert ask("GET", "/releases/tags/v1").status_code == 200
    assert github.problems == []


def test_a_tree_grows_from_another_and_loses_what_is_null(github: FakeGitHub, ask: Asking) -> None:
    commit = github.add_branch_file("baselines", "d/a", b"1")
    base = github.git.commits[commit].tree

    def entry(path: str, **what: Any) -> dict[str, Any]:
        return {"path": path, "mode": "100644", "type": "blob", **what}

    grown = ask("POST", "/git/trees", json={"base_tree": base, "tree": [entry("b", content="2")]}).json()
    moved = {"path": "e", "mode": "040000", "type": "tree", "sha": base}
    other = ask("POST", "/git/trees", json={"base_tree": grown["sha"], "tree": [entry("d/a", sha=None), moved]}).json()
    same = ask("POST", "/git/trees", json={"base_tree": commit, "tree": []}).json()
    wrong = ask("POST", "/git/trees", json={"tree": [entry("a", sha="0" * 40)]})

    assert [one["path"] for one in grown["tree"]] == ["b", "d"]
    assert sorted(github.git.trees[other["sha"]]) == ["b", "e/d/a"]
    assert same["sha"] == base
    assert wrong.status_code == 422


@pytest.mark.parametrize(
    ("place", "body"),
    [
        ("/git/blobs", {"content": "?", "encoding": "base64"}),
        ("/git/commits", {"message": "m", "tree": "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "parents": ["0" * 40]}),
    ],
)
def test_an_object_of_git_from_what_is_not_there_is_refused(
    github: FakeGitHub, ask: Asking, place: str, body: dict[str, Any]
) -> None:
    assert ask("POST", place, json=body).status_code == 422
    assert github.problems == []


# --- Pull requests


def test_pull_requests_are_found_by_number_state_head_and_commit(github: FakeGitHub, ask: Asking) -> None:
    github.ancestry += ["a"]
    github.add_pull(7, head_sha="h7")
    github.add_pull(8, head_sha="h8", fork=True)
    github.add_pull(9, head_sha="h9").state = "closed"

    assert ask.get("/pulls/7")["base"]["sha"] == "a"
    assert [one["number"] for one in ask.get("/pulls")] == [8, 7]
    assert [one["number"] for one in ask.get("/pulls?state=all")] == [9, 8, 7]
    assert [one["number"] for one in ask.get("/pulls?head=contributor:feature")] == [8]
    assert [one["number"] for one in ask.get("/commits/h9/pulls")] == [9]
    head, base = (ask.get("/pulls/8")[end]["repo"]["full_name"] for end in ("head", "base"))
    assert (head, base) == ("contributor/shop", "octo/shop")


# --- Faults


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (403, "Resource not accessible by integration"),
        (404, "Not Found"),
        (422, "Validation Failed"),
        (429, "API rate limit exceeded"),
        (500, "Server Error"),
        (502, "Server Error"),
    ],
)
def test_a_fault_comes_as_often_as_it_was_asked_for_and_changes_nothing(
    github: FakeGitHub, ask: Asking, status: int, message: str
) -> None:
    github.fail("POST", r"/issues/\d+/comments$", status, times=2, headers={"Retry-After": "1"})

    answers = [ask("POST", "/issues/7/comments", json={"body": str(at)}) for at in range(3)]

    assert [one.status_code for one in answers] == [status, status, 201]
    assert answers[0].json()["message"] == message
    assert answers[0].headers["Retry-After"] == "1"
    assert [one.body for one in github.comments[7]] == ["2"]
    assert github.problems == []


def test_a_fault_meets_its_method_and_path_only(github: FakeGitHub, ask: Asking) -> None:
    github.fail("PATCH", "/comments/", 500)

    assert ask("GET", "/releases").status_code == 200
    assert ask("GET", f"/issues/comments/{github.add_comment(7, 'x')}").status_code == 200


def test_the_request_that_meets_a_fault_is_checked_all_the_same(github: FakeGitHub, ask: Asking) -> None:
    github.fail("GET", "/releases", 500)

    ask("GET", "/releases?foo=1")

    assert len(github.problems) == 1


def test_a_given_body_is_answered_as_it_is(github: FakeGitHub, ask: Asking) -> None:
    github.fail("GET", "/releases", 200, body=[{"tag_name": 3}])
    github.fail("GET", "/releases", 200, body=b"<html>", headers={"Content-Type": "text/html"})

    assert ask.get("/releases") == [{"tag_name": 3}]
    assert ask("GET", "/releases").text == "<html>"
    assert github.problems == []


def test_an_answer_can_be_lost_before_or_after_the_request_took_effect(github: FakeGitHub, ask: Asking) -> None:
    github.fail("POST", "/comments", 0)
    github.fail("POST", "/comments", 0, after=True)
    github.fail("POST", "/comments", 502, after=True)

    for body in ("before", "after"):
        with pytest.raises(requests.ConnectionError):
            ask("POST", "/issues/7/comments", json={"body": body})
    assert ask("POST", "/issues/7/comments", json={"body": "answered"}).status_code == 502
    assert [one.body for one in github.comments[7]] == ["after", "answered"]


def test_an_upload_that_fails_leaves_a_starter_asset(github: FakeGitHub, ask: Asking) -> None:
    release = github.add_release("v1")
    github.fail("POST", "/assets", 502)

    assert ask.upload(release, "a.gz", b"x").status_code == 502
    assert [(one["name"], one["state"]) for one in ask.get(f"/releases/{release}/assets")] == [("a.gz", "starter")]
    assert ask.upload(release, "a.gz", b"x").status_code == 422
    assert github.problems == []


def test_graphql_and_the_storage_can_fail_too(github: FakeGitHub, ask: Asking) -> None:
    release = github.releases[github.add_release("v1", assets={"a.gz": b"bytes"})]
    github.fail("POST", "/graphql", 502)
    github.fail("GET", "/release-assets/", 503)

    assert ask("POST", f"{github.url}/graphql", json={"query": "{ viewer { login } }"}).status_code == 502
    place = f"/releases/assets/{release.assets[0].id}"
    assert [ask("GET", place, headers=BINARY).status_code for _ in range(2)] == [503, 200]


def test_an_answer_can_be_late(github: FakeGitHub, ask: Asking) -> None:
    github.fail("GET", "/releases", 500, delay=0.2)

    before = time.monotonic()
    assert ask("GET", "/releases").status_code == 500
    assert time.monotonic() - before >= 0.2


# --- The server itself


def test_requests_are_kept_as_they_came(github: FakeGitHub, ask: Asking) -> None:
    release = github.add_release("v1")
    ask("POST", "/issues/7/comments", json={"body": "x"})
    ask("POST", f"{github.site.uploads}/releases/{release}/assets?name=a%20b", data=b"\x00", headers=UPLOAD)

    comment, upload = github.requests
    assert (comment.method, comment.path, comment.body) == ("POST", "/repos/octo/shop/issues/7/comments", {"body": "x"})
    assert comment.headers["authorization"] == f"Bearer {github.token}"
    assert (upload.query, upload.body) == ({"name": "a b"}, b"\x00")


def test_a_client_that_keeps_its_connection_does_not_keep_the_server() -> None:
    with requests.Session() as session:
        with FakeGitHub() as github:
            session.get(github.site.repo, timeout=10)
            before = time.monotonic()
        assert time.monotonic() - before < 5
        with pytest.raises(requests.ConnectionError):
            session.get(github.site.repo, timeout=10)


def test_a_job_is_told_where_everything_is(github: FakeGitHub) -> None:
    assert github.environ == {
        "GITHUB_API_URL": github.url,
        "GITHUB_GRAPHQL_URL": f"{github.url}/graphql",
        "GITHUB_SERVER_URL": github.url,
        "GITHUB_REPOSITORY": "octo/shop",
    }


@pytest.mark.parametrize(("place", "code", "said"), [("/releases/tags/v1", 0, ""), ("/nothing", 1, "GET /repos/")])
def test_it_runs_as_a_process_that_tells_its_problems_at_the_end(
    tmp_path: Path, place: str, code: int, said: str
) -> None:
    (tmp_path / "a.gz").write_bytes(b"x")
    command = [sys.executable, "-m", "tests.servers.github", "--asset", f"v1={tmp_path / 'a.gz'}", "--pull", "7=abc"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environ, text=True) as process:
        assert process.stdout is not None
        job = json.loads(process.stdout.readline())
        headers = {"Authorization": f"Bearer {job['GITHUB_TOKEN']}"}
        requests.get(f"{job['GITHUB_API_URL']}/repos/octo/shop{place}", headers=headers, timeout=10)
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait(10) == code
    assert rest.startswith(said)
    assert bool(rest) == bool(said)
