"""What a token has to be granted for an operation, and the refusal of one that is not.

Source: GitHub's documentation, "Permissions required for GitHub Apps" (a job's token is one of such an app), under the
names that a workflow's `permissions:` has. So it is in a private repository; in a public one, most reading needs none.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.servers.github.call import Answer, error

REFUSAL = "Resource not accessible by integration"
_LEVELS = ("none", "read", "write")

_READ, _WRITE = "read", "write"
NEEDED: Mapping[str, tuple[str, str] | None] = {
    "repos/get": None,  # metadata: read, which every token has
    "repos/list-releases": ("contents", _READ),
    "repos/get-latest-release": ("contents", _READ),
    "repos/get-release-by-tag": ("contents", _READ),
    "repos/get-release": ("contents", _READ),
    "repos/create-release": ("contents", _WRITE),
    "repos/update-release": ("contents", _WRITE),
    "repos/list-release-assets": ("contents", _READ),
    "repos/get-release-asset": ("contents", _READ),
    "repos/upload-release-asset": ("contents", _WRITE),
    "repos/update-release-asset": ("contents", _WRITE),
    "repos/delete-release-asset": ("contents", _WRITE),
    "repos/get-content": ("contents", _READ),
    "repos/create-or-update-file-contents": ("contents", _WRITE),
    "repos/compare-commits-with-basehead": ("contents", _READ),
    "repos/list-tags": None,
    "git/create-blob": ("contents", _WRITE),
    "git/create-tree": ("contents", _WRITE),
    "git/create-commit": ("contents", _WRITE),
    "git/get-ref": ("contents", _READ),
    "git/create-ref": ("contents", _WRITE),
    "git/update-ref": ("contents", _WRITE),
    "actions/list-artifacts-for-repo": ("actions", _READ),
    "actions/list-workflow-run-artifacts": ("actions", _READ),
    "actions/get-artifact": ("actions", _READ),
    "actions/download-artifact": ("actions", _READ),
    "actions/list-workflow-runs-for-repo": ("actions", _READ),
    "actions/get-workflow-run": ("actions", _READ),
    # Of comments, "issues" is as good.
    "issues/list-comments": ("pull-requests", _READ),
    "issues/create-comment": ("pull-requests", _WRITE),
    "issues/get-comment": ("pull-requests", _READ),
    "issues/update-comment": ("pull-requests", _WRITE),
    "issues/delete-comment": ("pull-requests", _WRITE),
    "pulls/get": ("pull-requests", _READ),
    "pulls/list": ("pull-requests", _READ),
    "repos/list-pull-requests-associated-with-commit": ("pull-requests", _READ),
    "checks/list-for-ref": ("checks", _READ),
    "checks/create": ("checks", _WRITE),
    "checks/update": ("checks", _WRITE),
}
"""By operation of the REST API: the permission and its level; None for one that every token has."""


def refusal(operation: str, granted: Mapping[str, str] | None) -> Answer | None:
    """The answer to a token without what the operation needs. `granted`: None for a token that may do anything."""
    needed = NEEDED[operation]
    if granted is None or needed is None or _allows(granted, *needed):
        return None
    answer = error(403, REFUSAL)
    accepted = f"{needed[0].replace('-', '_')}={needed[1]}"
    return Answer(answer.status, answer.body, {"X-Accepted-GitHub-Permissions": accepted})


def query_refusal(fields: frozenset[str], *, mutation: bool, granted: Mapping[str, str] | None) -> Answer | None:
    """The same for GraphQL, which says it with HTTP 200. `fields`: those at the top of the document."""
    for field, needed in (("repository", "contents"), ("node", "pull-requests"), ("nodes", "pull-requests")):
        if granted is not None and field in fields and not _allows(granted, needed, _READ):
            return _forbidden(field)
    if mutation and granted is not None and not _allows(granted, "contents", _WRITE):
        return _forbidden(min(fields))
    return None


def _allows(granted: Mapping[str, str], name: str, level: str) -> bool:
    return _LEVELS.index(granted.get(name, "none")) >= _LEVELS.index(level)


def _forbidden(field: str) -> Answer:
    fault = {"type": "FORBIDDEN", "path": [field], "extensions": {"saml_failure": False}, "message": REFUSAL}
    return Answer(200, {"data": {field: None}, "errors": [fault]})
