"""A release on GitHub, step by step; each step is done once however often it is asked for.

The commit of a release is made by the API, so that no job holds git credentials, and GitHub signs it. Source:
docs.github.com, "REST API endpoints for Git database" and "for releases and release assets".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from scripts.release.version import Version, is_latest, moving_tags, of_tag

from llm_testbench.github import releases
from llm_testbench.github.answers import number, sha, text
from llm_testbench.github.api import RAW_TYPE, GitHub, GitHubError
from llm_testbench.json_value import JSONObject

_NEEDS = "contents: write"
_MAX_FILE = 4 * 1024 * 1024  # bytes of a file of a release's commit
CHECKSUMS = "SHA256SUMS"


class ReleaseError(Exception):
    """The release cannot go on; `str()` is one line for a person."""


@dataclass(frozen=True)
class Base:
    """The commit of main that a release is made from, and its tree."""

    commit: str
    tree: str


@dataclass(frozen=True)
class Page:
    """A release's page. `draft`: nobody sees it yet."""

    id: int
    draft: bool
    url: str


def published_versions(github: GitHub) -> frozenset[Version]:
    """The versions that everybody sees."""
    pages = github.pages("/releases", needs="contents: read")
    found = (of_tag(text(page, "tag_name")) for page in pages if page.get("draft") is False)
    return frozenset(version for version in found if version is not None)


def tag_release(github: GitHub, base: Base, version: Version, files: Mapping[str, str]) -> str:
    """The release's commit, a child of main's that only its tag names; ReleaseError when the tag holds other files."""
    standing = _ref(github, version.tag)
    if standing:
        for path, expected in files.items():
            if _file(github, path, standing) != expected:
                raise ReleaseError(f"the tag {version.tag} stands already, with another {path}: remove it, run again")
        return standing
    entries = [_entry(path, content) for path, content in files.items()]
    tree = sha(github.post("/git/trees", {"base_tree": base.tree, "tree": entries}, needs=_NEEDS), "sha")
    message = f"chore(release): {version}"
    body: JSONObject = {"message": message, "tree": tree, "parents": [base.commit]}
    commit = sha(github.post("/git/commits", body, needs=_NEEDS), "sha")
    if not commit:
        raise ReleaseError("GitHub named no commit for the release")
    _move(github, version.tag, commit)
    return commit


def draft(github: GitHub, version: Version, notes: str) -> Page:
    """The release's page, as a draft unless it is published already."""
    for one in github.pages("/releases", needs=_NEEDS):
        if text(one, "tag_name") == version.tag:
            return _page(one)
    body: JSONObject = {"tag_name": version.tag, "name": version.tag, "body": notes, "draft": True}
    return _page(github.post("/releases", body, needs=_NEEDS))


def attach(github: GitHub, page: Page, assets: Mapping[str, bytes], say: Callable[[str], object]) -> None:
    """The files of a draft; of a published release nothing is changed, not even what is missing."""
    if not page.draft:
        say("the release is published: its files stay as they are")
        return
    # Checksums last: where they stand, the rest does.
    for name in sorted(assets, key=lambda one: (one == CHECKSUMS, one)):
        say(releases.push(github, None, page.id, name, assets[name]))


def publish(github: GitHub, page: Page, version: Version) -> Page:
    """The release, for everybody."""
    if not page.draft:
        return page
    latest = is_latest(version, published_versions(github))
    body: JSONObject = {"draft": False, "make_latest": "true" if latest else "false"}
    try:
        return _page(github.patch(f"/releases/{page.id}", body, needs=_NEEDS))
    except GitHubError as error:
        if error.status not in (403, 404):
            raise
        # GitHub refuses a job's token when the commit's workflows are not main's (docs.github.com, "Update a release").
        raise ReleaseError(
            f"{error}; if main's workflows have changed since, publish the draft by hand, or let the next one follow"
        ) from None


def move_tags(github: GitHub, version: Version, commit: str) -> tuple[str, ...]:
    """`vX` and `vX.Y` point to the release's commit, unless a higher version is published; the tags that do now."""
    tags = moving_tags(version, published_versions(github))
    for tag in tags:
        _move(github, tag, commit)
    return tags


def _entry(path: str, content: str) -> JSONObject:
    return {"path": path, "mode": "100644", "type": "blob", "content": content}


def _move(github: GitHub, tag: str, commit: str) -> None:
    standing = _ref(github, tag)
    if standing == commit:
        return
    if standing:
        github.patch(f"/git/refs/tags/{quote(tag)}", {"sha": commit, "force": True}, needs=_NEEDS)
        return
    try:
        github.post("/git/refs", {"ref": f"refs/tags/{tag}", "sha": commit}, needs=_NEEDS)
    except GitHubError:
        # The answer to one that was made may have been lost.
        if _ref(github, tag) != commit:
            raise


def _ref(github: GitHub, tag: str) -> str:
    """What a tag points to, or ""."""
    try:
        return sha(github.get(f"/git/ref/tags/{quote(tag)}", needs=_NEEDS), "object", "sha")
    except GitHubError as error:
        if error.status != 404:
            raise
        return ""


def _file(github: GitHub, path: str, commit: str) -> str:
    data = github.download(f"/contents/{quote(path)}", _MAX_FILE, RAW_TYPE, needs=_NEEDS, ref=commit)
    return data.decode(errors="replace")


def _page(value: object) -> Page:
    if not isinstance(value, Mapping) or not number(value, "id"):
        raise ReleaseError("GitHub's answer is no release")
    return Page(number(value, "id"), value.get("draft") is not False, text(value, "html_url"))


def names(tags: Iterable[str]) -> str:
    """For a person."""
    return ", ".join(tags) or "none"
