from collections.abc import Iterator

import pytest
from tests.integration.github.baselines import COMMITS
from tests.servers.github import FakeGitHub


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    """GitHub; every request and answer is checked against its own description."""
    with FakeGitHub() as github:
        github.ancestry = list(COMMITS)
        yield github
    assert github.problems == []
