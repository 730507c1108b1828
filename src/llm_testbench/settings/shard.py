"""The kind of value of `--shard`."""

from __future__ import annotations

from llm_testbench.settings.kinds import Kind, expected, string
from llm_testbench.suite.shard import PATTERN, Shard


def shard() -> Kind[Shard]:
    """A part of the tests, as K/N with 1 ≤ K ≤ N."""
    what = "a part like 2/8, the second of eight"

    def parse(value: str) -> Shard:
        try:
            return Shard.parse(value)
        except ValueError:
            raise expected(what, value) from None

    return Kind("K/N", parse, lambda value: string(what, parse, value), {"type": "string", "pattern": f"^{PATTERN}$"})
