"""Releases and their assets. Source: GitHub's documentation, "REST API endpoints for releases" and "release assets"."""

from __future__ import annotations

import re

from tests.servers.github import objects
from tests.servers.github.call import Answer, Call, Endpoint, error, invalid, listed, not_found
from tests.servers.github.state import Asset, Release
from tests.servers.github.storage import asset_address

BINARY = "application/octet-stream"


def _list(call: Call) -> Answer:
    return listed(call, _visible(call), lambda one: objects.release(call.site, one))


def _latest(call: Call) -> Answer:
    # By the commit's date, not by that of publication: so says the documentation.
    return _shown(call, next((one for one in _visible(call) if not one.draft and not one.prerelease), None))


def _by_tag(call: Call) -> Answer:
    tag = call.parameters["tag"]
    return _shown(call, next((one for one in _visible(call) if one.tag == tag and not one.draft), None))


def _by_id(call: Call) -> Answer:
    return _shown(call, _release(call))


def _create(call: Call) -> Answer:
    tag = call.body["tag_name"]
    draft = call.body.get("draft", False)
    if not draft and any(one.tag == tag and not one.draft for one in call.repository.releases.values()):
        return invalid("Release", "tag_name", "already_exists")
    made = call.repository.add_release(tag, draft=draft, prerelease=call.body.get("prerelease", False))
    release = call.repository.releases[made]
    release.name, release.body = call.body.get("name"), call.body.get("body", "")
    return Answer(201, objects.release(call.site, release))


def _update(call: Call) -> Answer:
    release = _release(call)
    if release is None:
        return not_found()
    tag = call.body.get("tag_name", release.tag)
    others = (one for one in call.repository.releases.values() if one is not release and not one.draft)
    draft = call.body.get("draft", release.draft)
    if not draft and any(one.tag == tag for one in others):
        return invalid("Release", "tag_name", "already_exists")
    if release.draft and not draft:
        release.published_at = call.repository.now()
    release.tag, release.draft = tag, draft
    release.name, release.body = call.body.get("name", release.name), call.body.get("body", release.body)
    release.prerelease = call.body.get("prerelease", release.prerelease)
    return Answer(200, objects.release(call.site, release))


def _list_assets(call: Call) -> Answer:
    release = _release(call)
    if release is None:
        return not_found()
    return listed(call, release.assets, lambda one: objects.asset(call.site, release.tag, one))


def _get_asset(call: Call) -> Answer:
    found = _asset(call)
    if found is None:
        return not_found()
    release, asset = found
    if call.accepts(BINARY):
        return Answer(302, None, {"Location": asset_address(call.site, asset.id)})
    return Answer(200, objects.asset(call.site, release.tag, asset))


def _upload(call: Call) -> Answer:
    release = _release(call)
    if release is None:
        return not_found()
    if "content-length" not in call.headers:
        return error(400, "Bad Content-Length")
    if not call.raw:
        return error(400, "Bad Content-Length: 0")
    # GitHub puts a period for what it does not want in a file's name.
    name = re.sub(r"[^\w.+@-]+", ".", call.query["name"], flags=re.ASCII)
    if _taken(release, name):
        return invalid("ReleaseAsset", "name", "already_exists")
    made = call.repository.add_asset(release.id, name, call.raw, content_type=call.headers.get("content-type", BINARY))
    made.label = call.query.get("label")
    return Answer(201, objects.asset(call.site, release.tag, made))


def _update_asset(call: Call) -> Answer:
    found = _asset(call)
    if found is None:
        return not_found()
    release, asset = found
    name = call.body.get("name", asset.name)
    if name != asset.name and _taken(release, name):
        return invalid("ReleaseAsset", "name", "already_exists")
    asset.name = name
    asset.label = call.body.get("label", asset.label)
    asset.updated_at = call.repository.now()
    return Answer(200, objects.asset(call.site, release.tag, asset))


def _delete_asset(call: Call) -> Answer:
    found = _asset(call)
    if found is None:
        return not_found()
    release, asset = found
    release.assets.remove(asset)
    return Answer(204)


def leave_starter(call: Call) -> None:
    """What an upload that failed inside of GitHub leaves behind: an asset of that name with no bytes."""
    release = _release(call)
    name = call.query.get("name", "")
    if release is not None and not _taken(release, name):
        call.repository.add_asset(release.id, name, b"").state = "starter"


def _visible(call: Call) -> list[Release]:
    """The releases that this caller may see, newest commit first."""
    mine = [one for one in call.repository.releases.values() if call.signed_in or not one.draft]
    return sorted(mine, key=lambda one: (one.created_at, one.id), reverse=True)


def _release(call: Call) -> Release | None:
    return next((one for one in _visible(call) if one.id == call.number("release_id")), None)


def _asset(call: Call) -> tuple[Release, Asset] | None:
    wanted = call.number("asset_id")
    return next(((one, each) for one in _visible(call) for each in one.assets if each.id == wanted), None)


def _taken(release: Release, name: str) -> bool:
    return any(one.name == name for one in release.assets)


def _shown(call: Call, release: Release | None) -> Answer:
    return not_found() if release is None else Answer(200, objects.release(call.site, release))


ENDPOINTS: dict[str, Endpoint] = {
    "repos/list-releases": _list,
    "repos/get-latest-release": _latest,
    "repos/get-release-by-tag": _by_tag,
    "repos/get-release": _by_id,
    "repos/create-release": _create,
    "repos/update-release": _update,
    "repos/list-release-assets": _list_assets,
    "repos/get-release-asset": _get_asset,
    "repos/upload-release-asset": _upload,
    "repos/update-release-asset": _update_asset,
    "repos/delete-release-asset": _delete_asset,
}
