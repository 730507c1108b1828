"""What is known about a comparison beside its two artifacts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.model import Acceptance, BaselineRun, Finding
from llm_testbench.compare.pool import Part


@dataclass(frozen=True, slots=True)
class LastRelease:
    """The newest release that carries a baseline, and what it carries."""

    run: BaselineRun
    artifact: Artifact


@dataclass(frozen=True, slots=True)
class Scope:
    """From the suite, the settings and the search for a baseline.

    `suite_ids`: all test ids that exist today, whatever the filters chose: a test of the baseline that is not run now
    is `not_selected` if it is among them, else `removed`.
    `planned`: the cells (model name, test id) that this run was to ask; empty: those that have rows, and those of tests
    that nobody was asked.
    `unscored`: cells of the baseline whose check was edited and whose answers could not be scored again; `edited`:
    those that an edited check scored again.
    `parts`: the runs that the baseline was filled from, where it is not one run; `further`: scores of further runs that
    were pooled with it, one tuple a run.
    `accepted`: drops that somebody accepted, whose scores stand in the baseline's place.
    `against`: names of models that have a second side to ask.
    `room`: requests that may still be made when suspects are asked again; None: as many as the budget allows.
    `baselines`: the runs that the baseline was made of, and those passed over; `noted`: what finding them brought up.
    `unusable`: a baseline exists, or may exist, and cannot be compared with.
    `self_reported`: the run was made by whoever is judged by it, who could have made all of it up.
    `release`: what the means are set beside for information; None: nothing.
    """

    suite_ids: Collection[str] = ()
    planned: Collection[CellKey] = ()
    unscored: Collection[CellKey] = ()
    edited: Collection[CellKey] = ()
    parts: Sequence[Part] = ()
    further: Mapping[CellKey, tuple[tuple[float, ...], ...]] = field(default_factory=dict)
    accepted: Sequence[Acceptance] = ()
    against: Collection[str] = ()
    room: int | None = None
    baselines: Sequence[BaselineRun] = ()
    noted: Sequence[Finding] = ()
    unusable: Finding | None = None
    self_reported: bool = False
    release: LastRelease | None = None


NOTHING_KNOWN = Scope()
