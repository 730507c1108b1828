"""The tests that a command works on: loaded from the suites, chosen by the filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llm_testbench.artifact.build import entry_of
from llm_testbench.artifact.model import TestEntry
from llm_testbench.commands.edges import Edges
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.settings.model import Settings
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test
from llm_testbench.suite.select import select, unmatched
from llm_testbench.untrusted import Untrusted


@dataclass(frozen=True)
class Selection:
    """`tests`: those to run. `all_ids`: what the suites hold, whatever the filters chose."""

    tests: tuple[Test, ...]
    all_ids: frozenset[str]

    @property
    def entries(self) -> tuple[TestEntry, ...]:
        """The tests as an artifact will keep them."""
        return tuple(entry_of(test) for test in self.tests)

    def cells(self, models: Sequence[ModelOptions]) -> tuple[tuple[str, str], ...]:
        """Every (model name, test id) that a run is to ask."""
        return tuple((model.name, test.id) for model in models for test in self.tests if test.is_for(model.name))


NOTHING = Selection((), frozenset())


def selected(settings: Settings, edges: Edges) -> Selection:
    """Loads and filters; notes of the settings and filters that match nothing are said on stderr."""
    for note in settings.notes:
        edges.say(f"note: {Untrusted(note).log_line()}")
    tests = load(settings.suites, settings.suites_base)
    chosen = select(tests, settings.filters)
    for line in unmatched(tests, settings.filters):
        edges.say(f"warning: {Untrusted(line).log_line()}")
    return Selection(chosen, frozenset(test.id for test in tests))
