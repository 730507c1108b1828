"""Which commits come before another one, and how far, from GitHub's comparison of two commits."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from llm_testbench.github.answers import at, number, sha, text
from llm_testbench.github.api import GitHub, GitHubError

MAX_COMPARISONS = 50  # a search; each is a request of the 1,000 an hour that a repository has

_PAGE = 100  # commits in an answer
_NEEDS = "contents: read"


@dataclass(frozen=True)
class Before:
    """A commit that the base contains. `distance`: commits that the base has more, 0: it is the base.

    `between`: those commits, oldest first, or only the first of them.
    """

    distance: int
    between: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """`between` names them all."""
        return len(self.between) == self.distance


class Ancestry:
    """What is known about the commits before `base`; asks GitHub once for each, at most MAX_COMPARISONS times."""

    def __init__(self, github: GitHub, base: str) -> None:
        self._github = github
        self._base = base
        self._known: dict[str, Before | None] = {base: Before(0)}

    @property
    def exhausted(self) -> bool:
        """No further comparison is made."""
        return len(self._known) > MAX_COMPARISONS

    def before(self, commit: str) -> Before | None:
        """None when the base does not contain the commit, or it is not known. Raises GitHubError."""
        if commit not in self._known and not self.exhausted:
            self._known[commit] = self._compared(commit)
        return self._known.get(commit)

    def nearest(self, commits: Collection[str]) -> str | None:
        """The commit that the base has the fewest commits more than. Raises GitHubError."""
        if self._base in commits:
            return self._base
        waiting = sorted(commits)
        best: tuple[int, str] | None = None
        while waiting:
            commit = waiting.pop()
            before = self.before(commit)
            if before is None:
                continue
            best = min(best or (before.distance, commit), (before.distance, commit))
            between = [one for one in before.between if one in waiting]
            # A nearer one is between this and the base: all others are further, or not before the base.
            others = [] if before.complete else [one for one in waiting if one not in between]
            waiting = others + between
        return best[1] if best is not None else None

    def _compared(self, commit: str) -> Before | None:
        try:
            found = self._github.get(f"/compare/{commit}...{self._base}", needs=_NEEDS, per_page=_PAGE)
        except GitHubError as error:
            if error.status == 404:  # a commit that a force push or a deleted branch left behind
                return None
            raise
        if text(found, "status") not in ("identical", "ahead"):
            return None
        commits = at(found, "commits")
        between = tuple(sha(one, "sha") for one in commits) if isinstance(commits, list) else ()
        return Before(number(found, "ahead_by"), between)
