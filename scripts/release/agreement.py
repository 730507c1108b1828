"""Whether all places that name the version name the same one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.release.changelog import newest
from scripts.release.images import digest_of, image_name, own_tag
from scripts.release.tree import ACTION_FLAVOURS, CHANGELOG, PACKAGE, Digests, action_image, package_version
from scripts.release.version import Version


def disagreements(
    version: Version, repository: str, tag: str, files: Mapping[str, str], digests: Digests | None
) -> tuple[str, ...]:
    """One line for each place that does not name this version. `digests`: of the images that were pushed, None before
    any was; then the actions' files still build their Dockerfile, and only the rest is compared.
    """
    return tuple(_found(version, repository, tag, files, digests))


def _found(
    version: Version, repository: str, tag: str, files: Mapping[str, str], digests: Digests | None
) -> Iterator[str]:
    if tag != version.tag:
        yield f"git tag: {tag}, expected {version.tag}"
    package = package_version(files[PACKAGE])
    if package != str(version):
        yield f"{PACKAGE}: __version__ is {package}, expected {version}"
    section = newest(files[CHANGELOG])
    if section is None or section[0] != version:
        said = section[0] if section else "no release's"
        yield f"{CHANGELOG}: the newest section is {said}, expected {version}"
    if digests is not None:
        for path, flavour in ACTION_FLAVOURS.items():
            name = f"{image_name(repository)}:{own_tag(version, flavour)}"
            yield from _action(path, action_image(files[path]), name, digests.of(flavour.target))


def _action(path: str, image: str, name: str, digest: str) -> Iterator[str]:
    named, _, _ = image.removeprefix("docker://").partition("@")
    if not image.startswith("docker://"):
        yield f"{path}: runs {image or 'no image'}, expected docker://{name}"
    elif named != name:
        yield f"{path}: names the image {named}, expected {name}"
    elif digest_of(image) != digest:
        yield f"{path}: names the digest {digest_of(image) or 'of nothing'}, pushed was {digest or 'none'}"


def label_disagreements(version: Version, image: str, labels: Mapping[str, str]) -> tuple[str, ...]:
    """One line for each platform of a pushed image whose label names another version."""
    return tuple(
        f"{image} ({platform}): its label says {said or 'no version'}, expected {version}"
        for platform, said in labels.items()
        if said != str(version)
    )
