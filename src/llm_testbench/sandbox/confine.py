"""The child, from fork to exec: puts on one layer after the other. What fails ends it, and nothing is executed.

Not covered by line: it runs in processes that no coverage tool survives. Its proof is tests/sandbox/.
"""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

from llm_testbench.sandbox import filter as calls
from llm_testbench.sandbox import kernel, landlock
from llm_testbench.sandbox.call_rules import CALL_RULES, CallRule
from llm_testbench.sandbox.file_rules import DEVICES, READABLE
from llm_testbench.sandbox.guardian import Guardian
from llm_testbench.sandbox.limit_rules import LIMIT_RULES
from llm_testbench.sandbox.model import Layer, Limits, Step
from llm_testbench.sandbox.surroundings import Surroundings, enter_user_namespace
from llm_testbench.sandbox.uids import become

_NOT_STARTED = 127
_NICE = 5
_LONGEST_TROUBLE = 300  # characters; in JSON they have to fit into one read of a pipe, at twelve bytes each


@dataclass(frozen=True, slots=True)
class Plan:
    """How one step is confined. `uid`: of this run alone, None where it keeps the tool's.

    `processes`: what RLIMIT_NPROC is set to. `without`: layers, and rules as `calls:NAME` or `limits:NAME`, left out.
    """

    folder: str
    step: Step
    environment: Mapping[str, str]
    surroundings: Surroundings
    uid: int | None
    processes: int
    without: frozenset[str] = frozenset()

    def has(self, layer: Layer) -> bool:
        """Whether that layer is to be put on."""
        return self.surroundings.has(layer)


