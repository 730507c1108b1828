"""Why a source holds no baseline, in the words of the case at hand, and how one comes to be there. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from llm_testbench.compare.model import Quoted
from llm_testbench.compare.named import named
from llm_testbench.compare.numbers import count
from llm_testbench.gateway.failures import one_line
from llm_testbench.github.candidate import Absent, short
from llm_testbench.github.event import Event
from llm_testbench.github.wanted import ARTIFACT_NAME, BASE, REF, RELEASE
from llm_testbench.suite.globs import compiled

MOST_NAMED = 3
_MAX_NAME = 80  # characters of a tag, a file or a branch
_MOST_COMPARED = 1000  # tags that are compared with a glob
_NEAR = 0.4  # of difflib's measure

Words = tuple[str | Quoted, ...]


@dataclass(frozen=True)
class Listed:
    """What the list of releases says of one. `assets`: the names of its files that are whole."""

    tag: str
    draft: bool
    prerelease: bool
    assets: tuple[str, ...]


def of_releases(
    releases: Sequence[Listed], tag: str, asset: str, *, prereleases: bool, excluded_tag: str = ""
) -> Absent:
    """`releases`: all of them, newest first. `tag`, `asset`, …: what was looked for, see Wanted."""
    others = [one for one in releases if one.tag != excluded_tag]
    public = [one for one in others if not one.draft]
    matching = [one for one in public if compiled(tag).match(one.tag)]
    wanted = [one for one in matching if prereleases or not one.prerelease]
    if not others:
        again = " but the one that is being made" if releases else ""
        return Absent(RELEASE, (f"there is no release{again}: publish one, and attach a baseline to it",))
    if not public:
        only = "the only release is a draft" if len(others) == 1 else f"all {len(others)} releases are drafts"
        return Absent(RELEASE, (f"{only}: publish one",))
    if not matching:
        near = _list(_nearest(tag, [one.tag for one in public]))
        words = (f"{_none_of(len(public), 'release')} has a tag like ", Quoted(_cut(tag)), "; there are ", *near)
        return Absent(RELEASE, (*words, ": choose with baseline_tag"))
    bearing = next((one for one in matching if one.prerelease and asset in one.assets), None)
    if not wanted:
        only = "is a prerelease" if len(matching) == 1 else "are prereleases"
        which = f"{_all_of(len(matching), 'release')}{'' if tag == '*' else ' with such a tag'}"
        return Absent(RELEASE, (f"{which} {only}: baseline_prereleases: true takes them, too",))
    carries: Words = (f"{_none_of(len(wanted), 'release')} carries ", Quoted(_cut(asset)))
    if bearing is not None and not prereleases:
        prerelease = ("; the prerelease ", Quoted(_cut(bearing.tag)), " does: baseline_prereleases: true takes it")
        return Absent(RELEASE, (*carries, *prerelease))
    attach = "when a release is published (llmtest baseline push)"
    alike = next((one for one in wanted if _artifacts(one)), None)
    if alike is not None:
        holds: Words = ("; ", Quoted(_cut(alike.tag)), " holds ", *_list(_artifacts(alike)))
        return Absent(RELEASE, (*carries, *holds, f": choose with baseline_asset, or attach one {attach}"))
    holds = ("; the newest, ", Quoted(_cut(wanted[0].tag)), ", holds ", *_list(wanted[0].assets, "no file"))
    return Absent(RELEASE, (*carries, *holds, f": attach one {attach}"))


def of_recordings(event: Event, *, usable: int, expired: int) -> Absent:
    """`usable`: recordings that are none of the commit that is looked from, nor before it."""
    main = _main(event)
    if usable:
        words: Words = (f"{_none_of(usable, 'recording')} is of {short(event.base_sha)} or a commit before it",)
        return Absent(BASE, (*words, ": bring this branch up to date with ", main, ", or record there again"))
    if expired:
        gone = "the only recording has expired" if expired == 1 else f"all {expired} recordings have expired"
        kept = "GitHub deletes artifacts after 90 days unless the repository says otherwise"
        advice = ": record again on ", main, ", every night if pushes are rare, or on a branch by record_to"
        return Absent(BASE, (f"{gone} ({kept})", *advice))
    words = (f"no run has left an artifact {ARTIFACT_NAME} yet: let this workflow run on a push to ", main)
    return Absent(BASE, (*words, ", where it records, and upload its results under that name"))


def of_branch(event: Event, branch: str, recordings: Collection[str] | None) -> Absent:
    """`recordings`: the commits that it holds, of which none counts; None: there is no such branch."""
    main = _main(event)
    name, source = Quoted(_cut(branch)), f"{REF}{branch}"
    if recordings is None:
        words: Words = ("there is no branch ", name, " yet: with record_to: ", Quoted(_cut(source)))
        advice = ", a run on a push to ", main, " makes it, if its job may (contents: write)"
        return Absent(source, (*words, *advice))
    if not recordings:
        return Absent(source, ("branch ", name, " holds no folder that is named by a commit: is it another one?"))
    words = (f"{_none_of(len(recordings), 'recording')} on branch ", name)
    before = f" is of {short(event.base_sha)} or a commit before it: bring this branch up to date with "
    return Absent(source, (*words, before, main, ", or record there again"))


def of_unknown_commit(source: str) -> Absent:
    """Nobody knows which commits come before the one that is measured."""
    shown = Quoted(_cut(source))
    return Absent(source, ("the commit from which to look for ", shown, " is not known: set GITHUB_SHA"))


def of_path(path: str, shown: str) -> Absent:
    """`shown`: the path as a report may name it."""
    return Absent(path, ("there is no file ", Quoted(shown)))


def _artifacts(release: Listed) -> list[str]:
    """Its files that may be baselines by their names."""
    return [name for name in release.assets if name.endswith((".json", ".json.gz"))]


def _main(event: Event) -> str | Quoted:
    return Quoted(_cut(event.default_branch)) if event.default_branch else "the default branch"


def _nearest(glob: str, tags: Sequence[str]) -> list[str]:
    plain = glob.replace("*", "").replace("?", "")
    close = get_close_matches(plain, tags[:_MOST_COMPARED], n=MOST_NAMED, cutoff=_NEAR)
    return close or list(tags)


def _list(names: Sequence[str], nothing: str = "none") -> Words:
    return named([_cut(name) for name in names], MOST_NAMED) or (nothing,)


def _none_of(number: int, noun: str) -> str:
    return f"of {count(number, noun)} none"


def _all_of(number: int, noun: str) -> str:
    return f"the only {noun}" if number == 1 else f"all {count(number, noun)}"


def _cut(name: str) -> str:
    return one_line(name, _MAX_NAME)
