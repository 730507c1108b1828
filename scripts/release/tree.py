"""The files that a release's commit changes. Pure but for `read`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.release.images import FLAVOURS, reference
from scripts.release.version import Version

from llm_testbench.settings.action_file import ACTION, CODE_ACTION, action_text

PACKAGE = "src/llm_testbench/__init__.py"
CHANGELOG = "CHANGELOG.md"
ACTION_FLAVOURS = {ACTION.path: FLAVOURS[0], CODE_ACTION.path: FLAVOURS[1]}
"""The image that each action's file names."""

_VERSION = re.compile(r'^__version__ = "([^"\n]*)"$', re.MULTILINE)


@dataclass(frozen=True)
class Digests:
    """Of the images that were pushed; "" for one that is not known yet."""

    default: str = ""
    code: str = ""

    def of(self, target: str) -> str:
        """By the Dockerfile's target."""
        return {"default": self.default, "code": self.code}[target]


def package_version(text: str) -> str:
    """What the package says of itself; ValueError unless it says it once."""
    found = _VERSION.findall(text)
    if len(found) != 1:
        raise ValueError(f"{PACKAGE} has {len(found)} lines __version__ = …, expected one")
    return str(found[0])


def with_version(text: str, version: Version) -> str:
    """The package with another version."""
    package_version(text)
    return _VERSION.sub(f'__version__ = "{version}"', text)


def action_files(repository: str, version: Version, digests: Digests) -> Mapping[str, str]:
    """The actions' files by path, each with its image; ValueError without digests."""
    return {
        action.path: action_text(action, reference(repository, version, flavour, digests.of(flavour.target)))
        for action in (ACTION, CODE_ACTION)
        for flavour in (ACTION_FLAVOURS[action.path],)
    }


def action_image(text: str) -> str:
    """What an action's file runs, or "" when it names nothing."""
    found = re.findall(r"^  image: (\S+)$", text, re.MULTILINE)
    return str(found[0]) if len(found) == 1 else ""


def read(root: Path) -> Mapping[str, str]:
    """The files of a release as they stand below `root`."""
    return {name: (root / name).read_text("utf-8") for name in (PACKAGE, CHANGELOG, *ACTION_FLAVOURS)}
