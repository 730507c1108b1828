"""The languages of programs: how each is compiled and run, within which limits, and where its toolchain is."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from llm_testbench.sandbox.launching import barred
from llm_testbench.sandbox.model import MIB, Limits, Ran, Step

_SYSTEM = ("/usr/", "/bin/", "/lib/")  # what every program in the sandbox may read: file_rules.py
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_BUILT = "./program"
_PARTS = ("bin", "lib", "lib64", "libexec", "include")  # of a toolchain that stands in a folder of its own
_VERSION = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})+")

# More than the 64 of a step: a thread for each of a hundred tasks is ordinary.
_PLAIN = Limits(processes=128)
_NODE = replace(_PLAIN, memory=768 * MIB, open_files=128)
_COMPILE = replace(_PLAIN, wall=30.0, cpu=30.0)
# Go compiles packages side by side, and the first time all that a program imports.
_GO_BUILD = replace(_PLAIN, wall=120.0, cpu=240.0, memory=1500 * MIB, open_files=512, scratch=1024 * MIB)
# For its version; it may be the first time that the disk gives it.
_ASKING = replace(_PLAIN, wall=10.0, cpu=10.0, memory=768 * MIB)

# Go keeps an index of packages in its cache. Of what a read-only one lacks, as when it was made by another version, it
# says that there is no such package, and would blame the program. Without the index it builds it.
_NO_INDEX: Mapping[str, str] = {"GODEBUG": "goindex=0"}

Ask = Callable[[Step], Ran]
"""Runs one step in the sandbox."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler or an interpreter. `reads`: what it needs beside the system's folders. `version`: "" if not asked.

    `options`: what it is given before the source.
    """

    program: str
    reads: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoToolchain:
    """It is not here, or programs in the sandbox cannot use it; `reason` is one line without a path of this machine.

    `where`: the folder that is in the way, for whoever sits at this machine.
    """

    reason: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Language:
    """`source`: the name of its file. `commands`: what its toolchain may be called, the best first.

    `asks`: arguments by which it prints its version, at the end and alone in its line, given `asked` on stdin; it fails
    where something of it is missing. `since`: the oldest versions that will do; a later one of them does for all behind
    it, the others for the rest of their own series. Empty: any.
    `options`: what an interpreter is given before the source, as long as it is older than `until`.
    `compile`: the arguments that make `program` of the source; empty where there is nothing to compile.
    """

    name: str
    source: str
    commands: tuple[str, ...]
    asks: tuple[str, ...] = ("--version",)
    asked: bytes = b""
    since: tuple[tuple[int, int], ...] = ()
    options: tuple[str, ...] = ()
    until: tuple[int, int] = (0, 0)
    compile: tuple[str, ...] = ()
    compile_limits: Limits = _COMPILE
    run_limits: Limits = _PLAIN
    own_proc: bool = False


_ALL = (
    Language("python", "main.py", ("python3",)),
    Language(
        "go",
        "main.go",
        ("go",),
        asks=("version",),
        compile=("build", "-o", _BUILT, "main.go"),
        compile_limits=_GO_BUILD,
    ),
    Language(
        "c",
        "main.c",
        ("gcc", "cc"),
        # A compiler without the headers of C would blame every program.
        asks=("-E", "-P", "-xc", "-"),
        asked=b"#include <stdio.h>\n#include <stdlib.h>\n__VERSION__\n",
        compile=("-O1", "-pthread", "-o", _BUILT, "main.c", "-lm"),
    ),
    # Node leaves out the types, by itself since these versions: nodejs.org/api/typescript.html
    Language(
        "typescript",
        "main.ts",
        ("node",),
        since=((22, 18), (23, 6)),
        # And makes code of enums and the like: answers are full of them.
        options=("--experimental-transform-types", "--disable-warning=ExperimentalWarning"),
        until=(26, 0),
        run_limits=_NODE,
        own_proc=True,
    ),
    Language("javascript", "main.js", ("node",), run_limits=_NODE, own_proc=True),
    Language("bash", "main.sh", ("bash",), asks=("-c", "echo $BASH_VERSION")),
)
LANGUAGES: Mapping[str, Language] = {language.name: language for language in _ALL}
"""By name, in the order of the documentation."""


def find(
    language: Language,
    path: str,
    *,
    own_uid: bool,
    go_cache: str | None = None,
    private: tuple[str, ...] = (),
    ask: Ask | None = None,
) -> Toolchain | NoToolchain:
    """The first toolchain that will do: on `path`, like PATH, else in the system's folders.

    `own_uid`: programs run as another user, who has to get there. `go_cache`: a folder in which Go's standard library
    is built already; used if it is read-only, and root's or this user's. `private`: folders that no toolchain may open
    to programs by lying around them. `ask`: by which each is asked for its version; None: none is asked.
    """
    missing: list[NoToolchain] = []
    for program in _candidates(language.commands, path):
        found = _usable(language, program, own_uid=own_uid, go_cache=go_cache)
        if isinstance(found, Toolchain):
            found = _opening_nothing(private, found, language.commands[0])
        if isinstance(found, Toolchain) and ask is not None:
            found = _answering(language, found, ask)
        if isinstance(found, Toolchain):
            return found
        missing.append(found)
    if not missing:
        return NoToolchain(f"{language.commands[0]} is not on PATH")
    reasons = "; ".join(dict.fromkeys(one.reason for one in missing))
    return NoToolchain(reasons, next((one.where for one in missing if one.where), ""))


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


def limits_of_run(language: Language, timeout: float) -> Limits:
    """What a program may use that may run for `timeout` seconds on the clock."""
    # Threads may use several processors at once.
    return replace(language.run_limits, wall=timeout, cpu=2 * timeout)


def run_step(language: Language, toolchain: Toolchain, stdin: bytes, timeout: float) -> Step:
    """What runs the program; `timeout` in seconds on the clock."""
    limits = limits_of_run(language, timeout)
    if language.compile:
        return Step((_BUILT,), limits, stdin)
    return Step(
        (toolchain.program, *toolchain.options, language.source),
        limits,
        stdin,
        environment=toolchain.environment,
        reads=toolchain.reads,
        own_proc=language.own_proc,
    )


def _candidates(commands: tuple[str, ...], path: str) -> Iterator[str]:
    """Every program with one of those names, where it really lies, in the order of `path`, then the system's."""
    seen: set[str] = set()
    for folder in (*path.split(":"), *_SYSTEM_PATH.split(":")):
        for command in commands:
            found = shutil.which(command, path=folder) if folder.startswith("/") else None
            where = None if found is None else os.path.realpath(found)
            if where is not None and where not in seen:
                seen.add(where)
                yield where


