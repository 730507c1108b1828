"""Says from outside whether an attack succeeded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.sandbox.attack import Attack
from tests.sandbox.marked import Peaks
from tests.sandbox.stage import Print, Stage, difference, fingerprint

from llm_testbench.sandbox.model import Limits

STALLED = 3.0  # seconds beyond its wall limit
_EXCEEDED = 1.5  # times the limit
_BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CLAIM = re.compile(rb"^ATTACK-SUCCEEDED\b(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trace:
    """What an attack left: `said` in each run, seconds it returned behind its wall limit, what the tool read back.

    `printed`: what the tool would print of it. `held`: bytes of output that the tool holds. `outlived`: what still ran
    half a second later. `stays`: why its folder could not be removed.
    """

    said: tuple[bytes, ...]
    printed: str
    held: int
    late: float
    collected: bytes | None
    outlived: str | None
    stays: str | None
    carry: str
    peaks: Peaks


class Judge:
    """Made before the attack, asked after it."""

    def __init__(self, attack: Attack, stage: Stage, secrets: frozenset[str]) -> None:
        self._attack = attack
        self._stage = stage
        self._secrets = {secret.encode() for secret in secrets | stage.secrets}
        self._before: Print = {}
        self._path = stage.path(attack.object) if attack.success in ("changes", "creates") else None
        if attack.success == "changes":
            if self._path is None:
                raise ValueError(f"{attack.name}: the stage has no `{attack.object}`")
            self._before = fingerprint(self._path)

    def evidence(self, trace: Trace) -> str | None:
        """Why it succeeded, one line; None: it did not."""
        judged: Mapping[str, Callable[[Trace], str | None]] = {
            "prints": lambda trace: self._secret_in(b"\n".join(trace.said)),
            "changes": lambda _: self._changed(),
            "creates": lambda _: self._created(),
            "reaches": lambda _: self._stage.reached(self._attack.object),
            "signals": lambda _: (self._stage.tool if self._attack.object == "tool" else self._stage.other).harm(0.5),
            "outlives": lambda trace: trace.outlived,
            "exceeds": self._exceeded,
            "stalls": lambda trace: f"{trace.late:.1f} s late" if trace.late >= STALLED else None,
            "stays": lambda trace: trace.stays,
            "logs": lambda trace: live(trace.printed),
            "collects": self._collected,
            "carries": lambda trace: "it was found" if trace.carry.encode() in trace.said[-1] else None,
            "says": lambda trace: _claim(b"\n".join(trace.said)),
        }
        return judged[self._attack.success](trace)

    def share(self, trace: Trace) -> float | None:
        """The share of its limit that was reached, for `exceeds`."""
        if self._attack.success != "exceeds":
            return None
        return round(exceeded(self._attack, trace.peaks, trace.held), 2)

    def _secret_in(self, said: bytes) -> str | None:
        found = [secret.decode() for secret in sorted(self._secrets) if secret in said]
        return ", ".join(secret.partition("-")[0] for secret in found) or None

    def _changed(self) -> str | None:
        assert self._path is not None
        return difference(self._before, fingerprint(self._path))

    def _created(self) -> str | None:
        return "it is there" if self._path is not None and (self._path.exists() or self._path.is_symlink()) else None

    def _exceeded(self, trace: Trace) -> str | None:
        share = exceeded(self._attack, trace.peaks, trace.held)
        return f"{share:.1f} times the limit" if share > _EXCEEDED else None

    def _collected(self, trace: Trace) -> str | None:
        if trace.collected is None:
            return None
        if self._attack.object == "TOKEN":
            return self._secret_in(trace.collected)
        size, most = len(trace.collected), self._attack.limits.output
        return f"{size} bytes, {most} are the limit" if size > most else None


def exceeded(attack: Attack, peaks: Peaks, held: int = 0) -> float:
    """The share of its limit that was reached; 0 for other goals."""
    if attack.success != "exceeds":
        return 0.0
    limits = attack.limits
    if attack.object == "output":
        return held / limits.output
    return peaks.most.get(attack.object, 0) / _limit(limits, attack.object)


def is_over(attack: Attack, peaks: Peaks) -> bool:
    """Whether it has succeeded already, while it runs."""
    return exceeded(attack, peaks) > _EXCEEDED


def live(text: str) -> str | None:
    """The first thing in it that a log would obey: after actions/runner, ActionCommand.cs, and a terminal's rules."""
    for line in re.split(r"\r\n|\r|\n", text):
        start = line.lstrip()
        if start.startswith("::") and "::" in start[2:]:
            return f"a workflow command: {start[:60]!a}"
        if re.search(r"##\w*\[[^]]*\]", line):
            return f"an old workflow command: {line[:60]!a}"
    for character in text:
        if character not in "\n\t" and (unicodedata.category(character) == "Cc" or character in _BIDIRECTIONAL):
            return f"the character {character!a}"
    return None


def _claim(said: bytes) -> str | None:
    found = _CLAIM.search(said)
    return found[1].decode("utf-8", "replace").strip() or "it says so" if found else None


def _limit(limits: Limits, name: str) -> int:
    return {
        "memory": limits.memory,
        "kernel": limits.memory,
        "processes": limits.processes,
        "disk": limits.scratch,
        "entries": limits.entries,
        "files": limits.open_files,
    }[name]
