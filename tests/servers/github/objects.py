"""Releases, comments, workflow artifacts, commits, … as GitHub's answers hold them: complete objects."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from tests.servers.github.git_objects import Commit, Entry
from tests.servers.github.people import LONG_AGO, JSONObject, minimal_repository, pull_repository, user
from tests.servers.github.site import FORK_ID, REPOSITORY_ID, Site
from tests.servers.github.state import Asset, CheckRun, Comment, Pull, Recording, Release, Run

NO_TREE = "0" * 40
# Above it the contents API leaves the content out of JSON, says its documentation.
INLINE_LIMIT = 1024 * 1024

_PERSON = {"name": "Octo Cat", "email": "octocat@example.com"}
_UNVERIFIED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


def release(site: Site, one: Release) -> JSONObject:
    """A release with its assets."""
    url = f"{site.repo}/releases/{one.id}"
    # A draft has no tag of its own yet.
    shown_tag = f"untagged-{one.id:020x}" if one.draft else one.tag
    return {
        "url": url,
        "html_url": f"{site.html}/releases/tag/{shown_tag}",
        "assets_url": f"{url}/assets",
        "upload_url": f"{site.uploads}/releases/{one.id}/assets{{?name,label}}",
        "tarball_url": None if one.draft else f"{site.repo}/tarball/{one.tag}",
        "zipball_url": None if one.draft else f"{site.repo}/zipball/{one.tag}",
        "id": one.id,
        "node_id": f"RE_fake{one.id}",
        "tag_name": one.tag,
        "target_commitish": "main",
        "name": one.tag if one.name is None else one.name,
        "body": one.body,
        "draft": one.draft,
        "prerelease": one.prerelease,
        "immutable": False,
        "created_at": one.created_at,
        "published_at": one.published_at,
        "author": user(site, one.author),
        "assets": [asset(site, shown_tag, each) for each in one.assets],
    }


def asset(site: Site, tag: str, one: Asset) -> JSONObject:
    """A release's asset."""
    return {
        "url": f"{site.repo}/releases/assets/{one.id}",
        "browser_download_url": f"{site.html}/releases/download/{tag}/{one.name}",
        "id": one.id,
        "node_id": f"RA_fake{one.id}",
        "name": one.name,
        "label": one.label,
        "state": one.state,
        "content_type": one.content_type,
        "size": len(one.data),
        "digest": f"sha256:{hashlib.sha256(one.data).hexdigest()}",
        "download_count": 0,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "uploader": user(site, one.uploader),
    }


def comment(site: Site, one: Comment) -> JSONObject:
    """A comment on an issue or pull request."""
    return {
        "id": one.id,
        "node_id": one.node_id,
        "url": f"{site.repo}/issues/comments/{one.id}",
        "html_url": comment_page(site, one),
        "issue_url": f"{site.repo}/issues/{one.number}",
        "body": one.body,
        "user": user(site, one.author),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "author_association": "NONE",
        "performed_via_github_app": None,
    }


def comment_page(site: Site, one: Comment) -> str:
    """Where a browser finds a comment."""
    return f"{site.html}/pull/{one.number}#issuecomment-{one.id}"


def recording(site: Site, one: Recording, run: Run) -> JSONObject:
    """A workflow artifact."""
    url = f"{site.repo}/actions/artifacts/{one.id}"
    return {
        "id": one.id,
        "node_id": f"A_fake{one.id}",
        "name": one.name,
        "size_in_bytes": len(one.data),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": one.expired,
        "digest": f"sha256:{hashlib.sha256(one.data).hexdigest()}",
        "created_at": one.created_at,
        "expires_at": one.created_at,
        "updated_at": one.created_at,
        "workflow_run": {
            "id": run.id,
            "repository_id": REPOSITORY_ID,
            "head_repository_id": FORK_ID if run.fork else REPOSITORY_ID,
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
        },
    }


