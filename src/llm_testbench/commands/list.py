"""`llmtest list`: the tests that a run would ask, or the evaluators that a check may name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output, plain_output, pretty
from llm_testbench.commands.selection import selected
from llm_testbench.errors import InputError
from llm_testbench.evaluators.registry import Description, described_all
from llm_testbench.json_value import JSON
from llm_testbench.report.views.evaluators_list import evaluators_report
from llm_testbench.report.views.tests_list import tests_report
from llm_testbench.settings.resolve import resolve
from llm_testbench.suite.model import Test


def main(flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """0 when any test is selected; of evaluators, when all can be used."""
    settings = resolve("list", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    if settings.evaluators:
        return _evaluators(output)
    tests = selected(settings, edges).tests
    output.print(tests_report(tests), lambda: pretty([_listed(test) for test in tests]))
    return 0


def _evaluators(output: Output) -> int:
    found, faults = described_all()
    output.print(evaluators_report(found), lambda: pretty([_described(one) for one in found]))
    for fault in faults:
        output.error(fault)
    return InputError.exit_code if faults else 0


def _described(one: Description) -> dict[str, JSON]:
    source = None if one.source is None else {"package": one.source.package, "version": one.source.version}
    return {
        "name": one.name,
        "summary": one.summary,
        "revision": one.revision,
        "source": source,
        "parameters": one.schema,
    }


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
