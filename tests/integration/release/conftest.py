from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.release.checkout import Checkout
from tests.servers.github import FakeGitHub


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    """An empty repository, and GitHub; every request and answer is checked against its own description."""
    root = tmp_path / "checkout"
    root.mkdir()
    with FakeGitHub() as github:
        made = Checkout(root, github)
        made.git("init", "--quiet", "--initial-branch", "main")
        yield made
    assert github.problems == []
