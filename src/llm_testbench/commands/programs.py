"""Where the programs of a command run: opened if a check will run one, and what the user is told about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from llm_testbench.artifact.confined import NOTHING_RAN, Confined
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output
from llm_testbench.compare.confinement import LAYERS, confinement
from llm_testbench.evaluators.running import runs_code
from llm_testbench.evaluators.score import Evaluator
from llm_testbench.sandbox.programs import CLOSED, Workshop
from llm_testbench.settings.model import Settings

if TYPE_CHECKING:
    from llm_testbench.sandbox.workshop import Mode, Opened


@dataclass(frozen=True)
class Programs:
    """`workshop`: where checks run programs. `confined`: how, as an artifact tells it."""

    workshop: Workshop = CLOSED
    confined: Confined = NOTHING_RAN


NO_PROGRAMS = Programs()


@contextmanager
def programs(settings: Settings, output: Output, *, needed: bool) -> Iterator[Programs]:
    """For as long as checks may run programs; nothing is opened where it is not needed.

    What is missing is told on stderr.
    """
    if not needed:
        yield NO_PROGRAMS
        return
    from llm_testbench.sandbox.workshop import Mode  # noqa: PLC0415 -- most runs need nothing of it

    with workshop(Mode(settings.sandbox), output.edges) as found:
        confined = confined_by(found)
        for finding in confinement(confined):
            if finding.code != LAYERS:
                output.warn(finding.message)
        yield Programs(found.workshop, confined)


@contextmanager
def programs_once_needed(settings: Settings, output: Output) -> Iterator[Callable[[bool], Programs]]:
    """The same for a command that learns piece by piece whether it needs them: opened once, closed at the end."""
    with ExitStack() as stack:
        opened: list[Programs] = []

        def get(needed: bool) -> Programs:  # noqa: FBT001 -- the only argument
            if needed and not opened:
                opened.append(stack.enter_context(programs(settings, output, needed=True)))
            return opened[0] if needed else NO_PROGRAMS

        yield get


def any_runs_code(evaluators: Iterable[Evaluator]) -> bool:
    """Whether one of the checks runs programs."""
    return any(map(runs_code, evaluators))


@contextmanager
def workshop(mode: Mode, edges: Edges) -> Iterator[Opened]:
    """Open for as long, with the toolchains of this command's environment."""
    from llm_testbench.sandbox.workshop import opened  # noqa: PLC0415 -- as above

    inside = checkouts(edges.environ, edges.cwd)
    private = (*inside, *_absolute(edges.environ.get("HOME", "")))
    path = searched(edges.environ.get("PATH", os.defpath), inside)
    with opened(mode, path, edges.environ.get("GOCACHE"), private=private) as found:
        yield found


def confined_by(found: Opened) -> Confined:
    """As an artifact tells it."""
    return Confined(
        mode=found.mode.value,
        layers=tuple(layer.value for layer, state in found.layers.items() if state.active),
        layers_missing={layer.value: state.detail for layer, state in found.layers.items() if not state.active},
        promises=tuple(promise.value for promise, state in found.promises.items() if state.active),
        promises_missing={promise.value: why for promise, why in found.missing.items()},
        landlock=found.landlock,
    )


def checkouts(environ: Mapping[str, str], cwd: Path) -> tuple[str, ...]:
    """The folders that a pull request fills. The root of all is none, nor is the user's own folder."""
    never = {"/", environ.get("HOME", "")}
    found = (str(cwd), *_absolute(environ.get("GITHUB_WORKSPACE", "")))
    return tuple(folder for folder in found if folder not in never)


def searched(path: str, checkouts: tuple[str, ...]) -> str:
    """PATH without what lies in a checkout: a compiler that a pull request brings is not used.

    It would run in the sandbox like the programs that it makes. But its place, to which a link may lead, decides what
    programs may read, and its output decides the score.
    """
    closed = [os.path.realpath(folder) for folder in checkouts]
    return os.pathsep.join(
        folder
        for folder in path.split(os.pathsep)
        if folder.startswith("/") and not any(Path(os.path.realpath(folder)).is_relative_to(one) for one in closed)
    )


def _absolute(folder: str) -> tuple[str, ...]:
    return (folder,) if folder.startswith("/") else ()
