"""Arbitrary structures that look more or less like a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.just("${a}")
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


def _mostly(good: st.SearchStrategy[Any]) -> st.SearchStrategy[JSON]:
    """Good five times in six, so that whole suites are good often enough to be read to the end."""
    return st.integers(0, 5).flatmap(lambda dice: VALUES if dice == 0 else good)


def _some(*values: JSON) -> st.SearchStrategy[JSON]:
    return _mostly(st.sampled_from(values))


_CALL = st.fixed_dictionaries({"name": st.just("f")}, optional={"arguments": _some({}, {"a": 1}, "{}", "{")})
_MESSAGE = st.sampled_from([{"role": "user", "content": "x"}, {"role": "system", "content": "${a}"}])
_EXAMPLE = st.fixed_dictionaries(
    {"score": _some(0, 0.5, 1), "response": _some("x", "", "${a}")},
    optional={"tool_calls": st.lists(_CALL, max_size=2)},
)
_TOOL: JSON = {"type": "function", "function": {"name": "f", "parameters": {}}}
_SHARED = {
    "system": _some("Be brief.", None),
    "tools": _some([_TOOL], []),
    "request": _mostly(st.dictionaries(st.text(max_size=3), VALUES, max_size=2)),
    "max_tokens": _some(1, 8000),
    "tags": _some([], ["a"], ["a", "b.c"]),
    "rev": _some(1, 2),
    "must_pass": _some(True, False),
    "quarantine": _some(True, False),
}
_REST = {
    **_SHARED,
    "description": _some("x"),
    "models": _some(["m"]),
    "ground_truth": _some("print(1)", {"program": "x"}, {"language": "go", "program": "x"}),
    "examples": _mostly(st.lists(_EXAMPLE, max_size=2)),
    "cases": _mostly(
        st.dictionaries(
            st.sampled_from(["c", "d.e", "1"]), st.fixed_dictionaries({"a": VALUES, "b": VALUES}), min_size=1
        )
    ),
}
_CHECKS = _some({"equals": "x"}, {"contains_all": ["a", "b"]}, {"mean": [{"equals": "x", "weight": 2}]})
_ENTRY = st.fixed_dictionaries({"prompt": _some("x", "say ${a}"), "evaluate": _CHECKS}, optional=_REST) | (
    st.fixed_dictionaries({"messages": _mostly(st.lists(_MESSAGE, min_size=1, max_size=3)), "evaluate": _CHECKS})
)


def _numbered(entries: list[dict[str, JSON]]) -> list[dict[str, JSON]]:
    return [{"id": f"t-{number}", **entry} for number, entry in enumerate(entries)]


SUITES: st.SearchStrategy[JSON] = VALUES | st.fixed_dictionaries(
    {
        "category": _some("c", "c-1"),
        "subcategory": st.just("s"),
        "tests": _mostly(st.lists(_ENTRY, min_size=1, max_size=3).map(_numbered)),
    },
    optional={"defaults": st.fixed_dictionaries({}, optional=_SHARED), "models": _some(["m", "n"])},
)


def read_value(value: JSON, root: Path) -> list[Test]:
    """The tests of a suite that was never written; InputError as `load`."""
    loading = Loading(SuiteFile("s.yaml", root, ("s.yaml",)))
    tests = read_suite(YamlDocument(value, "s.yaml", {}), loading, {})
    loading.faults.raise_if_any()
    return tests
