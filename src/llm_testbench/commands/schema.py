"""`llmtest schema NAME`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench import schemas
from llm_testbench.commands.edges import Edges


def main(_flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """Prints the JSON Schema as the file has it."""
    edges.stdout.write(schemas.text(arguments[0]))
    return 0
