"""`llmtest run`: ask the models and report the scores, without a baseline and without a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from llm_testbench.artifact.read import ArtifactError, read
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.measure import Measured, measure, planned_jobs
from llm_testbench.commands.output import Output, plain_output, pretty
from llm_testbench.commands.programs import any_runs_code, programs
from llm_testbench.commands.selection import Selection, selected
from llm_testbench.runner.plan import estimate, latencies
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve


def main(flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """0, or 3 when too little was measured to build on; never 1."""
    settings = resolve("run", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    suite = selected(settings, edges)
    _tell_shard(settings, suite, output)
    if settings.plan:
        return _plan(settings, suite, output)
    with programs(settings, output, needed=any_runs_code(test.evaluator for test in suite.tests)) as shop:
        measured = measure(
            settings,
            suite.tests,
            settings.out,
            "run",
            edges,
            programs=shop,
            meanwhile=_conclusion,
            divided=suite.divided,
        )
    return _conclusion()(measured, settings, suite, output)


def _tell_shard(settings: Settings, suite: Selection, output: Output) -> None:
    """How much of the run is this machine's; that there is none of it is said even to who wants quiet."""
    if suite.divided is None or (settings.quiet and suite.tests):
        return
    mine = f"{len(suite.tests)} of {len(suite.divided)} tests" if suite.tests else "no test: nothing is asked"
    output.log(f"shard {settings.shard}: {mine}")


def _conclusion() -> Callable[[Measured, Settings, Selection, Output], int]:
    """What ends a run. Its imports are done while the first answers are awaited: so the asking begins sooner."""
    from llm_testbench.commands.run_report import conclude  # noqa: PLC0415
    from llm_testbench.report import terminal  # noqa: F401, PLC0415 -- loaded for Output.print

    return conclude


def _plan(settings: Settings, suite: Selection, output: Output) -> int:
    from llm_testbench.report.views.plan import plan_report  # noqa: PLC0415 -- as above

    jobs = planned_jobs(settings, suite.tests)
    needed = estimate(jobs, settings.run.concurrency, _known_latencies(settings))
    document = plan_report(needed, tests=len(suite.tests), models=len(settings.models), repeat=settings.repeat)
    output.print(document, lambda: pretty(asdict(needed)))
    return 0


def _known_latencies(settings: Settings) -> dict[tuple[str, str], float]:
    """What the artifact that this run would replace tells; nothing where there is none."""
    try:
        return {} if settings.out is None else latencies(read(settings.out).results)
    except ArtifactError:
        return {}
