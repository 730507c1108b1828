"""The tests that a command works on: loaded from the suites, chosen by the filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from llm_testbench.artifact.build import entry_of
from llm_testbench.artifact.model import TestEntry
from llm_testbench.commands.edges import Edges
from llm_testbench.errors import InputError
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.settings.model import Settings
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test
from llm_testbench.suite.select import select, unmatched
from llm_testbench.suite.shard import part
from llm_testbench.untrusted import Untrusted


@dataclass(frozen=True)
class Selection:
    """`tests`: those to run. `all_ids`: what the suites hold, whatever the filters chose.

    `divided`: what the filters chose, where `tests` are one shard of it, and may be none.
    """

    tests: tuple[Test, ...]
    all_ids: frozenset[str]
    divided: tuple[Test, ...] | None = None

    @property
    def entries(self) -> tuple[TestEntry, ...]:
        """The tests as an artifact will keep them."""
        return tuple(entry_of(test) for test in self.tests)

    def cells(self, models: Sequence[ModelOptions]) -> tuple[tuple[str, str], ...]:
        """Every (model name, test id) that a run is to ask."""
        return tuple((model.name, test.id) for model in models for test in self.tests if test.is_for(model.name))


NOTHING = Selection((), frozenset())


def selected(settings: Settings, edges: Edges) -> Selection:
    """Loads, filters, and takes the shard; notes of the settings and filters that match nothing are said on stderr.

    InputError when the filters leave no test, or the models of this run none.
    """
    for note in settings.notes:
        edges.say(f"note: {Untrusted(note).log_line()}")
    tests = load(settings.suites, settings.suites_base)
    chosen = select(tests, settings.filters)
    for line in unmatched(tests, settings.filters):
        edges.say(f"warning: {Untrusted(line).log_line()}")
    whole = Selection(chosen, frozenset(test.id for test in tests))
    if settings.models and not whole.cells(settings.models):
        raise InputError("no test selected: the selected tests are for other models than those of this run")
    if settings.shard is None:
        return whole
    return replace(whole, tests=part(chosen, settings.shard), divided=chosen)
