"""The built-in suites and the demo's prove themselves: examples, ground truths, and no cheap cheat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import pytest
from benchmarks.catalog.cheaters import earned
from tests.sandbox.toolchains import go_seed, toolchain_path

from llm_testbench.compare.options import GateOptions
from llm_testbench.evaluators.code import Code
from llm_testbench.evaluators.registry import names
from llm_testbench.evaluators.running import runs_code
from llm_testbench.json_value import JSON
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.sandbox.workshop import Mode, opened
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test
from llm_testbench.suite.prove import Proof, prove

REPOSITORY = Path(__file__).parents[3]
CATALOG = load(["builtin"], REPOSITORY)
SMOKE = load(["builtin:smoke"], REPOSITORY)
SPOILED = load(["examples/demo/spoiled.yaml"], REPOSITORY)

each_test = pytest.mark.parametrize("test", [pytest.param(test, id=test.id) for test in (*CATALOG, *SMOKE)])


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with opened(Mode.REQUIRE, toolchain_path(), go_seed()) as found:
        assert found.refusal == ""
        yield found.workshop


def evaluators_in(check: JSON) -> Iterator[str]:
    if isinstance(check, Mapping):
        for key, inner in check.items():
            if key in names():
                yield key
            if key in ("all", "any", "mean") and isinstance(inner, list):
                for part in inner:
                    yield from evaluators_in(part)


class TestCatalog:
    fewest: ClassVar[Mapping[str, Mapping[str, int]]] = {
        "programming": {"golang": 10, "python": 10, "typescript": 10, "c": 10, "hard": 20},
        "operations": {"linux": 10, "kubernetes": 10, "macos": 10},
        "databases": {"postgres": 10, "redis": 10, "sql-tuning": 10},
        "security": {"appsec": 10, "crypto": 10, "secrets": 10},
        "delivery": {"git": 10, "containers": 10, "release-engineering": 10},
        "ai": {"vector-search": 10, "llm-integration": 10, "rag": 10},
        "agents": {"tool-routing": 10, "planning": 10, "delegation": 10},
        "research": {"web": 10, "whitepapers": 10, "codebase": 10},
        "tools": {"function-calling": 24},
        "daily": {"office-math": 10, "scheduling": 10, "finance": 10, "units": 10},
    }

    def test_each_subcategory_holds_enough_tests(self) -> None:
        counted = Counter((test.category, test.subcategory) for test in CATALOG)
        expected = {(category, name): n for category, each in self.fewest.items() for name, n in each.items()}
        assert set(counted) == set(expected)
        assert {key: n for key, n in counted.items() if n < expected[key]} == {}
        assert len(CATALOG) >= 334

    def test_a_subcategory_is_a_file_of_its_name_and_its_ids_begin_alike(self) -> None:
        prefixes: dict[str, set[str]] = {}
        for test in CATALOG:
            assert test.suite_file == f"builtin:{test.category}/{test.subcategory}"
            prefixes.setdefault(test.suite_file, set()).add(test.id.partition("-")[0])
        assert all(len(found) == 1 for found in prefixes.values()), prefixes
        assert len(set().union(*prefixes.values())) == len(prefixes)

    def test_it_uses_evaluators_of_every_kind(self) -> None:
        used = {name for test in CATALOG for name in evaluators_in(test.check)}
        assert {
            *("numeric", "exact_token", "regex", "contains_any", "no_unnegated_mention"),
            *("json_field", "json_fields", "json_array", "json_schema"),
            *("first_tool", "tool_call_args", "tool_sequence", "tool_arg_values_cover"),
            *("no_tool_called", "tool_not_called", "all", "any", "mean", "code", "sql"),
        } <= used

    def test_the_smoke_suite_is_no_part_of_it(self) -> None:
        assert not {test.id for test in CATALOG} & {test.id for test in SMOKE}


class TestSmoke:
    def test_it_is_small_and_one_test_must_pass(self) -> None:
        assert 6 <= len(SMOKE) <= 10
        assert [test.id for test in SMOKE if test.must_pass] == ["smoke-capital"]

    def test_no_test_asks_for_more_than_any_chat_endpoint_offers(self) -> None:
        assert all(not test.tools and not test.parameters for test in SMOKE)


class TestEachTest:
    @each_test
    def test_proves_itself(self, test: Test, workshop: Workshop) -> None:
        assert prove([test], workshop) == Proof()

    @each_test
    def test_has_a_right_answer_two_wrong_ones_and_an_edge(self, test: Test) -> None:
        scores = [example.score for example in test.examples]
        assert len(scores) >= 4
        assert scores.count(1) >= 1
        assert sum(score < 1 for score in scores) >= 2

    @each_test
    def test_says_what_it_is_about(self, test: Test) -> None:
        assert 10 <= len(test.description) <= 100

    def test_most_expected_values_are_computed(self) -> None:
        assert sum(test.ground_truth is not None for test in CATALOG) >= 0.85 * len(CATALOG)


@pytest.mark.parametrize("tests", [pytest.param(CATALOG, id="catalog"), pytest.param(SMOKE, id="smoke")])
def test_answers_that_understand_nothing_earn_almost_nothing(tests: tuple[Test, ...], workshop: Workshop) -> None:
    assert {one.cheat: one.mean for one in earned(tests, workshop) if one.mean >= 0.1} == {}


class TestToolchains:
    """The default image has Python, bash and SQLite, and neither gcc nor Go nor Node."""

    needs: ClassVar[Mapping[str, str]] = {
        "c": "needs-gcc",
        "go": "needs-go",
        "typescript": "needs-node",
        "javascript": "needs-node",
    }

    def test_a_tag_says_what_a_test_needs(self) -> None:
        for test in (*CATALOG, *SMOKE):
            written = test.evaluator.language if isinstance(test.evaluator, Code) else ""
            tagged = [tag for tag in test.tags if tag.startswith("needs-")]
            assert tagged == ([self.needs[written]] if written in self.needs else []), test.id

    def test_the_first_run_needs_nothing(self) -> None:
        assert not any(runs_code(test.evaluator) for test in SMOKE)

    def test_without_them_enough_of_the_catalog_is_scored(self) -> None:
        without = [test for test in CATALOG if not set(self.needs.values()) & set(test.tags)]
        assert len(without) >= GateOptions().min_coverage * len(CATALOG)


class TestDemo:
    def test_the_spoiled_suite_proves_itself(self) -> None:
        assert prove(SPOILED).problems == ()

    def test_it_is_the_smoke_suite_with_the_prompt_of_one_must_pass_test_edited(self) -> None:
        assert [(test.id, test.check_hash) for test in SPOILED] == [(test.id, test.check_hash) for test in SMOKE]
        edited = [test for test, was in zip(SPOILED, SMOKE, strict=True) if test.request_hash != was.request_hash]
        assert [(test.id, test.must_pass) for test in edited] == [("smoke-capital", True)]
