"""The files of a release."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.release.publishing import CHECKSUMS, ReleaseError
from scripts.release.version import Version

from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.read import read
from llm_testbench.commands.output import packed
from llm_testbench.github.usable import partial
from llm_testbench.redaction import Redactor

BASELINE = "llm-testbench-baseline.json.gz"


def distributions(version: Version) -> tuple[str, ...]:
    """The names of wheel and sdist."""
    return f"llm_testbench-{version}-py3-none-any.whl", f"llm_testbench-{version}.tar.gz"


def names(root: Path, version: Version) -> tuple[str, ...]:
    """All assets, in the order in which a release gets them."""
    schemas = sorted(path.name for path in (root / "schemas").glob("*.json"))
    return (*sorted([*schemas, *distributions(version), BASELINE]), CHECKSUMS)


def collected(root: Path, dist: Path, baseline: Path, version: Version) -> Mapping[str, bytes]:
    """The assets by name; ReleaseError when one is missing, or is not fit."""
    files = {path.name: path for path in (root / "schemas").glob("*.json")}
    files |= {name: dist / name for name in distributions(version)}
    try:
        assets = {name: path.read_bytes() for name, path in files.items()}
    except OSError as error:
        raise ReleaseError(f"{error.filename}: {error.strerror}: build the wheel and the sdist first") from None
    assets[BASELINE] = _baseline(baseline)
    return {**assets, CHECKSUMS: checksums(assets)}


def checksums(assets: Mapping[str, bytes]) -> bytes:
    """What `sha256sum --check` reads."""
    lines: Sequence[str] = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(assets.items())]
    return "".join(lines).encode()


def _baseline(path: Path) -> bytes:
    try:
        artifact = read(path)
    except (ArtifactError, OSError) as error:
        raise ReleaseError(f"the baseline cannot be read: {error}") from None
    why = partial(artifact)
    if why or artifact.meta.role != "record":
        raise ReleaseError(f"{path} is not fit as a baseline: {why or 'it was not recorded as one'}")
    return packed(artifact, BASELINE, Redactor([]))
