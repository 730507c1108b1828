"""Files of branches, and the git database. Source: GitHub's documentation, "REST API endpoints for repository contents"
and "for Git database".
"""

from __future__ import annotations

import base64
import binascii

from tests.servers.github import objects
from tests.servers.github.call import Answer, Call, Endpoint, error, listed, not_found, refused
from tests.servers.github.git_objects import Entry

_RAW = "application/vnd.github.raw"
_KINDS = ("heads", "tags")


def _get(call: Call) -> Answer:
    git = call.repository.git
    ref = call.query.get("ref", call.repository.default_branch)
    commit = call.repository.commit_of(ref)
    if commit is None:
        return error(404, f"No commit found for the ref {ref}")
    files = git.files(commit)
    path = call.parameters["path"].strip("/")
    folder, _, name = path.rpartition("/")
    if path in files:
        data = git.blobs[files[path]]
        if call.accepts(_RAW):
            return Answer(200, data, {"Content-Type": f"{_RAW}+json; charset=utf-8"})
        return Answer(
            200, objects.content_file(call.site, folder, Entry(name, "blob", files[path], len(data)), ref, data)
        )
    entries = git.entries(files, path)
    if not entries:
        return not_found()
    return Answer(200, [objects.content_entry(call.site, path, one, ref) for one in entries])


def _put(call: Call) -> Answer:
    git = call.repository.git
    branch = call.body.get("branch", call.repository.default_branch)
    path = call.parameters["path"]
    parent = call.repository.head_of(branch)
    if parent is None and branch != call.repository.default_branch:
        return error(404, f"Branch {branch} not found")
    try:
        data = base64.b64decode("".join(call.body["content"].split()), validate=True)
    except binascii.Error:
        return refused("content is not valid Base64")
    present = git.files(parent).get(path)
    given = call.body.get("sha")
    if present is not None and given is None:
        return refused('Invalid request.\n\n"sha" wasn\'t supplied.')
    if given is not None and given != present:
        return error(409, f"{path} does not match {given}")
    commit = git.write(branch, path, data, call.body["message"], parent)
    folder, _, name = path.rpartition("/")
    entry = objects.content_entry(call.site, folder, Entry(name, "blob", git.add_blob(data), len(data)), branch)
    return Answer(201 if present is None else 200, objects.file_commit(call.site, entry, commit))


def _create_blob(call: Call) -> Answer:
    content = call.body["content"]
    try:
        data = base64.b64decode(content, validate=True) if call.body.get("encoding") == "base64" else content.encode()
    except binascii.Error:
        return refused("content is not valid Base64")
    sha = call.repository.git.add_blob(data)
    return Answer(201, {"sha": sha, "url": f"{call.site.repo}/git/blobs/{sha}"})


def _create_tree(call: Call) -> Answer:
    git = call.repository.git
    base = call.body.get("base_tree")
    if base in git.commits:
        base = git.commits[base].tree
    if base is not None and base not in git.trees:
        return refused("base_tree is not a valid tree oid")
    files = dict(git.trees[base]) if base else {}
    for one in call.body["tree"]:
        sha = git.add_blob(one["content"].encode()) if "content" in one else one.get("sha")
        if sha is None:
            files.pop(one["path"], None)
        elif sha in git.blobs:
            files[one["path"]] = sha
        elif sha in git.trees:
            files.update({f"{one['path']}/{path}": each for path, each in git.trees[sha].items()})
        else:
            return refused(f"tree.sha {sha} is not a valid object")
    sha = git.add_tree(files)
    return Answer(201, objects.git_tree(call.site, sha, git.entries(files, "")))


def _create_commit(call: Call) -> Answer:
    git = call.repository.git
    parents = call.body.get("parents", [])
    if call.body["tree"] not in git.trees:
        return refused("Tree SHA does not exist")
    if any(call.repository.commit_of(one) is None for one in parents):
        return refused("Parent SHA does not exist or is not a commit object")
    made = git.add_commit(call.body["tree"], parents, call.body["message"])
    return Answer(201, objects.git_commit(call.site, made))


def _get_ref(call: Call) -> Answer:
    ref = call.parameters["ref"]
    sha = _standing(call, ref)
    return not_found() if sha is None else Answer(200, objects.git_ref(call.site, f"refs/{ref}", sha))


def _create_ref(call: Call) -> Answer:
    ref, sha = call.body["ref"], call.body["sha"]
    kind, _, name = ref.removeprefix("refs/").partition("/")
    if not ref.startswith("refs/") or kind not in _KINDS or not name:
        return refused(f"Reference name {ref} is not supported here, expected refs/heads/NAME or refs/tags/NAME")
    if _standing(call, f"{kind}/{name}") is not None:
        return refused("Reference already exists")
    if call.repository.commit_of(sha) is None:
        return refused("Object does not exist")
    _refs(call, kind)[name] = sha
    return Answer(201, objects.git_ref(call.site, ref, sha))


def _update_ref(call: Call) -> Answer:
    ref, sha = call.parameters["ref"], call.body["sha"]
    kind, _, name = ref.partition("/")
    standing = _standing(call, ref)
    if standing is None:
        return refused("Reference does not exist")
    if call.repository.commit_of(sha) is None:
        return refused("Object does not exist")
    if not call.body.get("force", False) and standing not in call.repository.history(sha):
        return refused("Update is not a fast forward")
    _refs(call, kind)[name] = sha
    return Answer(200, objects.git_ref(call.site, f"refs/{ref}", sha))


def _list_tags(call: Call) -> Answer:
    tags = sorted(call.repository.git.tags.items(), reverse=True)
    return listed(call, tags, lambda one: objects.tag(call.site, *one))


def _standing(call: Call, ref: str) -> str | None:
    kind, _, name = ref.partition("/")
    if kind == "heads":
        return call.repository.head_of(name)
    return call.repository.git.tags.get(name) if kind == "tags" else None


def _refs(call: Call, kind: str) -> dict[str, str]:
    return call.repository.git.heads if kind == "heads" else call.repository.git.tags


ENDPOINTS: dict[str, Endpoint] = {
    "repos/get-content": _get,
    "repos/create-or-update-file-contents": _put,
    "git/create-blob": _create_blob,
    "git/create-tree": _create_tree,
    "git/create-commit": _create_commit,
    "git/get-ref": _get_ref,
    "git/create-ref": _create_ref,
    "git/update-ref": _update_ref,
    "repos/list-tags": _list_tags,
}
