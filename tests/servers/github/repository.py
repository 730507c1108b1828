"""The state of the one repository: what tests put into it and requests change."""

from __future__ import annotations

import io
import itertools
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from tests.servers.github.git_objects import Git
from tests.servers.github.state import VIEWER, Asset, CheckRun, Comment, Edit, Pull, Recording, Release, Run

_START = datetime(2026, 1, 5, 12, tzinfo=UTC)


class Repository:
    """One repository with its releases, comments, workflow artifacts, branches and pull requests.

    `ancestry`: the shas of the default branch, oldest first. `forked_at`: a sha beside it → the sha it grew from.
    `protected`: branches that must not lose commits. `keeps_edits=False`: GraphQL knows no history of comments, as an
    old server does. Any issue or pull request number exists. A test reads and changes all of this as it likes.
    """

    def __init__(self, *, default_branch: str = "main", private: bool = False) -> None:
        self.default_branch = default_branch
        self.private = private
        self.viewer = VIEWER
        self.keeps_edits = True
        self.releases: dict[int, Release] = {}
        self.comments: dict[int, list[Comment]] = defaultdict(list)
        self.runs: dict[int, Run] = {}
        self.recordings: dict[int, Recording] = {}
        self.pulls: dict[int, Pull] = {}
        self.checks: dict[int, CheckRun] = {}
        self.ancestry: list[str] = []
        self.forked_at: dict[str, str] = {}
        self.protected: set[str] = set()
        self.git = Git()
        self._ids = itertools.count(1001)
        self._seconds = itertools.count()

    def fresh_id(self) -> int:
        """An id that nothing else has; later ones are larger."""
        return next(self._ids)

    def now(self) -> str:
        """The time, RFC 3339: one second further at each call."""
        return (_START + timedelta(seconds=next(self._seconds))).strftime("%Y-%m-%dT%H:%M:%SZ")

    def add_release(
        self,
        tag: str,
        *,
        published_at: str | None = None,
        created_at: str | None = None,
        draft: bool = False,
        prerelease: bool = False,
        assets: Mapping[str, bytes] | None = None,
    ) -> int:
        """A release; its id. `created_at` (the commit's date) is `published_at` unless given; a draft has no latter."""
        published = None if draft else published_at or self.now()
        made = Release(
            self.fresh_id(),
            tag,
            created_at or published_at or self.now(),
            published,
            draft=draft,
            prerelease=prerelease,
        )
        self.releases[made.id] = made
        for name, data in (assets or {}).items():
            self.add_asset(made.id, name, data)
        return made.id

    def add_asset(self, release_id: int, name: str, data: bytes, *, content_type: str = "application/gzip") -> Asset:
        """An asset of a release."""
        now = self.now()
        made = Asset(self.fresh_id(), name, data, now, now, content_type=content_type, uploader=self.viewer)
        self.releases[release_id].assets.append(made)
        return made

    def add_comment(self, number: int, body: str, *, author: str = VIEWER) -> int:
        """A comment on an issue or pull request; its id."""
        now = self.now()
        made = Comment(self.fresh_id(), number, body, author, now, now)
        self.comments[number].append(made)
        return made.id

    def edit_comment(self, comment: Comment, body: str, *, editor: str = VIEWER) -> None:
        """Somebody changes it."""
        if not comment.edits:
            comment.edits.append(Edit(self.fresh_id(), comment.body, comment.author, comment.created_at))
        comment.body, comment.updated_at = body, self.now()
        comment.edits.insert(0, Edit(self.fresh_id(), body, editor, comment.updated_at))

    def add_run(
        self,
        run_id: int,
        head_sha: str,
        *,
        created_at: str | None = None,
        branch: str | None = None,
        fork: bool = False,
    ) -> Run:
        """A workflow run that has ended."""
        event = "pull_request" if fork else "push"
        made = Run(run_id, head_sha, created_at or self.now(), branch or self.default_branch, fork=fork, event=event)
        self.runs[run_id] = made
        return made

    def add_recording(
        self,
        name: str,
        files: Mapping[str, bytes],
        *,
        head_sha: str,
        run_id: int,
        created_at: str,
        fork: bool = False,
        expired: bool = False,
    ) -> int:
        """A workflow artifact of a run, which is made when it is not there; its id."""
        if run_id not in self.runs:
            self.add_run(run_id, head_sha, created_at=created_at, fork=fork)
        made = Recording(self.fresh_id(), name, _packed(files), run_id, created_at, expired=expired)
        self.recordings[made.id] = made
        return made.id

    def add_branch_file(self, branch: str, path: str, data: bytes) -> str:
        """A commit with this file on a branch, which is made when it is not there; the commit's sha."""
        return self.git.write(branch, path, data, f"add {path}", self.head_of(branch)).sha

    def add_pull(
        self, number: int, *, head_sha: str, base_sha: str = "", base_ref: str | None = None, fork: bool = False
    ) -> Pull:
        """A pull request that is open."""
        made = Pull(number, head_sha, base_sha or self.tip, base_ref or self.default_branch, fork=fork)
        self.pulls[number] = made
        return made

    def add_check(self, name: str, head_sha: str, *, external_id: str = "", app: str = "github-actions") -> CheckRun:
        """A check run of a commit; any commit exists."""
        made = CheckRun(self.fresh_id(), name, head_sha, self.now(), external_id=external_id, app=app)
        self.checks[made.id] = made
        return made

    @property
    def tip(self) -> str:
        """The newest commit of the default branch."""
        return self.ancestry[-1] if self.ancestry else self.git.heads.get(self.default_branch, "")

    def head_of(self, branch: str) -> str | None:
        """The newest commit of a branch."""
        if branch in self.git.heads:
            return self.git.heads[branch]
        return self.tip or None if branch == self.default_branch else None

    def commit_of(self, ref: str) -> str | None:
        """The commit that a branch, tag or sha means."""
        name = ref.removeprefix("refs/").removeprefix("heads/")
        head = self.head_of(name) or self.git.tags.get(name.removeprefix("tags/"))
        if head is not None:
            return head
        if any(one.tag == name and not one.draft for one in self.releases.values()):
            return self.tip or None
        return name if name in self.ancestry or name in self.forked_at or name in self.git.commits else None

    def history(self, sha: str) -> list[str]:
        """A commit and what it came from, oldest first."""
        line = [sha]
        while (parent := self.parent(line[-1])) is not None:
            line.append(parent)
        return line[::-1]

    def committed_at(self, sha: str) -> str:
        """When a commit was made: an hour after the one that it grew from."""
        return (_START + timedelta(hours=len(self.history(sha)))).strftime("%Y-%m-%dT%H:%M:%SZ")

    def parent(self, sha: str) -> str | None:
        """The commit before."""
        if sha in self.ancestry:
            at = self.ancestry.index(sha)
            return self.ancestry[at - 1] if at else None
        if sha in self.forked_at:
            return self.forked_at[sha]
        commit = self.git.commits.get(sha)
        return commit.parents[0] if commit is not None and commit.parents else None


def _packed(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()
