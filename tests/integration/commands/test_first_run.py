"""A gate without a baseline says where it looked, why nothing is there, and how one comes to be: in every sink."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

import pytest
from tests.integration.commands.bench import Bench
from tests.integration.commands.job import ASSET, BASE, TIP, Job, job

SOURCES = "release, base, ref:kept"


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        yield made


def nothing(step: Job) -> None:
    """As a new repository is."""


def no_asset(step: Job) -> None:
    step.github.add_release("v1", assets={"chat.whl": b"x"})
    step.github.add_release("v2", assets={"other.json.gz": b"x"})


def drafts(step: Job) -> None:
    step.github.add_release("v1", draft=True, assets={ASSET: b"x"})


def prereleases(step: Job) -> None:
    step.github.add_release("v1-rc1", prerelease=True, assets={ASSET: b"x"})


def expired(step: Job) -> None:
    step.record_on_main(step.recorded(), sha=BASE, expired=True)


def later(step: Job) -> None:
    step.record_on_main(step.recorded(), sha=TIP)


def other_branch(step: Job) -> None:
    step.github.add_branch_file("kept", "index.html", b"x")


CASES: dict[str, tuple[Callable[[Job], None], str, str]] = {
    "no release": (nothing, "release", "there is no release: publish one"),
    "no release with the asset": (no_asset, "release", "v2 holds other.json.gz: choose with baseline_asset"),
    "only drafts": (drafts, "release", "the only release is a draft: publish one"),
    "only prereleases": (prereleases, "release", "baseline_prereleases: true takes them, too"),
    "no recording": (nothing, "base", "let this workflow run on a push to main, where it records"),
    "only expired ones": (expired, "base", "the only recording has expired (GitHub deletes artifacts after 90 days"),
    "only later ones": (later, "base", "of 1 recording none is of bbbbbbb or a commit before it"),
    "no branch": (
        nothing,
        "ref:kept",
        "there is no branch kept yet: with record_to: ref:kept, a run on a push to main",
    ),
    "another branch": (other_branch, "ref:kept", "branch kept holds no folder that is named by a commit"),
    "no file": (nothing, "old.json", "there is no file old.json"),
}


def words(text: str) -> str:
    """Without marks, and whatever line it broke in."""
    return " ".join(re.sub(r"[`\u200b]", "", html.unescape(re.sub("<[^>]*>", "", text))).split())


@pytest.mark.parametrize(("given", "source", "said"), CASES.values(), ids=CASES)
def test_the_case_at_hand_is_told_everywhere(step: Job, given: Callable[[Job], None], source: str, said: str) -> None:
    given(step)
    done = step.gate(INPUT_BASELINE=source)
    assert (done.code, step.outputs["verdict"]) == (0, "no_baseline")
    for sink in (step.comments[0], step.summary, done.out):
        assert said in words(sink)
    warnings = step.world.json("llm-testbench-results/comparison.json")["warnings"]
    assert [said in warning["message"] for warning in warnings if warning["code"] == "baseline_absent"] == [True]


def test_a_glob_that_no_tag_matches_is_told_with_the_nearest(step: Job) -> None:
    for tag in ("shop-v1", "chat-v1"):
        step.github.add_release(tag, assets={ASSET: b"x"})
    step.gate(INPUT_BASELINE="release", INPUT_BASELINE_TAG="shpo-v*")
    assert "of 2 releases none has a tag like shpo-v*; there are shop-v1" in words(step.comments[0])


def test_each_source_has_its_line_and_fetch_says_the_same(step: Job) -> None:
    step.gate(INPUT_BASELINE=SOURCES)
    block = words(step.comments[0].partition("There is no baseline yet:")[2])
    assert block.index("there is no release") < block.index("no run has left") < block.index("there is no branch kept")
    variables = step.environ("push") | {"GITHUB_ACTIONS": ""}
    done = step.world.llmtest("baseline", "fetch", "--baseline", SOURCES, "--out", "b.json", environ=variables)
    assert done.code == 3
    assert done.err.startswith("error: there is no baseline: there is no release: publish one")
    assert "; there is no branch kept yet" in done.err


def test_where_one_was_found_nothing_is_said_of_the_others(step: Job) -> None:
    step.record_on_main(step.recorded(), sha=BASE)
    step.gate(INPUT_BASELINE="release, base")
    warnings = step.world.json("llm-testbench-results/comparison.json")["warnings"]
    assert not [warning for warning in warnings if warning["code"] == "baseline_absent"]


def test_a_baseline_that_is_demanded_says_it_too(step: Job) -> None:
    done = step.gate(INPUT_BASELINE_MISSING="fail", INPUT_BASELINE="release")
    assert done.code == 3
    assert "there is no release: publish one" in words(step.comments[0])
