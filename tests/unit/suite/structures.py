"""Arbitrary structures that look more or less like a suite."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from llm_testbench.json_value import JSON
from llm_testbench.suite.examples import EXAMPLE_KEYS
from llm_testbench.suite.load import read_suite
from llm_testbench.suite.loading import Loading
from llm_testbench.suite.messages import CALL_KEYS, MESSAGE_KEYS
from llm_testbench.suite.model import Test
from llm_testbench.suite.sources import SuiteFile
from llm_testbench.suite.tests import TEST_KEYS
from llm_testbench.yaml12 import YamlDocument

SCALARS: st.SearchStrategy[JSON] = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6) | st.just("${a}")
)
WORDS = st.sampled_from(
    [
        *TEST_KEYS,
        *MESSAGE_KEYS,
        *CALL_KEYS,
        *EXAMPLE_KEYS,
        *("file", "a", "b", "equals", "contains_all", "all", "mean", "weight", "model"),
    ]
)
VALUES: st.SearchStrategy[JSON] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=6),
    max_leaves=25,
)
ENTRIES = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "c"]) | VALUES, "evaluate": st.just({"equals": "x"}) | VALUES},
    optional={
        "prompt": st.just("${a}") | VALUES,
        "messages": st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": VALUES})) | VALUES,
        "examples": st.lists(st.fixed_dictionaries({"score": st.just(1), "response": st.text()})) | VALUES,
        "cases": st.dictionaries(st.text(max_size=2), st.dictionaries(st.sampled_from(["a", "b"]), VALUES)) | VALUES,
        "tools": VALUES,
        "request": VALUES,
        "tags": VALUES,
        "max_tokens": VALUES,
    },
)
SUITES = VALUES | st.fixed_dictionaries(
    {
        "category": st.just("c") | VALUES,
        "subcategory": st.just("s"),
        "tests": st.lists(ENTRIES, max_size=4) | VALUES,
    },
    optional={"defaults": VALUES, "models": VALUES},
)


def read_value(value: JSON, root: Path) -> list[Test]:
    """The tests of a suite that was never written; InputError as `load`."""
    loading = Loading(SuiteFile("s.yaml", root, ("s.yaml",)))
    tests = read_suite(YamlDocument(value, "s.yaml", {}), loading, {})
    loading.faults.raise_if_any()
    return tests
