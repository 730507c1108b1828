"""What the models of a world answer: scores instead of texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat as always
from random import Random

from benchmarks.calibration.suite import QUARTERS, main_rows, row
from benchmarks.calibration.world import Chances, Server, World, score
from llm_testbench.artifact.model import Row
from llm_testbench.runner.job import Job


class Answers:
    """The servers of one world. `seed`: where its draws begin; equal seeds give equal answers.

    Runs are numbered, so that no two are alike; the same request on both sides of the change is another one only where
    the change makes its chance another.
    """

    def __init__(self, world: World, server: Server, seed: str) -> None:
        self._world = world
        self._server = server
        self._seed = seed
        self._streams: dict[tuple[int, int, int, bool], Iterator[int]] = {}

    def main(self, run: int, repeat: int, *, treated: bool) -> tuple[Row, ...]:
        """All attempts of phase main, in the order of an artifact."""
        world, chances = self._world, self._chances(treated=treated)
        rows = main_rows(len(world.quartered), len(chances), repeat)
        if self._server == "independent":
            # One generator for all cells: seeding one for each would take most of the time.
            random = Random(f"{self._seed} {run}")
            return tuple(
                by_score[score(random, chance, quarters=quarters)]
                for of_model, of_tests in zip(rows, chances, strict=True)
                for of_test, chance, quarters in zip(of_model, of_tests, world.quartered, strict=True)
                for by_score in of_test
            )
        return tuple(
            self._marked(by_score[next(stream)], run, treated=treated)
            for model, of_model in enumerate(rows)
            for test, of_test in enumerate(of_model)
            for stream in (self.drawn(run, model, test, treated=treated),)
            for by_score in of_test
        )

    def again(self, run: int, job: Job, *, treated: bool) -> Row:
        """An attempt of phase confirm. What a cell's attempts say does not depend on what else is asked, or when."""
        model, test = int(job.model.name[1:]), int(job.test.id[1:])
        key = (run, model, test, treated)
        if key not in self._streams:
            self._streams[key] = self.drawn(run, model, test, treated=treated)
        quarters = next(self._streams[key])
        plain = replace(
            row(job.model.name, job.test, job.attempt),
            phase=job.phase,
            side=job.side,
            score=quarters / QUARTERS,
            passed=quarters == QUARTERS,
        )
        return self._marked(plain, run, treated=treated)

    def drawn(self, run: int, model: int, test: int, *, treated: bool) -> Iterator[int]:
        """What a cell's attempts score, in quarters, one after the other; of `independent`, those of phase confirm."""
        chance, quarters = self._chances(treated=treated)[model][test], self._world.quartered[test]
        if self._server == "deterministic":
            # One draw decides for all runs and both sides: they differ only where the chance does.
            return always(score(Random(f"{self._seed} {model} {test}"), chance, quarters=quarters))
        random = Random(f"{self._seed} {run} {model} {test} {treated}")
        if self._server == "independent":
            return iter(lambda: score(random, chance, quarters=quarters), None)
        return always(score(random, chance, quarters=quarters))

    def _chances(self, *, treated: bool) -> Chances:
        return self._world.after if treated else self._world.before

    def _marked(self, answer: Row, run: int, *, treated: bool) -> Row:
        if self._server != "copies with ids":
            return answer
        return replace(answer, response_id=f"{answer.model} {answer.test_id} {run} {treated}")
