"""Git in GraphQL: branches, trees and commits, and refs that move only from where they are believed to be.

Source: GitHub's documentation, "GraphQL: Git", `updateRefs`. How GitHub words the refusals of that mutation is not
documented: no client may rely on the words here.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.servers.github.git_objects import EMPTY_TREE
from tests.servers.github.people import JSONObject
from tests.servers.github.repository import Repository
from tests.servers.github.site import REPOSITORY_ID, Site

NOTHING = "0" * 40
"""Stands for no object: a ref that is not there."""

_NODE = f"R_fake{REPOSITORY_ID}"


class RefusedError(Exception):
    """Nothing is done; `fault`: the error of the answer."""

    def __init__(self, fault: JSONObject) -> None:
        super().__init__(fault["message"])
        self.fault = fault


def repository(site: Site, repository: Repository) -> JSONObject:
    """The repository; what has arguments, or is deep, is a function."""

    def ref(qualifiedName: str) -> JSONObject | None:  # noqa: N803 -- the argument's name
        prefix, name = "refs/heads/", qualifiedName.removeprefix("refs/heads/")
        head = repository.head_of(name) if qualifiedName.startswith(prefix) else None
        if head is None:
            return None
        shown = {"__typename": "Ref", "id": f"REF_{name}", "name": name, "prefix": prefix}
        return {**shown, "target": _commit(site, repository, head)}

    def thing(oid: str | None = None, expression: str | None = None) -> JSONObject | None:
        found = repository.commit_of(oid or expression or "")
        return None if found is None else _commit(site, repository, found)

    return {"__typename": "Repository", "id": _NODE, "ref": ref, "object": thing}


def update_refs(repository: Repository, wanted: JSONObject, path: list[str | int]) -> None:
    """All of the moves, or none."""

    def refuse(kind: str, message: str) -> RefusedError:
        return RefusedError({"type": kind, "path": path, "message": message})

    if wanted["repositoryId"] != _NODE:
        raise refuse("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted['repositoryId']}'.")
    for move in wanted["refUpdates"]:
        name = move["name"].removeprefix("refs/heads/")
        head = repository.head_of(name)
        before, after = move.get("beforeOid"), move["afterOid"]
        if before is not None and before != (head or NOTHING):
            raise refuse("UNPROCESSABLE", f"A ref update was refused: {move['name']} is not at {before}")
        if after not in repository.git.commits:
            raise refuse("UNPROCESSABLE", "A ref update was refused: there is no such object")
        grows = head is None or head in repository.history(after)
        if not grows and (not move.get("force", False) or name in repository.protected):
            raise refuse("UNPROCESSABLE", f"A ref update was refused: {move['name']} must not lose commits")
    for move in wanted["refUpdates"]:
        repository.git.heads[move["name"].removeprefix("refs/heads/")] = move["afterOid"]


def _commit(site: Site, repository: Repository, sha: str) -> JSONObject:
    found = repository.git.commits.get(sha)
    tree = found.tree if found else EMPTY_TREE
    message = found.message if found else "change"
    more = {"committedDate": repository.committed_at(sha), "message": message}
    return {**_object(site, "Commit", sha), **more, "tree": partial(_tree, site, repository, tree)}


def _tree(site: Site, repository: Repository, sha: str) -> JSONObject:
    git = repository.git

    def entries() -> list[JSONObject]:
        found = []
        for one in git.entries(git.trees[sha], ""):
            inside = partial(_tree, site, repository, one.sha)
            file = {**_object(site, "Blob", one.sha), "byteSize": one.size}
            shown = {"name": one.name, "path": one.name, "type": one.kind, "size": one.size, "oid": one.sha}
            mode = int(one.mode, 8)
            made = inside if one.kind == "tree" else file
            found.append({"__typename": "TreeEntry", **shown, "mode": mode, "object": made})
        return found

    return {**_object(site, "Tree", sha), "entries": entries}


def _object(site: Site, kind: str, sha: str) -> dict[str, Any]:
    links = {"commitUrl": f"{site.html}/commit/{sha}", "commitResourcePath": f"/commit/{sha}"}
    return {"__typename": kind, "id": f"{kind}_{sha}", "oid": sha, "abbreviatedOid": sha[:7], **links}
