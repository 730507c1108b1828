import io
import stat
import zipfile
from typing import Any

import pytest
from tests.integration.github.baselines import ASSET, COMMITS, RECORDING, client, commit, measured, no_file, packed
from tests.servers.github import FakeGitHub
from tests.unit.github.wanting import wanted

from llm_testbench.github.ancestry import MAX_COMPARISONS
from llm_testbench.github.sources import Located, PassedOver, locate

BASE = COMMITS[9]  # two more commits are on the default branch
NAME = "artifact.json"


def plain(**more: Any) -> dict[str, bytes]:
    return {ASSET: packed(measured(**more))}


def record(
    fake: FakeGitHub, number: int, files: dict[str, bytes] | None = None, *, at: str = COMMITS[7], **more: Any
) -> int:
    """The recording of run `number`, made at that minute."""
    name = more.pop("name", RECORDING)
    created = f"2026-01-01T{number // 60:02}:{number % 60:02}:00Z"
    return fake.add_recording(
        name, plain() if files is None else files, head_sha=at, run_id=number, created_at=created, **more
    )


def found(fake: FakeGitHub, base: str = BASE, **more: Any) -> Located:
    return locate(wanted("base"), (), client(fake, base_sha=base, **more), no_file)


def runs(located: Located) -> list[str]:
    return [candidate.source for candidate in located.candidates]


def said(located: Located) -> str:
    (absent,) = located.absent
    return "".join(part if isinstance(part, str) else part.text for part in absent.words)


def test_recordings_that_have_expired_are_told_as_such(fake: FakeGitHub) -> None:
    for number in range(3):
        record(fake, number, expired=True)

    assert said(found(fake)).startswith("all 3 recordings have expired (GitHub deletes artifacts after 90 days unless")


def test_recordings_that_are_all_later_are_told_as_such(fake: FakeGitHub) -> None:
    record(fake, 1, at=COMMITS[10])
    record(fake, 2, expired=True)

    assert said(found(fake)).startswith("of 1 recording none is of 0000000 or a commit before it: bring this branch up")


def test_one_that_expires_while_it_is_looked_for_is_told_as_such(fake: FakeGitHub) -> None:
    record(fake, 1)
    record(fake, 2)
    fake.fail("GET", "/artifacts/.*/zip$", 410)

    (passed,) = found(fake).passed_over

    assert passed.why.startswith("its file is gone: it has expired (after 90 days, unless the repository says")


def comparisons(fake: FakeGitHub) -> int:
    return sum("/compare/" in seen.path for seen in fake.requests)


def test_the_newest_recording_before_the_base_is_the_baseline(fake: FakeGitHub) -> None:
    record(fake, 1, at=COMMITS[8])
    record(fake, 2, at=COMMITS[7])
    record(fake, 3, at=COMMITS[10])

    (candidate,) = found(fake).candidates

    assert (candidate.kind, candidate.source, candidate.tag) == ("base", "run 2 (0000000)", "")
    assert candidate.sha == COMMITS[7]
    assert candidate.url == f"{fake.url}/octo/shop/actions/runs/2"
    assert [("authorization" in seen.headers) for seen in fake.storage_requests] == [False]


def test_a_recording_of_the_base_itself_needs_no_comparison(fake: FakeGitHub) -> None:
    record(fake, 1, at=BASE)

    assert runs(found(fake)) == ["run 1 (0000000)"]
    assert comparisons(fake) == 0


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"at": COMMITS[10]}, id="of a later commit"),
        pytest.param({"at": commit(99)}, id="of a commit that is gone"),
        pytest.param({"at": commit(50)}, id="of a branch beside"),
        pytest.param({"fork": True}, id="of a fork's pull request"),
        pytest.param({"fork": True, "at": BASE}, id="of a fork, at the very base"),
        pytest.param({"expired": True}, id="expired"),
        pytest.param({"name": "other"}, id="of another name"),
        pytest.param({"name": f"{RECORDING}-2"}, id="of a longer name"),
    ],
)
def test_which_recordings_do_not_count(fake: FakeGitHub, other: dict[str, Any]) -> None:
    fake.forked_at[commit(50)] = COMMITS[3]
    record(fake, 1)
    record(fake, 2, **other)

    located = found(fake)

    assert (runs(located), located.passed_over, located.failed) == (["run 1 (0000000)"], (), ())
    assert len(fake.storage_requests) == 1


def test_what_this_run_itself_recorded_is_no_baseline(fake: FakeGitHub) -> None:
    record(fake, 1)
    record(fake, 2)

    assert runs(found(fake, run_id=2)) == ["run 1 (0000000)"]


def test_every_page_is_looked_at(fake: FakeGitHub) -> None:
    record(fake, 1)
    for number in range(2, 103):
        record(fake, number, {}, expired=True)

    assert runs(found(fake)) == ["run 1 (0000000)"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({NAME: packed(measured())}, id="an artifact"),
        pytest.param({f"{NAME}.gz": packed(measured())}, id="a packed artifact"),
        pytest.param({"report.md": b"#", NAME: packed(measured()), "comparison.json": b"{}"}, id="the whole folder"),
        pytest.param({NAME: b"{}", ASSET: packed(measured())}, id="the asset before the artifact"),
    ],
)
def test_a_recording_holds_the_asset_or_the_artifact(fake: FakeGitHub, files: dict[str, bytes]) -> None:
    record(fake, 1, files)

    assert runs(found(fake)) == ["run 1 (0000000)"]


