"""The image by the name that scripts/container-test hands over; without one there is nothing to test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.container.engine import Image
from tests.container.runner import Runner
from tests.integration.commands.bench import SUITE
from tests.servers.gateway import Gateway
from tests.servers.github import FakeGitHub

_VARIABLE = "CONTAINER_TEST_DEFAULT"

collect_ignore_glob = [] if os.environ.get(_VARIABLE) else ["test_*.py"]


def pytest_report_header() -> str | None:
    """Says why nothing runs when somebody names this folder alone."""
    return (
        None if os.environ.get(_VARIABLE) else "container tests left out: scripts/container-test builds and runs them"
    )


def _built(target: str) -> Image:
    name = os.environ.get(f"CONTAINER_TEST_{target.upper()}")
    if not name:
        pytest.skip(f"the target {target} was not built: scripts/container-test full does")
    return Image(name)


@pytest.fixture(scope="session")
def image() -> Image:
    return _built("default")


@pytest.fixture(scope="session")
def local() -> Image:
    return _built("local")


@pytest.fixture(scope="session")
def code() -> Image:
    return _built("code")


@pytest.fixture(params=["default", "local", "code"], scope="session")
def every(request: pytest.FixtureRequest) -> Image:
    return _built(request.param)


@pytest.fixture
def answers() -> dict[str, str]:
    """What the gateway says to a prompt that holds these words; a test may change it."""
    return {"2 + 2": "4", "capital": "Paris"}


@pytest.fixture
def gateway(answers: dict[str, str]) -> Iterator[Gateway]:
    def answer(body: dict[str, object]) -> str:
        asked = str(body["messages"])
        return next((said for words, said in answers.items() if words in asked), "I do not know.")

    with Gateway(answer) as server:
        yield server


@pytest.fixture
def runner(image: Image, gateway: Gateway, tmp_path: Path) -> Runner:
    """A workspace with a suite, asked of the gateway."""
    made = Runner(image, tmp_path)
    made.write("llm-testbench.yaml", "models: [m]\nsuites: [evals/sums.yaml]\nrepeat: 2\n")
    made.write("evals/sums.yaml", SUITE)
    made.inputs["endpoint"] = gateway.url
    return made


@pytest.fixture
def github(runner: Runner) -> Iterator[FakeGitHub]:
    """A GitHub that the runner's steps talk to; in the end every request and answer is held against its description."""
    with FakeGitHub() as server:
        runner.environ.update(server.environ)
        runner.token = server.token
        yield server
        assert server.problems == []
