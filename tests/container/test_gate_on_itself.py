"""What the project's own workflows run: scripts/gate-on-itself, on an image with the embedded model."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.container.engine import Image
from tests.integration.commands.job import ASSET, EVENTS, PULL, TIP
from tests.servers.github import FakeGitHub

SCRIPT = Path(__file__).parents[2] / "scripts/gate-on-itself"


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        yield server
    assert server.problems == []


def gate(local: Image, folder: Path, github: FakeGitHub, event: str) -> subprocess.CompletedProcess[str]:
    """The script as a step of a job on this event, in a checkout at `folder`."""
    for name in ("summary", "output"):
        (folder.parent / name).write_text("")
    environ = {
        **os.environ,
        **github.environ,
        "GITHUB_TOKEN": github.token,
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(EVENTS / f"{event}.json"),
        "GITHUB_OUTPUT": str(folder.parent / "output"),
        "GITHUB_REF": "refs/heads/main" if event == "push" else "refs/pull/17/merge",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_RUN_ID": "100",
        "GITHUB_SHA": TIP,
        "GITHUB_STEP_SUMMARY": str(folder.parent / "summary"),
        "GITHUB_WORKSPACE": str(folder),
    }
    command = [str(SCRIPT), local.name, "--tests", "smoke-capital", "--repeat", "2"]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=110)


def test_main_is_recorded_and_a_pull_request_is_judged_by_it(local: Image, tmp_path: Path, github: FakeGitHub) -> None:
    folder = tmp_path / "checkout"
    folder.mkdir()

    recorded = gate(local, folder, github, "push")
    assert recorded.returncode == 0, recorded.stderr
    kept = (folder / "llm-testbench-results/artifact.json").read_bytes()
    assert json.loads(kept)["meta"]["role"] == "record"
    assert "Recorded" in (tmp_path / "summary").read_text()

    github.add_release("v1.0.0", assets={ASSET: gzip.compress(kept)})
    judged = gate(local, folder, github, "pull_request")
    assert judged.returncode == 0, judged.stderr
    assert json.loads((folder / "llm-testbench-results/comparison.json").read_bytes())["verdict"] == "pass"
    (comment,) = github.comments[PULL]
    assert "v1.0.0" in comment.body
    assert "verdict" in (tmp_path / "output").read_text()
