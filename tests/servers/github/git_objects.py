"""The git database of one repository: enough of git for the contents, trees, commits and refs of the REST API."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@dataclass(frozen=True)
class Commit:
    """A commit; `tree` is the sha of one."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Entry:
    """One name in a folder; `size` of files only."""

    name: str
    kind: str
    sha: str
    size: int = 0

    @property
    def mode(self) -> str:
        """Git's file mode."""
        return "040000" if self.kind == "tree" else "100644"


class Git:
    """Blobs, trees (as flat maps of path → blob), commits, branches and tags."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.trees: dict[str, dict[str, str]] = {EMPTY_TREE: {}}
        self.commits: dict[str, Commit] = {}
        self.heads: dict[str, str] = {}
        self.tags: dict[str, str] = {}

    def add_blob(self, data: bytes) -> str:
        """The sha of a blob with these bytes."""
        sha = _digest("blob", data)
        self.blobs[sha] = data
        return sha

    def add_tree(self, files: Mapping[str, str]) -> str:
        """The sha of a tree with these blobs by path."""
        sha, _ = self._tree(files)
        return sha

    def add_commit(self, tree: str, parents: Sequence[str], message: str) -> Commit:
        """A commit of a tree that is there."""
        text = "\n".join([f"tree {tree}", *(f"parent {one}" for one in parents), "", message])
        commit = Commit(_digest("commit", text.encode()), tree, tuple(parents), message)
        self.commits[commit.sha] = commit
        return commit

    def write(self, branch: str, path: str, data: bytes, message: str, parent: str | None) -> Commit:
        """A commit on a branch, which is made when it is not there, with one file more or another than its parent."""
        files = {**self.files(parent), path: self.add_blob(data)}
        commit = self.add_commit(self.add_tree(files), [parent] if parent else [], message)
        self.heads[branch] = commit.sha
        return commit

    def files(self, commit: str | None) -> dict[str, str]:
        """Blobs by path of a commit; none of one whose files nobody described."""
        found = self.commits.get(commit or "")
        return self.trees[found.tree] if found else {}

    def entries(self, files: Mapping[str, str], folder: str) -> list[Entry]:
        """What lies directly in a folder ("" is the root), by name; empty when there is no such folder."""
        prefix = f"{folder}/" if folder else ""
        inside = {path.removeprefix(prefix): sha for path, sha in files.items() if path.startswith(prefix)}
        return self._tree(inside)[1] if inside else []

    def _tree(self, files: Mapping[str, str]) -> tuple[str, list[Entry]]:
        folders: dict[str, dict[str, str]] = {}
        found: list[Entry] = []
        for path, sha in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(name, {})[rest] = sha
            else:
                found.append(Entry(name, "blob", sha, len(self.blobs[sha])))
        found += [Entry(name, "tree", self._tree(inside)[0]) for name, inside in folders.items()]
        # Git sorts a folder as if its name ended in a slash.
        found.sort(key=lambda one: one.name + ("/" if one.kind == "tree" else ""))
        lines = (f"{one.mode.lstrip('0')} {one.name}\0".encode() + bytes.fromhex(one.sha) for one in found)
        sha = _digest("tree", b"".join(lines))
        self.trees[sha] = dict(files)
        return sha, found


def _digest(kind: str, data: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()
