"""The launcher: a process of its own that stays warm, and runs one job after the other, each confined and watched.

`python -I -S -c BOOT`: no site packages, no environment, nothing but the standard library and this room, so that it
starts in some 50 ms and holds no secret. It ends with its stdin, and ends what runs then.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import IO, Any

from llm_testbench.sandbox import kernel, scratch, wire
from llm_testbench.sandbox.confine import Plan
from llm_testbench.sandbox.guardian import Guardian, guarded
from llm_testbench.sandbox.model import Job, Layer, Ran, SandboxError, Step
from llm_testbench.sandbox.processes import Descendants, tasks_of, uids_in_use
from llm_testbench.sandbox.surroundings import Surroundings, probe
from llm_testbench.sandbox.uids import leased
from llm_testbench.sandbox.watch import watched

_LONGEST_TROUBLE = 500
_PATH = "/usr/local/bin:/usr/bin:/bin"
ENVIRONMENT = {
    "PATH": _PATH,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "USER": "sandbox",
    "LOGNAME": "sandbox",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "GOTOOLCHAIN": "local",
    "GOFLAGS": "-buildvcs=false",
    "GOPROXY": "off",
    "CGO_ENABLED": "0",
}
"""All that a program finds there, beside HOME and TMPDIR, which lie in its folder, and what the step adds."""


class Launcher:
    """Runs jobs below `base`, a folder that this process can write; `without`: see confine.Plan."""

    def __init__(
        self, base: str, surroundings: Surroundings, without: frozenset[str], guardian: Guardian, cancelled: int
    ) -> None:
        self._base = base
        self._surroundings = surroundings
        self._without = without
        self._guardian = guardian
        self._cancelled = cancelled
        self._descendants = Descendants()
        self._jobs = 0

    def run(self, job: Job) -> list[Ran]:
        """The steps in order, up to the first that is not ok. Raises OSError or SandboxError."""
        self._jobs += 1
        folder = f"{self._base}/{os.getpid()}-{self._jobs}"
        os.mkdir(folder, 0o700)  # noqa: PTH102
        try:
            return self._steps(job, folder)
        finally:
            scratch.remove(folder)

    def _steps(self, job: Job, folder: str) -> list[Ran]:
        scratch.fill(folder, job.files)
        # Not the folder itself: go takes no go.mod in the one for temporary files.
        os.mkdir(f"{folder}/.tmp", 0o700)  # noqa: PTH102
        done: list[Ran] = []
        with ExitStack() as stack:
            uid = None
            if self._surroundings.has(Layer.OWN_UID):
                uid = stack.enter_context(leased(uids_in_use()))
                scratch.give(folder, uid)
            for step in job.steps:
                plan = Plan(
                    folder,
                    step,
                    {**ENVIRONMENT, "HOME": folder, "TMPDIR": f"{folder}/.tmp", **step.environment},
                    self._surroundings,
                    uid,
                    self._processes_of_others() + step.limits.processes,
                    self._without,
                )
                done.append(self._step(plan, step, folder))
                if not done[-1].ok:
                    break
        return done

    def _processes_of_others(self) -> int:
        """Those that the kernel counts against a program's limit, beside its own."""
        if self._surroundings.has(Layer.OWN_UID) or self._surroundings.has(Layer.MOUNTS):
            return 0
        return tasks_of(os.geteuid())

    def _step(self, plan: Plan, step: Step, folder: str) -> Ran:
        ran = watched(plan, self._guardian, self._descendants, self._cancelled)
        collected: dict[str, bytes] = {}
        for path in step.collect:
            with suppress(OSError, ValueError):
                collected[path] = scratch.read_file(folder, path, step.limits.output)
        return replace(ran, collected=collected)


def serve() -> None:
    """Says which layers there are, then answers jobs until stdin ends."""
    with suppress(OSError):
        kernel.prctl(kernel.SET_DUMPABLE, 0)  # not even this user reads its memory
    # Ignored, as whoever started the tool may have left it, it would leave no child to wait for.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    guardian = guarded()
    kernel.prctl(kernel.SET_SUBREAPER, 1)
    # Unbuffered, so that whatever is readable there during a run means its end: nobody asks twice at once.
    requests, answers = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDWR)
    for place in (0, 1):
        os.dup2(empty, place)
    options: Any = wire.receive(requests)
    if options is None:
        return
    without = frozenset(options["without"])
    try:
        guardian.works_in(options["base"])
        surroundings = probe(without, options["newest_landlock"], options["base"])
    except (OSError, ValueError, SandboxError) as error:
        wire.send(answers, _failed(error))
        return
    if surroundings.has(Layer.OWN_UID):
        kernel.drop_capabilities()  # the launcher keeps what it holds, and executes nothing itself
    wire.send(answers, {"pid": os.getpid(), "layers": wire.layers_to_json(surroundings.layers)})
    launcher = Launcher(options["base"], surroundings, without, guardian, requests.fileno())
    _answer(launcher, requests, answers)


def _answer(launcher: Launcher, requests: IO[bytes], answers: IO[bytes]) -> None:
    while True:
        value = wire.receive(requests)
        if value is None:
            sys.exit(0)
        try:
            answer: Any = {"ran": [wire.ran_to_json(ran) for ran in launcher.run(wire.job_from_json(value))]}
        except (OSError, ValueError, SandboxError) as error:
            answer = _failed(error)
        wire.send(answers, answer)


def _failed(error: Exception) -> Any:
    kind = "" if isinstance(error, SandboxError) else f"{type(error).__name__}: "
    return {"failed": f"{kind}{error}"[:_LONGEST_TROUBLE]}
