"""Settings of all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# A deadline an example would be an assertion on time, which a busy machine breaks.
settings.register_profile("search", deadline=None)
# The same examples in every run of CI: a new one is found by people, not in somebody's way.
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "search")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """An id of raw bytes may differ from worker to worker (gzip holds the time), and xdist then stops the whole run."""
    return argname if isinstance(val, bytes) and not val.isascii() else None
