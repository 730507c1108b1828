"""Loaded tests for the artifact room's tests."""

from __future__ import annotations

from llm_testbench.errors import Place
from llm_testbench.evaluators import registry
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.suite.model import Test


def suite_test(test_id: str = "greeting", check: JSON = None, tools: tuple[JSONObject, ...] = ()) -> Test:
    """A loaded test."""
    found: JSON = check or {"contains_all": ["hello"]}
    return Test(
        id=test_id,
        category="language",
        subcategory="politeness",
        description="",
        tags=(),
        models=None,
        messages=({"role": "user", "content": "Say hello"},),
        tools=tools,
        parameters={},
        max_tokens=None,
        rev=1,
        must_pass=False,
        quarantine=False,
        check=found,
        evaluator=registry.build(found),
        check_hash=registry.check_hash(found),
        check_place=Place("evals/language.yaml", 9, 5),
        ground_truth=None,
        examples=(),
        suite_file="evals/language.yaml",
        place=Place("evals/language.yaml", 7, 5),
    )
