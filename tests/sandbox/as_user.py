"""The corpus once more, as an ordinary user: a copy of what it needs, where that user can get to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.sandbox.stage import temporary_folder

from llm_testbench.sandbox import scratch
from llm_testbench.sandbox.launching import barred

USER = 61100
"""Of nobody: some attacks signal every process of their user."""
_REPOSITORY = Path(__file__).resolve().parents[2]
_PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3")
_NEEDED = ("src/llm_testbench", "tests/sandbox")


class NoPythonError(Exception):
    """No interpreter of at least Python 3.11 can be reached by other users."""


def run(arguments: Sequence[str], results: Path, module: str = "tests.sandbox.corpus") -> int:
    """`python -m MODULE ARGUMENTS --json …` as that user; what it writes there is added to `results`.

    Returns its exit code. Raises NoPythonError.
    """
    python = _python()
    home = Path(tempfile.mkdtemp(prefix="corpus-as-user-", dir=temporary_folder()))
    try:
        home.chmod(0o755)
        for part in _NEEDED:
            shutil.copytree(_REPOSITORY / part, home / part, ignore=shutil.ignore_patterns("__pycache__"))
        _open_to_all(home)
        own = home / "own"
        own.mkdir()
        os.chown(own, USER, USER)
        code = subprocess.run(
            [python, "-m", module, *arguments, "--json", str(own / "results")],
            cwd=home,
            env={
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "HOME": str(own),
                "PYTHONPATH": str(home / "src"),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONUTF8": "1",
            },
            stdin=subprocess.DEVNULL,
            user=USER,
            group=USER,
            extra_groups=(),
            check=False,
        ).returncode
        written = own / "results"
        if written.exists():
            with results.open("a", encoding="ascii") as file:
                file.write(written.read_text(encoding="ascii"))
        return code
    finally:
        scratch.remove(str(home))


def _python() -> str:
    """One that every user may run, and that is new enough."""
    for path in (sys.executable, *_PYTHONS):
        if os.access(path, os.X_OK) and barred(path) is None and _is_new_enough(path):
            return path
    raise NoPythonError("no Python 3.11 or newer can be reached by other users")


def _is_new_enough(path: str) -> bool:
    ask = [path, "-I", "-S", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    return subprocess.run(ask, check=False).returncode == 0


def _open_to_all(folder: Path) -> None:
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
