from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from llm_testbench.github.ancestry import MAX_COMPARISONS, Ancestry, Before
from llm_testbench.github.api import GitHubError
from llm_testbench.json_value import JSON


def sha(number: int) -> str:
    return f"{number:040x}"


@dataclass
class History:
    """Commits with their parents, compared as GitHub compares them. `shown`: most commits in an answer."""

    parents: Mapping[int, tuple[int, ...]]
    shown: int = 100
    asked: list[str] = field(default_factory=list)

    def get(self, path: str, *, needs: str = "", **params: str | int) -> JSON:
        assert (needs, params) == ("contents: read", {"per_page": 100})
        self.asked.append(path)
        base, head = (int(word, 16) for word in path.removeprefix("/compare/").split("..."))
        if base not in self.parents:
            raise GitHubError("gone", 404)
        ahead, behind = self.before(head) - self.before(base), self.before(base) - self.before(head)
        status = {(0, 0): "identical", (1, 0): "ahead", (0, 1): "behind", (1, 1): "diverged"}[bool(ahead), bool(behind)]
        commits = [{"sha": sha(one)} for one in sorted(ahead)[: self.shown]]
        return {"status": status, "ahead_by": len(ahead), "commits": commits}

    def before(self, commit: int) -> set[int]:
        found, waiting = set(), [commit]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += self.parents[one]
        return found

    def of(self, base: int) -> Ancestry:
        return Ancestry(self, sha(base))  # type: ignore[arg-type]  # what it uses of GitHub


def line(length: int) -> History:
    return History({0: (), **{number: (number - 1,) for number in range(1, length)}})


@pytest.mark.parametrize(
    ("commit", "expected"),
    [
        (4, Before(1, (sha(5),))),
        (2, Before(3, (sha(3), sha(4), sha(5)))),
        (5, Before(0)),
        (6, None),
        (99, None),
    ],
)
def test_a_commit_before_the_base_has_a_distance(commit: int, expected: Before | None) -> None:
    assert line(8).of(5).before(sha(commit)) == expected


def test_a_commit_is_asked_about_once() -> None:
    history = line(8)
    ancestry = history.of(5)

    for _ in range(3):
        ancestry.before(sha(4))
        ancestry.before(sha(7))
        ancestry.before(sha(5))

    assert len(history.asked) == 2


@pytest.mark.parametrize("shown", [100, 3, 0], ids=["all commits told", "the first told", "none told"])
@pytest.mark.parametrize("seed", range(8))
def test_the_nearest_is_the_one_with_the_fewest_commits_between(shown: int, seed: int) -> None:
    dice = random.Random(seed)
    # Every third commit merges an older one; some are beside the base.
    parents: dict[int, tuple[int, ...]] = {0: ()}
    for number in range(1, 40):
        recent = list(range(max(0, number - 4), number))
        parents[number] = tuple(dice.sample(recent, min(len(recent), 2 if number % 3 == 0 else 1)))
    history = History(parents, shown)
    kept = dice.sample(range(40), 12)
    before = history.before(30)
    distances = {one: len(before - history.before(one)) for one in kept if one in before}

    found = history.of(30).nearest({sha(one) for one in kept})

    assert (found is None) == (not distances)
    if found is not None:
        assert distances[int(found, 16)] == min(distances.values())


def test_commits_that_cannot_be_nearer_are_not_asked_about() -> None:
    history = line(90)

    assert history.of(80).nearest({sha(number) for number in range(0, 80, 2)}) == sha(78)
    assert len(history.asked) <= 2


def test_a_search_ends() -> None:
    history = line(3)

    ancestry = history.of(2)
    assert ancestry.nearest({sha(number) for number in range(100, 200)}) is None
    assert ancestry.exhausted
    assert len(history.asked) == MAX_COMPARISONS


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({}, id="nothing"),
        pytest.param([], id="a list"),
        pytest.param({"status": "behind", "ahead_by": 0}, id="behind"),
        pytest.param({"status": "diverged", "ahead_by": 3}, id="diverged"),
    ],
)
def test_an_answer_that_does_not_say_so_means_no(answer: JSON) -> None:
    class Odd(History):
        def get(self, path: str, *, needs: str = "", **params: str | int) -> JSON:
            return answer

    assert Odd({}).of(2).before(sha(1)) is None


def test_commits_that_are_none_are_not_between() -> None:
    class Odd(History):
        def get(self, path: str, *, needs: str = "", **params: str | int) -> JSON:
            return {"status": "ahead", "ahead_by": 2, "commits": [{"sha": "../x"}, 3] if "3..." in path else "x"}

    ancestry = Odd({}).of(2)
    assert ancestry.before(sha(3)) == Before(2, ("", ""))
    assert ancestry.before(sha(4)) == Before(2)


def test_trouble_is_not_taken_for_an_answer() -> None:
    class Broken(History):
        def get(self, path: str, *, needs: str = "", **params: str | int) -> JSON:
            raise GitHubError("no", 403)

    with pytest.raises(GitHubError):
        Broken({}).of(2).nearest({sha(1)})
