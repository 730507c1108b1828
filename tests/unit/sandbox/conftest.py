"""Launchers for tests that only run programs; where a test ends or hurts one, it makes its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from llm_testbench.sandbox.launching import Launchers


@pytest.fixture(scope="package")
def launchers() -> Iterator[Launchers]:
    with Launchers() as found:
        yield found
