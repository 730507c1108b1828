"""Wrong expected values: each test again with one value of its check changed, and whether validate notices."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from llm_testbench.evaluators import registry
from llm_testbench.evaluators.score import SpecError
from llm_testbench.json_value import JSON
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.suite.model import Test
from llm_testbench.suite.prove import prove

# What stands below these says how to look, not what to find.
_NOT_EXPECTED = {
    "numeric": ("abs_tol", "rel_tol", "pick", "unit"),
    "equals": ("ignore_case", "collapse_space"),
    "one_of": ("ignore_case", "collapse_space"),
    "exact_token": ("ignore_case",),
    "regex": ("flags", "group"),
    "no_unnegated_mention": ("window", "exempt"),
    "json_field": ("path", "abs_tol"),
    "json_array": ("path", "ordered"),
    "code": ("language", "harness", "stdin", "files", "timeout"),
    "sql": ("setup", "ordered"),
    "tool_call_args": ("exact",),
    "no_tool_called": ("expected",),
}
_SCHEMA_VALUES = ("const", "enum", "minimum", "maximum", "minItems", "maxItems", "required", "pattern")
_COMPOSED = ("all", "any", "mean")
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Mutant:
    """The check of `test` with the value at `path` changed from `was` to `now`."""

    test: Test
    path: Path
    was: JSON
    now: JSON
    mutated: Test


def mutants(test: Test) -> Iterator[Mutant]:
    """One for each expected value of the check, in its order; never one that expects what the check did."""
    for path, was, tolerance in _expected(test.check, ()):
        for now in _without_a_row(was) if path[-1] == "query_check" else _others(was, tolerance):
            check = _with(test.check, path, now)
            try:
                evaluator = registry.build(check)
            except SpecError:
                continue
            if registry.hash_of(evaluator) == test.check_hash:
                continue
            mutated = dataclasses.replace(
                test, check=check, evaluator=evaluator, check_hash=registry.hash_of(evaluator)
            )
            yield Mutant(test, path, was, now, mutated)
            break


def caught(found: Sequence[Mutant], workshop: Workshop, *, examples: bool, ground_truth: bool) -> list[bool]:
    """Of each mutant, whether validate tells more of it than of the test itself, with only that left to tell it."""

    def seen(test: Test) -> Test:
        return dataclasses.replace(
            test, examples=test.examples if examples else (), ground_truth=test.ground_truth if ground_truth else None
        )

    originals = tuple({mutant.test.id: seen(mutant.test) for mutant in found}.values())
    known = {(problem.test_id, problem.message) for problem in prove(originals, workshop).problems}
    # The mutants of a test share its id, and prove() tells by id.
    numbered = tuple(
        dataclasses.replace(seen(mutant.mutated), id=f"{mutant.test.id}#{number}")
        for number, mutant in enumerate(found)
    )
    told = {
        problem.test_id
        for problem in prove(numbered, workshop).problems
        if (problem.test_id.partition("#")[0], problem.message) not in known
    }
    return [test.id in told for test in numbered]


def _expected(check: JSON, at: Path) -> Iterator[tuple[Path, JSON, float]]:
    """Path, value and tolerance of each leaf that a check expects."""
    assert isinstance(check, Mapping)
    for name, parameters in check.items():
        if name == "weight":
            continue
        if name in _COMPOSED:
            parts = parameters["checks"] if isinstance(parameters, Mapping) else parameters
            inner = (*at, name, "checks") if isinstance(parameters, Mapping) else (*at, name)
            assert isinstance(parts, Sequence)
            for index, part in enumerate(parts):
                yield from _expected(part, (*inner, index))
        elif name == "json_schema":
            yield from _schema_leaves(parameters, (*at, name), counts=False)
        elif isinstance(parameters, Mapping):
            for key, value in parameters.items():
                if name == "json_fields" or key not in _NOT_EXPECTED.get(name, ()):
                    for path, leaf in _leaves(value, (*at, name, key)):
                        share = _number(parameters.get("rel_tol")) * abs(_number(leaf))
                        yield path, leaf, max(_number(parameters.get("abs_tol")), share)
        else:
            for path, leaf in _leaves(parameters, (*at, name)):
                yield path, leaf, 0.0


def _schema_leaves(schema: JSON, at: Path, *, counts: bool) -> Iterator[tuple[Path, JSON, float]]:
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            yield from _schema_leaves(value, (*at, key), counts=counts or key in _SCHEMA_VALUES)
    elif isinstance(schema, list | tuple):
        for index, value in enumerate(schema):
            yield from _schema_leaves(value, (*at, index), counts=counts)
    elif counts:
        yield at, schema, 0.0


def _leaves(value: JSON, at: Path) -> Iterator[tuple[Path, JSON]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*at, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _leaves(inner, (*at, index))
    else:
        yield at, value


def _others(value: JSON, tolerance: float) -> Iterator[JSON]:
    """Values near `value` that mean something else; the first that the check can be built with is taken."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        # Just beyond what is tolerated: a right answer must then be wrong.
        yield value + (2.5 * tolerance or 1)
    elif isinstance(value, str):
        for digit in reversed(list(re.finditer(r"[0-9]", value))):
            yield f"{value[: digit.start()]}{(int(digit[0]) + 1) % 10}{value[digit.end() :]}"
        first, line_end, rest = value.partition("\n")
        yield f"{first}q{line_end}{rest}"
    else:
        yield "q"


def _without_a_row(query: JSON) -> Iterator[JSON]:
    """A query that expects one row less: another number in it may mean the same."""
    assert isinstance(query, str)
    yield f"SELECT * FROM ({query.strip().rstrip(';')}) LIMIT -1 OFFSET 1"


def _number(value: JSON) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _with(value: JSON, path: Path, leaf: JSON) -> JSON:
    if not path:
        return leaf
    step, *rest = path
    if isinstance(value, Mapping):
        return {key: _with(inner, tuple(rest), leaf) if key == step else inner for key, inner in value.items()}
    assert isinstance(value, list | tuple)
    return [_with(inner, tuple(rest), leaf) if index == step else inner for index, inner in enumerate(value)]
