"""Where a baseline comes from: the chain of sources, each looked at only for what the ones before it lack."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from llm_testbench.artifact.cells import CellKey, cells
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact
from llm_testbench.github import branch, recordings, releases
from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.candidate import Absent, Candidate, Find, PassedOver
from llm_testbench.github.fetch import MAX_DOWNLOADS
from llm_testbench.github.wanted import BASE, REF, RELEASE, Wanted, is_path
from llm_testbench.github.why_none import of_path

__all__ = ["Candidate", "Located", "PassedOver", "locate"]

OLDER_RELEASES = 3  # looked at for a model that no candidate holds
LOOKED_AT = 3  # finds of a source for each baseline that is wanted of it


@dataclass(frozen=True)
class Located:
    """`finds`: the most preferred first: what was looked at until each cell had a baseline, then those that a window
    of several takes beside them. `failed`: sources that could not be looked at, one line each. `older`: (model name,
    source) of models that no candidate holds though an older release does. `absent`: sources that hold none, and why.
    Texts from GitHub and from files are untrusted.
    """

    finds: tuple[Find, ...]
    failed: tuple[str, ...]
    older: tuple[tuple[str, str], ...] = ()
    absent: tuple[Absent, ...] = ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Those that can be used."""
        return tuple(find for find in self.finds if isinstance(find, Candidate))

    @property
    def passed_over(self) -> tuple[PassedOver, ...]:
        """Those that cannot."""
        return tuple(find for find in self.finds if isinstance(find, PassedOver))


def locate(
    wanted: Wanted,
    cells: Collection[CellKey],
    github: GitHub | None,
    read_path: Callable[[Path], Artifact],
    without_github: str = "no connection to GitHub",
) -> Located:
    """Looks for a baseline of each of `cells` (empty: not known yet, one candidate is enough).

    `read_path` may raise ArtifactError. `without_github`: what is missing where `github` is None. Never raises for
    trouble with GitHub.
    """
    search = _Search(wanted, frozenset(cells), github, read_path, without_github)
    for source in wanted.sources:
        if search.complete:
            break
        search.look_at(source)
    search.go_on()
    older = search.older()
    return Located(tuple(search.finds), tuple(search.failed), older, tuple(search.absent))


def of_releases(github: GitHub, wanted: Wanted, *, most: int) -> Iterator[Find | Absent]:
    """What `releases.finds` gives for the tag, the asset and the kinds of releases that are wanted."""
    return releases.finds(
        github,
        wanted.tag,
        wanted.asset,
        prereleases=wanted.prereleases,
        excluded_tag=wanted.excluded_tag,
        most=most,
    )


@dataclass
class _Opened:
    """A source that is being looked at. `holding`: its candidates that hold any of the wanted cells."""

    source: str
    finds: Iterator[Find | Absent]
    looked_at: int = 0
    holding: int = 0


class _Search:
    """What was found so far."""

    def __init__(
        self,
        wanted: Wanted,
        cells: frozenset[CellKey],
        github: GitHub | None,
        read_path: Callable[[Path], Artifact],
        without_github: str,
    ) -> None:
        self._wanted = wanted
        self._cells = cells
        self._github = github
        self._read_path = read_path
        self._without_github = without_github
        self._scored: set[CellKey] = set()
        self._releases: Iterator[Find | Absent] = iter(())
        self._opened: list[_Opened] = []
        self.finds: list[Find] = []
        self.failed: list[str] = []
        self.absent: list[Absent] = []

    @property
    def complete(self) -> bool:
        """No further source has to be looked at."""
        return bool(self._scored) and self._cells <= self._scored

    def look_at(self, source: str) -> None:
        """Takes the first baseline of the source that can be used."""
        try:
            opened = _Opened(source, self._finds(source))
            if source == RELEASE:
                self._releases = opened.finds
            while (find := self._next(opened)) is not None:
                if isinstance(find, Candidate):
                    self._opened.append(opened)
                    return
        except GitHubError as error:
            self.failed.append(f"{source}: {error}")

    def go_on(self) -> None:
        """Takes more of each source that gave one, as many as the window wants.

        Only now, so that a wider window changes nothing about the run that a cell is compared with first.
        """
        for opened in self._opened if self._wanted.window > 1 else ():
            try:
                while opened.holding < self._wanted.window and opened.looked_at < LOOKED_AT * self._wanted.window:
                    if self._next(opened) is None:
                        break
            except GitHubError as error:
                self.failed.append(f"{opened.source}: {error}")

    def _next(self, opened: _Opened) -> Find | None:
        find = next(opened.finds, None)
        if isinstance(find, Absent):
            self.absent.append(find)
            return None
        if find is None:
            return None
        self.finds.append(find)
        opened.looked_at += 1
        if isinstance(find, Candidate):
            scored = _scored(find.artifact)
            self._scored |= scored
            opened.holding += not self._cells or bool(scored & self._cells)
        return find

    def older(self) -> tuple[tuple[str, str], ...]:
        """Of each model without any baseline, the next older release that has one."""
        known = {model for model, _ in self._scored}
        absent = {model for model, _ in self._cells} - known
        found: dict[str, str] = {}
        if not absent or not any(isinstance(find, Candidate) and find.kind == "release" for find in self.finds):
            return ()
        try:
            for find in islice(self._releases, OLDER_RELEASES):
                if isinstance(find, Candidate):
                    for model in sorted({model for model, _ in _scored(find.artifact)} & absent - set(found)):
                        found[model] = find.source
                if absent <= set(found):
                    break
        except GitHubError as error:
            self.failed.append(f"older releases: {error}")
        return tuple(sorted(found.items()))

    def _finds(self, source: str) -> Iterator[Find | Absent]:
        wanted = self._wanted
        most = max(MAX_DOWNLOADS, LOOKED_AT * wanted.window)
        if is_path(source):
            return self._in_file(source)
        if self._github is None:
            raise GitHubError(self._without_github)
        if source == RELEASE:
            return of_releases(self._github, wanted, most=most)
        if source == BASE:
            return recordings.finds(self._github, wanted.asset, most=most)
        return branch.finds(self._github, source.removeprefix(REF), wanted.asset, most=most)

    def _in_file(self, path: str) -> Iterator[Find | Absent]:
        """A file that the user names is taken as it is, whole or not."""
        try:
            yield Candidate(self._read_path(Path(path)), path, "path")
        except ArtifactError as fault:
            if fault.kind == "missing":
                yield of_path(path, path)
            else:
                yield PassedOver(path, "", "", str(fault.of("")), broken=True)


def _scored(artifact: Artifact) -> set[CellKey]:
    return {key for key, cell in cells(artifact.results).items() if cell.state == "scored"}
