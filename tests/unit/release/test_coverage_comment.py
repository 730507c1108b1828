"""The comment with the coverage of the tests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scripts.coverage_comment import MOST_FILES, Coverage, CoverageError, File, read, text
from tests.unit.rendered_markdown import rendered


def measured(percent: float, files: dict[str, tuple[float, int, int]]) -> bytes:
    listed = {
        path: {"summary": {"percent_covered": part, "missing_lines": lines, "missing_branches": branches}}
        for path, (part, lines, branches) in files.items()
    }
    return json.dumps({"totals": {"percent_covered": percent}, "files": listed}).encode()


def test_files_with_something_missing_are_listed_most_first() -> None:
    found = read(measured(96.5, {"a.py": (90.0, 1, 1), "b.py": (100, 0, 0), "c.py": (50.0, 2, 3)}))
    assert found == Coverage(96.5, (File("c.py", 50.0, 5), File("a.py", 90.0, 2)))


def test_what_was_measured_without_branches_counts_lines() -> None:
    data: dict[str, Any] = json.loads(measured(96.5, {"a.py": (90.0, 3, 1)}))
    del data["files"]["a.py"]["summary"]["missing_branches"]
    assert read(json.dumps(data).encode()).files == (File("a.py", 90.0, 3),)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON"),
        (b"[]", "expected what"),
        (b'{"totals": {}, "files": {}}', "expected what"),
        (b'{"totals": {"percent_covered": 1}, "files": {"a": {}}}', "a file has no summary"),
    ],
)
def test_another_file_is_an_error(data: bytes, said: str) -> None:
    with pytest.raises(CoverageError, match=said):
        read(data)


@pytest.mark.parametrize(
    ("percent", "first"),
    [
        (95.0, "### ✅ Coverage: 95.00 % of lines and branches, enough"),
        (94.999, "### ❌ Coverage: 94.99 % of lines and branches, less than the 95 % that are asked for"),
        (100, "### ✅ Coverage: 100.00 % of lines and branches, enough"),
    ],
)
def test_the_first_line_says_whether_it_is_enough_and_never_rounds_up(percent: float, first: str) -> None:
    assert text(Coverage(percent, ()), 95) == f"{first}\n"


def test_names_of_files_are_foreign_text() -> None:
    shown = rendered(text(Coverage(50, (File("a|b`@octo\n<img>.py", 1, 1),)), 95))
    ((_, row),) = shown.tables
    assert len(row) == 3
    assert "img" not in shown.tags
    assert "@octo" not in shown.prose


def test_a_long_list_is_cut_and_says_so() -> None:
    many = tuple(File(f"{number}.py", 1, 1) for number in range(MOST_FILES + 2))
    shown = text(Coverage(50, many), 95)
    assert shown.count("\n| `") == MOST_FILES
    assert "and 2 files more" in shown
