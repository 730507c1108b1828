"""Baselines to put on the fake GitHub, and a client that looks for them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import requests
from tests.servers.github import FakeGitHub
from tests.unit.artifact.samples import META, artifact, document, error_row, row

from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact, Git
from llm_testbench.github.api import GitHub
from llm_testbench.github.event import Event

ASSET = "llm-testbench-baseline.json.gz"
RECORDING = "llm-testbench-baseline"
REPOSITORY = "octo/shop"

COMMITS = [f"{number:040x}" for number in range(1, 13)]
"""Of the default branch, oldest first."""


def commit(number: int) -> str:
    """The commit of that number, from 1, also beyond the default branch."""
    return f"{number:040x}"


def measured(
    scored: Mapping[str, Iterable[str]] | None = None,
    errored: int = 0,
    *,
    role: Literal["record", "gate", "run"] = "record",
    interrupted: bool = False,
    sha: str = "",
    version: str = "1.0.0",
) -> Artifact:
    """A run that scored these tests by model name, and some that went wrong. `version` tells one from another."""
    names = scored if scored is not None else {"chat": ["greeting"]}
    rows = [row(test, model) for model, tests in names.items() for test in tests]
    rows += [error_row(f"error-{number}") for number in range(errored)]
    meta = replace(META, role=role, interrupted=interrupted, shard=None, git=Git(REPOSITORY, sha), version=version)
    return artifact(*rows, meta=meta)


def packed(one: Artifact, **changed: Any) -> bytes:
    """As an asset."""
    return gzip.compress(json.dumps({**document(one), **changed}).encode(), mtime=0)


def client(fake: FakeGitHub, *, base_sha: str = COMMITS[-1], token: str | None = None, run_id: int = 99) -> GitHub:
    """A client that sleeps not at all."""
    event = Event(
        name="pull_request",
        repository=fake.environ["GITHUB_REPOSITORY"],
        base_sha=base_sha,
        run_id=run_id,
        server_url=fake.url,
        api_url=fake.url,
        graphql_url=f"{fake.url}/graphql",
    )
    token = fake.token if token is None else token
    return GitHub(event, token, session=requests.Session(), sleep=lambda _: None)


def no_file(path: object) -> Artifact:
    """Reads no path at all."""
    raise ArtifactError("there is no such file", kind="missing", source=str(path))
