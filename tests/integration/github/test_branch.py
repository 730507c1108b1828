import random

import pytest
from tests.integration.github.baselines import ASSET, COMMITS, client, commit, measured, no_file, packed
from tests.servers.github import FakeGitHub
from tests.unit.github.wanting import wanted

from llm_testbench.github.ancestry import MAX_COMPARISONS
from llm_testbench.github.branch import MOST_ENTRIES
from llm_testbench.github.sources import Located, locate

BASE = COMMITS[9]
BRANCH = "llm/baselines"


def keep(fake: FakeGitHub, at: str, data: bytes | None = None, name: str = ASSET) -> None:
    fake.add_branch_file(BRANCH, f"{at}/{name}", packed(measured()) if data is None else data)


def found(fake: FakeGitHub, base: str = BASE, source: str = f"ref:{BRANCH}") -> Located:
    return locate(wanted(source), (), client(fake, base_sha=base), no_file)


def shas(located: Located) -> list[str]:
    return [candidate.sha for candidate in located.candidates]


def comparisons(fake: FakeGitHub) -> int:
    return sum("/compare/" in seen.path for seen in fake.requests)


def test_the_nearest_commit_before_the_base_is_the_baseline(fake: FakeGitHub) -> None:
    for at in (COMMITS[10], COMMITS[2], COMMITS[7], COMMITS[5]):
        keep(fake, at)

    (candidate,) = found(fake).candidates

    assert (candidate.kind, candidate.source, candidate.tag) == ("ref", f"branch {BRANCH} (0000000)", "")
    assert candidate.sha == COMMITS[7]
    assert candidate.url == f"{fake.url}/octo/shop/blob/{BRANCH}/{COMMITS[7]}/{ASSET}"


def test_the_base_itself_is_nearest_and_needs_no_comparison(fake: FakeGitHub) -> None:
    keep(fake, COMMITS[7])
    keep(fake, BASE)

    assert shas(found(fake)) == [BASE]
    assert comparisons(fake) == 0


def test_a_long_history_takes_few_comparisons(fake: FakeGitHub) -> None:
    # Hashes tell nothing about the order of commits.
    shuffled = random.Random(5)
    fake.ancestry = [f"{shuffled.getrandbits(160):040x}" for _ in range(600)]
    for at in fake.ancestry[:300:3]:
        keep(fake, at)
    for at in fake.ancestry[400::10]:
        keep(fake, at)

    assert shas(found(fake, base=fake.ancestry[350])) == [fake.ancestry[297]]
    assert comparisons(fake) <= 20


@pytest.mark.parametrize(
    ("path", "data"),
    [
        pytest.param(f"{commit(99)}/{ASSET}", b"{}", id="of a commit that is gone"),
        pytest.param(f"{COMMITS[8][:7]}/{ASSET}", b"{}", id="of half a hash"),
        pytest.param(f"{COMMITS[8]}x/{ASSET}", b"{}", id="of more than a hash"),
        pytest.param(COMMITS[8], b"{}", id="a file named as a commit"),
        pytest.param(f"deep/{COMMITS[8]}/{ASSET}", b"{}", id="deeper"),
    ],
)
def test_what_else_is_on_the_branch_does_not_count(fake: FakeGitHub, path: str, data: bytes) -> None:
    keep(fake, COMMITS[3])
    fake.add_branch_file(BRANCH, path, data)

    located = found(fake)

    assert (shas(located), located.passed_over, located.failed) == ([COMMITS[3]], (), ())


@pytest.mark.parametrize(
    ("data", "why", "broken"),
    [
        (b"{}", "is no artifact", True),
        (packed(measured(role="gate")), "it was measured by role gate, not record", False),
        (packed(measured(interrupted=True)), "its run was interrupted", False),
    ],
)
def test_what_cannot_be_used_is_passed_over_for_the_next_nearest(
    fake: FakeGitHub, data: bytes, why: str, broken: bool
) -> None:
    keep(fake, COMMITS[3])
    keep(fake, COMMITS[5])
    keep(fake, COMMITS[8], data)

    located = found(fake)

    assert shas(located) == [COMMITS[5]]
    (passed,) = located.passed_over
    assert (passed.source, passed.sha, passed.broken) == (f"branch {BRANCH} (0000000)", COMMITS[8], broken)
    assert why in passed.why


