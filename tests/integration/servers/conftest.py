from collections.abc import Iterator

import pytest
from tests.integration.servers.asking import Asking
from tests.servers.github import FakeGitHub


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        yield server


@pytest.fixture
def ask(github: FakeGitHub) -> Iterator[Asking]:
    asking = Asking(github)
    with asking.session:
        yield asking
