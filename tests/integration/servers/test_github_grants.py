"""A token of the fake may be granted less than everything, as a job's token is."""

from __future__ import annotations

import pytest
from tests.integration.servers.asking import Asking
from tests.servers.github import FakeGitHub
from tests.servers.github.fake import _ENDPOINTS
from tests.servers.github.grants import NEEDED, REFUSAL

READ = "query($id: [ID!]!) { nodes(ids: $id) { ... on IssueComment { body } } }"
OWN = 'query { repository(owner: "octo", name: "shop") { id } }'
MOVE = "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"


def test_of_each_operation_that_is_played_it_is_known_what_it_needs() -> None:
    assert NEEDED.keys() == _ENDPOINTS.keys()


@pytest.mark.parametrize(
    ("method", "place", "needed"),
    [
        ("GET", "", None),
        ("GET", "/releases", "contents: read"),
        ("GET", "/actions/artifacts", "actions: read"),
        ("GET", "/pulls", "pull-requests: read"),
        ("GET", "/issues/7/comments", "pull-requests: read"),
        ("POST", "/issues/7/comments", "pull-requests: write"),
        ("POST", "/git/blobs", "contents: write"),
        ("POST", "/check-runs", "checks: write"),
    ],
)
@pytest.mark.parametrize("level", ["none", "read", "write"])
def test_a_request_is_refused_to_a_token_without_it(
    github: FakeGitHub, ask: Asking, method: str, place: str, needed: str | None, level: str
) -> None:
    name, _, least = (needed or "metadata: read").partition(": ")
    github.granted = {name: level}
    bodies = {"/check-runs": {"name": "x", "head_sha": "a" * 40}, "/git/blobs": {"content": "x"}}
    answer = ask(method, place, **({"json": bodies.get(place, {"body": "x"})} if method == "POST" else {}))
    levels = ["none", "read", "write"]
    refused = needed is not None and levels.index(level) < levels.index(least)
    assert (answer.status_code == 403) == refused
    if refused:
        assert answer.json()["message"] == REFUSAL
        assert answer.headers["X-Accepted-GitHub-Permissions"] == f"{name.replace('-', '_')}={least}"


def test_an_upload_is_refused_before_anything_of_it_is_kept(github: FakeGitHub, ask: Asking) -> None:
    release = github.add_release("v1")
    github.granted = {"contents": "read"}
    assert ask.upload(release, "a.json", b"{}").status_code == 403
    assert github.releases[release].assets == []


@pytest.mark.parametrize(
    ("query", "variables", "granted", "well"),
    [
        (READ, {"id": []}, {"pull-requests": "read"}, True),
        (READ, {"id": []}, {"contents": "write"}, False),
        (OWN, {}, {"contents": "read"}, True),
        (OWN, {}, {"pull-requests": "write"}, False),
        (MOVE, {"input": {"repositoryId": "R_x", "refUpdates": []}}, {"contents": "read"}, False),
    ],
)
def test_graphql_refuses_with_status_200(
    github: FakeGitHub, ask: Asking, query: str, variables: dict[str, object], granted: dict[str, str], well: bool
) -> None:
    github.granted = granted
    said = ask.graphql(query, **variables)
    assert ("errors" not in said) == well
    if not well:
        assert [(one["type"], one["message"]) for one in said["errors"]] == [("FORBIDDEN", REFUSAL)]
