"""Each case of a source without a baseline, in words that say what to do."""

from __future__ import annotations

from typing import Any

import pytest

from llm_testbench.compare.model import Quoted
from llm_testbench.github.candidate import Absent
from llm_testbench.github.event import Event
from llm_testbench.github.why_none import Listed, of_branch, of_path, of_recordings, of_releases, of_unknown_commit

ASSET = "llm-testbench-baseline.json.gz"
EVENT = Event(default_branch="main", base_sha="a1b2c3d" + "0" * 33)
PUBLISH = "there is no release: publish one, and attach a baseline to it"
ATTACH = "attach one when a release is published (llmtest baseline push)"


def listed(tag: str, *assets: str, draft: bool = False, prerelease: bool = False) -> Listed:
    return Listed(tag, draft, prerelease, assets)


def said(absent: Absent) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in absent.words)


MANY = [listed(f"v{number}") for number in range(9, 0, -1)]
RELEASES: dict[str, tuple[list[Listed], dict[str, Any], str]] = {
    "none": ([], {}, PUBLISH),
    "only the one that is being made": (
        [listed("v1", ASSET)],
        {"excluded_tag": "v1"},
        "there is no release but the one that is being made: publish one, and attach a baseline to it",
    ),
    "one draft": ([listed("v1", ASSET, draft=True)], {}, "the only release is a draft: publish one"),
    "only drafts": ([listed("v2", draft=True), listed("v1", draft=True)], {}, "all 2 releases are drafts: publish one"),
    "one prerelease": (
        [listed("v1-rc", ASSET, prerelease=True)],
        {},
        "the only release is a prerelease: baseline_prereleases: true takes them, too",
    ),
    "only prereleases": (
        [listed("v1-rc2", prerelease=True), listed("v1-rc1", prerelease=True), listed("v1", draft=True)],
        {},
        "all 2 releases are prereleases: baseline_prereleases: true takes them, too",
    ),
    "only prereleases with such a tag": (
        [listed("lib-rc2", prerelease=True), listed("lib-rc1", prerelease=True), listed("app-1", ASSET)],
        {"tag": "lib-*"},
        "all 2 releases with such a tag are prereleases: baseline_prereleases: true takes them, too",
    ),
    "a tag that is nearly right": (
        [listed("chat-v2", ASSET), listed("release-one", ASSET)],
        {"tag": "chta-v*"},
        "of 2 releases none has a tag like chta-v*; there are chat-v2: choose with baseline_tag",
    ),
    "a tag like none": (
        MANY,
        {"tag": "zzz"},
        "of 9 releases none has a tag like zzz; there are v9, v8, v7 and 6 more: choose with baseline_tag",
    ),
    "no files": ([listed("v1")], {}, f"of 1 release none carries {ASSET}; the newest, v1, holds no file: {ATTACH}"),
    "other files": (
        [listed("v2", "a.whl", "b.tar.gz", "c.txt", "d.txt"), listed("v1")],
        {},
        f"of 2 releases none carries {ASSET}; the newest, v2, holds a.whl, b.tar.gz, c.txt and 1 more: {ATTACH}",
    ),
    "a baseline of another name": (
        [listed("v2", "notes.txt"), listed("v1", "chat.json.gz")],
        {},
        f"of 2 releases none carries {ASSET}; v1 holds chat.json.gz: choose with baseline_asset, or {ATTACH}",
    ),
    "a prerelease has it": (
        [listed("v2-rc", ASSET, prerelease=True), listed("v1")],
        {},
        f"of 1 release none carries {ASSET}; the prerelease v2-rc does: baseline_prereleases: true takes it",
    ),
    "prereleases count, and have none": (
        [listed("v2-rc", prerelease=True), listed("v1")],
        {"prereleases": True},
        f"of 2 releases none carries {ASSET}; the newest, v2-rc, holds no file: {ATTACH}",
    ),
    "a very long tag": (
        [listed("v" * 500)],
        {"tag": "w"},
        f"of 1 release none has a tag like w; there are {'v' * 79}…: choose with baseline_tag",
    ),
}


@pytest.mark.parametrize(("releases", "wanted", "sentence"), RELEASES.values(), ids=RELEASES)
def test_why_no_release_is_a_baseline(releases: list[Listed], wanted: dict[str, Any], sentence: str) -> None:
    given = {"tag": "*", "prereleases": False, **wanted}
    absent = of_releases(releases, given.pop("tag"), ASSET, **given)
    assert (absent.source, said(absent)) == ("release", sentence)


@pytest.mark.parametrize(
    ("usable", "expired", "sentence"),
    [
        (
            0,
            0,
            "no run has left an artifact llm-testbench-baseline yet: let this workflow run on a push to main, where it"
            " records, and upload its results under that name",
        ),
        (
            0,
            1,
            "the only recording has expired (GitHub deletes artifacts after 90 days unless the repository says"
            " otherwise): record again on main, every night if pushes are rare, or on a branch by record_to",
        ),
        (
            0,
            4,
            "all 4 recordings have expired (GitHub deletes artifacts after 90 days unless the repository says"
            " otherwise): record again on main, every night if pushes are rare, or on a branch by record_to",
        ),
        (
            2,
            4,
            "of 2 recordings none is of a1b2c3d or a commit before it: bring this branch up to date with main, or"
            " record there again",
        ),
    ],
)
def test_why_no_recorded_run_is_a_baseline(usable: int, expired: int, sentence: str) -> None:
    absent = of_recordings(EVENT, usable=usable, expired=expired)
    assert (absent.source, said(absent)) == ("base", sentence)


@pytest.mark.parametrize(
    ("recordings", "sentence"),
    [
        (
            None,
            "there is no branch kept yet: with record_to: ref:kept, a run on a push to main makes it, if its job may"
            " (contents: write)",
        ),
        ([], "branch kept holds no folder that is named by a commit: is it another one?"),
        (
            ["b", "c"],
            "of 2 recordings none on branch kept is of a1b2c3d or a commit before it: bring this branch up to date with"
            " main, or record there again",
        ),
    ],
)
def test_why_a_branch_holds_no_baseline(recordings: list[str] | None, sentence: str) -> None:
    absent = of_branch(EVENT, "kept", recordings)
    assert (absent.source, said(absent)) == ("ref:kept", sentence)


def test_a_default_branch_that_is_not_known_is_described() -> None:
    assert "a push to the default branch, where" in said(of_recordings(Event(), usable=0, expired=0))


def test_the_rest() -> None:
    assert said(of_unknown_commit("base")) == "the commit from which to look for base is not known: set GITHUB_SHA"
    absent = of_path("/home/me/a.json", "a.json")
    assert (absent.source, said(absent)) == ("/home/me/a.json", "there is no file a.json")


def test_what_others_wrote_is_marked_as_theirs() -> None:
    absents = [
        of_releases([listed("<b>", "@you")], "*", ASSET, prereleases=False),
        of_releases([listed("<b>")], "@you", ASSET, prereleases=False),
        of_releases([listed("@you", ASSET, prerelease=True), listed("<b>")], "*", ASSET, prereleases=False),
        of_branch(Event(default_branch="<b>"), "@you", None),
    ]
    for absent in absents:
        plain = "".join(part for part in absent.words if isinstance(part, str))
        foreign = {part.text for part in absent.words if isinstance(part, Quoted)}
        assert foreign & {"<b>", "@you"}
        assert "<b>" not in plain
        assert "@you" not in plain