def workflow_run(site: Site, one: Run) -> JSONObject:
    """A finished workflow run."""
    url = f"{site.repo}/actions/runs/{one.id}"
    actor = user(site, "contributor" if one.fork else "octocat")
    return {
        "id": one.id,
        "node_id": f"WFR_fake{one.id}",
        "name": "gate",
        "head_branch": one.head_branch,
        "head_sha": one.head_sha,
        "path": ".github/workflows/gate.yml",
        "display_title": "gate",
        "run_number": 1,
        "run_attempt": one.attempt,
        "event": one.event,
        "status": "completed",
        "conclusion": one.conclusion,
        "workflow_id": 1,
        "url": url,
        "html_url": f"{site.html}/actions/runs/{one.id}",
        "pull_requests": [],
        "created_at": one.created_at,
        "updated_at": one.created_at,
        "run_started_at": one.created_at,
        "actor": actor,
        "triggering_actor": actor,
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{site.repo}/check-suites/1",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "workflow_url": f"{site.repo}/actions/workflows/1",
        "head_commit": {
            "id": one.head_sha,
            "tree_id": NO_TREE,
            "message": "change",
            "timestamp": one.created_at,
            "author": _PERSON,
            "committer": _PERSON,
        },
        "repository": minimal_repository(site),
        "head_repository": minimal_repository(site, fork=one.fork),
    }


def commit(site: Site, sha: str, parents: tuple[str, ...]) -> JSONObject:
    """A commit as part of a comparison."""
    url = f"{site.repo}/commits/{sha}"
    dated = {**_PERSON, "date": LONG_AGO}
    return {
        "sha": sha,
        "node_id": f"C_fake{sha}",
        "url": url,
        "html_url": f"{site.html}/commit/{sha}",
        "comments_url": f"{url}/comments",
        "commit": {
            "url": f"{site.repo}/git/commits/{sha}",
            "author": dated,
            "committer": dated,
            "message": "change",
            "comment_count": 0,
            "tree": {"sha": NO_TREE, "url": f"{site.repo}/git/trees/{NO_TREE}"},
            "verification": _UNVERIFIED,
        },
        "author": user(site, "octocat"),
        "committer": user(site, "octocat"),
        "parents": [_parent(site, one) for one in parents],
    }


def git_commit(site: Site, one: Commit) -> JSONObject:
    """A commit of the git database."""
    dated = {**_PERSON, "date": LONG_AGO}
    return {
        "sha": one.sha,
        "node_id": f"C_fake{one.sha}",
        "url": f"{site.repo}/git/commits/{one.sha}",
        "html_url": f"{site.html}/commit/{one.sha}",
        "author": dated,
        "committer": dated,
        "message": one.message,
        "tree": {"sha": one.tree, "url": f"{site.repo}/git/trees/{one.tree}"},
        "parents": [_parent(site, sha) for sha in one.parents],
        "verification": _UNVERIFIED,
    }


def _parent(site: Site, sha: str) -> JSONObject:
    return {"sha": sha, "url": f"{site.repo}/git/commits/{sha}", "html_url": f"{site.html}/commit/{sha}"}


def git_ref(site: Site, ref: str, sha: str) -> JSONObject:
    """A ref, named from `refs/` on."""
    return {
        "ref": ref,
        "node_id": f"REF_fake{ref}",
        "url": f"{site.repo}/git/{ref}",
        "object": {"type": "commit", "sha": sha, "url": f"{site.repo}/git/commits/{sha}"},
    }


def tag(site: Site, name: str, sha: str) -> JSONObject:
    """A tag with the commit that it means."""
    return {
        "name": name,
        "commit": {"sha": sha, "url": f"{site.repo}/commits/{sha}"},
        "zipball_url": f"{site.repo}/zipball/refs/tags/{name}",
        "tarball_url": f"{site.repo}/tarball/refs/tags/{name}",
        "node_id": f"REF_fake{name}",
    }


def git_tree(site: Site, sha: str, entries: list[Entry]) -> JSONObject:
    """The top level of a tree."""
    listed: list[JSONObject] = []
    for one in entries:
        size = {"size": one.size} if one.kind == "blob" else {}
        url = f"{site.repo}/git/{one.kind}s/{one.sha}"
        listed.append({"path": one.name, "mode": one.mode, "type": one.kind, "sha": one.sha, "url": url, **size})
    return {"sha": sha, "url": f"{site.repo}/git/trees/{sha}", "tree": listed, "truncated": False}


def content_entry(site: Site, folder: str, one: Entry, ref: str) -> JSONObject:
    """One name in a folder of the contents API, without its content."""
    path = f"{folder}/{one.name}" if folder else one.name
    page = "tree" if one.kind == "tree" else "blob"
    links = {
        "self": f"{site.repo}/contents/{path}?ref={ref}",
        "git": f"{site.repo}/git/{one.kind}s/{one.sha}",
        "html": f"{site.html}/{page}/{ref}/{path}",
    }
    return {
        "name": one.name,
        "path": path,
        "sha": one.sha,
        "size": one.size,
        "type": "dir" if one.kind == "tree" else "file",
        "url": links["self"],
        "git_url": links["git"],
        "html_url": links["html"],
        "download_url": None if one.kind == "tree" else f"{site.url}/raw/{site.full_name}/{ref}/{path}",
        "_links": links,
    }


