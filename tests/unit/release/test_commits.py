"""What commits ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.release.commits import Commit, Level, counting, highest, level, subject

OLD, NEW, NEWEST = "a" * 40, "b" * 40, "c" * 40


def reverts(sha: str) -> str:
    return f"This reverts commit {sha}."


@pytest.mark.parametrize(
    ("line", "body", "expected"),
    [
        ("feat: a page", "", Level.MINOR),
        ("feat(gate): a page", "", Level.MINOR),
        ("fix: a fault", "", Level.PATCH),
        ("perf(compare): half the time", "", Level.PATCH),
        ("Feat: a page", "", Level.MINOR),
        ("FIX: a fault", "", Level.PATCH),
        ("feat!: another name", "", Level.MAJOR),
        ("refactor(config)!: another name", "", Level.MAJOR),
        ("fix: a fault", "Why.\n\nBREAKING CHANGE: the name is another", Level.MAJOR),
        ("chore: a tool", "BREAKING-CHANGE: Python 3.12 is needed", Level.MAJOR),
        ("docs: a page", "This is no BREAKING CHANGE: nothing changes", Level.NONE),
        ("docs: a page", "breaking change: in small letters it is prose", Level.NONE),
        ("fix: a fault", "BREAKING CHANGE:", Level.PATCH),
        ("docs: a page", "", Level.NONE),
        ("test: a case", "", Level.NONE),
        ("chore: a tool", "", Level.NONE),
        ("refactor: a name", "", Level.NONE),
        ("ci: a job", "", Level.NONE),
        ("build: a lock", "", Level.NONE),
        ("style: a line", "", Level.NONE),
        ("feature: not the word", "", Level.NONE),
        ("feat a page", "", Level.NONE),
        ("feat:a page", "", Level.NONE),
        ("feat(): a page", "", Level.NONE),
        ("feat: ", "", Level.NONE),
        ("feat :a page", "", Level.NONE),
        ("a page", "", Level.NONE),
        ("", "", Level.NONE),
        ("feat: a page (#12)", "* fix: one\n* feat: two", Level.MINOR),
        ("Merge pull request #7 from octo/feat", "feat: a page", Level.NONE),
        ("Merge branch 'x'", "BREAKING CHANGE: the name is another", Level.MAJOR),
        ('Revert "feat: a page"', reverts(OLD), Level.PATCH),
        ('Revert "docs: a page"', reverts(OLD), Level.NONE),
        ('Revert "a page"', reverts(OLD), Level.PATCH),
        ("revert: a page", f"Refs: {OLD[:8]}", Level.PATCH),
    ],
)
def test_a_commit_asks_for_a_level(line: str, body: str, expected: Level) -> None:
    assert level(Commit(NEW, line, body)) is expected


def test_a_subject_has_type_scope_and_text() -> None:
    found = subject("Fix(a b)!:  the text")
    assert found is not None
    assert (found.kind, found.scope, found.breaking, found.text) == ("fix", "a b", True, "the text")


def commits(*lines: tuple[str, str, str]) -> list[Commit]:
    return [Commit(*line) for line in lines]


@pytest.mark.parametrize(
    ("newest_first", "left", "expected"),
    [
        ([], [], Level.NONE),
        ([(NEW, "docs: x", ""), (OLD, "fix: y", "")], [NEW, OLD], Level.PATCH),
        ([(NEW, "fix: x", ""), (OLD, "feat: y", "")], [NEW, OLD], Level.MINOR),
        ([(NEW, 'Revert "feat: y"', reverts(OLD)), (OLD, "feat: y", "")], [], Level.NONE),
        ([(NEW, "revert: feat: y", f"Refs: {OLD[:9]}"), (OLD, "feat: y", "")], [], Level.NONE),
        ([(NEW, 'Revert "feat: y"', reverts("d" * 40)), (OLD, "docs: y", "")], [NEW, OLD], Level.PATCH),
        ([(NEW, 'Revert "feat: y"', ""), (OLD, "feat: y", "")], [NEW, OLD], Level.MINOR),
        (
            [
                (NEWEST, 'Revert "Revert "feat: y""', reverts(NEW)),
                (NEW, 'Revert "feat: y"', reverts(OLD)),
                (OLD, "feat: y", ""),
            ],
            [OLD],
            Level.MINOR,
        ),
        # One of both was released before.
        ([(NEW, 'Revert "feat: y"', reverts(OLD) + reverts("d" * 40)), (OLD, "feat: y", "")], [NEW, OLD], Level.MINOR),
        # Words that only look like it.
        ([(NEW, "docs: why", reverts(OLD)), (OLD, "feat: y", "")], [NEW, OLD], Level.MINOR),
    ],
    ids=[
        "nothing", "the highest counts", "whatever the order", "what was taken back does not", "nor by type",
        "of an earlier release", "without its commit", "a revert that is reverted", "of several", "no revert",
    ],
)  # fmt: skip
def test_what_is_taken_back_does_not_count(
    newest_first: list[tuple[str, str, str]], left: list[str], expected: Level
) -> None:
    found = commits(*newest_first)
    assert [one.sha for one in counting(found)] == left
    assert highest(found) is expected


@given(st.text(max_size=80), st.text(max_size=200))
def test_whatever_a_commit_says_has_a_level(line: str, body: str) -> None:
    assert level(Commit(NEW, line, body)) in Level