def _usable(language: Language, program: str, *, own_uid: bool, go_cache: str | None) -> Toolchain | NoToolchain:
    name = language.commands[0]
    way = barred(str(Path(program).parent)) if own_uid else None
    if way is not None:
        return NoToolchain(f"{name} lies in a folder that other users may not enter, as programs here have to", way)
    if language.name != "go":
        return Toolchain(program, _beside(program))
    root = Path(program).parent.parent
    if not (root / "VERSION").is_file():
        # Were it taken for Go's own, all that lies around it would be open to programs.
        return NoToolchain("go is a program that starts another go: put the folder of that one on PATH")
    return _go(program, str(root), go_cache if go_cache is not None and _is_seed(go_cache, own_uid=own_uid) else None)


def _beside(program: str) -> tuple[str, ...]:
    """The folders with its libraries; the system's are open anyway."""
    if program.startswith(_SYSTEM):
        return ()
    root = Path(program).parent.parent
    return tuple(str(root / name) for name in _PARTS if (root / name).is_dir())


def _go(program: str, root: str, seed: str | None) -> Toolchain:
    reads = () if program.startswith(_SYSTEM) else (root,)
    if seed is None:
        # A new one for each build, in the folder of the run: no build finds what another left.
        return Toolchain(program, reads, {"GOROOT": root})
    return Toolchain(program, (*reads, seed), {"GOROOT": root, "GOCACHE": seed, **_NO_INDEX})


def _is_seed(folder: str, *, own_uid: bool) -> bool:
    """Whether it was made to be read alone: a cache in use would show a user's own work, and could be poisoned."""
    try:
        found = os.stat(folder)  # noqa: PTH116
        way = barred(folder) if own_uid else None
    except OSError:
        return False
    # Go makes these folders first, and fails where it cannot.
    is_cache = all(Path(folder, f"{number:02x}").is_dir() for number in range(256))
    return is_cache and found.st_uid in (0, os.geteuid()) and not found.st_mode & 0o222 and not way


def _opening_nothing(private: tuple[str, ...], found: Toolchain, name: str) -> Toolchain | NoToolchain:
    for folder in found.reads:
        if any(Path(os.path.realpath(one)).is_relative_to(os.path.realpath(folder)) for one in private):
            return NoToolchain(f"{name} is not used where it lies: what is private would be open to programs", folder)
    return found


def _answering(language: Language, found: Toolchain, ask: Ask) -> Toolchain | NoToolchain:
    """With its version, if it works in the sandbox and is new enough."""
    name = language.commands[0]
    argv = (found.program, *language.asks)
    ran = ask(Step(argv, _ASKING, language.asked, found.environment, found.reads, own_proc=language.own_proc))
    said = ran.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2]
    version = _VERSION.search(said)
    if not ran.ok or version is None:
        return NoToolchain(f"{name} does not work in the sandbox: is it installed whole, with headers and libraries?")
    if not _is_new_enough(version[0], language.since):
        needed = " or ".join(f"{major}.{minor}" for major, minor in language.since)
        return NoToolchain(f"{name} {version[0]} is too old for {language.name}: {needed} is needed")
    options = language.options if _number(version[0]) < language.until else ()
    return replace(found, version=version[0], environment=_fastest(found, ask), options=options)


def _fastest(found: Toolchain, ask: Ask) -> Mapping[str, str]:
    """The environment, less what a whole index makes needless; reading it anew would take a fifth of a build."""
    if not _NO_INDEX.items() <= found.environment.items():
        return found.environment
    without = {name: value for name, value in found.environment.items() if name not in _NO_INDEX}
    listed = ask(Step((found.program, "list", "std"), _ASKING, b"", without, found.reads))
    return without if listed.ok else found.environment


def _is_new_enough(version: str, since: tuple[tuple[int, int], ...]) -> bool:
    if not since:
        return True
    number = _number(version)
    return number >= since[-1] or any(number >= oldest and number[0] == oldest[0] for oldest in since)


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
