"""What a test fails to prove, and what is weak about it."""

from __future__ import annotations

from dataclasses import dataclass

from llm_testbench.errors import Place
from llm_testbench.suite.model import Test
from llm_testbench.suite.rules import Severity, severity_of
from llm_testbench.untrusted import Untrusted

LONGEST_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class Problem:
    """`rule`: one of rules.RULES. `message` is one line."""

    place: Place
    test_id: str
    message: str
    rule: str

    @property
    def severity(self) -> Severity:
        """An error, or a note that fails nothing."""
        return severity_of(self.rule)


def problem(rule: str, test: Test, message: str, place: Place | None = None) -> Problem:
    """A problem of a test, which stands where its check is written unless it has a place of its own."""
    return Problem(place or test.check_place, test.id, shown(message), rule)


def shown(text: str) -> str:
    """Foreign text as one line that can be shown anywhere."""
    return Untrusted(text).terminal(LONGEST_MESSAGE)
