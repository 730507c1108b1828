"""Runs one attack in one configuration, on a stage of its own."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tests.sandbox import leftovers, naive
from tests.sandbox.attack import Attack
from tests.sandbox.judge import STALLED, Judge, Trace, is_over
from tests.sandbox.marked import Marked, Peaks, Sampler
from tests.sandbox.outcome import Outcome, Verdict
from tests.sandbox.stage import Stage

from llm_testbench.sandbox.languages import LANGUAGES, NoToolchain, Toolchain, compile_step, find, run_step
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job, Layer, Ran, SandboxError, Step
from llm_testbench.untrusted import Untrusted

_OUTLIVES = 0.5  # seconds
_SAID = 2000


@dataclass(frozen=True, slots=True)
class Ground:
    """Where attacks run. `launchers`: None for the naive way. `without`: what they leave out, in words.

    `secrets`: what the whole process of the tests holds, such as on its stdin.
    """

    place: str
    launchers: Launchers | None
    without: tuple[str, ...] = ()
    path: str = ""
    go_seed: str | None = None
    secrets: frozenset[str] = frozenset()

    @property
    def mode(self) -> str:
        """For people."""
        return "naive" if self.launchers is None else "sandbox"

    def toolchain(self, language: str) -> Toolchain | NoToolchain:
        """As the product finds it."""
        own_uid = self.launchers is not None and self.launchers.layers[Layer.OWN_UID].active
        return find(LANGUAGES[language], self.path, own_uid=own_uid, go_cache=self.go_seed)


def perform(attack: Attack, ground: Ground) -> Outcome:
    """One outcome. Raises ValueError for an attack that makes no sense."""
    reason = _missing(attack, ground)
    toolchain = ground.toolchain(attack.language.name)
    if reason is None and isinstance(toolchain, NoToolchain):
        reason = toolchain.reason
    if reason is not None or isinstance(toolchain, NoToolchain):
        return _outcome(attack, ground, Verdict.NOT_APPLICABLE, evidence=reason or "")
    mark = os.urandom(12).hex()
    started = time.monotonic()
    with Stage(ground.go_seed) as stage:
        judge = Judge(attack, stage, ground.secrets)
        marked = Marked(mark)
        give_up = threading.Event()
        wall = attack.runs * (attack.limits.wall + (attack.compile_limits.wall if attack.language.compile else 0.0))

        def seen(peaks: Peaks) -> None:
            late = time.monotonic() - started > wall + STALLED + 0.3
            if ground.launchers is None and (is_over(attack, peaks) or late):
                give_up.set()
                marked.end()

        runs: list[_Run] = []
        carry = f"carry-{os.urandom(12).hex()}"
        with Sampler(marked, str(stage.folder), seen, alone=attack.alone) as peaks:
            for number in range(1, attack.runs + 1):
                more = {"carry": carry} if number == 1 and attack.success == "carries" else {}
                steps = _steps(attack, toolchain, {"ATTACK_MARK": mark, "ATTACK_RUN": str(number)})
                source, target = stage.filled(attack.source), stage.target_json(**more)
                job = Job(steps, {attack.language.source: source, "target.json": target})
                runs.append(_naively(job, give_up) if ground.launchers is None else _inside(ground.launchers, job))
        outlived = _outlived(marked, attack)
        trace = Trace(
            said=tuple(run.said for run in runs),
            printed="\n".join(_printed(run.said, naively=ground.launchers is None) for run in runs),
            held=max(run.held for run in runs),
            late=max(run.late for run in runs),
            collected=runs[-1].collected,
            outlived=outlived,
            stays=next((run.stays for run in runs if run.stays), None),
            carry=carry,
            peaks=peaks,
        )
        evidence = judge.evidence(trace)
        marked.end()
        if attack.success == "carries":
            leftovers.remove(stage)
        for run in runs:
            if run.stays is not None and run.left is not None:
                naive.force(run.left)
        if evidence is None and ground.launchers is not None:
            evidence = _besides(trace, stage)
    return _outcome(
        attack,
        ground,
        Verdict.HELD if evidence is None else Verdict.SUCCEEDED,
        evidence=evidence or "",
        seconds=sum(run.seconds for run in runs),
        ended=runs[-1].ended,
        peak=judge.share(trace),
        said=trace.said[-1][-_SAID:].decode("utf-8", "replace"),
    )


@dataclass(frozen=True, slots=True)
class _Run:
    said: bytes
    held: int
    seconds: float
    late: float
    ended: str
    collected: bytes | None
    stays: str | None
    left: Path | None = None


def _missing(attack: Attack, ground: Ground) -> str | None:
    root = os.geteuid() == 0
    if ({"root", "setuid"} & attack.needs and not root) or ("user" in attack.needs and root):
        return f"needs {'an ordinary user' if root else 'root'}"
    if "ipv6" in attack.needs and not _has_ipv6():
        return "needs IPv6"
    for need, language in (("gcc", "c"), ("go", "go"), ("node", "javascript")):
        found = ground.toolchain(language) if need in attack.needs else None
        if isinstance(found, NoToolchain):
            return found.reason
    return None


def _has_ipv6() -> bool:
    with suppress(OSError), socket.socket(socket.AF_INET6) as made:
        made.bind(("::1", 0))
        return True
    return False


def _steps(attack: Attack, toolchain: Toolchain, environment: dict[str, str]) -> tuple[Step, ...]:
    compiling = compile_step(attack.language, toolchain)
    plain = run_step(attack.language, toolchain, b"", attack.limits.wall)
    running = replace(
        plain,
        limits=attack.limits,
        environment={**plain.environment, **environment},
        own_proc=attack.own_proc,
        chmod=attack.chmod,
        collect=() if attack.collect is None else (attack.collect,),
    )
    if compiling is None:
        return (running,)
    compiling = replace(compiling, limits=attack.compile_limits, environment={**compiling.environment, **environment})
    return (compiling, running)


def _inside(launchers: Launchers, job: Job) -> _Run:
    started = time.monotonic()
    try:
        ran: Sequence[Ran] = launchers.run(job)
    except SandboxError as error:
        seconds = time.monotonic() - started
        late = seconds - sum(step.limits.wall for step in job.steps)
        return _Run(b"", 0, seconds, late, f"the sandbox failed: {error}", None, f"the sandbox failed: {error}")
    seconds = time.monotonic() - started
    allowed = sum(one.wall for one in ran[:-1]) + job.steps[len(ran) - 1].limits.wall
    collect = job.steps[-1].collect
    return _Run(
        said=b"\n".join(one.stdout + b"\n" + one.stderr for one in ran),
        held=max(max(len(one.stdout), len(one.stderr)) for one in ran),
        seconds=seconds,
        late=seconds - allowed,
        ended=_ended(ran[-1]),
        collected=ran[-1].collected.get(collect[0]) if collect else None,
        stays=None,
    )


def _naively(job: Job, give_up: threading.Event) -> _Run:
    done = naive.run(job, give_up)
    return _Run(done.said, len(done.said), done.seconds, done.late, done.ended, done.collected, done.stays, done.folder)


def _ended(ran: Ran) -> str:
    if ran.not_started is not None:
        return f"not started: {ran.not_started}"
    if ran.limit_hit is not None:
        return f"limit: {ran.limit_hit}"
    return f"exit {ran.exit}" if ran.exit is not None else f"signal {ran.signal}"


def _printed(said: bytes, *, naively: bool) -> str:
    text = said.decode("utf-8", "replace")
    return text if naively else "\n".join(Untrusted(text).terminal_lines())


def _outlived(marked: Marked, attack: Attack) -> str | None:
    """Processes that are there half a second later; nobody waits for it if there are none now, and none was to be."""
    if attack.success != "outlives" and not marked.pids():
        return None
    time.sleep(_OUTLIVES)
    for _ in range(10):
        found = marked.pids()
        if found:
            return f"{len(found)} processes"
    return "a process of its user" if attack.alone and marked.strangers() else None


def _besides(trace: Trace, stage: Stage) -> str | None:
    """What never may happen in the sandbox, whatever the attack was after."""
    if trace.outlived is not None:
        return f"besides its goal: {trace.outlived} outlived it"
    if trace.stays is not None:
        return f"besides its goal: {trace.stays}"
    harm = stage.tool.harm() or stage.other.harm()
    return f"besides its goal: of the tool or another run: {harm}" if harm else None


def _outcome(
    attack: Attack,
    ground: Ground,
    verdict: Verdict,
    *,
    evidence: str,
    seconds: float = 0.0,
    ended: str = "",
    peak: float | None = None,
    said: str = "",
) -> Outcome:
    return Outcome(
        attack=attack.name,
        place=ground.place,
        mode=ground.mode,
        without=ground.without,
        verdict=verdict,
        evidence=evidence,
        seconds=round(seconds, 2),
        ended=ended,
        peak=peak,
        said=said,
        polled=attack.polled,
        no_control=attack.no_control,
        residual=attack.residual,
    )
