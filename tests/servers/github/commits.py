"""The repository itself, comparisons of commits, pull requests. Source: GitHub's documentation, "REST API endpoints for
commits" and "for pull requests".
"""

from __future__ import annotations

from tests.servers.github import objects, people
from tests.servers.github.call import Answer, Call, Endpoint, listed, not_found, page
from tests.servers.github.state import Pull

# Without paging a comparison holds so many commits.
MOST_COMMITS = 250


def _get_repository(call: Call) -> Answer:
    repository = call.repository
    shown = people.full_repository(call.site, default_branch=repository.default_branch, private=repository.private)
    return Answer(200, shown)


def _compare(call: Call) -> Answer:
    base_ref, dots, head_ref = call.parameters["basehead"].partition("...")
    base, head = call.repository.commit_of(base_ref), call.repository.commit_of(head_ref)
    if not dots or base is None or head is None:
        return not_found()
    before, after = call.repository.history(base), call.repository.history(head)
    shared = sum(1 for one, other in zip(before, after, strict=False) if one == other)
    if not shared:
        return not_found()
    ahead, behind = after[shared:], len(before) - shared
    shown, headers = page(call, ahead) if call.query else (ahead[-MOST_COMMITS:], {})
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind", (True, True): "diverged"}
    page_url = f"{call.site.html}/compare/{base_ref}...{head_ref}"
    body = {
        "url": f"{call.site.repo}/compare/{base_ref}...{head_ref}",
        "html_url": page_url,
        "permalink_url": f"{call.site.html}/compare/{base}...{head}",
        "diff_url": f"{page_url}.diff",
        "patch_url": f"{page_url}.patch",
        "base_commit": _commit(call, base),
        "merge_base_commit": _commit(call, after[shared - 1]),
        "status": status[bool(ahead), bool(behind)],
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
        "commits": [_commit(call, one) for one in shown],
        "files": [],
    }
    return Answer(200, body, headers)


def _commit(call: Call, sha: str) -> people.JSONObject:
    parent = call.repository.parent(sha)
    return objects.commit(call.site, sha, () if parent is None else (parent,))


def _get_pull(call: Call) -> Answer:
    repository = call.repository
    found = repository.pulls.get(call.number("pull_number"))
    if found is None:
        return not_found()
    shown = objects.pull(
        call.site,
        found,
        default_branch=repository.default_branch,
        private=repository.private,
        comments=len(repository.comments.get(found.number, ())),
    )
    return Answer(200, shown)


def _list_pulls(call: Call) -> Answer:
    state = call.query.get("state", "open")
    base, head = call.query.get("base"), call.query.get("head")

    def wanted(one: Pull) -> bool:
        owner = "contributor" if one.fork else call.site.owner
        return (
            state in {"all", one.state} and base in {None, one.base_ref} and head in {None, f"{owner}:{one.head_ref}"}
        )

    return _pulls(call, [one for one in call.repository.pulls.values() if wanted(one)])


def _pulls_of_commit(call: Call) -> Answer:
    sha = call.parameters["commit_sha"]
    return _pulls(call, [one for one in call.repository.pulls.values() if one.head_sha == sha])


def _pulls(call: Call, pulls: list[Pull]) -> Answer:
    repository = call.repository
    newest_first = sorted(pulls, key=lambda one: one.number, reverse=True)
    return listed(
        call,
        newest_first,
        lambda one: objects.pull_summary(
            call.site, one, default_branch=repository.default_branch, private=repository.private
        ),
    )


ENDPOINTS: dict[str, Endpoint] = {
    "repos/get": _get_repository,
    "repos/compare-commits-with-basehead": _compare,
    "pulls/get": _get_pull,
    "pulls/list": _list_pulls,
    "repos/list-pull-requests-associated-with-commit": _pulls_of_commit,
}