def linked() -> bytes:
    data = io.BytesIO()
    info = zipfile.ZipInfo(NAME)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    return data.getvalue()


@pytest.mark.parametrize(
    ("files", "why", "broken"),
    [
        pytest.param(plain(role="gate"), "it was measured by role gate, not record", False, id="wrong role"),
        pytest.param(plain(role="run"), "it was measured by role run, not record", False, id="another wrong role"),
        pytest.param(plain(interrupted=True), "its run was interrupted", False, id="interrupted"),
        pytest.param(plain(scored={"chat": ["a"]}, errored=1), "only 1 of 2 tests of", False, id="partial"),
        pytest.param({"other.json": b"{}"}, "is a zip archive without", True, id="without the file"),
        pytest.param({f"../{NAME}": b"{}"}, "is a zip archive without", True, id="a name that climbs"),
        pytest.param({NAME: b"{"}, "is not JSON", True, id="no JSON"),
        pytest.param({NAME: b"\0" * 2_000_000}, "unpacks to more than 1 MiB", True, id="zip bomb"),
        pytest.param({ASSET: packed(measured(), schema_version=2)}, "is newer", True, id="newer"),
    ],
)
def test_what_cannot_be_used_is_passed_over_and_told(
    fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], why: str, broken: bool
) -> None:
    monkeypatch.setattr("llm_testbench.github.recordings.MAX_UNPACKED", 1 << 20)
    record(fake, 1)
    record(fake, 2, files)

    located = found(fake)

    assert runs(located) == ["run 1 (0000000)"]
    (passed,) = located.passed_over
    assert (passed.source, passed.tag, passed.sha) == ("run 2 (0000000)", "", COMMITS[7])
    assert passed.broken is broken
    assert passed.why.startswith(why) or why in passed.why


@pytest.mark.parametrize(
    ("data", "why"),
    [(linked(), "is a link"), (b"{}", "is no zip archive"), (b" " * (6 << 20), "is larger than 5 MiB")],
)
def test_an_archive_that_is_none_is_passed_over(
    fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch, data: bytes, why: str
) -> None:
    monkeypatch.setattr("llm_testbench.github.fetch.MAX_PACKED", 5 << 20)
    record(fake, 1)
    fake.recordings[record(fake, 2)].data = data

    located = found(fake)

    assert runs(located) == ["run 1 (0000000)"]
    assert [why in passed.why and passed.broken for passed in located.passed_over] == [True]


def test_no_more_than_ten_recordings_are_downloaded(fake: FakeGitHub) -> None:
    for number in range(1, 15):
        record(fake, number, plain(role="gate"))

    located = found(fake)

    assert [passed.source.split()[1] for passed in located.passed_over] == [str(run) for run in range(14, 4, -1)]
    assert len(fake.storage_requests) == 10
    assert comparisons(fake) == 1


def test_the_search_for_an_ancestor_ends(fake: FakeGitHub) -> None:
    record(fake, 1)
    for number in range(2, 60):
        record(fake, number, at=commit(1000 + number))

    located = found(fake)

    why = f"none of the newest {MAX_COMPARISONS} recordings is of 0000000 or a commit before it"
    assert (located.candidates, located.failed) == ((), ())
    assert located.passed_over == (PassedOver("base", "", "", why, broken=False),)
    assert comparisons(fake) == MAX_COMPARISONS


def test_there_may_be_none(fake: FakeGitHub) -> None:
    located = found(fake)

    assert (located.finds, located.failed) == ((), ())
    assert said(located) == (
        "no run has left an artifact llm-testbench-baseline yet: let this workflow run on a push to the default branch,"
        " where it records, and upload its results under that name"
    )


def test_without_a_commit_to_look_from_there_is_none(fake: FakeGitHub) -> None:
    record(fake, 1)

    located = found(fake, base="")

    assert (located.candidates, located.failed) == ((), ())
    assert said(located) == "the commit from which to look for base is not known: set GITHUB_SHA"
    assert fake.requests == []


@pytest.mark.parametrize(
    ("path", "status", "line"),
    [
        ("/actions/artifacts$", 403, 'the token lacks "actions: read"'),
        ("/compare/", 403, 'the token lacks "contents: read"'),
        ("/zip$", 403, 'the token lacks "actions: read"'),
        ("/zip$", 502, "HTTP 502"),
        ("/actions-results/", 503, "HTTP 503"),
    ],
)
def test_trouble_is_a_line(fake: FakeGitHub, path: str, status: int, line: str) -> None:
    record(fake, 1)
    fake.fail("GET", path, status, times=99)

    located = found(fake)

    assert (located.candidates, located.passed_over) == ((), ())
    (failed,) = located.failed
    assert failed.startswith("base: GET ")
    assert line in failed


def test_what_expired_meanwhile_is_passed_over(fake: FakeGitHub) -> None:
    record(fake, 1)
    record(fake, 2)
    fake.fail("GET", "/zip$", 410)

    located = found(fake)

    assert (runs(located), len(located.passed_over)) == (["run 1 (0000000)"], 1)
