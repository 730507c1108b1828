"""Images in the registry, by Docker's client: the only module here that starts it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from typing import TypeAlias

from scripts.release.publishing import ReleaseError

Run: TypeAlias = Callable[[Sequence[str]], str]
"""Runs a command and returns what it prints; ReleaseError when it fails."""


def run(command: Sequence[str]) -> str:
    """On this machine."""
    try:
        done = subprocess.run(command, capture_output=True, check=False, text=True)
    except OSError as error:
        raise ReleaseError(f"{command[0]} cannot be started: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise ReleaseError(f"{' '.join(command[:4])}: {said[-1] if said else done.returncode}")
    return done.stdout


def described(run: Run, image: str) -> object:
    """What the registry says of an image, by platform; None where it says no JSON."""
    said = run(["docker", "buildx", "imagetools", "inspect", image, "--format", "{{json .Image}}"])
    try:
        return json.loads(said)
    except ValueError:
        return None


def tag(run: Run, source: str, targets: Sequence[str]) -> None:
    """More names for an image that is there."""
    names = [word for target in targets for word in ("--tag", target)]
    if names:
        run(["docker", "buildx", "imagetools", "create", *names, source])
