"""Which suite files the names of a user mean: paths, globs, and the built-in catalog."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from llm_testbench.errors import Fault, FaultsError, InputError
from llm_testbench.nearest import hint
from llm_testbench.suite import globs
from llm_testbench.suite.files import repository_of
from llm_testbench.suite.limits import MAX_FILES
from llm_testbench.suite.rules import UNREADABLE

BUILTIN = "builtin"
_SUFFIX = ".yaml"


@dataclass(frozen=True)
class SuiteFile:
    """One suite file to read: `parts` below `root`, outside of which it may name no file.

    `shown` is the path relative to the base folder with forward slashes, or builtin:NAME.
    """

    shown: str
    root: Path
    parts: tuple[str, ...]


def find(names: Sequence[str], base: Path) -> tuple[SuiteFile, ...]:
    """Each file once, in the order of `names`, globs sorted; InputError for a name that means no file."""
    found: dict[tuple[Path, tuple[str, ...]], SuiteFile] = {}
    faults = []
    for name in names:
        try:
            for file in _builtin(name) if _is_builtin(name) else _named(name, base.resolve()):
                found.setdefault((file.root, file.parts), file)
        except InputError as error:
            faults.append(Fault(error.message, error.place, UNREADABLE))
    if faults:
        raise FaultsError(faults)
    if len(found) > MAX_FILES:
        raise InputError(f"suites: {len(found)} files are more than the {MAX_FILES} that one load may have")
    return tuple(found.values())


def builtin_names() -> tuple[str, ...]:
    """What may stand behind `builtin:` as the name of one file, sorted."""
    return tuple(sorted(_catalog_files()))


def _is_builtin(name: str) -> bool:
    return name == BUILTIN or name.startswith(f"{BUILTIN}:")


def _catalog() -> Path:
    return Path(__file__).parents[1] / "catalog"


def _catalog_files() -> dict[str, tuple[str, ...]]:
    root = _catalog()
    paths = (path.relative_to(root) for path in (*root.glob(f"*{_SUFFIX}"), *root.glob(f"*/*{_SUFFIX}")))
    return {path.with_suffix("").as_posix(): path.parts for path in paths}


def _builtin(name: str) -> list[SuiteFile]:
    known = _catalog_files()
    wanted = name.removeprefix(BUILTIN).removeprefix(":").removesuffix(_SUFFIX)
    if name == BUILTIN:
        # What lies in the root is a demonstration, not part of the catalog.
        chosen = [key for key in known if "/" in key]
    else:
        chosen = [key for key in known if key == wanted or key.startswith(f"{wanted}/")]
    if not chosen:
        choices = sorted({*known, *(key.split("/")[0] for key in known)})
        near = hint(wanted, choices) or f"; expected {BUILTIN}:NAME with one of {' | '.join(choices)}"
        raise InputError(f"suites: there is no built-in suite {wanted!r}{near}")
    return [SuiteFile(f"{BUILTIN}:{key}", _catalog(), known[key]) for key in sorted(chosen)]


def _named(name: str, base: Path) -> list[SuiteFile]:
    if not name.strip() or not name.isprintable():
        raise InputError(f"suites: expected the path of a suite file, got {name!r}")
    root = repository_of(base) or base
    paths = sorted(_expand(*_split(name, base))) if globs.is_wild(name) else [Path(os.path.normpath(base / name))]
    if not paths:
        raise InputError(f"suites: no file matches {name!r} (seen from {base}){_near(name, base)}")
    return [_located(name, path, root, base) for path in paths]


def _split(name: str, base: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder where a glob begins, and its parts below; a last `**` means every suite below."""
    parts = Path(os.path.normpath(name)).parts
    folder = base
    if parts[0] == "/":
        folder, parts = Path("/"), parts[1:]
    while parts[0] == "..":
        folder, parts = folder.parent, parts[1:]
    return folder, (*parts, f"*{_SUFFIX}") if parts[-1] == "**" else parts


def _located(name: str, path: Path, root: Path, base: Path) -> SuiteFile:
    # os.path, unlike Path, answers False where the system refuses to say (a name too long, no permission).
    if os.path.isdir(path):  # noqa: PTH112
        raise InputError(f"suites: {name!r} is a folder; write its files, for example '{name.rstrip('/')}/*.yaml'")
    if not os.path.isfile(path):  # noqa: PTH113
        raise InputError(f"suites: {name!r} is no file (seen from {base}){_near(name, base)}")
    if not path.is_relative_to(root):
        # The user named a file elsewhere: what it names must lie beside it.
        path = path.parent.resolve() / path.name
        if not path.is_relative_to(root):
            root = repository_of(path.parent) or path.parent
    shown = Path(os.path.relpath(path, base)).as_posix()
    if not shown.isprintable():
        raise InputError(f"suites: the file name {shown!r} holds characters that cannot be printed")
    return SuiteFile(shown, root, path.relative_to(root).parts)


def _near(name: str, base: Path) -> str:
    folder = (base / name).parent
    try:
        beside = sorted(path.name for path in folder.iterdir() if path.suffix in (_SUFFIX, ".yml"))
    except OSError:
        return ""
    found = hint(Path(name).name, beside)
    return found or (f"; that folder holds {', '.join(beside[:5])}" if beside else "")


def _expand(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Files that match, hidden entries and linked folders left out unless they are named."""
    if not parts:
        yield folder
        return
    head, rest = parts[0], parts[1:]
    if head == "**":
        # More than one `**` finds nothing else, and would walk every tree once for each.
        rest = [part for part in rest if part != "**"]
        yield from _expand(folder, rest)
        for entry in _entries(folder):
            if entry.is_dir(follow_symlinks=False):
                yield from _expand(Path(entry.path), (head, *rest))
    elif not globs.is_wild(head):
        if os.path.exists(folder / head):  # noqa: PTH110
            yield from _expand(folder / head, rest)
    else:
        matches = globs.compiled(head).match
        for entry in _entries(folder):
            if matches(entry.name) and (entry.is_dir(follow_symlinks=False) if rest else not entry.is_dir()):
                yield from _expand(Path(entry.path), rest)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted((e for e in entries if not e.name.startswith(".")), key=lambda entry: entry.name)
    except OSError:
        return []
