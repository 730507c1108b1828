"""What a search for baselines comes back with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.model import Quoted

Kind: TypeAlias = Literal["release", "base", "ref", "path"]


@dataclass(frozen=True)
class Candidate:
    """A baseline that can be used.

    `source`: for a person: "release v1.2.0", "run 4711 (a1b2c3d)", "branch baselines (a1b2c3d)", or the path.
    Texts that came from GitHub are untrusted.
    """

    artifact: Artifact
    source: str
    kind: Kind
    tag: str = ""
    sha: str = ""
    url: str = ""


@dataclass(frozen=True)
class PassedOver:
    """One that cannot be used. `broken`: it exists and cannot be read; else it is partial, or not meant as a baseline,
    or there is none where it was looked for. `why`: one line, untrusted.
    """

    source: str
    tag: str
    sha: str
    why: str
    broken: bool


@dataclass(frozen=True)
class Absent:
    """A source that holds none. `words`: a sentence that says why, and how a baseline comes to be there."""

    source: str
    words: tuple[str | Quoted, ...]


Find: TypeAlias = Candidate | PassedOver


def short(sha: str) -> str:
    """The commit as people write it."""
    return sha[:7]
