"""Trouble with GitHub is a warning; the verdict and the report are safe by then (design 5.8)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llm_testbench.commands.output import Output
from llm_testbench.github.api import GitHubError


@contextmanager
def as_warning(output: Output, what: str) -> Iterator[None]:
    """Ends what went wrong inside with one line: `what`, and why."""
    try:
        yield
    except (GitHubError, ValueError) as error:
        output.warn(f"{what}: {error}")
    except OSError as error:
        output.warn(f"{what}: {error.strerror or error}")
