"""Versions, and which tags follow one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from scripts.release.commits import Level

_TAG = re.compile(r"v(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")


@dataclass(frozen=True, order=True)
class Version:
    """Three numbers (semver.org); this project has no prereleases."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def tag(self) -> str:
        """The git tag."""
        return f"v{self}"

    def raised(self, level: Level) -> Version:
        """The next version of that level; ValueError for none."""
        match level:
            case Level.MAJOR:
                return Version(self.major + 1, 0, 0)
            case Level.MINOR:
                return Version(self.major, self.minor + 1, 0)
            case Level.PATCH:
                return Version(self.major, self.minor, self.patch + 1)
            case _:
                raise ValueError("nothing asks for a release")


FIRST = Version(1, 0, 0)
"""Before it nobody could write `@v1`, so what came before is not counted."""


def of_tag(tag: str) -> Version | None:
    """None for a tag that names no version, such as `v1`."""
    found = _TAG.fullmatch(tag)
    return Version(int(found[1]), int(found[2]), int(found[3])) if found else None


def parsed(text: str) -> Version:
    """`1.2.3` as a version; ValueError for anything else."""
    found = of_tag(f"v{text}")
    if found is None:
        raise ValueError(f"{text!r} is no version: expected three numbers such as 1.2.3")
    return found


def moving_tags(version: Version, published: Iterable[Version]) -> tuple[str, ...]:
    """The git tags that point to this version once it is published: never back from a higher one."""
    same_major = [one for one in published if one.major == version.major]
    same_minor = [one for one in same_major if one.minor == version.minor]
    tags = {f"v{version.major}": same_major, f"v{version.major}.{version.minor}": same_minor}
    return tuple(tag for tag, others in tags.items() if is_latest(version, others))


def is_latest(version: Version, published: Iterable[Version]) -> bool:
    """None of them is higher."""
    return all(one <= version for one in published)
