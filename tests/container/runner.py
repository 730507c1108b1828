"""Runs the image as a step of a workflow.

What a container action gets, source: actions/runner, ContainerActionHandler.cs and DockerCommandManager.DockerRun:
five folders mounted below /github, that as the working directory, `-e NAME` for every variable with its value in
the environment of the Docker client, and every input of action.yml, the unset ones empty.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tests.container.engine import Container, Done, Image
from tests.integration.commands.job import EVENTS, TIP

OWNER = 1001  # the user of GitHub's own runners
ACTION = Path(__file__).parents[2] / "action.yml"
RESULTS = "llm-testbench-results"
KEY = "sk-container-0123456789"
RUNTIME_TOKEN = "runtime-0123456789"
_FOLDERS = ("workspace", "home", "workflow", "file_commands", "runner_temp")
_REFS = {"release": "refs/tags/v1.3.0", "push": "refs/heads/main", "schedule": "refs/heads/main"}


@dataclass
class Runner:
    """A job on a runner whose files belong to an ordinary user; every step has the next run's id."""

    image: Image
    folder: Path
    inputs: dict[str, str] = field(default_factory=lambda: {"api_key": KEY})
    environ: dict[str, str] = field(default_factory=dict)
    token: str = ""
    run_id: int = 100

    def __post_init__(self) -> None:
        for name in _FOLDERS:
            (self.folder / name).mkdir()
        self._hand_over()

    def step(self, payload: str = "pull_request", **inputs: str) -> Done:
        """Runs the action to its end."""
        with self.start(payload, **inputs) as container:
            return container.end()

    def command(self, *arguments: str) -> Done:
        """Runs a command of the tool, as a step with `args` does."""
        with self._start("pull_request", arguments, {}) as container:
            return container.end()

    def start(self, payload: str = "pull_request", **inputs: str) -> Container:
        """Starts the action on an event of tests/fixtures/events."""
        return self._start(payload, (), inputs)

    def _start(self, payload: str, arguments: Sequence[str], inputs: dict[str, str]) -> Container:
        self.run_id += 1
        for name in ("summary", "output"):
            (self.folder / "file_commands" / name).write_text("")
        (self.folder / "workflow/event.json").write_bytes((EVENTS / f"{payload}.json").read_bytes())
        self._hand_over()
        variables = self._variables(payload) | _declared(self.inputs | inputs, self.token)
        options = ["--label", "0a1b2c", "--workdir", "/github/workspace"]
        for name in variables:
            options += ["-e", name]
        options += ["-e", "GITHUB_ACTIONS=true", "-e", "CI=true"]
        for name in _FOLDERS:
            options += ["-v", f"{self.folder / name}:/github/{name}"]
        return self.image.start(*arguments, options=options, environ=variables)

    def _variables(self, payload: str) -> dict[str, str]:
        return {
            "HOME": "/github/home",
            "GITHUB_EVENT_NAME": payload,
            "GITHUB_EVENT_PATH": "/github/workflow/event.json",
            "GITHUB_OUTPUT": "/github/file_commands/output",
            "GITHUB_REF": _REFS.get(payload, "refs/pull/17/merge"),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": str(self.run_id),
            "GITHUB_SHA": TIP,
            "GITHUB_STEP_SUMMARY": "/github/file_commands/summary",
            "GITHUB_WORKSPACE": "/github/workspace",
            "RUNNER_ARCH": "X64",
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": "/github/runner_temp",
            "ACTIONS_RUNTIME_TOKEN": RUNTIME_TOKEN,
            **self.environ,
        }

    def _hand_over(self) -> None:
        for path in (self.folder, *self.folder.rglob("*")):
            os.lchown(path, OWNER, OWNER)

    def write(self, name: str, text: str) -> None:
        """A file of the workspace."""
        path = self.folder / "workspace" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def result(self, name: str) -> Any:
        """A JSON file of the results."""
        return json.loads((self.folder / "workspace" / RESULTS / name).read_text("utf-8"))

    @property
    def summary(self) -> str:
        """The job's summary."""
        return (self.folder / "file_commands/summary").read_text("utf-8")

    @property
    def outputs(self) -> dict[str, str]:
        """The step's outputs, read by the runner's rule: `name<<DELIMITER`, lines, `DELIMITER`."""
        lines: Sequence[str] = (self.folder / "file_commands/output").read_text("utf-8").splitlines()
        found: dict[str, str] = {}
        while lines:
            name, _, delimiter = lines[0].partition("<<")
            end = lines.index(delimiter, 1)
            found[name] = "\n".join(lines[1:end])
            lines = lines[end + 1 :]
        return found

    @property
    def files(self) -> list[Path]:
        """All that lies in the folders of the job."""
        return [path for path in self.folder.rglob("*") if path.is_file()]

    def not_the_owners(self) -> list[Path]:
        """What the runner could not delete afterwards."""
        return [path for path in self.folder.rglob("*") if path.lstat().st_uid != OWNER]


def _declared(given: dict[str, str], token: str) -> dict[str, str]:
    """`INPUT_…` for every input that action.yml declares."""
    declared = yaml.safe_load(ACTION.read_text("utf-8"))["inputs"]
    unknown = given.keys() - declared.keys()
    assert not unknown, f"action.yml declares no such input: {unknown}"
    values = {name: str(of.get("default", "")).replace("${{ github.token }}", token) for name, of in declared.items()}
    return {f"INPUT_{name.upper()}": value for name, value in (values | given).items()}
