"""A fork's pull request in two stages around the command line: its run without rights, and the one that publishes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.integration.commands.bench import Bench, Done
from tests.integration.commands.job import ASSET, BASE, HEAD, OLD, PULL, TIP, Job
from tests.servers.github import FakeGitHub, objects
from tests.servers.github.site import REPOSITORY_ID
from tests.servers.github.state import Run

FORKS_RUN, PUBLISHING = 900, 950
RESULTS = "llm-testbench-results"
CONFIG = "suites: [suite.yaml]\nmodels: [m]\n"


@dataclass
class Stages:
    """`run`: the fork's, which has ended. The folder holds the base's checkout."""

    world: Bench
    github: FakeGitHub
    run: Run

    def measured(self, *arguments: str, **meta: Any) -> dict[str, Any]:
        """What the fork's run measures now; `meta`: what it says of itself otherwise."""
        done = self.world.asking("run", "--repeat", "3", "--out", "fork.json", *arguments)
        assert done.code in (0, 3), done.err
        made: dict[str, Any] = self.world.json("fork.json")
        made["meta"].update(meta)
        return made

    def leave(self, artifact: Any, *, name: str = "artifact.json.gz", **more: Any) -> int:
        """Uploads it as the fork's run does; bytes as they are."""
        data = artifact if isinstance(artifact, bytes) else gzip.compress(json.dumps(artifact).encode())
        where: dict[str, Any] = {
            "head_sha": self.run.head_sha,
            "run_id": self.run.id,
            "created_at": self.github.now(),
            "fork": True,
        }
        return self.github.add_recording(RESULTS, {name: data}, **where | more)

    def publish(self, *arguments: str, payload: dict[str, Any] | None = None, **inputs: str) -> Done:
        told = {
            "action": "completed",
            "workflow_run": objects.workflow_run(self.github.site, self.run) | (payload or {}),
            "repository": {"id": REPOSITORY_ID, "default_branch": "main"},
        }
        for name in ("summary.md", "output.txt"):
            self.world.write(name, "")
        event = self.world.write("event.json", json.dumps(told))
        environ = self.github.environ | {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "workflow_run",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_SHA": TIP,
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_RUN_ID": str(PUBLISHING),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_STEP_SUMMARY": str(self.world.folder / "summary.md"),
            "GITHUB_OUTPUT": str(self.world.folder / "output.txt"),
            "GITHUB_TOKEN": self.github.token,
        }
        return self.world.llmtest("publish", *arguments, environ=environ | inputs)

    @property
    def job(self) -> Job:
        """The same world as the usual job sees it: its recordings, comments, summary and outputs."""
        return Job(self.world, self.github)

    def release(self) -> None:
        """A baseline, of the answers that are given now."""
        self.github.add_release("v1.2.0", assets={ASSET: self.job.recorded()})


@contextmanager
def two_stages(world: Bench) -> Iterator[Stages]:
    """Ends with every request and answer held against GitHub's own description, and no model asked while publishing."""
    with FakeGitHub() as github:
        github.ancestry = [OLD, BASE, TIP]
        github.add_pull(PULL, head_sha=HEAD, base_sha=BASE, fork=True)
        run = github.add_run(FORKS_RUN, HEAD, branch="feature", fork=True, created_at=github.now())
        world.write("llm-testbench.yaml", CONFIG)
        yield Stages(world, github, run)
        assert github.problems == []
