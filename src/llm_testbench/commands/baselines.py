"""What a run is compared with: found before the first call, and told about in the report."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import read
from llm_testbench.artifact.redact import redacted
from llm_testbench.commands.baseline_runs import label, of_pool
from llm_testbench.commands.connection import Connection
from llm_testbench.commands.output import Output
from llm_testbench.compare.headline import ABSENT, UNUSABLE
from llm_testbench.compare.model import BaselineRun, Finding, Quoted
from llm_testbench.compare.pool import Pool
from llm_testbench.github.candidate import Absent, Find
from llm_testbench.github.sources import Candidate, Located, PassedOver, locate
from llm_testbench.github.wanted import Wanted, is_path
from llm_testbench.github.why_none import of_path
from llm_testbench.settings.model import Settings


@dataclass(frozen=True)
class Baseline:
    """`candidates`: what may be compared with, the most preferred first. `runs`: all that was looked at, in that order,
    those passed over included; `places`: where in it the candidates stand. `noted`: what the report warns of.
    `unusable`: one was there and cannot be used, or could not be fetched.
    """

    candidates: tuple[Artifact, ...] = ()
    runs: tuple[BaselineRun, ...] = ()
    places: tuple[int, ...] = ()
    noted: tuple[Finding, ...] = ()
    unusable: Finding | None = None


def find_baseline(settings: Settings, cells: Collection[CellKey], connection: Connection, output: Output) -> Baseline:
    """The baseline for `cells` (model name, test id; empty: not known yet). Never raises for what it finds."""
    found = locate(wanted(settings), cells, connection.github, read, without_github=connection.missing)
    troubles = tuple(_said(found, settings, connection, output))
    for trouble in troubles:
        output.warn(trouble)
    return Baseline(
        candidates=tuple(redacted(candidate.artifact, output.redactor) for candidate in found.candidates),
        runs=tuple(_run(find, output) for find in found.finds),
        places=tuple(place for place, find in enumerate(found.finds) if isinstance(find, Candidate)),
        noted=(
            *(_absent(model, source) for model, source in found.older),
            *(_not_asked(trouble) for trouble in troubles if found.candidates),
            *(_none_there(absent, output) for absent in found.absent if not found.candidates),
        ),
        unusable=_unusable(found, connection, output) if not found.candidates else None,
    )


def pooled_runs(baseline: Baseline, pool: Pool | None) -> tuple[BaselineRun, ...]:
    """All that was looked at, with what `pool` made of the candidates; None: nothing was compared with them."""
    runs = list(baseline.runs)
    if pool is not None:
        for number, place in enumerate(baseline.places):
            runs[place] = of_pool(runs[place], pool, number)
    return tuple(runs)


def wanted(settings: Settings) -> Wanted:
    """What the settings and the event say of the baseline that is looked for."""
    event = settings.github.event
    # The ref names the release even where the payload cannot be read.
    made = event.release.tag if event.release is not None else event.ref.removeprefix("refs/tags/")
    return Wanted(
        sources=settings.baseline.sources,
        tag=settings.baseline.tag,
        asset=settings.baseline.asset,
        prereleases=settings.baseline.prereleases,
        excluded_tag=made if event.name == "release" else "",
        window=settings.baseline.window,
    )


def _said(found: Located, settings: Settings, connection: Connection, output: Output) -> Iterator[str]:
    """What could not be looked at. On a laptop nobody asked GitHub, unless the sources were named."""
    if connection.github is not None or settings.baseline.chosen or settings.github.event.name:
        yield from found.failed
    if settings.baseline.chosen and not found.candidates and not found.passed_over:
        for source in filter(is_path, settings.baseline.sources):
            yield f"there is no baseline at {label(source, output)}"


def _unusable(found: Located, connection: Connection, output: Output) -> Finding | None:
    """Why none can be used, where there is a baseline or may be one."""
    for passed in found.passed_over:
        if passed.broken:
            words = ("the baseline ", Quoted(label(passed.source, output)), " cannot be used: ", Quoted(passed.why))
            return Finding(UNUSABLE, words)
    if connection.github is not None and found.failed:
        return Finding(UNUSABLE, ("GitHub could not be asked for a baseline: ", Quoted(found.failed[0])))
    return None


def _run(find: Find, output: Output) -> BaselineRun:
    source = label(find.source, output)
    if isinstance(find, PassedOver):
        return BaselineRun(source, find.tag, find.sha, why=find.why)
    return BaselineRun(source, find.tag, find.sha, find.url, find.artifact.meta.finished_at)


def _not_asked(trouble: str) -> Finding:
    return Finding("baseline_source", ("not every source of baselines could be asked: ", Quoted(trouble)))


def _none_there(absent: Absent, output: Output) -> Finding:
    words = of_path(absent.source, label(absent.source, output)).words if is_path(absent.source) else absent.words
    return Finding(ABSENT, words)


def _absent(model: str, source: str) -> Finding:
    sentence = (Quoted(model), " is not in the baseline, though an older one has it: ", Quoted(source))
    return Finding("model_absent", sentence, model)
