"""`llmtest version`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench import __version__
from llm_testbench.commands.edges import Edges


def main(_flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """Prints the version alone, for scripts."""
    edges.stdout.write(f"{__version__}\n")
    return 0
