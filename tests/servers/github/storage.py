"""The server that downloads are redirected to: another host with addresses that are signed, as a cloud's storage."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs

from tests.servers.github.call import Answer
from tests.servers.github.repository import Repository
from tests.servers.github.site import Site

_SIGNATURE = "c2lnbmVk"
# What S3 says; its documentation of errors, code InvalidArgument.
ONE_MECHANISM = "Only one auth mechanism allowed"


def asset_address(site: Site, asset_id: int) -> str:
    """Where a release's asset is downloaded."""
    return f"{site.storage}/release-assets/{asset_id}?X-Amz-Expires=300&X-Amz-Signature={_SIGNATURE}"


def recording_address(site: Site, recording_id: int) -> str:
    """Where a workflow artifact is downloaded."""
    return f"{site.storage}/actions-results/{recording_id}.zip?se=2026-01-05T13%3A00%3A00Z&sig={_SIGNATURE}"


def download(repository: Repository, path: str, query: str, headers: Mapping[str, str]) -> Answer:
    """The bytes behind a signed address."""
    if "authorization" in headers:
        return _refused(400, "InvalidArgument", ONE_MECHANISM)
    given = parse_qs(query)
    if _SIGNATURE not in (*given.get("X-Amz-Signature", ()), *given.get("sig", ())):
        return _refused(403, "AccessDenied", "Access Denied")
    _, folder, name = (*path.split("/"), "", "")[:3]
    data: bytes | None = None
    if folder == "release-assets":
        assets = (one for release in repository.releases.values() for one in release.assets)
        data = next((one.data for one in assets if str(one.id) == name), None)
    elif folder == "actions-results":
        data = next((one.data for one in repository.recordings.values() if f"{one.id}.zip" == name), None)
    if data is None:
        return _refused(404, "NoSuchKey", "The specified key does not exist.")
    media = "application/zip" if folder == "actions-results" else "application/octet-stream"
    return Answer(200, data, {"Content-Type": media})


def _refused(status: int, code: str, message: str) -> Answer:
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'
    return Answer(status, text.encode(), {"Content-Type": "application/xml"})