def content_file(site: Site, folder: str, one: Entry, ref: str, data: bytes) -> JSONObject:
    """A file of the contents API, in base64 with line breaks, which GitHub leaves out for a large one."""
    inline = len(data) <= INLINE_LIMIT
    return {
        **content_entry(site, folder, one, ref),
        "content": base64.encodebytes(data).decode() if inline else "",
        "encoding": "base64" if inline else "none",
    }


def file_commit(site: Site, entry: JSONObject, one: Commit) -> JSONObject:
    """What the contents API answers to a write."""
    return {"content": entry, "commit": git_commit(site, one)}


def pull_summary(site: Site, one: Pull, *, default_branch: str, private: bool) -> JSONObject:
    """A pull request as part of a list."""
    api, page, issue = (
        f"{site.repo}/pulls/{one.number}",
        f"{site.html}/pull/{one.number}",
        f"{site.repo}/issues/{one.number}",
    )
    links = {
        "self": api,
        "html": page,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{api}/comments",
        "review_comment": f"{site.repo}/pulls/comments{{/number}}",
        "commits": f"{api}/commits",
        "statuses": f"{site.repo}/statuses/{one.head_sha}",
    }

    def end(sha: str, ref: str, *, fork: bool) -> JSONObject:
        repository = pull_repository(site, fork=fork, default_branch=default_branch, private=private)
        owner = repository["owner"]
        return {"label": f"{owner['login']}:{ref}", "ref": ref, "sha": sha, "user": owner, "repo": repository}

    return {
        "id": one.number,
        "node_id": f"PR_fake{one.number}",
        "number": one.number,
        "state": one.state,
        "locked": False,
        "title": "Change",
        "body": None,
        "user": user(site, "contributor" if one.fork else "octocat"),
        "labels": [],
        "milestone": None,
        "assignee": None,
        "author_association": "CONTRIBUTOR",
        "auto_merge": None,
        "draft": False,
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
        "closed_at": None,
        "merged_at": None,
        "merge_commit_sha": None,
        "url": api,
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue,
        **{
            f"{key}_url": links[key] for key in ("comments", "review_comments", "review_comment", "commits", "statuses")
        },
        "head": end(one.head_sha, one.head_ref, fork=one.fork),
        "base": end(one.base_sha, one.base_ref, fork=False),
        "_links": {key: {"href": url} for key, url in links.items()},
    }


def pull(site: Site, one: Pull, *, default_branch: str, private: bool, comments: int) -> JSONObject:
    """A pull request as the answer to the question for it."""
    counts: dict[str, Any] = dict.fromkeys(("additions", "deletions", "review_comments"), 0)
    return {
        **pull_summary(site, one, default_branch=default_branch, private=private),
        **counts,
        "comments": comments,
        "changed_files": 1,
        "commits": 1,
        "merged": False,
        "mergeable": True,
        "mergeable_state": "clean",
        "merged_by": None,
        "maintainer_can_modify": False,
    }


def check_run(site: Site, one: CheckRun) -> JSONObject:
    """A check run of a commit."""
    url = f"{site.repo}/check-runs/{one.id}"
    return {
        "id": one.id,
        "node_id": f"CR_fake{one.id}",
        "head_sha": one.head_sha,
        "name": one.name,
        "url": url,
        "html_url": f"{site.html}/runs/{one.id}",
        "details_url": one.details_url,
        "external_id": one.external_id,
        "status": one.status,
        "conclusion": one.conclusion,
        "started_at": one.started_at,
        "completed_at": one.completed_at,
        "output": {
            "title": one.title,
            "summary": one.summary,
            "text": one.text,
            "annotations_count": len(one.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": 1},
        "app": _app(site, one.app),
        "pull_requests": [],
    }


def _app(site: Site, slug: str) -> JSONObject:
    return {
        "id": 15368,
        "node_id": f"A_fake_{slug}",
        "slug": slug,
        "name": slug,
        "owner": user(site, "github"),
        "description": None,
        "external_url": "https://help.github.com",
        "html_url": f"{site.url}/apps/{slug}",
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
        "permissions": {"checks": "write"},
        "events": [],
    }
