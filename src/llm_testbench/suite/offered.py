"""Calls that a check waits for, and that no offered tool allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from llm_testbench.evaluators.composition import All, Any, Mean
from llm_testbench.evaluators.quote import quote, quote_all
from llm_testbench.evaluators.score import Evaluator
from llm_testbench.evaluators.tool_arguments import ToolArgValuesCover, ToolCallArgs
from llm_testbench.evaluators.tool_calls import FirstTool, ToolCalled, ToolSequence
from llm_testbench.json_value import JSON
from llm_testbench.suite.model import Test
from llm_testbench.suite.problem import Problem, problem
from llm_testbench.suite.rules import NOT_OFFERED

_OTHER_WAYS = ("tools", "functions")
"""Keys of a request by which a suite may offer tools in a form of its own."""


def lint_offered(test: Test) -> Iterator[Problem]:
    """Tools and arguments that are waited for and not offered, each once."""
    if any(key in test.parameters for key in _OTHER_WAYS):
        return
    offered = dict(map(_offered, test.tools))
    for tool, arguments in dict.fromkeys(_awaited(test.evaluator)):
        known = offered.get(tool.casefold())
        if tool.casefold() not in offered:
            names = f"offered are {quote_all(tuple(offered))}" if offered else "the test offers no tools"
            yield problem(NOT_OFFERED, test, f"waits for a call of {quote(tool)}, but {names}")
        elif known is not None and not known.issuperset(arguments):
            missing = quote_all(tuple(name for name in arguments if name not in known))
            yield problem(NOT_OFFERED, test, f"waits for {missing} in calls of {quote(tool)}, which does not take it")


def _awaited(check: Evaluator) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(check, All | Any | Mean):
        yield from chain.from_iterable(map(_awaited, check.parts()))
    elif isinstance(check, ToolCalled | FirstTool):
        yield check.tool, ()
    elif isinstance(check, ToolSequence):
        yield from ((tool, ()) for tool in check.tools)
    elif isinstance(check, ToolCallArgs):
        yield check.tool, tuple(check.args)
    elif isinstance(check, ToolArgValuesCover):
        yield check.tool, (check.arg,)


def _offered(tool: JSON) -> tuple[str, frozenset[str] | None]:
    """Its name, case aside, and the arguments that it takes; None where it does not say."""
    function = _mapping(_mapping(tool).get("function"))
    schema = _mapping(function.get("parameters"))
    properties = schema.get("properties")
    says = isinstance(properties, Mapping) and not schema.get("additionalProperties") and "$ref" not in schema
    return str(function.get("name", "")).strip().casefold(), frozenset(_mapping(properties)) if says else None


def _mapping(value: JSON) -> Mapping[str, JSON]:
    return value if isinstance(value, Mapping) else {}
