"""`llmtest schema NAME`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench import schemas
from llm_testbench.commands.edges import Edges
from llm_testbench.errors import InputError
from llm_testbench.evaluators import plugins


def main(_flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """Prints the JSON Schema as the file has it; that of suites with the evaluators that packages add."""
    (name,) = arguments
    edges.stdout.write(_with_packages() if name == "suite" and plugins.declared() else schemas.text(name))
    return 0


def _with_packages() -> str:
    from llm_testbench.evaluators.registry import described_all  # noqa: PLC0415 -- needed for packages alone
    from llm_testbench.suite.schema import schema_text  # noqa: PLC0415

    known, faults = described_all()
    if faults:
        raise InputError(faults[0])
    return schema_text(known)
