"""Baselines as assets of releases: found, and put there."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from llm_testbench.artifact.model import Artifact
from llm_testbench.gateway.failures import one_line
from llm_testbench.github.answers import at, number, text
from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.candidate import Absent, Candidate, Find, PassedOver
from llm_testbench.github.fetch import MAX_DOWNLOADS, fetched
from llm_testbench.github.usable import Unusable
from llm_testbench.github.why_none import Listed, of_releases
from llm_testbench.json_value import JSON
from llm_testbench.suite.globs import compiled

_READ = "contents: read"
_WRITE = "contents: write"
_MAX_TAG = 120  # characters in a message
MOST_PUSHES = 4
LOOKS = 8  # again at a release whose file is exchanged between list and download: two pushers take a few turns
FIRST_PAUSE = 0.5  # seconds; doubles with each try, and chance takes a part of it
ABANDONED = 15 * 60.0  # seconds after which nobody uploads any more what another push left behind
# What GitHub keeps of a file's name, and no period at its ends (docs.github.com, "Upload a release asset").
_NAME = re.compile(r"[A-Za-z0-9_+@-]([A-Za-z0-9_.+@-]*[A-Za-z0-9_+@-])?")


@dataclass(frozen=True)
class Asset:
    """A file of a release. `whole`: its upload was completed. `digest`: "sha256:…", or "" (older servers).

    `created_at`: RFC 3339.
    """

    id: int
    name: str
    size: int
    whole: bool
    digest: str
    url: str  # for a browser
    created_at: str = ""


@dataclass(frozen=True)
class Published:
    """A published release that carries the asset."""

    id: int
    tag: str
    published_at: str  # RFC 3339 in UTC
    url: str  # for a browser
    asset: Asset


def published(github: GitHub, tag: str, asset: str, *, prereleases: bool, excluded_tag: str) -> tuple[Published, ...]:
    """The releases with the asset, newest first by the time they were published.

    `tag`: a glob. Not GitHub's "latest", which goes by the time of the commit and knows no glob.
    """
    return _chosen(_releases(github), tag, asset, prereleases=prereleases, excluded_tag=excluded_tag)


def finds(
    github: GitHub, tag: str, asset: str, *, prereleases: bool, excluded_tag: str, most: int = MAX_DOWNLOADS
) -> Iterator[Find | Absent]:
    """What the newest `most` releases' assets are, newest first; downloads one only when it is asked for.

    Raises GitHubError.
    """
    every = _releases(github)
    releases = _chosen(every, tag, asset, prereleases=prereleases, excluded_tag=excluded_tag)
    if not releases:
        listed = [one.listed for one in every]
        yield of_releases(listed, tag, asset, prereleases=prereleases, excluded_tag=excluded_tag)
    for release in releases[:most]:
        source = f"release {one_line(release.tag, _MAX_TAG)}"
        judged = _judged(github, release, asset)
        if isinstance(judged, Unusable):
            yield PassedOver(source, release.tag, "", judged.why, judged.broken)
        else:
            yield Candidate(judged, source, "release", release.tag, judged.meta.git.sha, release.url)


@dataclass(frozen=True)
class _Release:
    """As the list tells of it. `published_at`: "" for a draft."""

    id: int
    published_at: str
    url: str
    assets: tuple[Asset, ...]
    listed: Listed


def _releases(github: GitHub) -> list[_Release]:
    """All of them, newest first."""
    return sorted(
        (_release_of(item) for item in github.pages("/releases", needs=_READ)),
        key=lambda release: (release.published_at, release.id),
        reverse=True,
    )


def _release_of(item: JSON) -> _Release:
    when, assets = text(item, "published_at"), tuple(_assets(at(item, "assets")))
    listed = Listed(
        text(item, "tag_name"),
        # A draft has no time of publication; GitHub shows it to tokens that may write.
        draft=at(item, "draft") is not False or not when,
        prerelease=at(item, "prerelease") is not False,
        assets=tuple(one.name for one in assets if one.whole),
    )
    return _Release(number(item, "id"), when, text(item, "html_url"), assets, listed)


def _chosen(
    releases: Sequence[_Release], tag: str, asset: str, *, prereleases: bool, excluded_tag: str
) -> tuple[Published, ...]:
    matches = compiled(tag).match
    found: list[Published] = []
    for release in releases:
        listed = release.listed
        if listed.draft or (listed.prerelease and not prereleases):
            continue
        one = _bearing(release.assets, asset)
        if one is not None and matches(listed.tag) and listed.tag != excluded_tag:
            found.append(Published(release.id, listed.tag, release.published_at, release.url, one))
    return tuple(found)


def _judged(github: GitHub, release: Published, name: str) -> Artifact | Unusable:
    asset = release.asset
    judged = _fetched(github, asset)
    for _ in range(LOOKS):
        if not (isinstance(judged, Unusable) and judged.gone):
            break
        # A push may have taken its place since the list was made, and another one that of the new one.
        now = _bearing(_listed(github, release.id, _READ), name)
        if now is None or now.id == asset.id:
            break
        asset, judged = now, _fetched(github, now)
    return judged


def _fetched(github: GitHub, asset: Asset) -> Artifact | Unusable:
    if not asset.whole:
        return Unusable("its upload was not completed", broken=False)
    return fetched(github, f"/releases/assets/{asset.id}", size=asset.size, needs=_READ, recorded=False)


def _bearing(assets: Sequence[Asset], name: str) -> Asset | None:
    """The asset of that name, or what a push that was interrupted had no more to do than rename."""
    named = next((one for one in assets if one.name == name), None)
    if named is not None and named.whole:
        return named
    waiting = [one for one in assets if one.whole and _is_staged(one, name)]
    return max(waiting, key=lambda one: (one.created_at, one.id), default=named)


def _is_staged(asset: Asset, name: str) -> bool:
    """Whether a push uploaded it that was to give it `name`; see `_Push._uploaded`."""
    return re.fullmatch(rf"{re.escape(name)}\.[0-9a-f]{{12}}(\.[0-9]+)?\.new", asset.name) is not None


def push(
    github: GitHub,
    tag: str | None,
    release_id: int | None,
    name: str,
    data: bytes,
    *,
    chance: Callable[[], float] = random.random,
) -> str:
    """Makes `data` the release's asset `name` and returns its address for a browser; doing it again changes nothing.

    At any moment, whatever fails and whoever else pushes, the release carries the old asset or a new one, under its
    name or one that `finds` knows. Raises GitHubError.
    """
    if _NAME.fullmatch(name) is None:
        raise GitHubError(f"{name!r} is a name that GitHub would change: use letters, digits, and _ . + @ -")
    pushing = _Push(github, _release(github, tag, release_id), name, data)
    tries = 0
    while True:
        try:
            asset = pushing.attempt()
        except GitHubError as error:
            # Others may push at the same moment; what a broken upload left is seen, and got around, next time.
            pause = FIRST_PAUSE * 2.0**tries * chance()
            tries += 1
            if error.status in (401, 403) or tries == MOST_PUSHES or not github.wait(pause):
                raise
        else:
            pushing.tidy(asset)
            return asset.url


class _Push:
    """One asset on its way to a release. `_begun`: the names under which uploads of this push were begun."""

    def __init__(self, github: GitHub, release: JSON, name: str, data: bytes) -> None:
        self._github = github
        self._release = number(release, "id")
        self._upload_url = text(release, "upload_url")
        self._name = name
        self._data = data
        self._digest = hashlib.sha256(data).hexdigest()
        self._begun: set[str] = set()

    def attempt(self) -> Asset:
        """The asset under its name, or GitHubError."""
        assets = _listed(self._github, self._release, _WRITE)
        old = next((one for one in assets if one.name == self._name), None)
        if old is not None and self._same(old):
            return old
        new = self._staged(assets) or self._uploaded({one.name for one in assets})
        if old is not None:
            self._github.delete(f"/releases/assets/{old.id}", needs=_WRITE)
        try:
            renamed = self._github.patch(f"/releases/assets/{new.id}", {"name": self._name}, needs=_WRITE)
        except GitHubError as error:
            words = f"{error}; the file stands there as {new.name}: do the same again"
            raise GitHubError(words, error.status) from None
        return _asset(renamed) or new

    def tidy(self, asset: Asset) -> None:
        """Removes what broken uploads left: of this push, and of others when they are surely over."""
        now = _moment(asset.created_at)
        try:
            for one in _listed(self._github, self._release, _WRITE) if self._begun else ():
                then = _moment(one.created_at)
                over = now is not None and then is not None and (now - then).total_seconds() > ABANDONED
                if one.id != asset.id and (one.name in self._begun or (_is_staged(one, self._name) and over)):
                    self._github.delete(f"/releases/assets/{one.id}", needs=_WRITE)
        except GitHubError:
            return  # it harms nobody, and the next push comes by

    def _staged(self, assets: Sequence[Asset]) -> Asset | None:
        """What an earlier, interrupted push of the same bytes uploaded."""
        start = f"{self._name}.{self._digest[:12]}."
        return next((one for one in assets if one.name.startswith(start) and self._same(one)), None)

    def _uploaded(self, taken: set[str]) -> Asset:
        # The name tells the content. One that is not whole is left alone: somebody may be uploading it just now.
        start = f"{self._name}.{self._digest[:12]}"
        names = (f"{start}{part}.new" for part in ("", *(f".{count}" for count in range(2, len(taken) + 3))))
        name = next(name for name in names if name not in taken)
        self._begun.add(name)
        new = _asset(self._github.upload(self._upload_url, name, self._data, needs=_WRITE))
        if new is None or not new.whole:
            raise GitHubError(f"the release did not take the whole of {name}")
        return new

    def _same(self, asset: Asset) -> bool:
        if not asset.whole or asset.size != len(self._data):
            return False
        if asset.digest:
            return asset.digest == f"sha256:{self._digest}"
        return self._github.download(f"/releases/assets/{asset.id}", len(self._data), needs=_WRITE) == self._data


def _listed(github: GitHub, release_id: int, needs: str) -> list[Asset]:
    return list(_assets(list(github.pages(f"/releases/{release_id}/assets", needs=needs))))


def _moment(when: str) -> datetime | None:
    try:
        return datetime.fromisoformat(when)
    except ValueError:
        return None


def _release(github: GitHub, tag: str | None, release_id: int | None) -> JSON:
    if release_id is not None:
        return github.get(f"/releases/{release_id}", needs=_WRITE)
    if not tag:
        raise GitHubError("no release is named: give its tag")
    try:
        return github.get(f"/releases/tags/{quote(tag, safe='/')}", needs=_WRITE)
    except GitHubError as error:
        if error.status != 404:
            raise
        # A draft is only in the list.
        for release in github.pages("/releases", needs=_WRITE):
            if text(release, "tag_name") == tag:
                return release
        raise


def _assets(value: JSON) -> Iterator[Asset]:
    for item in value if isinstance(value, list) else []:
        asset = _asset(item)
        if asset is not None:
            yield asset


def _asset(value: JSON) -> Asset | None:
    asset = Asset(
        id=number(value, "id"),
        name=text(value, "name"),
        size=number(value, "size"),
        whole=text(value, "state") == "uploaded",
        digest=text(value, "digest"),
        url=text(value, "browser_download_url"),
        created_at=text(value, "created_at"),
    )
    return asset if asset.id and asset.name else None
