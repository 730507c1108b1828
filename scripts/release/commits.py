"""What commits ask for, by the rules of conventionalcommits.org 1.0.0. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """How far the version goes up."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True)
class Commit:
    """A commit of the history."""

    sha: str
    subject: str
    body: str = ""


@dataclass(frozen=True)
class Subject:
    """A subject that keeps to the convention. `kind` in lower case."""

    kind: str
    scope: str
    breaking: bool
    text: str


_SUBJECT = re.compile(r"([A-Za-z]+)(?:\(([^()]+)\))?(!?): +(\S.*)")
_BREAKING = re.compile(r"^BREAKING[ -]CHANGE: +\S", re.MULTILINE)
_REVERT = re.compile(r'Revert "(.*)"', re.DOTALL)
_REVERTED = re.compile(r"(?:\bThis reverts commit |^Refs: )([0-9a-f]{7,64})\b", re.MULTILINE)
_LEVELS = {"feat": Level.MINOR, "fix": Level.PATCH, "perf": Level.PATCH}


def subject(line: str) -> Subject | None:
    """None for a subject without a type, such as a merge's."""
    found = _SUBJECT.fullmatch(line.strip())
    return Subject(found[1].lower(), found[2] or "", bool(found[3]), found[4]) if found else None


def level(commit: Commit) -> Level:
    """What one commit asks for. A revert takes something back that users may have: a patch, where that was one."""
    quoted = _REVERT.fullmatch(commit.subject.strip())
    if quoted:
        taken_back = subject(quoted[1])
        return Level.PATCH if taken_back is None or _level(taken_back, "") else Level.NONE
    own = subject(commit.subject)
    if own is None:
        return Level.MAJOR if _BREAKING.search(commit.body) else Level.NONE
    return _level(own, commit.body)


def counting(commits: Sequence[Commit]) -> tuple[Commit, ...]:
    """The commits (newest first) without those that another of them takes back, and without that other."""
    left: list[Commit] = []
    gone: set[str] = set()
    shas = [commit.sha for commit in commits]
    for commit in commits:
        # Newest first: what reverts a revert is seen before the revert is.
        if commit.sha in gone:
            continue
        reverted = _reverted(commit, shas)
        if reverted:
            gone |= reverted
        else:
            left.append(commit)
    return tuple(left)


def highest(commits: Sequence[Commit]) -> Level:
    """What commits (newest first) ask for together."""
    return max(map(level, counting(commits)), default=Level.NONE)


def _level(own: Subject, body: str) -> Level:
    if own.breaking or _BREAKING.search(body):
        return Level.MAJOR
    if own.kind == "revert":
        return Level.PATCH
    return _LEVELS.get(own.kind, Level.NONE)


def _reverted(commit: Commit, shas: Sequence[str]) -> set[str]:
    own = subject(commit.subject)
    if not _REVERT.fullmatch(commit.subject.strip()) and (own is None or own.kind != "revert"):
        return set()
    named = _REVERTED.findall(commit.body)
    found = {sha for sha in shas if sha != commit.sha and any(sha.startswith(one) for one in named)}
    # One of several that is not here was released before: then this commit still counts.
    return found if len(found) == len(set(named)) else set()
