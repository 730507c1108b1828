"""Wheel and sdist of a release."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from scripts.release.assets import distributions
from scripts.release.version import parsed

from llm_testbench import __version__

ROOT = Path(__file__).parents[3]


def test_the_same_commit_gives_the_same_files_by_the_names_that_a_release_expects(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", ROOT.as_uri(), str(checkout)], check=True)

    built = []
    for _ in range(2):
        command = [str(checkout / "scripts/build-distributions")]
        subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHON": sys.executable})
        built.append({path.name: path.read_bytes() for path in (checkout / "dist").iterdir()})

    assert built[0].keys() == set(distributions(parsed(__version__)))
    assert built[0] == built[1]
