"""The changelog of a release."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts.release.changelog import entries, newest, of_release, read
from scripts.release.commits import Commit
from scripts.release.version import Version

ROOT = Path(__file__).parents[3]
COMMITS = [
    Commit("c" * 40, "docs: a page"),
    Commit("b" * 40, "fix(gate): a fault"),
    Commit("a" * 40, "feat!: a name"),
]


def main(*lines: str, more: str = "") -> str:
    listed = "\n".join(f"- {one}" for one in lines)
    return f"# Changelog\n\n## Unreleased\n\n{listed}\n{more}"


def made(version: str, now: str, then: str = "", previous: str = "", commits: list[Commit] = COMMITS) -> str:
    number = Version(*map(int, version.split(".")))
    return str(of_release(number, "2026-12-03", commits, main=now, then=then, previous=previous))


def test_the_first_release_has_all_that_main_says() -> None:
    assert made("1.0.0", main("One.", "Two.")) == "# Changelog\n\n## 1.0.0 (2026-12-03)\n\n- One.\n- Two.\n"


def test_a_later_one_has_what_is_new_and_the_sections_before() -> None:
    first = made("1.0.0", main("One."))
    second = made("1.1.0", main("One.", "Two."), main("One."), first)
    third = made("1.1.1", main("Three.", "One.", "Two."), main("One.", "Two."), second)
    assert third == (
        "# Changelog\n\n## 1.1.1 (2026-12-03)\n\n- Three.\n\n"
        "## 1.1.0 (2026-12-03)\n\n- Two.\n\n## 1.0.0 (2026-12-03)\n\n- One.\n"
    )


def test_main_may_be_cleared_after_a_release() -> None:
    first = made("1.0.0", main("One."))
    assert "- One." in made("1.1.0", main("Two."), main("One."), first)
    assert made("1.1.0", main("Two."), main("One."), first).count("- Two.") == 1


def test_sections_that_main_has_itself_are_kept_by_the_first() -> None:
    kept = made("1.0.0", main("One.", more="\n## 0.9.0 (2026-01-01)\n\n- Old.\n"))
    assert kept.endswith("- One.\n\n## 0.9.0 (2026-01-01)\n\n- Old.\n")


@pytest.mark.parametrize("now", ["", "# Changelog\n", "# Changelog\n\n## Unreleased\n", main("One.")])
def test_where_main_says_nothing_new_the_commits_speak_oldest_first(now: str) -> None:
    section = read(made("1.0.1", now, main("One."), "")).sections[0]
    assert section.text == "- New (breaking): a name\n- Fixed: a fault"


def test_a_subject_that_is_none_stands_as_it_is() -> None:
    text = made("1.0.1", "", commits=[Commit("a" * 40, 'Revert "feat: x"')])
    assert '- Revert "feat: x"\n' in text


def test_an_entry_has_the_lines_below_it() -> None:
    assert entries("- a\n  b\n\n  c\n- d\n\nprose\n") == ("- a\n  b", "  c", "- d", "prose")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# C\n\n## 1.2.3 (2026-12-03)\n\n- x\n", (Version(1, 2, 3), "2026-12-03")),
        ("# C\n\n## 1.2.3 (2026-12-03)  \n", (Version(1, 2, 3), "2026-12-03")),
        (main("x", more="\n## 1.2.3 (2026-12-03)\n"), None),
        ("# C\n\n## 1.2.3\n", None),
        ("# C\n", None),
        ("", None),
    ],
)
def test_the_newest_section_names_version_and_date(text: str, expected: object) -> None:
    assert newest(text) == expected


def test_what_is_read_is_written_again() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert str(read(text)) == text
