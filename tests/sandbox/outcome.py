"""What became of an attack in one configuration; plain values, kept as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path


class Verdict(StrEnum):
    """What the judge says."""

    SUCCEEDED = "succeeded"
    HELD = "held"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`place`: host root, host user, container …; `mode`: sandbox or naive; `without`: what was switched off.

    `peak`: the highest share of a limit that was reached, for `exceeds`. `said`: the end of what it printed.
    """

    attack: str
    place: str
    mode: str
    without: tuple[str, ...]
    verdict: Verdict
    evidence: str = ""
    seconds: float = 0.0
    ended: str = ""
    peak: float | None = None
    said: str = ""
    polled: bool = False
    no_control: str | None = None
    residual: str | None = None

    @property
    def category(self) -> str:
        """Of the attack."""
        return self.attack.partition("/")[0]

    @property
    def counts(self) -> bool:
        """Whether it says anything: it applies here, and the attack is known to succeed somewhere."""
        return self.verdict is not Verdict.NOT_APPLICABLE and self.no_control is None


def to_line(outcome: Outcome) -> str:
    """One line of JSON."""
    return json.dumps(asdict(outcome), ensure_ascii=True)


def read_lines(paths: Iterable[Path]) -> list[Outcome]:
    """All of those files. Raises OSError and ValueError."""
    found = []
    for path in paths:
        for line in path.read_text(encoding="ascii").splitlines():
            value = json.loads(line)
            value["without"], value["verdict"] = tuple(value["without"]), Verdict(value["verdict"])
            found.append(Outcome(**value))
    return found
