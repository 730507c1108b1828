"""How many values a JSON value is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.json_value import JSON


def more_values_than(limit: int, value: JSON) -> bool:
    """Whether it holds more than `limit` values, itself counted; looks at no more of them than that."""
    count, waiting = 0, [value]
    while waiting and count + len(waiting) <= limit:
        count += 1
        item = waiting.pop()
        if isinstance(item, Mapping):
            if len(item) > limit:
                return True
            waiting.extend(item.values())
        elif isinstance(item, Sequence) and not isinstance(item, str):
            if len(item) > limit:
                return True
            waiting.extend(item)
    return count + len(waiting) > limit
