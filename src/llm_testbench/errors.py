"""The errors that end a command: one line for a person, and the exit code it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was written: a file (or `flag --x`, `LLMTB_X`), 1-based line and column."""

    source: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [self.source, *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts)


class CommandError(Exception):
    """Ends the command with `exit_code`; `str()` is the one line that the user sees."""

    exit_code: ClassVar[int]

    def __init__(self, message: str, place: Place | None = None) -> None:
        self.message = message
        self.place = place
        super().__init__(f"{place}: {message}" if place is not None else message)


class InputError(CommandError):
    """What the user gave is wrong: usage, config, suite, artifact (exit code 2)."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Fault:
    """One of several faults; `str()` is its complete line.

    `rule`: the stable name of what is broken, for programs that read reports. `test_id`: the test that has it.
    """

    message: str
    place: Place | None = None
    rule: str = ""
    test_id: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place is not None else self.message


class FaultsError(InputError):
    """Several faults at once, each a line of its own; a text is one of which nothing else is known."""

    def __init__(self, faults: Sequence[Fault | str]) -> None:
        self.faults = tuple(Fault(fault) if isinstance(fault, str) else fault for fault in faults)
        super().__init__("\n".join(map(str, self.faults)))


class InconclusiveError(CommandError):
    """The run cannot judge: endpoint down or no LLM, broken baseline, disk full (exit code 3)."""

    exit_code = 3
