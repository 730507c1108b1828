"""The report of `llmtest list`: every selected test with its place."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.compare.numbers import count
from llm_testbench.report.document import Document, Mono, Paragraph, Text, table, text
from llm_testbench.suite.model import Test
from llm_testbench.untrusted import Untrusted


def tests_report(tests: Sequence[Test]) -> Document:
    """In the order given."""
    rows = [
        [
            text(Mono(Untrusted(test.id))),
            text(Untrusted(f"{test.category}/{test.subcategory}" if test.subcategory else test.category)),
            _tags(test),
            text(Untrusted(f"{test.suite_file}:{test.place.line}" if test.place.line else test.suite_file)),
            text(Untrusted(test.description)),
        ]
        for test in tests
    ]
    columns = table(
        [("test", "left"), ("category", "left"), ("tags", "left"), ("written in", "left"), ("description", "left")],
        rows,
    )
    categories = len({test.category for test in tests})
    total = f"{count(len(tests), 'test')} in {count(categories, 'category', 'categories')}"
    return Document((columns, Paragraph(text(total))))


def _tags(test: Test) -> Text:
    marks = [mark for mark, is_set in (("must pass", test.must_pass), ("quarantined", test.quarantine)) if is_set]
    return text(Untrusted(" ".join(test.tags)), (" " if test.tags and marks else "") + ", ".join(marks))
