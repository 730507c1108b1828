"""The languages of programs: how each is compiled and run, within which limits, and where its toolchain is."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from llm_testbench.sandbox.launching import barred
from llm_testbench.sandbox.model import MIB, Limits, Step

_SYSTEM = ("/usr/", "/bin/", "/lib/")  # what every program in the sandbox may read: file_rules.py
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_BUILT = "./program"

_PLAIN = Limits()
_NODE = replace(_PLAIN, memory=768 * MIB, open_files=128)
_COMPILE = replace(_PLAIN, wall=30.0, cpu=30.0)
# Go compiles packages side by side, and the first time all that a program imports.
_GO_BUILD = replace(_PLAIN, wall=120.0, cpu=240.0, memory=1500 * MIB, processes=128, open_files=512, scratch=1024 * MIB)


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler or an interpreter. `reads`: what it needs beside the system's folders."""

    program: str
    reads: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoToolchain:
    """It is not here, or programs in the sandbox cannot get to it; `reason` is one line."""

    reason: str


@dataclass(frozen=True, slots=True)
class Language:
    """`source`: the name of its file. `commands`: what its toolchain may be called, the best first.

    `compile`: the arguments that make `program` of the source; empty where there is nothing to compile.
    """

    name: str
    source: str
    commands: tuple[str, ...]
    compile: tuple[str, ...] = ()
    compile_limits: Limits = _COMPILE
    run_limits: Limits = _PLAIN
    own_proc: bool = False


_ALL = (
    Language("python", "main.py", ("python3",)),
    Language("go", "main.go", ("go",), ("build", "-o", _BUILT, "main.go"), _GO_BUILD),
    Language("c", "main.c", ("gcc", "cc"), ("-O1", "-o", _BUILT, "main.c", "-lm")),
    # Node runs TypeScript since 23.6 by leaving out the types.
    Language("typescript", "main.ts", ("node",), run_limits=_NODE, own_proc=True),
    Language("javascript", "main.js", ("node",), run_limits=_NODE, own_proc=True),
    Language("bash", "main.sh", ("bash",)),
)
LANGUAGES: Mapping[str, Language] = {language.name: language for language in _ALL}
"""By name, in the order of the documentation."""


def find(language: Language, path: str, *, own_uid: bool, go_cache: str | None = None) -> Toolchain | NoToolchain:
    """Its toolchain: on `path`, like PATH, else in the system's folders.

    `own_uid`: programs run as another user, who has to get there. `go_cache`: a folder in which Go's standard library
    is built already; used if nobody but root can change it.
    """
    barrier: str | None = None
    for program in _candidates(language.commands, path):
        where = os.path.realpath(program)
        way = None if where.startswith(_SYSTEM) or not own_uid else barred(str(Path(where).parent))
        if way is None:
            return _PREPARED.get(language.name, _plain)(where, go_cache)
        barrier = barrier or way
    if barrier is None:
        return NoToolchain(f"{language.commands[0]} is not on PATH")
    return NoToolchain(f"{language.commands[0]} cannot be used in the sandbox: other users may not enter {barrier}")


def compile_step(language: Language, toolchain: Toolchain) -> Step | None:
    """What makes `program` of the source; None where there is nothing to compile."""
    if not language.compile:
        return None
    return Step(
        (toolchain.program, *language.compile),
        language.compile_limits,
        environment=toolchain.environment,
        reads=toolchain.reads,
        chmod=True,
    )


def run_step(language: Language, toolchain: Toolchain, stdin: bytes, timeout: float) -> Step:
    """What runs the program; `timeout` in seconds on the clock."""
    # Threads may use several processors at once.
    limits = replace(language.run_limits, wall=timeout, cpu=2 * timeout)
    if language.compile:
        return Step((_BUILT,), limits, stdin)
    return Step(
        (toolchain.program, language.source),
        limits,
        stdin,
        environment=toolchain.environment,
        reads=toolchain.reads,
        own_proc=language.own_proc,
    )


def _candidates(commands: tuple[str, ...], path: str) -> Iterator[str]:
    """Every program with one of those names, in the order of `path`, then the system's."""
    for folder in (*path.split(":"), *_SYSTEM_PATH.split(":")):
        for command in commands:
            found = shutil.which(command, path=folder) if folder.startswith("/") else None
            if found is not None:
                yield found


def _plain(program: str, _go_cache: str | None) -> Toolchain:
    if program.startswith(_SYSTEM):
        return Toolchain(program)
    # Its libraries stand beside the folder of the program.
    return Toolchain(program, (str(Path(program).parents[1]),))


def _node(program: str, _go_cache: str | None) -> Toolchain:
    """All of it is one file."""
    return Toolchain(program, () if program.startswith(_SYSTEM) else (program,))


def _go(program: str, go_cache: str | None) -> Toolchain:
    plain = _plain(program, None)
    root = str(Path(program).parents[1])
    if go_cache is None or not _is_roots_alone(go_cache):
        # A new one for each build, in the folder of the run: no build finds what another left.
        return replace(plain, environment={"GOROOT": root})
    return replace(plain, reads=(*plain.reads, go_cache), environment={"GOROOT": root, "GOCACHE": go_cache})


def _is_roots_alone(folder: str) -> bool:
    try:
        found = os.stat(folder)  # noqa: PTH116
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and not found.st_mode & 0o022


_PREPARED: Mapping[str, Callable[[str, str | None], Toolchain]] = {"typescript": _node, "javascript": _node, "go": _go}
