"""Whether there is something to release, and as what."""

from __future__ import annotations

import pytest
from scripts.release.commits import Commit
from scripts.release.plan import Plan, Tagged, decide, made_from, previous
from scripts.release.version import Version, parsed

HEAD, OLD, OLDER = "c" * 40, "b" * 40, "a" * 40


def tagged(version: str, parent: str) -> Tagged:
    return Tagged(parsed(version), f"{version:0>40}", parent)


def decided(*subjects: str, before: Tagged | None = None, tags: list[Tagged] | None = None, taken: str = "") -> Plan:
    commits = [Commit(f"{number:040}", subject) for number, subject in enumerate(subjects)]
    known = tags if tags is not None else [before] if before else []
    versions = {parsed(one) for one in taken.split()} | {one.version for one in known}
    return decide(HEAD, known, before, versions, commits)


@pytest.mark.parametrize("subjects", [["fix: x"], ["feat: x"], ["feat!: x", "docs: y"]])
def test_the_first_release_is_1_0_0_since_the_action_is_used_as_v1(subjects: list[str]) -> None:
    plan = decided(*subjects)
    assert (plan.state, plan.version) == ("new", Version(1, 0, 0))


@pytest.mark.parametrize(
    ("subjects", "expected"),
    [
        (["fix: x"], "1.2.4"),
        (["perf: x", "test: y"], "1.2.4"),
        (["fix: x", "feat: y"], "1.3.0"),
        (["fix!: x", "feat: y"], "2.0.0"),
    ],
)
def test_the_commits_since_the_last_one_raise_the_version(subjects: list[str], expected: str) -> None:
    plan = decided(*subjects, before=tagged("1.2.3", OLD))
    assert (plan.state, str(plan.version)) == ("new", expected)
    assert plan.why.endswith("since v1.2.3")


@pytest.mark.parametrize("subjects", [[], ["docs: x", "test: y", "ci: z"], ["Merge branch 'x'"], ["odd"]])
@pytest.mark.parametrize("before", [None, tagged("1.2.3", OLD)])
def test_nothing_that_users_notice_is_no_release(subjects: list[str], before: Tagged | None) -> None:
    plan = decided(*subjects, before=before)
    assert (plan.state, plan.version) == ("none", None)
    assert plan.why.startswith("nothing to release: ")


def test_it_says_what_it_counted() -> None:
    plan = decided("docs: x", "docs: y", "odd", before=tagged("1.2.3", OLD))
    assert plan.why == "nothing to release: 2 docs, 1 other since v1.2.3"


@pytest.mark.parametrize("subjects", [["feat: x"], []])
def test_a_release_that_was_begun_from_this_commit_is_finished(subjects: list[str]) -> None:
    before = tagged("1.2.3", OLD)
    plan = decided(*subjects, before=before, tags=[before, tagged("1.3.0", HEAD)])
    assert (plan.state, plan.version, plan.previous) == ("again", Version(1, 3, 0), before)


def test_a_version_that_was_begun_elsewhere_and_not_published_is_passed_over() -> None:
    before = tagged("1.2.3", OLDER)
    plan = decided("feat: x", before=before, tags=[before, tagged("1.3.0", OLD)], taken="1.3.1")
    assert (plan.state, str(plan.version)) == ("new", "1.3.2")


def test_the_previous_release_is_the_newest_that_is_published_and_not_of_this_commit() -> None:
    tags = [tagged("1.9.0", OLDER), tagged("1.10.0", OLD), tagged("1.11.0", OLD), tagged("1.12.0", HEAD)]
    published = {parsed(one) for one in ("1.9.0", "1.10.0", "1.12.0")}
    assert previous(tags, published, HEAD) == tags[1]
    assert previous(tags, set(), HEAD) is None
    assert made_from(tags, HEAD) == tags[3]
    assert made_from(tags, "d" * 40) is None
