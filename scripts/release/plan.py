"""Whether there is something to release, and as what. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scripts.release.commits import Commit, Level, counting, highest, subject
from scripts.release.version import FIRST, Version

State: TypeAlias = Literal["new", "again", "none"]


@dataclass(frozen=True)
class Tagged:
    """A release's tag. `parent`: the commit of main that it was made from."""

    version: Version
    sha: str
    parent: str


@dataclass(frozen=True)
class Plan:
    """`again`: this commit's release was begun or made before; all steps that are left are done, the others not twice.

    `previous`: the release that the changelog goes on from. `why`: one line for a person.
    """

    state: State
    version: Version | None
    why: str
    previous: Tagged | None = None


def previous(tags: Sequence[Tagged], published: Collection[Version], head: str) -> Tagged | None:
    """The newest published release before this commit; `tags`: those whose commit of main is this one or before it."""
    found = [one for one in tags if one.version in published and one.parent != head]
    return max(found, key=lambda one: one.version, default=None)


def made_from(tags: Sequence[Tagged], head: str) -> Tagged | None:
    """The release that was begun from this commit of main."""
    return max((one for one in tags if one.parent == head), key=lambda one: one.version, default=None)


def decide(
    head: str, tags: Sequence[Tagged], before: Tagged | None, taken: Collection[Version], commits: Sequence[Commit]
) -> Plan:
    """The plan for a commit of main. `before`: what `previous` found; `commits`: since then, newest first.

    `taken`: the versions of all tags, wherever they stand: an unpublished one is never used again, since somebody may
    have seen it.
    """
    begun = made_from(tags, head)
    if begun is not None:
        return Plan("again", begun.version, f"{begun.version.tag} was made from this commit", before)
    since = f"since {before.version.tag}" if before else "in the whole history"
    asked = highest(commits)
    if asked is Level.NONE:
        return Plan("none", None, f"nothing to release: {_counted(commits)} {since}", before)
    wanted = before.version.raised(asked) if before else FIRST
    while wanted in taken:
        wanted = wanted.raised(Level.PATCH)
    return Plan("new", wanted, f"{asked.name.lower()}: {_counted(commits)} {since}", before)


def _counted(commits: Sequence[Commit]) -> str:
    kinds = Counter(own.kind if (own := subject(one.subject)) else "other" for one in counting(commits))
    return ", ".join(f"{number} {kind}" for kind, number in kinds.most_common()) or "no commit"
