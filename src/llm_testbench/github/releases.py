"""Baselines as assets of releases: found, and put there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from llm_testbench.artifact.model import Artifact
from llm_testbench.gateway.failures import one_line
from llm_testbench.github.answers import number, text
from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.candidate import Candidate, Find, PassedOver
from llm_testbench.github.fetch import MAX_DOWNLOADS, fetched
from llm_testbench.github.usable import Unusable
from llm_testbench.json_value import JSON
from llm_testbench.suite.globs import compiled

_READ = "contents: read"
_WRITE = "contents: write"
_MAX_TAG = 120  # characters in a message
# What GitHub keeps of a file's name, and no period at its ends (docs.github.com, "Upload a release asset").
_NAME = re.compile(r"[A-Za-z0-9_+@-]([A-Za-z0-9_.+@-]*[A-Za-z0-9_+@-])?")


@dataclass(frozen=True)
class Asset:
    """A file of a release. `whole`: its upload was completed. `digest`: "sha256:…", or "" (older servers)."""

    id: int
    name: str
    size: int
    whole: bool
    digest: str
    url: str  # for a browser


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
    matches = compiled(tag).match
    found: list[Published] = []
    for item in github.pages("/releases", needs=_READ):
        named, when = text(item, "tag_name"), text(item, "published_at")
        # A draft has no time of publication; GitHub shows it to tokens that may write.
        if item.get("draft") is not False or not when or not matches(named) or named == excluded_tag:
            continue
        if item.get("prerelease") is not False and not prereleases:
            continue
        one = next((one for one in _assets(item.get("assets")) if one.name == asset), None)
        if one is not None:
            found.append(Published(number(item, "id"), named, when, text(item, "html_url"), one))
    return tuple(sorted(found, key=lambda release: (release.published_at, release.id), reverse=True))


def finds(
    github: GitHub, tag: str, asset: str, *, prereleases: bool, excluded_tag: str, most: int = MAX_DOWNLOADS
) -> Iterator[Find]:
    """What the newest `most` releases' assets are, newest first; downloads one only when it is asked for.

    Raises GitHubError.
    """
    releases = published(github, tag, asset, prereleases=prereleases, excluded_tag=excluded_tag)
    for release in releases[:most]:
        source = f"release {one_line(release.tag, _MAX_TAG)}"
        judged = _judged(github, release.asset)
        if isinstance(judged, Unusable):
            yield PassedOver(source, release.tag, "", judged.why, judged.broken)
        else:
            yield Candidate(judged, source, "release", release.tag, judged.meta.git.sha, release.url)


def _judged(github: GitHub, asset: Asset) -> Artifact | Unusable:
    if not asset.whole:
        return Unusable("its upload was not completed", broken=False)
    return fetched(github, f"/releases/assets/{asset.id}", size=asset.size, needs=_READ, recorded=False)


def push(github: GitHub, tag: str | None, release_id: int | None, name: str, data: bytes) -> str:
    """Makes `data` the release's asset `name` and returns its address for a browser; doing it again changes nothing.

    An asset that stands there is removed only when the new one is whole on GitHub. Raises GitHubError.
    """
    if _NAME.fullmatch(name) is None:
        raise GitHubError(f"{name!r} is a name that GitHub would change: use letters, digits, and _ . + @ -")
    release = _release(github, tag, release_id)
    try:
        old, new = _uploaded(github, release, name, data)
    except GitHubError as error:
        if error.status is not None and error.status < 500:
            raise
        # What a broken upload left is seen, and replaced, this time.
        old, new = _uploaded(github, release, name, data)
    if new is old:
        return new.url
    if old is not None:
        github.delete(f"/releases/assets/{old.id}", needs=_WRITE)
    try:
        renamed = github.patch(f"/releases/assets/{new.id}", {"name": name}, needs=_WRITE)
    except GitHubError as error:
        raise GitHubError(f"{error}; the file stands there as {new.name}: do the same again", error.status) from None
    return text(renamed, "browser_download_url")


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


def _uploaded(github: GitHub, release: JSON, name: str, data: bytes) -> tuple[Asset | None, Asset]:
    """The asset that bears the name by now, and the one that is to bear it; the same one when it holds `data`."""
    path = f"/releases/{number(release, 'id')}/assets"
    assets = {asset.name: asset for asset in _assets(list(github.pages(path, needs=_WRITE)))}
    old = assets.get(name)
    if old is not None and _same(github, old, data):
        return old, old
    # The name tells the content: what an earlier, broken attempt uploaded is taken up.
    staged_name = f"{name}.{hashlib.sha256(data).hexdigest()[:12]}.new"
    staged = assets.get(staged_name)
    if staged is not None:
        if _same(github, staged, data):
            return old, staged
        github.delete(f"/releases/assets/{staged.id}", needs=_WRITE)
    new = _asset(github.upload(text(release, "upload_url"), staged_name, data, needs=_WRITE))
    if new is None or not new.whole:
        raise GitHubError(f"the release did not take the whole of {staged_name}")
    return old, new


def _same(github: GitHub, asset: Asset, data: bytes) -> bool:
    if not asset.whole or asset.size != len(data):
        return False
    if asset.digest:
        return asset.digest == f"sha256:{hashlib.sha256(data).hexdigest()}"
    return github.download(f"/releases/assets/{asset.id}", len(data), needs=_WRITE) == data


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
    )
    return asset if asset.id and asset.name else None
