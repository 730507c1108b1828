import json
from typing import Any

import pytest
from tests.contracts.openapi import DESCRIPTION, Contract, Match, github

REPO = "/repos/octo/shop"
JSON = {"content-type": "application/json; charset=utf-8"}


def matched(method: str, path: str, *, uploads: bool = False) -> Match:
    found = github().match(method, REPO + path, uploads=uploads)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("method", "path", "operation", "parameters"),
    [
        ("GET", "", "repos/get", {}),
        ("GET", "/releases/latest", "repos/get-latest-release", {}),
        ("GET", "/releases/12", "repos/get-release", {"release_id": "12"}),
        ("GET", "/releases/tags/v1%2Frc", "repos/get-release-by-tag", {"tag": "v1/rc"}),
        ("GET", "/releases/tags/v1/rc", "repos/get-release-by-tag", {"tag": "v1/rc"}),
        ("GET", "/compare/main...a/b", "repos/compare-commits-with-basehead", {"basehead": "main...a/b"}),
        ("GET", "/contents/", "repos/get-content", {"path": ""}),
        ("GET", "/contents/a/b.json", "repos/get-content", {"path": "a/b.json"}),
        ("PATCH", "/git/refs/heads/a/b", "git/update-ref", {"ref": "heads/a/b"}),
        ("GET", "/issues/comments/3", "issues/get-comment", {"comment_id": "3"}),
    ],
)
def test_a_path_is_one_operation_with_decoded_parameters(
    method: str, path: str, operation: str, parameters: dict[str, str]
) -> None:
    found = matched(method, path)

    assert found.operation.id == operation
    assert found.parameters == {"owner": "octo", "repo": "shop", **parameters}


@pytest.mark.parametrize(
    ("method", "path", "uploads"),
    [
        pytest.param("GET", "/stars", False, id="no such path"),
        pytest.param("PUT", "/releases", False, id="no such method"),
        pytest.param("GET", "/issues/1/2/comments", False, id="a slash in a parameter of one segment"),
        pytest.param("POST", "/releases/1/assets", False, id="an upload on the host of the API"),
        pytest.param("GET", "/releases", True, id="the API on the host of uploads"),
    ],
)
def test_what_github_does_not_describe_is_no_operation(method: str, path: str, uploads: bool) -> None:
    assert github().match(method, REPO + path, uploads=uploads) is None


@pytest.mark.parametrize(
    ("method", "path", "query", "headers", "body", "problem"),
    [
        pytest.param("GET", "/releases", "per_page=100&page=2", {}, b"", None, id="declared parameters"),
        pytest.param(
            "GET", "/releases", "per_page=x", {}, b"", "query parameter 'per_page': 'x' is not", id="no number"
        ),
        pytest.param(
            "GET", "/releases", "sort=asc", {}, b"", "query parameter 'sort' is not declared", id="undeclared"
        ),
        pytest.param("GET", "/issues/1/comments", "since=yesterday", {}, b"", "'since': 'yesterday'", id="no date"),
        pytest.param("GET", "/issues/1/comments", "since=2026-01-01T00:00:00Z", {}, b"", None, id="a date"),
        pytest.param("GET", "/actions/runs", "exclude_pull_requests=true", {}, b"", None, id="a boolean"),
        pytest.param("GET", "/actions/runs", "status=done", {}, b"", "'status': 'done'", id="none of the words"),
        pytest.param("GET", "/releases/one", "", {}, b"", "path parameter 'release_id': 'one'", id="no id"),
        pytest.param("GET", "/releases", "", JSON, b"{}", "a body where none is declared", id="a body too many"),
        pytest.param("POST", "/issues/1/comments", "", JSON, b"", "the body is missing", id="no body"),
        pytest.param("POST", "/issues/1/comments", "", JSON, b'{"body": "x"}', None, id="a body"),
        pytest.param("POST", "/issues/1/comments", "", JSON, b"{", "the body is not JSON", id="no JSON"),
        pytest.param("POST", "/issues/1/comments", "", JSON, b'{"body": 1}', "$.body: 1 is not of type", id="a type"),
        pytest.param("POST", "/issues/1/comments", "", JSON, b"{}", "$: 'body' is a required", id="a key too few"),
        pytest.param(
            "POST", "/issues/1/comments", "", JSON, b'{"body": "", "x": 1}', "('x' was unexpected)", id="a key too many"
        ),
        pytest.param(
            "POST",
            "/issues/1/comments",
            "",
            {},
            b'{"body": "x"}',
            "content type '' is not declared",
            id="no media type",
        ),
        pytest.param("POST", "/git/trees", "", JSON, b'{"tree": [{"sha": null}]}', None, id="null where it may be"),
    ],
)
def test_a_request_is_held_against_its_operation(
    method: str, path: str, query: str, headers: dict[str, str], body: bytes, problem: str | None
) -> None:
    found = github().request_problems(matched(method, path), query, headers, body)

    assert (found == []) if problem is None else (problem in found[0])