def test_a_folder_without_the_asset_is_passed_over(fake: FakeGitHub) -> None:
    keep(fake, COMMITS[3])
    keep(fake, COMMITS[8], name="other.json")

    located = found(fake)

    assert shas(located) == [COMMITS[3]]
    assert [passed.why.split(":")[0] for passed in located.passed_over] == ["its file is gone"]


def test_no_more_than_ten_files_are_read(fake: FakeGitHub) -> None:
    fake.ancestry = [commit(number) for number in range(1, 30)]
    for at in fake.ancestry[:15]:
        keep(fake, at, b"{}")

    located = found(fake, base=fake.ancestry[20])

    assert [passed.sha for passed in located.passed_over] == fake.ancestry[14:4:-1]


def test_the_search_for_an_ancestor_ends(fake: FakeGitHub) -> None:
    for number in range(1000, 1060):
        keep(fake, commit(number))

    located = found(fake)

    assert (located.candidates, located.failed) == ((), ())
    assert [passed.why for passed in located.passed_over] == [
        f"{MAX_COMPARISONS} of its 60 commits are none before 0000000"
    ]
    assert comparisons(fake) == MAX_COMPARISONS


def told(located: Located) -> str:
    assert (located.finds, located.failed) == ((), ())
    (absent,) = located.absent
    return "".join(part if isinstance(part, str) else part.text for part in absent.words)


def test_there_may_be_none_before_the_base(fake: FakeGitHub) -> None:
    keep(fake, COMMITS[11])

    assert told(found(fake)).startswith(
        f"of 1 recording none on branch {BRANCH} is of 0000000 or a commit before it: bring this branch up to date"
    )


def test_a_branch_that_is_not_there_is_no_trouble(fake: FakeGitHub) -> None:
    said = (
        f"there is no branch {BRANCH} yet: with record_to: ref:{BRANCH}, a run on a push to the default branch makes it"
    )
    assert told(found(fake)).startswith(said)


def test_a_branch_of_something_else_is_told_as_such(fake: FakeGitHub) -> None:
    fake.add_branch_file(BRANCH, "index.html", b"x")

    said = f"branch {BRANCH} holds no folder that is named by a commit: is it another one?"
    assert told(found(fake)) == said


def test_without_a_commit_to_look_from_there_is_none(fake: FakeGitHub) -> None:
    why = f"the commit from which to look for ref:{BRANCH} is not known: set GITHUB_SHA"
    assert told(found(fake, base="")) == why


@pytest.mark.parametrize(
    ("path", "line"),
    [("/contents/$", 'the token lacks "contents: read"'), (ASSET, "HTTP 403"), ("/compare/", "HTTP 403")],
)
def test_trouble_is_a_line(fake: FakeGitHub, path: str, line: str) -> None:
    keep(fake, COMMITS[3])
    fake.fail("GET", path, 403)

    located = found(fake)

    assert (located.candidates, located.passed_over) == ((), ())
    (failed,) = located.failed
    assert failed.startswith(f"ref:{BRANCH}: GET ")
    assert line in failed


def test_a_branch_of_which_github_may_not_list_the_newest_is_not_searched(fake: FakeGitHub) -> None:
    entries = [{"type": "dir", "name": commit(number)} for number in range(MOST_ENTRIES)]
    fake.fail("GET", "/contents/$", 200, body=entries)
    located = found(fake)
    assert located.finds == ()
    said = "the branch holds 1000 entries or more, of which GitHub lists no more: remove old ones"
    assert located.failed == (f"ref:{BRANCH}: {said}",)
