"""A job of GitHub Actions around the command line: event, runner's files, and a GitHub that answers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integration.commands.bench import Bench, Done
from tests.servers.github import FakeGitHub
from tests.servers.github.state import Release

EVENTS = Path(__file__).parents[2] / "fixtures/events"
HEAD, BASE, TIP, QUEUED, OLD = (letter * 40 for letter in "abcd1")
ASSET = "llm-testbench-baseline.json.gz"
PULL = 17

# GITHUB_SHA and GITHUB_REF as the runner sets them, by payload.
_WHERE = {
    "pull_request": (TIP, "refs/pull/17/merge"),
    "push": (TIP, "refs/heads/main"),
    "push_branch": (TIP, "refs/heads/greeting"),
    "release": (TIP, "refs/tags/v1.3.0"),
    "merge_group": (QUEUED, f"refs/heads/gh-readonly-queue/main/pr-17-{BASE}"),
    "schedule": (TIP, "refs/heads/main"),
    "workflow_dispatch": (TIP, "refs/heads/main"),
}


@dataclass
class Job:
    """Runs `llmtest gate` as a step of a workflow; every run has the next id."""

    world: Bench
    github: FakeGitHub
    run_id: int = 100

    def gate(self, payload: str = "pull_request", *arguments: str, **inputs: str) -> Done:
        self.run_id += 1
        for name in ("summary.md", "output.txt"):
            self.world.write(name, "")
        return self.world.asking("gate", *arguments, environ=self.environ(payload) | inputs)

    def environ(self, payload: str) -> dict[str, str]:
        sha, ref = _WHERE.get(payload, _WHERE["pull_request"])
        return self.github.environ | {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": next(
                name for name in ("pull_request", "push", "merge_group", *_WHERE) if payload.startswith(name)
            ),
            "GITHUB_EVENT_PATH": str(EVENTS / f"{payload}.json"),
            "GITHUB_SHA": sha,
            "GITHUB_REF": ref,
            "GITHUB_RUN_ID": str(self.run_id),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_STEP_SUMMARY": str(self.world.folder / "summary.md"),
            "GITHUB_OUTPUT": str(self.world.folder / "output.txt"),
            "INPUT_TOKEN": self.github.token,
            "LLMTB_REPEAT": "2",
        }

    def add_release_of_the_event(self) -> Release:
        """The one that the payload `release` is about."""
        made = self.github.releases.pop(self.github.add_release("v1.3.0"))
        made.id = 5012
        self.github.releases[made.id] = made
        return made

    @property
    def comments(self) -> list[str]:
        return [comment.body for comment in self.github.comments[PULL]]

    @property
    def summary(self) -> str:
        return (self.world.folder / "summary.md").read_text("utf-8")

    @property
    def outputs(self) -> dict[str, str]:
        """The file read by the runner's rule: `name<<DELIMITER`, lines, `DELIMITER`."""
        lines = (self.world.folder / "output.txt").read_text("utf-8").splitlines()
        found: dict[str, str] = {}
        while lines:
            name, _, delimiter = lines.pop(0).partition("<<")
            end = lines.index(delimiter)
            found[name] = "\n".join(lines[:end])
            del lines[: end + 1]
        return found

    def recorded(self, *, role: str = "record", **changes: Any) -> bytes:
        """An artifact of the suite as it is answered now, as a file that GitHub keeps."""
        done = self.world.asking("run", "--repeat", "2", "--out", "made.json")
        assert done.code in (0, 3), done.err
        made = self.world.json("made.json")
        made["meta"].update({"role": role, **changes})
        return gzip.compress(json.dumps(made).encode(), mtime=0)

    def record_on_main(self, data: bytes, sha: str = BASE, run_id: int = 50, **more: Any) -> None:
        files = {"artifact.json": gzip.decompress(data)}
        when = f"2026-11-{run_id % 28 + 1:02}T08:00:00Z"
        self.github.add_recording("llm-testbench-baseline", files, head_sha=sha, run_id=run_id, created_at=when, **more)


@contextmanager
def job(world: Bench, server: FakeGitHub | None = None) -> Iterator[Job]:
    """Ends with every request and answer held against GitHub's own description."""
    with server or FakeGitHub() as github:
        github.ancestry = [OLD, BASE, TIP]
        yield Job(world, github)
        assert github.problems == []
