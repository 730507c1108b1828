"""The place where programs run, opened once a run: the promises are tried first, and without them it stays shut."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum

from llm_testbench.answer.outcome import Outcome
from llm_testbench.sandbox import landlock
from llm_testbench.sandbox.languages import NoToolchain, Toolchain
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job, Layer, Promise, Ran, SandboxError, State
from llm_testbench.sandbox.programs import (
    CLOSED,
    Closed,
    Finished,
    Program,
    Unavailable,
    Workshop,
    run_program,
    toolchain,
)
from llm_testbench.sandbox.proof import broken
from llm_testbench.sandbox.surroundings import promises


class Mode(StrEnum):
    """What a user wants done where a promise cannot be kept."""

    REQUIRE = "require"
    """Programs are not run."""
    PREFER = "prefer"
    """They are run in whatever there is, and the report says so."""
    OFF = "off"
    """No layer is used but the limits."""


@dataclass(frozen=True, slots=True)
class Opened:
    """`layers`, `promises`: what is there and what holds, and of what does not, why; empty where nothing was looked at.

    `landlock`: its version, 0 where there is none. `refusal`: why no program is run, one line; "" when they are.
    """

    workshop: Workshop
    mode: Mode
    layers: Mapping[Layer, State] = field(default_factory=dict)
    promises: Mapping[Promise, State] = field(default_factory=dict)
    landlock: int = 0
    refusal: str = ""
    toolchain: Callable[[str], Toolchain | NoToolchain] = lambda _: NoToolchain("nothing runs in the sandbox here")
    """By the name of a language, as programs inside find it. Raises SandboxError."""

    @property
    def missing(self) -> Mapping[Promise, str]:
        """The promises that are not kept here, each with the reason."""
        return {promise: state.detail for promise, state in self.promises.items() if not state.active}


@contextmanager
def opened(
    mode: Mode,
    path: str,
    go_cache: str | None = None,
    *,
    private: tuple[str, ...] = (),
    platform: str = sys.platform,
) -> Iterator[Opened]:
    """A workshop for as long; nothing that ran in it is left behind.

    `path`: where toolchains are looked for; `go_cache`: see languages.find. `private`: folders that no toolchain may
    open to programs by lying in a folder above.
    """
    if platform != "linux":
        yield _shut(mode, f"programs are run on Linux only, this is {platform}: use the image")
        return
    without = _CONFINING if mode is Mode.OFF else frozenset()
    try:
        launchers = Launchers(without=without)
    except (OSError, SandboxError) as error:
        yield _shut(mode, f"the sandbox could not be started: {error}")
        return
    with launchers:
        held = promises(launchers.layers) if mode is Mode.OFF else _proven(launchers)
        found = Opened(CLOSED, mode, launchers.layers, held, landlock.version())
        if found.missing and mode is Mode.REQUIRE:
            yield _refusing(found, refusal(found.missing))
        else:
            running = _Open(launchers, path, go_cache, private)
            yield replace(found, workshop=running, toolchain=running.toolchain)


def refusal(missing: Mapping[Promise, str]) -> str:
    """Why nothing runs, which layer is missing, and the option that decides it."""
    told = reasons(missing)
    return f"the sandbox cannot keep its promises here ({told}); --sandbox prefer runs programs in what there is of it"


def reasons(missing: Mapping[Promise, str]) -> str:
    """`files: why; network: why`."""
    return "; ".join(f"{promise.value}: {why}" for promise, why in missing.items())


_CONFINING = frozenset(layer.value for layer in Layer if layer not in (Layer.RESOURCES, Layer.WATCH))


def _shut(mode: Mode, why: str) -> Opened:
    nothing = Opened(CLOSED, mode, promises=dict.fromkeys(Promise, State(active=False, detail=why)))
    return _refusing(nothing, why)


def _refusing(found: Opened, why: str) -> Opened:
    return replace(found, workshop=Closed(why), refusal=why)


def _proven(launchers: Launchers) -> dict[Promise, State]:
    """What the layers promise, less what was done in spite of it."""
    try:
        done = broken(launchers)
    except (OSError, SandboxError) as error:
        done = dict.fromkeys(Promise, f"the proof failed: {error}")
    return {
        promise: State(active=False, detail=done[promise]) if state.active and promise in done else state
        for promise, state in promises(launchers.layers).items()
    }


class _Open:
    """Runs programs; toolchains are looked for once."""

    def __init__(self, launchers: Launchers, path: str, go_cache: str | None, private: tuple[str, ...]) -> None:
        self._launchers = launchers
        self._private = private
        self._path = path
        self._go_cache = go_cache
        self._lock = threading.Lock()
        self._toolchains: dict[str, Toolchain | NoToolchain] = {}

    def run(self, program: Program) -> Finished | Unavailable:
        """Compiles and runs it. Raises SandboxError."""
        found = self.toolchain(program.language)
        if isinstance(found, NoToolchain):
            return Unavailable(Outcome.TOOLCHAIN_MISSING, found.reason)
        return run_program(self._launchers, program, found)

    def run_steps(self, job: Job) -> Sequence[Ran]:
        """The steps, as they are. Raises SandboxError."""
        return self._launchers.run(job)

    def toolchain(self, name: str) -> Toolchain | NoToolchain:
        """Of that language. Raises SandboxError."""
        with self._lock:
            if name not in self._toolchains:
                found = toolchain(self._launchers, name, self._path, self._go_cache, self._private)
                self._toolchains[name] = found
            return self._toolchains[name]
