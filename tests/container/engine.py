"""An image, and containers of it, by the Docker client."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

SECONDS = 120


@dataclass(frozen=True)
class Done:
    """What a container came to."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Image:
    """An image by its name."""

    name: str

    @property
    def config(self) -> dict[str, Any]:
        """What the image says about how it is run."""
        found: list[dict[str, Any]] = json.loads(docker("image", "inspect", self.name))
        config: dict[str, Any] = found[0]["Config"]
        return config

    def run(self, *arguments: str, options: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> Done:
        """Runs a container to its end; `environ`: the environment of the Docker client."""
        with self.start(*arguments, options=options, environ=environ) as container:
            return container.end()

    def start(
        self, *arguments: str, options: Sequence[str] = (), environ: Mapping[str, str] | None = None
    ) -> Container:
        """Starts a container; use it in a `with`, which removes it."""
        name = f"llm-testbench-{uuid4().hex}"
        command = ["docker", "run", "--name", name, "--rm", "--network", "host", *options, self.name, *arguments]
        return Container(name, command, os.environ | dict(environ or {}))

    def shell(self, script: str, *, options: Sequence[str] = ()) -> str:
        """What a shell script prints inside; AssertionError when it fails."""
        done = self.run("-euc", script, options=["--entrypoint", "sh", *options])
        assert done.code == 0, done
        return done.out


class Container:
    """A running container and the client that is attached to it."""

    def __init__(self, name: str, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self.name = name
        self._client = subprocess.Popen(
            command, env=dict(environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __enter__(self) -> Container:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client.poll() is None:
            subprocess.run(["docker", "rm", "--force", self.name], check=False, capture_output=True)
        self._client.communicate()

    def signal(self, number: int) -> None:
        """As the runner does: to the client, which passes it on to the first process."""
        self._client.send_signal(number)

    def shell(self, script: str) -> str:
        """What a shell script beside the first process prints, errors too."""
        command = ["docker", "exec", self.name, "sh", "-c", f"exec 2>&1; {script}"]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=SECONDS).stdout

    def end(self, seconds: float = SECONDS) -> Done:
        """Waits for the end, so long at most."""
        out, err = self._client.communicate(timeout=seconds)
        return Done(self._client.returncode, out.decode(), err.decode())


def docker(*arguments: str) -> str:
    """What the Docker client prints; CalledProcessError when it fails."""
    return subprocess.run(["docker", *arguments], check=True, capture_output=True, text=True, timeout=SECONDS).stdout
