"""Accepted drops for tests: a cell's, a row's, and any."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from llm_testbench.compare.model import Acceptance


def cell(test: str, *scores: float, model: str = "chat", **fields: Any) -> Acceptance:
    return Acceptance(model, {test: scores}, test, **fields)


def whole(model: str = "chat", category: str | None = None, **tests: tuple[float, ...]) -> Acceptance:
    """Of a model, or of one of its categories."""
    return Acceptance(model, tests, None, category)


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: bool(name.strip())
)
_few = st.sampled_from(["a", "b", "c[x]"])
_scores = st.lists(st.floats(0, 1), min_size=1, max_size=3).map(tuple)
_extra = {
    "reason": st.sampled_from(["", "smaller model", "two\nlines # 1"]),
    "until": st.sampled_from(["", "2026-12-31"]),
}


@st.composite
def acceptances(draw: st.DrawFn, name: st.SearchStrategy[str] = _few) -> tuple[Acceptance, ...]:
    """What one file may hold: each row once, each cell once by itself and once in a row."""
    entries: list[Acceptance] = []
    own: set[tuple[str, str]] = set()
    inside: set[tuple[str, str]] = set()
    rows: set[tuple[str, str | None]] = set()
    for _ in range(draw(st.integers(0, 4))):
        model, fields = draw(name), {key: draw(words) for key, words in _extra.items()}
        if draw(st.booleans()):
            test = draw(name)
            if (model, test) not in own:
                own.add((model, test))
                entries.append(Acceptance(model, {test: draw(_scores)}, test, None, **fields))
        else:
            tests, category = draw(st.dictionaries(name, _scores, min_size=1, max_size=3)), draw(st.none() | name)
            if (model, category) not in rows and not any((model, test) in inside for test in tests):
                rows.add((model, category))
                inside.update((model, test) for test in tests)
                entries.append(Acceptance(model, tests, None, category, **fields))
    return tuple(entries)
