"""What somebody who is asked may say."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from llm_testbench.answer.model import Completion
from llm_testbench.local.serving.question import Question
from llm_testbench.local.serving.response import Response


@dataclass(frozen=True)
class Said:
    """An answer. `about`: the test that it belongs to, for the log; untrusted."""

    completion: Completion
    about: str = ""


@dataclass(frozen=True)
class Refused:
    """An HTTP error in the place of an answer, and what the log says of it (untrusted)."""

    response: Response
    about: str = ""


Answer: TypeAlias = Said | Refused


class Answers(Protocol):
    """Who answers; asked by many threads at once."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models that it lists."""
        ...

    def answer(self, question: Question) -> Answer:
        """What it says to this."""
        ...


class Turns:
    """How often each thing has come up. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: Counter[Hashable] = Counter()

    def next(self, of: Hashable) -> int:
        """0 for the first time, then 1, …"""
        with self._lock:
            number = self._seen[of]
            self._seen[of] = number + 1
        return number
