from __future__ import annotations

import pytest

from llm_testbench.evaluators.json_size import more_values_than
from llm_testbench.json_value import JSON


@pytest.mark.parametrize(
    ("value", "count"),
    [(None, 1), ("text", 1), ([], 1), ([1, 2], 3), ({"a": 1, "b": [2, {}]}, 5), ([[[[]]]], 4), ({"a": "xyz"}, 2)],
)
def test_a_value_and_all_that_it_holds_are_counted(value: JSON, count: int) -> None:
    assert more_values_than(count - 1, value)
    assert not more_values_than(count, value)
