"""The baseline as a run is compared with it: today's checks on its stored answers, several runs joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact, TestEntry
from llm_testbench.artifact.rescore import rescore
from llm_testbench.artifact.sides import baseline_side
from llm_testbench.commands.baseline_runs import age
from llm_testbench.commands.baselines import Baseline, pooled_runs
from llm_testbench.compare.model import BaselineRun
from llm_testbench.compare.pool import Pool, pool
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.settings.model import Settings


@dataclass(frozen=True)
class Before:
    """`joined`: None where there is no baseline, or the other side is asked in this run.

    `edited`: cells whose stored answers today's check scored again, but for those in `unscored`, where that was
    not possible. `other_side`: of a run that asks both sides, the artifact of the other one.
    """

    joined: Pool | None
    edited: frozenset[CellKey] = frozenset()
    unscored: frozenset[CellKey] = frozenset()
    other_side: Callable[[Artifact], Artifact] | None = None

    def beside(self, run: Artifact) -> Artifact | None:
        """What `run` is compared with."""
        if self.other_side is not None:
            return self.other_side(run)
        return self.joined.artifact if self.joined is not None else None

    def runs(self, baseline: Baseline, run: Artifact) -> tuple[BaselineRun, ...]:
        """Which runs it was made of, how old each was at the end of `run`, and which were passed over."""
        return tuple(replace(one, age=age(one, run)) for one in pooled_runs(baseline, self.joined))


def with_todays_checks(
    baseline: Baseline, tests: Sequence[TestEntry], settings: Settings, workshop: Workshop
) -> Before:
    """The baseline after the checks of `tests` have scored the stored answers of those whose check was edited."""
    if settings.baseline.live:
        return Before(None, other_side=lambda run: baseline_side(run, settings.models, settings.against))
    if not baseline.candidates:
        return Before(None)
    edited = [edited_checks(candidate, tests) for candidate in baseline.candidates]
    rescored = [
        rescore(candidate, by=tests, only=some, workshop=workshop)
        for candidate, some in zip(baseline.candidates, edited, strict=True)
    ]
    joined = pool([one.artifact for one in rescored], window=settings.baseline.window)
    # Of each cell, what became of it in the run that it is from.
    unscored = [frozenset(one.unscored) for one in rescored]
    return Before(
        joined,
        edited=frozenset(key for key, number in joined.source.items() if key[1] in edited[number]),
        unscored=frozenset(key for key, number in joined.source.items() if key in unscored[number]),
    )


def edited_checks(baseline: Artifact, tests: Sequence[TestEntry]) -> frozenset[str]:
    """Tests whose check changed and whose request did not: only their old answers tell what the new check says."""
    before = {test.test_id: test for test in baseline.tests}
    return frozenset(
        test.test_id
        for test in tests
        if (old := before.get(test.test_id)) is not None
        and old.check_hash
        and old.check_hash != test.check_hash
        and old.request_hash == test.request_hash
    )
