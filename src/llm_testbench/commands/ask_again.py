"""Asking suspects again: what the comparison wants to know becomes jobs, until it knows enough (stats.md, step 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from llm_testbench.artifact.model import Artifact, Row, Side, TestEntry
from llm_testbench.compare.confirm import Ask, State, following
from llm_testbench.compare.examine import fresh
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.json_value import JSONObject
from llm_testbench.runner.job import Job
from llm_testbench.suite.model import Test


class Again:
    """Gives the next jobs for the run so far, and none when nothing more is to be asked.

    `judge` judges by the main attempts; it is called once, when they are all there. `models`, `against`: how each side
    of a model is asked, by name. `before`: the baseline, whose stored requests are asked again; None: there is none.
    """

    def __init__(
        self,
        judge: Callable[[Artifact], State],
        *,
        tests: Sequence[Test],
        before: Artifact | None,
        models: Sequence[ModelOptions],
        against: Mapping[str, ModelOptions],
    ) -> None:
        self._judge = judge
        self._tests = {test.id: test for test in tests}
        self._before = {entry.test_id: entry for entry in before.tests} if before is not None else {}
        # A seed that the recording has used would bring back the very answers that made this test a suspect.
        self._recorded = _attempts(before.results, side="baseline") if before is not None else {}
        self._models = {model.name: model for model in models}
        self._against = against
        self._state: State | None = None

    def __call__(self, run: Artifact) -> tuple[Job, ...]:
        """The jobs of the next round; the sides of one cell alternate in time."""
        if self._state is None:
            self._state = self._judge(run)
        asks = following(self._state, fresh(run.results))
        taken = self._recorded | _attempts(run.results)
        jobs = [self._jobs(ask, taken.get((*ask.key, ask.side), 0)) for ask in asks]
        return _interleaved(jobs)

    def _jobs(self, ask: Ask, first: int) -> tuple[Job, ...]:
        name, test_id = ask.key
        model, test = self._models[name], self._tests[test_id]
        if ask.side == "baseline":
            model = self._against.get(name, model)
            test = as_before(test, self._before.get(test_id))
        return tuple(
            Job(model, test, attempt, phase="confirm", side=ask.side) for attempt in range(first, first + ask.count)
        )


def as_before(test: Test, entry: TestEntry | None) -> Test:
    """The test with the request that the baseline stored; its own where the two are equal, or none is known."""
    if entry is None or not entry.request or entry.request_hash == test.request_hash:
        return test
    request = entry.request
    limit = request.get("max_tokens")
    parameters = request.get("parameters")
    return replace(
        test,
        messages=_objects(request.get("messages")),
        tools=_objects(request.get("tools")),
        parameters=parameters if isinstance(parameters, dict) else {},
        max_tokens=limit if isinstance(limit, int) else None,
    )


def _objects(value: object) -> tuple[JSONObject, ...]:
    return tuple(one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _attempts(rows: Sequence[Row], side: Side | None = None) -> dict[tuple[str, str, str], int]:
    """The number of the next attempt of each cell and side: numbers go on over the phases, so that no seed repeats.

    `side`: what the rows are taken as.
    """
    taken: dict[tuple[str, str, str], int] = {}
    for row in rows:
        key = (row.model, row.test_id, side or row.side)
        taken[key] = max(taken.get(key, 0), row.attempt + 1)
    return taken


def _interleaved(jobs: Sequence[Sequence[Job]]) -> tuple[Job, ...]:
    """The first of each list, then the second of each, …: neither one cell nor one side is asked in a burst."""
    longest = max((len(some) for some in jobs), default=0)
    return tuple(some[index] for index in range(longest) for some in jobs if index < len(some))
