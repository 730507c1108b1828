"""Where a run stood, so that its report can say how to run it again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rerun:
    """All of it is foreign text, as the user wrote it; no secret is in it.

    `image`: the container's reference, by digest where there is one; empty outside of a container.
    `models`: names. `baseline`: sources in order; a source that says nothing anew is left out.
    `options`: every further flag that the run was given, as (`--max-drop`, `0.05`) or (`--stream`, ``), without
    those that choose tests.
    `chosen`: the flags that choose tests, as (`--category`, `tools`).
    `accepted`, `comparison`: paths of the accepted drops and of the comparison, as a person in the folder types them.
    `environment`: names of variables that the command needs, or NAME=VALUE where the value is no secret.
    """

    on_github: bool = False
    image: str = ""
    config: str = ""
    suites: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    baseline: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    chosen: tuple[tuple[str, str], ...] = ()
    environment: tuple[str, ...] = ()
    accepted: str = "accepted.yaml"
    comparison: str = "llm-testbench-results/comparison.json"
