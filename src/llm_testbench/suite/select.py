"""Filters over loaded tests: OR inside one, AND between, and a word on what matched nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from llm_testbench.errors import InputError
from llm_testbench.nearest import nearest
from llm_testbench.suite import globs
from llm_testbench.suite.model import Test


@dataclass(frozen=True)
class Filters:
    """Globs over whole words, case-sensitive; an empty filter lets everything through."""

    category: tuple[str, ...] = ()
    subcategory: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


_WORDS: dict[str, Callable[[Test], tuple[str, ...]]] = {
    "category": lambda test: (test.category,),
    "subcategory": lambda test: (test.subcategory,),
    "tests": lambda test: (test.id,),
    "tags": lambda test: test.tags,
}


def select(tests: Sequence[Test], filters: Filters) -> tuple[Test, ...]:
    """The tests that pass every filter, in their order.

    InputError when none does: it names the filter that matched nothing and the nearest word, or says
    that each matched something but not together.
    """
    selected = tuple(tests)
    for key, patterns in _given(filters):
        words = _WORDS[key]
        matchers = [globs.compiled(pattern).match for pattern in patterns]
        selected = tuple(
            test for test in selected if any(matches(word) for word in words(test) for matches in matchers)
        )
    if not selected:
        raise InputError(_explanation(tests, filters))
    return selected


def unmatched(tests: Sequence[Test], filters: Filters) -> tuple[str, ...]:
    """One line for each pattern that matches no test at all: worth a warning when others in its filter do."""
    return tuple(
        f"{key}: {pattern!r} matches no test{_near(pattern, known)}"
        for key, patterns in _given(filters)
        for known in [_known(tests, key)]
        for pattern in patterns
        if not _matches_any(pattern, known)
    )


def _given(filters: Filters) -> list[tuple[str, tuple[str, ...]]]:
    return [(field.name, patterns) for field in fields(filters) if (patterns := getattr(filters, field.name))]


def _known(tests: Sequence[Test], key: str) -> list[str]:
    return list(dict.fromkeys(word for test in tests for word in _WORDS[key](test)))


def _matches_any(pattern: str, known: Sequence[str]) -> bool:
    matches = globs.compiled(pattern).match
    return any(matches(word) for word in known)


def _explanation(tests: Sequence[Test], filters: Filters) -> str:
    if not tests:
        return "no test selected: the suites hold no test"
    for key, patterns in _given(filters):
        known = _known(tests, key)
        if not any(_matches_any(pattern, known) for pattern in patterns):
            shown = ", ".join(repr(pattern) for pattern in patterns)
            return f"no test selected: {key} {shown} matches nothing{_near(patterns[0], known)}"
    together = " and ".join(f"{key} {', '.join(patterns)}" for key, patterns in _given(filters))
    return f"no test selected: each filter matches something, but no test matches {together}"


def _near(pattern: str, known: Sequence[str]) -> str:
    """A hint: the cases of a test that was named without them, another spelling, or what there is."""
    if any(word.startswith(f"{pattern}[") for word in known):
        return f"; did you mean all its cases, '{pattern}[*]'?"
    lowered = {word.lower(): word for word in known}
    found = nearest(pattern.lower(), lowered)
    if found is not None:
        return f"; did you mean {lowered[found]!r}?"
    shown = ", ".join(sorted(known)[:8])
    return f"; there are {shown}{', …' if len(known) > 8 else ''}" if known else "; no test has any"
