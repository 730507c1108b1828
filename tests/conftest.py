"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# A deadline an example would be an assertion on time, which a busy machine breaks.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