@pytest.mark.parametrize(
    ("query", "headers", "problem"),
    [
        pytest.param("name=a.gz", {"content-type": "application/gzip"}, None, id="any media type"),
        pytest.param("name=a.gz", {}, "an upload without a content type", id="none"),
        pytest.param("label=a", {"content-type": "text/plain"}, "query parameter 'name' is missing", id="no name"),
    ],
)
def test_an_upload_names_its_file_and_its_media_type(query: str, headers: dict[str, str], problem: str | None) -> None:
    match = matched("POST", "/releases/1/assets", uploads=True)

    assert github().request_problems(match, query, headers, b"\x1f\x8b") == ([] if problem is None else [problem])


COMMENT: dict[str, Any] = {
    "id": 1,
    "node_id": "IC_1",
    "url": "https://api.github.com/x",
    "html_url": "https://github.com/x",
    "issue_url": "https://api.github.com/y",
    "user": None,
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00+01:00",
}


@pytest.mark.parametrize(
    ("status", "headers", "body", "problem"),
    [
        pytest.param(200, JSON, COMMENT, None, id="complete"),
        pytest.param(200, JSON, {**COMMENT, "id": "1"}, "$.id: '1' is not of type 'integer'", id="a type"),
        pytest.param(200, JSON, {**COMMENT, "url": "x y"}, "$.url: 'x y' is not a 'uri'", id="an address"),
        pytest.param(200, JSON, {**COMMENT, "created_at": "today"}, "$.created_at: 'today' is not", id="a date"),
        pytest.param(
            200, JSON, {**COMMENT, "created_at": "2026-13-01T00:00:00Z"}, "is not a 'date-time'", id="a month"
        ),
        pytest.param(200, JSON, {**COMMENT, "made_up": 1}, "('made_up' was unexpected)", id="invented"),
        pytest.param(200, JSON, {**COMMENT, "user": {}}, "$.user: 'avatar_url' is a required", id="deep inside"),
        pytest.param(200, {"content-type": "text/html"}, "x", "content type 'text/html' is not declared", id="media"),
        pytest.param(201, JSON, COMMENT, "201 is not declared", id="an undeclared status"),
        pytest.param(502, JSON, {}, "502 is not declared", id="a server's fault"),
        pytest.param(403, JSON, {"message": "no"}, None, id="an error that any operation may answer"),
        pytest.param(403, JSON, {"message": 3}, "$.message: 3 is not of type", id="not with any shape"),
        pytest.param(404, JSON, {"message": "Not Found"}, None, id="a declared error"),
    ],
)
def test_an_answer_is_held_against_its_operation(
    status: int, headers: dict[str, str], body: object, problem: str | None
) -> None:
    match = matched("GET", "/issues/comments/1")

    found = github().answer_problems(match, status, headers, json.dumps(body).encode())

    assert (found == []) if problem is None else any(problem in one for one in found), found


def test_an_answer_without_content_has_no_body() -> None:
    match = matched("DELETE", "/issues/comments/1")

    assert github().answer_problems(match, 204, {}, b"") == []
    assert github().answer_problems(match, 204, JSON, b"{}") == ["a body where none is declared"]


def test_a_file_asked_for_as_raw_is_its_bytes() -> None:
    match = matched("GET", "/contents/a")
    media = {"content-type": "application/vnd.github.raw+json; charset=utf-8"}

    assert github().answer_problems(match, 200, media, b"\x1f\x8b") == []


@pytest.mark.parametrize(("state", "count"), [("uploaded", 0), ("starter", 0), ("lost", 1)])
def test_an_upload_that_failed_may_leave_a_starter_asset(state: str, count: int) -> None:
    shape = json.loads(DESCRIPTION.read_bytes())["components"]["schemas"]["release-asset"]
    values = {"integer": 1, "string": "https://x/y"}
    asset = {name: values.get(shape["properties"][name].get("type")) for name in shape["required"]}
    asset |= {"state": state, "created_at": COMMENT["created_at"], "updated_at": COMMENT["created_at"]}
    match = matched("GET", "/releases/assets/1")

    assert len(github().answer_problems(match, 200, JSON, json.dumps(asset).encode())) == count


def test_only_the_first_few_deviations_are_told() -> None:
    match = matched("GET", "/issues/comments/1")

    assert len(github().answer_problems(match, 200, JSON, b"{}")) == 3


def test_what_was_found_right_once_says_nothing_about_another_value_or_schema() -> None:
    contract = Contract(json.loads(DESCRIPTION.read_bytes()))
    comment = contract.match("GET", REPO + "/issues/comments/1")
    release = contract.match("GET", REPO + "/releases/1")
    assert comment is not None
    assert release is not None
    text = json.dumps(COMMENT).encode()

    assert contract.answer_problems(comment, 200, JSON, text) == []
    assert contract.answer_problems(comment, 200, JSON, text) == []
    assert contract.answer_problems(release, 200, JSON, text) != []
    assert contract.answer_problems(comment, 200, JSON, text.replace(b'"IC_1"', b"1")) != []


def test_references_among_operations_and_answers_are_all_found() -> None:
    paths = json.loads(DESCRIPTION.read_bytes())["paths"]

    for path, methods in paths.items():
        for method, described in methods.items():
            concrete = path.format_map(dict.fromkeys(_names(path), "1"))
            match = github().match(method.upper(), concrete, uploads="servers" in described)
            assert match is not None, path
            assert match.operation.id == described["operationId"]
            for status in match.operation.answers:
                github().answer_problems(match, status, JSON, b'{"surely": "not"}')


def _names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]
