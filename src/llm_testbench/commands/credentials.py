"""Models that nobody gave a key for: on GitHub a run of a fork or of Dependabot gets no secrets (design 5.8)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import skipped
from llm_testbench.compare.headline import NO_CREDENTIALS, NO_KEY
from llm_testbench.compare.model import Comparison, Finding, Quoted, Verdict
from llm_testbench.settings.model import Settings
from llm_testbench.settings.options import API_KEY

_NONE_GIVEN = "GitHub hands no secrets to runs of forks and of Dependabot; docs/forks.md has ways to judge them"

REFUSED = Finding(NO_CREDENTIALS, ("the gateway wants a key, and ", _NONE_GIVEN))
"""Why nothing is judged where every request was refused."""


def unset(settings: Settings) -> tuple[str, ...]:
    """Names of models that cannot be asked: the config names a variable with their key, and GitHub gave no secrets."""
    return tuple(settings.unset_keys) if settings.github.event.without_secrets else ()


def asking_less(settings: Settings, absent: Collection[str]) -> Settings:
    """The settings without those models and their other sides."""
    return replace(
        settings,
        models=tuple(model for model in settings.models if model.name not in absent),
        against={name: side for name, side in settings.against.items() if name not in absent},
    )


def unasked(settings: Settings, names: Iterable[str]) -> tuple[Finding, ...]:
    """A reason for each model that is not asked, or whose refusals are not counted."""
    return tuple(
        Finding(
            NO_CREDENTIALS,
            ("there is no key for ", Quoted(name), *_variable(settings, name), f": {_NONE_GIVEN}"),
            model=name,
        )
        for name in names
    )


def refused(settings: Settings, run: Artifact) -> tuple[str, ...]:
    """Names of models without a key of which every request was refused for that."""
    keyed = {model.name for model in settings.sides if model.api_key is not None}
    outcomes: dict[str, set[Outcome]] = {}
    for row in run.results:
        outcomes.setdefault(row.model, set()).add(row.outcome)
    return tuple(name for name, seen in outcomes.items() if name not in keyed and seen == {Outcome.AUTH})


def counted(settings: Settings, run: Artifact, refused: Collection[str]) -> Artifact:
    """What of the run is judged: all of it, but for models that refused a run to which GitHub gave no secrets."""
    if not settings.github.event.without_secrets or _wholly(settings, run, refused):
        return run
    return replace(
        run,
        meta=replace(run.meta, models={name: i for name, i in run.meta.models.items() if name not in refused}),
        results=tuple(row for row in run.results if row.model not in refused),
    )


def planned(cells: Collection[CellKey], run: Artifact, judged: Artifact) -> tuple[CellKey, ...]:
    """The planned cells that are judged."""
    gone = {row.model for row in run.results} - {row.model for row in judged.results}
    return tuple(cell for cell in cells if cell[0] not in gone)


def told(
    comparison: Comparison,
    settings: Settings,
    run: Artifact,
    unasked_models: Sequence[Finding],
    refused: Sequence[str],
) -> Comparison:
    """The comparison with what the lack of keys means for it: no pass, where a model could not be judged for it."""
    secretless = settings.github.event.without_secrets
    if secretless and _wholly(settings, run, refused):
        return skipped(comparison, REFUSED, *unasked_models)
    if not secretless:
        # What was measured elsewhere had other keys, of which nothing is known here.
        said = missing(settings, refused) if settings.current is None else ()
        return replace(comparison, warnings=(*comparison.warnings, *said))
    reasons = (*unasked_models, *unasked(settings, refused))
    if reasons and comparison.verdict in (Verdict.PASS, Verdict.NO_BASELINE):
        return skipped(comparison, *reasons)
    return replace(comparison, warnings=(*comparison.warnings, *reasons))


def all_refused(settings: Settings, run: Artifact) -> bool:
    """Whether a fork's run, made elsewhere, got no answer for want of a key."""
    names = refused(settings, run)
    return settings.github.event.from_outside and bool(names) and set(names) == {row.model for row in run.results}


def _wholly(settings: Settings, run: Artifact, refused: Collection[str]) -> bool:
    """A recording of some of the models would pass for one of all."""
    everybody = {row.model for row in run.results}
    return bool(refused) and (settings.gate.role == "record" or everybody == set(refused))


def missing(settings: Settings, names: Iterable[str]) -> tuple[Finding, ...]:
    """A warning for each model that was refused where secrets are to be had: which one to give."""
    return tuple(
        Finding(NO_KEY, ("every request to ", Quoted(name), " was refused: ", advice(settings, name)), model=name)
        for name in names
    )


def advice(settings: Settings, name: str) -> str:
    """Where the key of this model is looked for, and what to do."""
    variable = settings.unset_keys.get(name)
    if variable is not None:
        return f"{variable} is not set, which is to hold its key; in a workflow, set it from a secret"
    return f"no key is set: put it into {' or '.join(API_KEY.env)}; in a workflow, give the input api_key a secret"


def _variable(settings: Settings, name: str) -> tuple[str, ...]:
    variable = settings.unset_keys.get(name)
    return (f" ({variable} is not set)",) if variable is not None else ()
