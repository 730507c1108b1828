"""Suites that are good but for a change or two: most of them are bad, and all look like what people write."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from llm_testbench.json_value import JSON

VALUES: tuple[JSON, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.5, 1e9, 1e300),
    *("", " ", "x", "a b", "A", "1", "${word}", "${nothing}", "x ${word}"),
    *([], [1], ["x"], [[]], [{}], {}, {"x": 1}, {"file": "no.md"}, {"equals": "x"}, {"equals": "${word}"}),
)
KEYS = (
    *("id", "prompt", "messages", "system", "tools", "request", "evaluate", "examples", "cases", "rev", "tags"),
    *("name", "arguments", "role", "content", "tool_calls", "score", "response", "expected", "weight", "checks"),
    *("equals", "numeric", "regex", "all", "x", "file", "model", "stream", "language", "program", "must_pass"),
    *("models", "path", "pattern"),
)


def paths(value: JSON, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*path, index))


@st.composite
def mutated(draw: st.DrawFn, suites: Sequence[JSON]) -> JSON:
    """One of the suites with one or two changes: a value replaced, a key added, renamed or left out, an item twice."""
    suite: Any = {"": copy.deepcopy(draw(st.sampled_from(suites)))}
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from([found for found in paths(suite) if found]))
        holder: Any = suite
        for step in path[:-1]:
            holder = holder[step]
        change = draw(st.sampled_from(["value", "value", "add", "rename", "leave out", "twice"]))
        last: Any = path[-1]
        if change == "value":
            holder[last] = copy.deepcopy(draw(st.sampled_from(VALUES)))
        elif change == "add" and isinstance(holder[last], dict):
            holder[last].setdefault(draw(st.sampled_from(KEYS)), copy.deepcopy(draw(st.sampled_from(VALUES))))
        elif change == "rename" and isinstance(holder, dict) and last:
            holder[draw(st.sampled_from(KEYS))] = holder.pop(last)
        elif change == "leave out" and last:
            del holder[last]
        elif change == "twice" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
    return suite[""]  # type: ignore[no-any-return]
