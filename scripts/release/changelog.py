"""The changelog of a release, made of what main says under "Unreleased" and of the previous release's. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scripts.release.commits import Commit, counting, level, subject
from scripts.release.version import Version, parsed

UNRELEASED = "Unreleased"

_HEADING = re.compile(r"^## (.+?) *$", re.MULTILINE)
_RELEASED = re.compile(r"(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)")
_TITLES = {"feat": "New", "fix": "Fixed", "perf": "Faster", "revert": "Taken back"}


@dataclass(frozen=True)
class Section:
    """What stands below one `## ` heading."""

    heading: str
    text: str

    def __str__(self) -> str:
        return f"## {self.heading}\n\n{self.text}\n" if self.text else f"## {self.heading}\n"


@dataclass(frozen=True)
class Changelog:
    """A changelog: what stands before the first heading, and the sections, newest first."""

    head: str
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.head}\n", *map(str, self.sections)])

    def section(self, heading: str) -> Section | None:
        """The section of that heading."""
        return next((one for one in self.sections if one.heading == heading), None)

    @property
    def releases(self) -> tuple[Section, ...]:
        """The sections of versions."""
        return tuple(one for one in self.sections if _RELEASED.fullmatch(one.heading))


def read(text: str) -> Changelog:
    """The parts of a changelog."""
    found = list(_HEADING.finditer(text))
    ends = [*(one.start() for one in found[1:]), len(text)] if found else []
    sections = (Section(one[1], text[one.end() : end].strip("\n")) for one, end in zip(found, ends, strict=True))
    return Changelog((text[: found[0].start()] if found else text).strip("\n"), tuple(sections))


def newest(text: str) -> tuple[Version, str] | None:
    """Version and date of the first section, or None when that is no release's."""
    sections = read(text).sections
    found = _RELEASED.fullmatch(sections[0].heading) if sections else None
    return (parsed(found[1]), found[2]) if found else None


def entries(text: str) -> tuple[str, ...]:
    """The entries of a list, with the lines that go on below each; what is no list is one entry a paragraph."""
    return tuple(one.strip("\n") for one in re.split(r"\n(?=[-*] )|\n{2,}", text) if one.strip())


def of_release(
    version: Version, date: str, commits: Sequence[Commit], *, main: str, then: str = "", previous: str = ""
) -> Changelog:
    """The changelog of a release: a new section, then those of the previous release.

    `main`: the changelog on main now; `then`: what it was at the previous release's commit of main; `previous`: the
    changelog of that release; both "" for the first. Main need not be changed by a release: what stood under
    "Unreleased" then has been released. `commits` (newest first) speak where main says nothing new.
    """
    now = read(main)
    old = set(entries(_unreleased(then)))
    fresh = [one for one in entries(_unreleased(main)) if one not in old]
    text = "\n".join(fresh) if fresh else _of_commits(commits)
    earlier = read(previous).releases if previous else now.releases
    return Changelog(now.head, (Section(f"{version} ({date})", text), *earlier))


def _unreleased(text: str) -> str:
    found = read(text).section(UNRELEASED)
    return found.text if found else ""


def _of_commits(commits: Sequence[Commit]) -> str:
    return "\n".join(_line(one) for one in reversed(counting(commits)) if level(one))


def _line(commit: Commit) -> str:
    own = subject(commit.subject)
    if own is None:
        return f"- {commit.subject.strip()}"
    title = _TITLES.get(own.kind, own.kind.capitalize())
    breaking = " (breaking)" if own.breaking else ""
    return f"- {title}{breaking}: {own.text}"
