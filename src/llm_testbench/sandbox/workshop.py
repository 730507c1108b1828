"""The place where programs run, opened once a run: the promises are tried first, and without them it stays shut."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from llm_testbench.answer.outcome import Outcome
from llm_testbench.sandbox.languages import LANGUAGES, NoToolchain, Toolchain, find
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job, Layer, Promise, Ran, SandboxError, State
from llm_testbench.sandbox.programs import Closed, Finished, Program, Unavailable, Workshop, run_program
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
    """`missing`: the promises that are not kept here, each with the reason; with mode `require` nothing runs then."""

    workshop: Workshop
    mode: Mode
    layers: Mapping[Layer, State] = field(default_factory=dict)
    missing: Mapping[Promise, str] = field(default_factory=dict)


@contextmanager
def opened(mode: Mode, path: str, go_cache: str | None = None) -> Iterator[Opened]:
    """A workshop for as long. `path`: where toolchains are looked for; `go_cache`: see languages.find."""
    if sys.platform != "linux":
        why = f"programs are run on Linux only, this is {sys.platform}: run the image there"
        yield Opened(Closed(why), mode, missing=dict.fromkeys(Promise, "needs Linux"))
        return
    without = _CONFINING if mode is Mode.OFF else frozenset()
    try:
        launchers = Launchers(without=without)
    except (OSError, SandboxError) as error:
        yield Opened(
            Closed(f"the sandbox could not be started: {error}"), mode, missing=dict.fromkeys(Promise, str(error))
        )
        return
    with launchers:
        missing = {} if mode is Mode.OFF else _missing(launchers)
        if missing and mode is Mode.REQUIRE:
            yield Opened(Closed(refusal(missing)), mode, launchers.layers, missing)
        else:
            yield Opened(_Open(launchers, path, go_cache), mode, launchers.layers, missing)


def refusal(missing: Mapping[Promise, str]) -> str:
    """Why nothing runs, which layer is missing, and the option that decides it."""
    told = "; ".join(f"{promise.value}: {why}" for promise, why in missing.items())
    return f"the sandbox cannot keep its promises here ({told}); `sandbox: prefer` runs programs with what there is"


_CONFINING = frozenset(layer.value for layer in Layer if layer not in (Layer.RESOURCES, Layer.WATCH))


def _missing(launchers: Launchers) -> dict[Promise, str]:
    reported = {promise: state.detail for promise, state in promises(launchers.layers).items() if not state.active}
    try:
        tried = broken(launchers)
    except (OSError, SandboxError) as error:
        tried = dict.fromkeys(Promise, f"the proof failed: {error}")
    return {**tried, **reported}


class _Open:
    """Runs programs; toolchains are looked for once."""

    def __init__(self, launchers: Launchers, path: str, go_cache: str | None) -> None:
        self._launchers = launchers
        self._path = path
        self._go_cache = go_cache
        self._lock = threading.Lock()
        self._toolchains: dict[str, Toolchain | NoToolchain] = {}

    def run(self, program: Program) -> Finished | Unavailable:
        """Compiles and runs it. Raises SandboxError."""
        toolchain = self._toolchain(program.language)
        if isinstance(toolchain, NoToolchain):
            return Unavailable(Outcome.TOOLCHAIN_MISSING, toolchain.reason)
        return run_program(self._launchers, program, toolchain)

    def run_steps(self, job: Job) -> Sequence[Ran]:
        """The steps, as they are. Raises SandboxError."""
        return self._launchers.run(job)

    def _toolchain(self, name: str) -> Toolchain | NoToolchain:
        with self._lock:
            if name not in self._toolchains:
                own_uid = self._launchers.layers[Layer.OWN_UID].active
                language = LANGUAGES[name]
                self._toolchains[name] = find(language, self._path, own_uid=own_uid, go_cache=self._go_cache)
            return self._toolchains[name]
