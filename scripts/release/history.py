"""The repository's history, by git: the only module here that starts it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.release.commits import Commit
from scripts.release.plan import Tagged
from scripts.release.version import Version, of_tag

_FIELD, _RECORD = "\x1f", "\x1e"


class GitError(Exception):
    """Git refused; `str()` is its last line."""


@dataclass(frozen=True)
class History:
    """The commits and tags of a checkout; all methods raise GitError."""

    root: Path

    def head(self) -> str:
        """The commit that is checked out."""
        return self._git("rev-parse", "HEAD").strip()

    def tree(self, commit: str) -> str:
        """The tree of a commit."""
        return self._git("rev-parse", f"{commit}^{{tree}}").strip()

    def time(self, commit: str) -> int:
        """When it was committed, seconds since 1970."""
        return int(self._git("show", "--no-patch", "--format=%ct", commit))

    def whole(self) -> bool:
        """Whether no commit was left out of the checkout."""
        return self._git("rev-parse", "--is-shallow-repository").strip() == "false"

    def tags(self) -> tuple[Tagged, ...]:
        """All tags of versions, wherever they stand."""
        # A lightweight tag has no peeled commit.
        listed = self._git("for-each-ref", "refs/tags/v*", "--format=%(refname:strip=2) %(objectname) %(*objectname)")
        found = []
        for line in listed.splitlines():
            name, sha, *peeled = line.split()
            version = of_tag(name)
            if version is not None:
                commit = peeled[0] if peeled else sha
                parents = self._git("rev-list", "--parents", "--max-count=1", commit).split()[1:]
                found.append(Tagged(version, commit, parents[0] if parents else commit))
        return tuple(found)

    def before(self, commit: str, tags: Sequence[Tagged]) -> tuple[Tagged, ...]:
        """Those tags whose commit of main is this one or before it."""
        known = set(self._git("rev-list", commit).split())
        return tuple(one for one in tags if one.parent in known)

    def commits(self, since: str | None, until: str) -> tuple[Commit, ...]:
        """The commits after `since` (None: all), newest first."""
        span = until if since is None else f"{since}..{until}"
        listed = self._git("log", f"--format=%H{_FIELD}%s{_FIELD}%b{_RECORD}", span, "--")
        records = (one.strip("\n").split(_FIELD) for one in listed.split(_RECORD) if one.strip("\n"))
        return tuple(Commit(sha, subject, body) for sha, subject, body in records)

    def file(self, commit: str, path: str) -> str:
        """A file's text at a commit; "" where it is not."""
        try:
            return self._git("show", f"{commit}:{path}")
        except GitError:
            return ""

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, check=False)  # noqa: S607 - by PATH
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise GitError(f"git {arguments[0]}: {said[-1] if said else done.returncode}")
        return done.stdout.decode(errors="replace")


def versions(tags: Sequence[Tagged]) -> frozenset[Version]:
    """Of these tags."""
    return frozenset(one.version for one in tags)
