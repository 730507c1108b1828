"""Several baselines of a source, where a window of more than one is wanted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.integration.github.baselines import ASSET, COMMITS, RECORDING, client, measured, no_file, packed
from tests.servers.github import FakeGitHub
from tests.unit.github.wanting import wanted

from llm_testbench.github.fetch import MAX_DOWNLOADS
from llm_testbench.github.sources import LOOKED_AT, Located, locate

BROKEN: Sequence[str] = ()
"""In the place of tests: a release whose asset cannot be read."""


def found(fake: FakeGitHub, *tests: str, window: int, sources: tuple[str, ...] = ("release", "base")) -> Located:
    cells = [("chat", test) for test in tests]
    return locate(wanted(*sources, window=window), cells, client(fake), no_file)


def releases(fake: FakeGitHub, *of: Sequence[str]) -> None:
    """The newest first, v9, v8, …, by the tests that each scored."""
    for number, tests in enumerate(of):
        data = packed(measured({"chat": tests})) if tests else b"{"
        published = f"2026-01-{28 - number:02}T00:00:00Z"
        fake.add_release(f"v{len(of) - number}", assets={ASSET: data}, published_at=published)


def recordings(fake: FakeGitHub, *of: Sequence[str]) -> None:
    """The newest first."""
    for number, tests in enumerate(of):
        fake.add_recording(
            RECORDING,
            {ASSET: packed(measured({"chat": tests}))},
            head_sha=COMMITS[-1 - number],
            run_id=50 - number,
            created_at=f"2026-02-{28 - number:02}T00:00:00Z",
        )


def names(located: Located) -> list[str]:
    return [candidate.tag or candidate.source.split(" (")[0] for candidate in located.candidates]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        pytest.param(1, ["v4"], id="one is enough"),
        pytest.param(2, ["v4", "v3"], id="two"),
        pytest.param(4, ["v4", "v3", "v2", "v1"], id="all there are"),
        pytest.param(9, ["v4", "v3", "v2", "v1"], id="more than there are"),
    ],
)
def test_a_source_gives_as_many_as_the_window_wants(fake: FakeGitHub, window: int, expected: list[str]) -> None:
    releases(fake, ["old"], ["old"], ["old"], ["old"])
    recordings(fake, ["old"])

    assert names(found(fake, "old", window=window)) == expected


def test_each_source_that_was_needed_gives_as_many_after_the_first_of_each(fake: FakeGitHub) -> None:
    releases(fake, ["old"], ["old"], ["old"])
    recordings(fake, ["old", "new"], ["old", "new"], ["old"])

    assert names(found(fake, "old", "new", window=2)) == ["v3", "run 50", "v2", "run 49"]


def test_a_wider_window_changes_nothing_about_who_is_first_for_a_cell(fake: FakeGitHub) -> None:
    releases(fake, ["old"], ["old", "new"])
    recordings(fake, ["new"])

    assert names(found(fake, "old", "new", window=1)) == ["v2", "run 50"]
    assert names(found(fake, "old", "new", window=2)) == ["v2", "run 50", "v1"]


def test_one_that_holds_none_of_the_cells_does_not_fill_the_window(fake: FakeGitHub) -> None:
    releases(fake, ["old"], ["another"], ["old"], ["old"])

    assert names(found(fake, "old", window=2)) == ["v4", "v3", "v2"]


def test_a_window_of_one_takes_what_the_source_has_first(fake: FakeGitHub) -> None:
    releases(fake, ["another"], ["old"])

    assert names(found(fake, "old", window=1)) == ["v2"]


def test_where_the_cells_are_not_known_each_fills_it(fake: FakeGitHub) -> None:
    releases(fake, ["old"], ["another"], ["old"])

    assert names(found(fake, window=2)) == ["v3", "v2"]


def test_the_search_for_more_ends(fake: FakeGitHub) -> None:
    window = 2
    releases(fake, ["old"], *[BROKEN] * (LOOKED_AT * window - 1), ["old"])

    located = found(fake, "old", window=window)

    assert len(located.finds) == LOOKED_AT * window
    assert len(located.candidates) == 1


def test_a_window_of_many_may_download_more_than_a_search_for_one(fake: FakeGitHub) -> None:
    many = MAX_DOWNLOADS + 2
    releases(fake, *[["old"]] * many)

    assert len(found(fake, "old", window=many).candidates) == many


def test_a_failure_while_looking_for_more_keeps_what_is_there(fake: FakeGitHub) -> None:
    releases(fake, ["old"], ["old"])
    (oldest,) = [asset for release in fake.releases.values() if release.tag == "v1" for asset in release.assets]
    fake.fail("GET", f"/releases/assets/{oldest.id}$", 403)

    located = found(fake, "old", window=2)

    assert len(located.candidates) == 1
    assert [line.split(":")[0] for line in located.failed] == ["release"]


def test_a_model_that_an_older_one_holds_is_no_longer_missing(fake: FakeGitHub) -> None:
    releases(fake, ["old"], ["old"])
    only_older = packed(measured({"chat": ["old"], "code": ["old"]}))
    fake.add_release("v0", assets={ASSET: only_older}, published_at="2026-01-01T00:00:00Z")
    cells = [("chat", "old"), ("code", "old")]

    def older(window: int) -> tuple[tuple[str, str], ...]:
        return locate(wanted("release", window=window), cells, client(fake), no_file).older

    assert older(1) == (("code", "release v0"),)
    assert older(3) == ()
