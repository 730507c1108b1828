"""Which baseline is wanted: sources in order of preference, and what narrows them."""

from __future__ import annotations

from dataclasses import dataclass

RELEASE, BASE, REF = "release", "base", "ref:"
"""The newest release that carries a baseline; the newest recorded run before this change; a branch, by its name."""
LIVE = "live"
"""Nothing is looked for: the other side is asked in this run. Never among the sources of `Wanted`."""
ARTIFACT_NAME = "llm-testbench-baseline"
"""The workflow artifact that recorded runs leave."""
KEPT = 50
"""Recordings that a branch keeps, the newest by the time of their commits."""


@dataclass(frozen=True)
class Wanted:
    """`sources`: each `release`, `base`, `ref:BRANCH` or an absolute path. `tag`: a glob over releases.

    `excluded_tag`: the release being made. `window`: baselines of one source that are wanted, newest first.
    """

    sources: tuple[str, ...]
    tag: str
    asset: str
    prereleases: bool
    excluded_tag: str = ""
    window: int = 1


def is_path(source: str) -> bool:
    """Whether the source is a file, and not looked for on GitHub."""
    return source not in (RELEASE, BASE) and not source.startswith(REF)
