"""The container images of a release and their tags. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scripts.release.version import Version, is_latest, moving_tags

REGISTRY = "ghcr.io"
PLATFORMS = ("linux/amd64", "linux/arm64")
VERSION_LABEL = "org.opencontainers.image.version"

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Flavour:
    """One target of the Dockerfile. `latest`: the tag without a version."""

    target: str
    suffix: str
    latest: str


FLAVOURS = (
    Flavour("default", "", "latest"),
    Flavour("code", "-code", "code"),
    Flavour("local", "-local", "local"),
)


def image_name(repository: str) -> str:
    """The image's name for `owner/name`: registries take no capitals."""
    return f"{REGISTRY}/{repository.lower()}"


def own_tag(version: Version, flavour: Flavour) -> str:
    """The tag that is pushed first and never moves."""
    return f"{version}{flavour.suffix}"


def later_tags(version: Version, flavour: Flavour, published: Iterable[Version]) -> tuple[str, ...]:
    """The tags that move to this version once it is published."""
    others = list(published)
    tags = [f"{tag.removeprefix('v')}{flavour.suffix}" for tag in moving_tags(version, others)]
    return (*tags, flavour.latest) if is_latest(version, others) else tuple(tags)


def reference(repository: str, version: Version, flavour: Flavour, digest: str) -> str:
    """`docker://NAME:TAG@DIGEST`, as an action's file has it: the tag is for people, the digest cannot be moved.

    ValueError for what is no digest.
    """
    if not _DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is no digest: expected sha256: and 64 hex digits")
    return f"docker://{image_name(repository)}:{own_tag(version, flavour)}@{digest}"


def digest_of(reference: str) -> str:
    """The digest in a reference, or ""."""
    _, _, digest = reference.partition("@")
    return digest if _DIGEST.fullmatch(digest) else ""


def labels(image: object) -> Mapping[str, str]:
    """The version label by platform, from what the registry says of an image of several platforms; "" where none is."""
    platforms = image if isinstance(image, Mapping) else {}
    return {platform: _label(platforms.get(platform)) for platform in PLATFORMS}


def _label(image: object) -> str:
    for key in ("config", "Labels", VERSION_LABEL):
        image = image.get(key) if isinstance(image, Mapping) else None
    return image if isinstance(image, str) else ""
