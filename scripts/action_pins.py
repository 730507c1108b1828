"""Newer Actions for requirements/actions.lock and for all that names them.

`python -m scripts.action_pins FILE.md` asks GitHub for the tags of each Action, writes the newest of the same major
version into the lock and over every `uses:` of the old commit, and says in FILE.md what it did. A new major version
is told and not taken: what it breaks is for a person to read.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from llm_testbench.github.answers import sha, text
from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.event import read_event
from llm_testbench.github.session import session_for

ROOT = Path(__file__).parents[1]
LOCK = "requirements/actions.lock"
NAMED_IN = (
    ".github/workflows/*.yml",
    "examples/workflows/*.yml",
    "src/llm_testbench/commands/scaffold/*.yml",
    "docs/*.md",
    "README.md",
)

_PIN = re.compile(r"([\w.-]+/[\w.-]+)@([0-9a-f]{40}) # (v\S+)")
_TAG = re.compile(r"v([0-9]{1,9})(?:\.([0-9]{1,9})\.([0-9]{1,9}))?")


class PinError(Exception):
    """The lock cannot be read; `str()` is one line."""


@dataclass(frozen=True)
class Pin:
    """An Action (`owner/name`) at a commit; `tag`: what that commit was released as."""

    action: str
    commit: str
    tag: str

    def __str__(self) -> str:
        return f"{self.action}@{self.commit} # {self.tag}"


@dataclass(frozen=True)
class Update:
    """`new` is `old` where there is nothing newer. `major`: a tag of a newer major version, or ""."""

    old: Pin
    new: Pin
    major: str = ""


def read(lock: str) -> tuple[Pin, ...]:
    """The pins of the lock file; PinError."""
    pins = []
    for number, line in enumerate(lock.splitlines(), start=1):
        found = _PIN.fullmatch(line)
        if found is None:
            raise PinError(f"{LOCK}:{number}: expected owner/name@COMMIT # TAG")
        pins.append(Pin(*found.groups()))
    return tuple(pins)


def newer(pin: Pin, tags: Mapping[str, str]) -> Update:
    """The update of a pin. `tags`: the commits of the Action's tags by name. Never an older or equal version."""
    versions = {number: name for name in tags if (number := _number(name)) is not None}
    now = _number(pin.tag)
    if now is None:
        # `v4` moves: what it stands for is the newest of that commit.
        same = [number for number, name in versions.items() if tags[name] == pin.commit]
        now = max(same, default=(int(pin.tag[1:].partition(".")[0] or 0), 0, 0))
    best = max((number for number in versions if number[0] == now[0] and number > now), default=None)
    highest = max(versions, default=now)
    new = pin if best is None else replace(pin, commit=tags[versions[best]], tag=versions[best])
    return Update(pin, new, versions[highest] if highest[0] > now[0] else "")


def _number(tag: str) -> tuple[int, int, int] | None:
    found = _TAG.fullmatch(tag)
    return (int(found[1]), int(found[2]), int(found[3])) if found and found[2] else None


def rewritten(content: str, updates: Iterable[Update]) -> str:
    """A text in which each old pin, with or without a path behind its name, is the new one."""
    for update in updates:
        old, new = update.old, update.new
        pattern = rf"\b({re.escape(old.action)}(?:/[\w./-]+)?)@{old.commit} # {re.escape(old.tag)}(?=\s|$)"
        content = re.sub(pattern, rf"\g<1>@{new.commit} # {new.tag}", content)
    return content


def told(updates: Sequence[Update]) -> str:
    """What is newer, in Markdown."""
    changed = [f"- `{one.new.action}`: {one.old.tag} → {one.new.tag}" for one in updates if one.new != one.old]
    majors = [f"- `{one.new.action}`: {one.major} is there, {one.new.tag} is used" for one in updates if one.major]
    parts = []
    if changed:
        parts.append("\n".join(["Actions:", "", *changed]))
    if majors:
        parts.append("\n".join(["New major versions, for a person to take:", "", *majors]))
    return "\n\n".join(parts) + "\n" if parts else ""


def update(root: Path, tags: Callable[[str], Mapping[str, str]]) -> tuple[Update, ...]:
    """Brings lock and files below `root` up to date. `tags`: of an Action, by its name; PinError, GitHubError."""
    updates = tuple(newer(pin, tags(pin.action)) for pin in read((root / LOCK).read_text("utf-8")))
    for path in (root / LOCK, *_naming(root)):
        before = path.read_text("utf-8")
        after = rewritten(before, updates)
        if after != before:
            path.write_text(after, "utf-8")
    return updates


def _naming(root: Path) -> Iterator[Path]:
    for pattern in NAMED_IN:
        yield from sorted(root.glob(pattern))


def tags_of(environ: Mapping[str, str]) -> Callable[[str], Mapping[str, str]]:
    """Asks GitHub for the tags of an Action: commits by name."""
    event = read_event(environ)
    session = session_for(event.api_url)

    def tags(action: str) -> Mapping[str, str]:
        github = GitHub(replace(event, repository=action), environ.get("GITHUB_TOKEN", ""), session=session)
        found = {text(one, "name"): sha(one, "commit", "sha") for one in github.pages("/tags", needs="contents: read")}
        return {name: commit for name, commit in found.items() if commit}

    return tags


def main(arguments: Sequence[str], environ: Mapping[str, str], root: Path, say: Callable[[str], object]) -> int:
    """0 when all is up to date now; 2 when the lock or GitHub cannot be read."""
    (notes,) = arguments
    try:
        updates = update(root, tags_of(environ))
    except (PinError, GitHubError) as error:
        say(f"action pins: {error}")
        return 2
    Path(notes).write_text(told(updates), "utf-8")
    for one in updates:
        say(f"{one.old} -> {one.new.tag}" if one.new != one.old else str(one.old))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, ROOT, print))
