"""`llmtest list`: the tests that a run would ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import plain_output, pretty
from llm_testbench.commands.selection import selected
from llm_testbench.json_value import JSON
from llm_testbench.report.views.tests_list import tests_report
from llm_testbench.settings.resolve import resolve
from llm_testbench.suite.model import Test


def main(flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """0 when any test is selected."""
    settings = resolve("list", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    tests = selected(settings, edges).tests
    output.print(tests_report(tests), lambda: pretty([_listed(test) for test in tests]))
    return 0


def _listed(test: Test) -> dict[str, JSON]:
    return {
        "id": test.id,
        "category": test.category,
        "subcategory": test.subcategory,
        "description": test.description,
        "tags": list(test.tags),
        "must_pass": test.must_pass,
        "quarantine": test.quarantine,
        "file": test.suite_file,
        "line": test.place.line,
    }