@dataclass(frozen=True, slots=True)
class Streams:
    """Descriptors; `trouble` is closed by a successful exec, and tells why there was none."""

    stdin: int
    stdout: int
    stderr: int
    trouble: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is made once, before the fork, for many programs.

    `filter`: None where a rule names the program's own process id. `ignored`: signals that Python ignores.
    """

    filter: bytes | None
    ignored: tuple[int, ...]


def prepared(plan: Plan) -> Prepared:
    """For the program of that plan."""
    return _prepared(tuple(rule.name for rule in rules_of(plan)))


def rules_of(plan: Plan) -> list[CallRule]:
    """The rules on system calls that its program gets."""
    shared_uid = plan.uid is None
    shared_files = shared_uid and not plan.has(Layer.MOUNTS)
    needed = {
        "everywhere": True,
        "shared uid": shared_uid,
        "shared files": shared_files,
        "shared files, no linker": shared_files and not plan.step.chmod,
        "no signal scope": shared_uid and not plan.has(Layer.SCOPE),
    }
    return [rule for rule in CALL_RULES if needed[rule.where] and f"calls:{rule.name}" not in plan.without]


@cache
def _prepared(names: tuple[str, ...]) -> Prepared:
    rules = [rule for rule in CALL_RULES if rule.name in names]
    program = None if calls.name_own_process(rules) else _filter(rules)
    ignored = tuple(int(one) for one in signal.valid_signals() if signal.getsignal(one) == signal.SIG_IGN)
    return Prepared(program, ignored)


def _filter(rules: Sequence[CallRule]) -> bytes:
    return calls.packed(calls.assemble(rules, kernel.ARCHITECTURE or "", os.getpid()))


def confine_and_execute(plan: Plan, ready: Prepared, streams: Streams, guardian: Guardian, parent: int) -> NoReturn:
    """Never returns. `parent`: the launcher's pid."""
    stage = "the guardian"
    trouble = streams.trouble
    try:
        os.setsid()
        # Here, so that there is no moment in which a program runs and the guardian does not know.
        guardian.begins(os.getpid(), plan.uid, plan.folder)
        stage = "the streams"
        trouble = _take_streams(streams)
        stage = "the signals"
        _reset_signals(ready.ignored)
        os.umask(0o022)
        stage = "the priority"
        _offer_to_the_oom_killer()
        if plan.has(Layer.MOUNTS):
            stage = Layer.MOUNTS.value
            enter_user_namespace()
            kernel.make_read_only(plan.folder)
        stage = Layer.RESOURCES.value
        if plan.has(Layer.RESOURCES):
            _limit(plan.step.limits, plan.processes, plan.without)
        stage = Layer.OWN_UID.value
        if plan.uid is not None:
            become(plan.uid)
            kernel.clear_capabilities()  # the inheritable ones survive a change of user
        stage = "the parent's death"
        kernel.prctl(kernel.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(_NOT_STARTED)
        stage = Layer.NO_NEW_PRIVILEGES.value
        if plan.has(Layer.NO_NEW_PRIVILEGES):
            kernel.prctl(kernel.SET_NO_NEW_PRIVILEGES, 1)
        stage = "the folder"
        os.chdir(plan.folder)
        stage = Layer.FILES.value
        _restrict(plan)
        if plan.has(Layer.CALLS):
            stage = Layer.CALLS.value
            kernel.install_filter(ready.filter or _filter(rules_of(plan)))
        stage = "the program"
        os.execve(plan.step.argv[0], plan.step.argv, dict(plan.environment))  # noqa: S606
    except BaseException as error:  # whatever it is, the launcher is told, and nothing is executed
        with suppress(BaseException):
            os.write(trouble, json.dumps([stage, str(error)[:_LONGEST_TROUBLE]]).encode())
    os._exit(_NOT_STARTED)


def _take_streams(streams: Streams) -> int:
    """Three streams and the way to tell trouble, which exec closes; every other descriptor is closed now."""
    high = [os.dup(one) for one in (streams.stdin, streams.stdout, streams.stderr)]
    for place, one in enumerate(high):
        os.dup2(one, place)
    trouble = max(3, streams.trouble)
    if trouble != streams.trouble:
        os.dup2(streams.trouble, trouble)
    kernel.close_from(3, keep=trouble)
    os.set_inheritable(trouble, False)  # noqa: FBT003
    return trouble


def _reset_signals(ignored: tuple[int, ...]) -> None:
    """Python leaves SIGPIPE and SIGXFSZ ignored, and a program expects them not to be. exec itself resets handlers."""
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _offer_to_the_oom_killer() -> None:
    """When memory runs out it is the program that goes, not the tool; and the tool goes first on the processor."""
    # The launcher is not dumpable, and such a process may not write its own /proc files.
    kernel.prctl(kernel.SET_DUMPABLE, 1)
    with suppress(OSError):
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(descriptor, b"1000")
        os.close(descriptor)
    with suppress(OSError):
        os.nice(_NICE)


def _limit(limits: Limits, processes: int, without: frozenset[str]) -> None:
    for rule in LIMIT_RULES:
        if f"limits:{rule.name}" not in without:
            soft = rule.soft(limits)
            _set(rule.which, soft, rule.hard(limits) if rule.hard is not None else soft)
    if "limits:processes" not in without:
        _set(resource.RLIMIT_NPROC, processes, processes)


def _set(which: int, soft: int, hard: int) -> None:
    """Never above what holds already."""
    most = resource.getrlimit(which)[1]
    if most != resource.RLIM_INFINITY:
        hard = min(hard, most)
    resource.setrlimit(which, (min(soft, hard), hard))


def _restrict(plan: Plan) -> None:
    on = {layer: plan.has(layer) for layer in (Layer.FILES, Layer.NETWORK, Layer.SCOPE)}
    if not any(on.values()):
        return
    allowed = [landlock.Allowed(rule.path, landlock.USE) for rule in READABLE]
    allowed += [landlock.Allowed(rule.path, landlock.DEVICE) for rule in DEVICES]
    allowed += [landlock.Allowed(path, landlock.USE, required=True) for path in plan.step.reads]
    allowed.append(landlock.Allowed(plan.folder, landlock.OWN, required=True))
    if plan.step.own_proc:
        allowed.append(landlock.Allowed("/proc/self", landlock.LOOK, required=True))
    landlock.restrict(
        plan.surroundings.landlock, allowed, files=on[Layer.FILES], network=on[Layer.NETWORK], scope=on[Layer.SCOPE]
    )
