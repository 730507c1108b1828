"""Whether a run is to be judged or to be kept (design 5.6)."""

from __future__ import annotations

from typing import Literal

from llm_testbench.compare.options import Role
from llm_testbench.github.event import Event

_RECORDING = frozenset({"schedule", "workflow_dispatch", "release"})


def role_of(event: Event, wanted: Literal["auto", "gate", "record"]) -> Role:
    """`auto`: record what becomes the baseline of others, judge everything else."""
    if wanted != "auto":
        return wanted
    if event.name in _RECORDING or (event.name == "push" and _on_default_branch(event)):
        return "record"
    return "gate"


def _on_default_branch(event: Event) -> bool:
    # Where a branch is deleted, GITHUB_SHA and GITHUB_REF fall back to the default branch, to which nothing was pushed.
    return bool(event.default_branch) and not event.deleted and event.ref == f"refs/heads/{event.default_branch}"
