"""Programs that a model wrote: compiled and run in the sandbox, as two steps with limits of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from llm_testbench.answer.outcome import Outcome
from llm_testbench.sandbox.languages import LANGUAGES, NoToolchain, Toolchain, compile_step, find, run_step
from llm_testbench.sandbox.launching import Launchers, most_at_once
from llm_testbench.sandbox.model import Job, Layer, Ran, Step

_Item = TypeVar("_Item")
_Done = TypeVar("_Done")


@dataclass(frozen=True, slots=True)
class Program:
    """`source` in one of LANGUAGES. `files` lie beside it, by relative path. `timeout`: seconds that it may run."""

    language: str
    source: str
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of both steps; `compiled` is None where there is nothing to compile, `ran` when that failed."""

    compiled: Ran | None
    ran: Ran | None


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Nothing ran: `outcome` is toolchain_missing or no_sandbox, `reason` one line that says what to do."""

    outcome: Outcome
    reason: str


class Workshop(Protocol):
    """Where programs are run, or the reason why not."""

    def run(self, program: Program) -> Finished | Unavailable:
        """Compiles and runs it. Raises SandboxError when the sandbox itself fails."""
        ...

    def run_steps(self, job: Job) -> Sequence[Ran] | Unavailable:
        """For evaluators that bring a program of their own. Raises SandboxError likewise."""
        ...


@dataclass(frozen=True, slots=True)
class Closed:
    """A workshop in which nothing runs."""

    reason: str

    def run(self, _program: Program) -> Unavailable:
        """Says why not."""
        return Unavailable(Outcome.NO_SANDBOX, self.reason)

    def run_steps(self, _job: Job) -> Unavailable:
        """Says why not."""
        return Unavailable(Outcome.NO_SANDBOX, self.reason)


CLOSED = Closed("no sandbox was opened")


def side_by_side(run_one: Callable[[_Item], _Done], items: Iterable[_Item], workshop: Workshop) -> list[_Done]:
    """What `run_one` makes of each, in their order; as many at once as may run programs in `workshop`."""
    if isinstance(workshop, Closed):
        return list(map(run_one, items))
    with ThreadPoolExecutor(most_at_once()) as pool:
        # An interrupt waits for none behind it: map() then cancels all that has not begun.
        return list(pool.map(run_one, items))


def toolchain(
    launchers: Launchers, language: str, path: str, go_cache: str | None = None, private: tuple[str, ...] = ()
) -> Toolchain | NoToolchain:
    """The first that works in this sandbox and is new enough; the rest: see languages.find. Raises SandboxError."""
    own_uid = launchers.layers[Layer.OWN_UID].active

    def ask(step: Step) -> Ran:
        return launchers.run(Job((step,)))[0]

    return find(LANGUAGES[language], path, own_uid=own_uid, go_cache=go_cache, private=private, ask=ask)


def run_program(launchers: Launchers, program: Program, toolchain: Toolchain) -> Finished:
    """Compiles and runs it with that toolchain. Raises SandboxError."""
    language = LANGUAGES[program.language]
    compiling = compile_step(language, toolchain)
    running = run_step(language, toolchain, program.stdin, program.timeout)
    steps: tuple[Step, ...] = (running,) if compiling is None else (compiling, running)
    source = program.source.encode("utf-8", "replace")
    ran = launchers.run(Job(steps, {**program.files, language.source: source}))
    if compiling is None:
        return Finished(None, ran[0])
    return Finished(ran[0], ran[1] if len(ran) > 1 else None)
