from typing import Any

from tests.integration.github.baselines import ASSET, COMMITS, RECORDING, client, measured, no_file, packed
from tests.servers.github import FakeGitHub
from tests.unit.github.wanting import wanted

from llm_testbench.github.sources import Located, locate

DEFAULT = ("release", "base")


def found(fake: FakeGitHub, *cells: tuple[str, str], sources: tuple[str, ...] = DEFAULT) -> Located:
    return locate(wanted(*sources), cells, client(fake), no_file)


def kinds(located: Located) -> list[str]:
    return [candidate.kind for candidate in located.candidates]


def release(fake: FakeGitHub, *tests: str) -> None:
    fake.add_release("v1", assets={ASSET: packed(measured({"chat": tests}))})


def record(fake: FakeGitHub, *tests: str) -> None:
    files = {ASSET: packed(measured({"chat": tests}))}
    fake.add_recording(RECORDING, files, head_sha=COMMITS[3], run_id=1, created_at="2026-01-01T00:00:00Z")


def asked(fake: FakeGitHub) -> set[Any]:
    return {"base" if "/actions/" in seen.path else "release" for seen in fake.requests}


def test_a_release_that_holds_every_test_is_enough(fake: FakeGitHub) -> None:
    release(fake, "old", "new")
    record(fake, "old", "new")

    assert kinds(found(fake, ("chat", "old"), ("chat", "new"))) == ["release"]
    assert asked(fake) == {"release"}


def test_a_test_that_the_release_lacks_is_looked_up_in_the_recordings(fake: FakeGitHub) -> None:
    release(fake, "old")
    record(fake, "old", "new")

    assert kinds(found(fake, ("chat", "old"), ("chat", "new"))) == ["release", "base"]


def test_without_a_release_the_recordings_are_the_baseline(fake: FakeGitHub) -> None:
    record(fake, "old")

    assert kinds(found(fake)) == ["base"]


def test_the_order_is_the_users(fake: FakeGitHub) -> None:
    release(fake, "old")
    record(fake, "old")

    assert kinds(found(fake, sources=("base", "release"))) == ["base"]


def test_a_source_in_trouble_does_not_end_the_chain(fake: FakeGitHub) -> None:
    record(fake, "old")
    fake.fail("GET", "/releases$", 403)

    located = found(fake)

    assert kinds(located) == ["base"]
    assert [line.split(":")[0] for line in located.failed] == ["release"]


def test_a_first_run_finds_nothing_and_nothing_is_wrong(fake: FakeGitHub) -> None:
    located = found(fake)

    assert (located.finds, located.failed) == ((), ())
    assert [absent.source for absent in located.absent] == ["release", "base"]


def test_a_rate_limit_that_lasts_is_a_line(fake: FakeGitHub) -> None:
    fake.remaining = 0

    located = found(fake)

    assert located.candidates == ()
    assert all("the rate limit is used up" in line for line in located.failed)
    assert len(located.failed) == 2
