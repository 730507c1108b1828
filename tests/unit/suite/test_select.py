"""Filters: globs over whole words, OR inside one, AND between, and help when nothing is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.suite.suites import load_text

from llm_testbench.errors import InputError
from llm_testbench.suite import globs
from llm_testbench.suite.model import Test
from llm_testbench.suite.select import Filters, select, unmatched

SUITE = """category: {category}
subcategory: {subcategory}
tests:
  - {{id: {id}, tags: [{tags}], prompt: x, evaluate: {{equals: x}}, cases: {{small: {{}}, large: {{}}}}}}
  - {{id: {id}-two, prompt: x, evaluate: {{equals: x}}}}
"""


@pytest.fixture(scope="module")
def tests(tmp_path_factory: pytest.TempPathFactory) -> tuple[Test, ...]:
    tmp_path = tmp_path_factory.mktemp("suites")
    python = SUITE.format(category="programming", subcategory="python", id="py", tags="smoke, fast")
    tools = SUITE.format(category="tools", subcategory="calls", id="call", tags="smoke")
    return (*load_text(tmp_path, python), *load_text(tmp_path, tools))


def ids(tests: tuple[Test, ...]) -> list[str]:
    return [test.id for test in tests]


ALL = ["py[small]", "py[large]", "py-two", "call[small]", "call[large]", "call-two"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), ALL),
        (Filters(category=("tools",)), ALL[3:]),
        (Filters(category=("prog*",)), ALL[:3]),
        (Filters(category=("tools", "programming")), ALL),
        (Filters(subcategory=("python", "nothing")), ALL[:3]),
        (Filters(tests=("py[small]",)), ["py[small]"]),
        (Filters(tests=("*[small]",)), ["py[small]", "call[small]"]),
        (Filters(tests=("py[[]small]", "call-tw?")), ["call-two"]),
        (Filters(tests=("call*", "py-two")), ["py-two", *ALL[3:]]),
        (Filters(tags=("smoke",)), ["py[small]", "py[large]", "call[small]", "call[large]"]),
        (Filters(tags=("fast", "smoke"), category=("programming",), tests=("*large*",)), ["py[large]"]),
    ],
    ids=str,
)
def test_filters_select(tests: tuple[Test, ...], filters: Filters, expected: list[str]) -> None:
    assert ids(select(tests, filters)) == expected


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (Filters(category=("Tools",)), "no test selected: category 'Tools' matches nothing; did you mean 'tools'?"),
        (
            Filters(subcategory=("pyhton", "x")),
            "no test selected: subcategory 'pyhton', 'x' matches nothing; did you mean 'python'?",
        ),
        (Filters(tests=("py",)), "no test selected: tests 'py' matches nothing; did you mean all its cases, 'py[*]'?"),
        (Filters(tests=("tw",)), "no test selected: tests 'tw' matches nothing; there are call-two, call[large], "),
        (Filters(tests=("py-tw",)), "no test selected: tests 'py-tw' matches nothing; did you mean 'py-two'?"),
        (Filters(category=("tools",), tags=("slow",)), "no test selected: tags 'slow' matches nothing; there are fast"),
        (
            Filters(category=("tools",), tags=("fast", "f*")),
            "no test selected: each filter matches something, but no test matches category tools and tags fast, f*",
        ),
    ],
    ids=str,
)
def test_an_empty_selection_is_explained(tests: tuple[Test, ...], filters: Filters, message: str) -> None:
    with pytest.raises(InputError) as caught:
        select(tests, filters)
    assert str(caught.value).startswith(message)


def test_no_test_at_all_is_explained(tests: tuple[Test, ...]) -> None:
    with pytest.raises(InputError, match="no test selected: the suites hold no test"):
        select((), Filters(category=("x",)))
    untagged = tests[2:3]
    with pytest.raises(InputError, match="tags 'smoke' matches nothing; no test has any"):
        select(untagged, Filters(tags=("smoke",)))


def test_a_pattern_that_adds_nothing_to_its_filter_can_be_warned_of(tests: tuple[Test, ...]) -> None:
    filters = Filters(tests=("py*", "cal-two"), tags=("smoke",))
    assert unmatched(tests, filters) == ("tests: 'cal-two' matches no test; did you mean 'call-two'?",)
    assert unmatched(tests, Filters()) == ()


@given(st.text(st.sampled_from("ab[]!-*?\n."), max_size=8), st.text(st.sampled_from("ab[]!-\n."), max_size=8))
def test_only_two_characters_are_special(pattern: str, word: str) -> None:
    def matches(pattern: str, word: str) -> bool:
        if not pattern:
            return not word
        if pattern[0] == "*":
            return any(matches(pattern[1:], word[start:]) for start in range(len(word) + 1))
        return bool(word) and pattern[0] in ("?", word[0]) and matches(pattern[1:], word[1:])

    assert (globs.compiled(pattern).match(word) is not None) == matches(pattern, word)


def test_a_pattern_of_many_stars_is_quick() -> None:
    assert globs.compiled("*a" * 100 + "b").match("a" * 2000) is None


WORDS = ("tools", "programming", "python", "calls", "py-two", "call[small]", "*[small]", "smoke", "fast", "*", "?all*")
PATTERNS = st.lists(st.sampled_from(WORDS), max_size=2).map(tuple)


@given(st.builds(Filters, category=PATTERNS, subcategory=PATTERNS, tests=PATTERNS, tags=PATTERNS))
def test_a_selection_is_what_passes_every_filter(tests: tuple[Test, ...], filters: Filters) -> None:
    def passes(patterns: tuple[str, ...], *words: str) -> bool:
        return not patterns or any(globs.compiled(pattern).match(word) for pattern in patterns for word in words)

    expected = tuple(
        test
        for test in tests
        if passes(filters.category, test.category)
        and passes(filters.subcategory, test.subcategory)
        and passes(filters.tests, test.id)
        and passes(filters.tags, *test.tags)
    )
    if expected:
        assert select(tests, filters) == expected
    else:
        with pytest.raises(InputError, match=r"^no test selected: "):
            select(tests, filters)
