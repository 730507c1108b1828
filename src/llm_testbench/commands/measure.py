"""Asking the models: from settings and tests to an artifact on disk, with its journal on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

from llm_testbench import __version__
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.build import RunFacts, build, catalog_hash, entry_of, this_host
from llm_testbench.artifact.confined import Confined
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact, Git, Row
from llm_testbench.artifact.redact import redacted
from llm_testbench.artifact.validate import RowChecks
from llm_testbench.artifact.write import check_writable, write
from llm_testbench.commands.asking import UNWATCHED, Asking, More, Watch, reachable
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.programs import NO_PROGRAMS, Programs
from llm_testbench.errors import InputError, Place
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.github.event import Event
from llm_testbench.json_value import JSON, digest
from llm_testbench.redaction import Redactor
from llm_testbench.runner.interrupt import Stop, install
from llm_testbench.runner.job import Job
from llm_testbench.runner.journal import Journal, run_key
from llm_testbench.runner.plan import plan, require_at_most, require_tokens_at_most
from llm_testbench.settings.model import Settings
from llm_testbench.suite.model import Test
from llm_testbench.untrusted import Untrusted

Role: TypeAlias = Literal["run", "gate", "record"]


@dataclass(frozen=True)
class Measured:
    """An artifact, and what kept it from being whole.

    `interrupted`: by a signal. `gave_up`: why no model answers at all (foreign text, one line).
    `unsaved`: why the artifact is not on disk.
    """

    artifact: Artifact
    interrupted: bool = False
    gave_up: str | None = None
    unsaved: str | None = None

    @property
    def troubles(self) -> tuple[str, ...]:
        """What the user has to be told, whatever else the command ends with."""
        return tuple(trouble for trouble in (self.gave_up, self.unsaved) if trouble is not None)


def planned_jobs(settings: Settings, tests: Sequence[Test]) -> tuple[Job, ...]:
    """Every attempt that the settings ask for, none for an empty shard; InputError when there are too many."""
    against = settings.against if settings.baseline.live else {}
    jobs = plan(settings.models, tests, settings.repeat, against)
    require_at_most(jobs, settings.run.max_requests)
    require_tokens_at_most(jobs, settings.run.max_planned_tokens)
    return jobs


def measure(
    settings: Settings,
    tests: Sequence[Test],
    path: Path | None,
    role: Role,
    edges: Edges,
    *,
    programs: Programs = NO_PROGRAMS,
    meanwhile: Callable[[], object] = lambda: None,
    more: More | None = None,
    divided: Sequence[Test] | None = None,
    watch: Watch = UNWATCHED,
) -> Measured:
    """Asks every planned attempt and writes the artifact to `path` (None: nowhere). Tells its progress on stderr.

    `programs`: where checks run theirs.
    `meanwhile` is called while the first answers are awaited: for what is needed at the end only.
    `more` is asked for further jobs once all planned ones are done and on disk, and again after each of its rounds.
    `divided`: all that were selected, where `tests` are one shard of them. `watch`: who else sees how far it is.

    Raises InputError before the first call when nothing can be asked or `path` cannot be written.
    """
    jobs = planned_jobs(settings, tests)
    redactor = Redactor(settings.secrets)
    with _journal(settings, tests, path, redactor, edges) as journal:
        started, stop = edges.now(), Stop()

        def so_far() -> Artifact:
            facts = _facts(settings, role, started, edges, asking=asking, divided=divided, confined=programs.confined)
            return build(facts, tests, asking.rows, settings.models)

        def saved() -> tuple[Artifact, str | None]:
            artifact = so_far()
            return artifact, None if path is None else write_artifact(artifact, path, redactor, asking.checks)

        # To the end: the SIGTERM that follows a cancelled job's SIGINT must not cut the writing short.
        with install(stop, edges.environ), reachable(settings) as models:
            asking = Asking(
                settings, jobs, models, programs.workshop, journal=journal, stop=stop, edges=edges, watch=watch
            )
            asking.ask_planned(meanwhile)
            artifact, unsaved = saved()
            if more is not None and asking.ask_further(more, so_far):
                artifact, unsaved = saved()
        if journal is not None:
            _conclude(journal, asking, resumable=more is not None, saved=unsaved is None, edges=edges)
    gave_up = asking.give_up.reason
    return Measured(
        # Before anything is cut to fit a report: half of a secret would not be recognised.
        redacted(artifact, redactor),
        interrupted=asking.ended == "interrupted" and gave_up is None,
        gave_up=None if gave_up is None else gave_up + _advice(settings, asking.rows),
        unsaved=unsaved,
    )


def _conclude(journal: Journal, asking: Asking, *, resumable: bool, saved: bool, edges: Edges) -> None:
    """Removes the journal of a run that has nothing left to ask, and says what --resume would do for another.

    `resumable`: after the planned attempts there were others to make.
    """
    planned, missing = len(asking.jobs), asking.missing
    answered = sum(row.error is None for row in asking.rows if row.phase == "main")
    left = resumable and asking.ended == "interrupted" and asking.give_up.reason is None
    if saved and answered in (0, planned) and not (left and answered):
        journal.remove()
    elif journal.trouble is None and missing:
        edges.say(f"{planned - missing} of {planned} attempts are saved; --resume asks only the rest")
    elif journal.trouble is None and left:
        further = len(asking.rows) - planned
        edges.say(f"all {planned} attempts and {further} of those asked again are saved; --resume goes on from there")


@contextmanager
def _journal(
    settings: Settings, tests: Sequence[Test], path: Path | None, redactor: Redactor, edges: Edges
) -> Iterator[Journal | None]:
    """The open journal beside `path`; InputError when nothing could be written there."""
    if path is None:
        yield None
        return
    check_replaceable(path)
    key = run_key(_described(settings), tests, _shard(settings))
    journal = Journal.open(path, key, resume=settings.resume, redactor=redactor)
    if journal.moved_aside is not None:
        edges.say(f"note: an unfinished run's journal was moved to {Untrusted(str(journal.moved_aside)).log_line()}")
    if journal.reused:
        edges.say(f"{len(journal.reused)} attempts are there already")
    try:
        yield journal
    finally:
        journal.close()


def check_replaceable(path: Path) -> None:
    """InputError unless an artifact can be written there, and nothing but an artifact is lost by it."""
    try:
        check_writable(path)
        if not _replaceable(path):
            raise InputError("exists and is no artifact: it would be lost; choose another file", Place(str(path)))
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be written ({reason}): choose a folder that is writable", Place(str(path))) from None


def _replaceable(path: Path) -> bool:
    """Nothing is lost when an artifact is written there: no file, an empty one, or what may be an artifact."""
    if not path.is_file():
        return True
    with path.open("rb") as file:
        start = file.read(2)
    return start[:1] in (b"", b"{", b"[") or start == b"\x1f\x8b"


def _described(settings: Settings) -> JSON:
    """What the rows of a run depend on, beside its tests: another value makes another run."""
    return {
        "repeat": settings.repeat,
        "store_responses": settings.run.store_responses,
        "models": [_asked(model) for model in settings.models],
        "against": {name: _asked(model) for name, model in settings.against.items()},
    }


def _asked(model: ModelOptions) -> JSON:
    return {
        "name": model.name,
        "id": model.id,
        "endpoint": model.endpoint,
        "body": model.extra_body,
        "headers": digest(dict(model.extra_headers)),
        "max_tokens": model.max_tokens,
        "max_tokens_key": model.max_tokens_key,
        "token_limit": model.token_limit,
        "omitted": sorted(model.omitted),
        "tool_choice_required": model.tool_choice_required,
        "temperature": model.temperature,
        "seed": model.seed,
        "stream": model.stream,
    }


def _advice(settings: Settings, rows: Sequence[Row]) -> str:
    """What is most often behind it when nobody answers."""
    if any(row.outcome is Outcome.AUTH for row in rows) and not any(model.api_key for model in settings.models):
        named = settings.unset_keys.values()
        if named:
            return f"; no key is set: {' and '.join(dict.fromkeys(named))} {'is' if len(named) == 1 else 'are'} empty"
        return "; no key is set: put it into LLMTB_API_KEY or OPENAI_API_KEY"
    lost = any(one.status == 404 for row in rows for one in row.tries)
    if lost and not all(model.endpoint.endswith("/v1") for model in settings.models):
        return "; is the endpoint complete? Most end in /v1"
    return ""


def _shard(settings: Settings) -> str | None:
    return None if settings.shard is None else str(settings.shard)


def _facts(
    settings: Settings,
    role: Role,
    started: datetime,
    edges: Edges,
    *,
    asking: Asking,
    divided: Sequence[Test] | None,
    confined: Confined,
) -> RunFacts:
    return RunFacts(
        version=__version__,
        started_at=started,
        finished_at=edges.now(),
        endpoint=settings.endpoint or settings.models[0].endpoint,
        repeat=settings.repeat,
        seed=settings.seed,
        temperature=settings.temperature,
        max_tokens_default=settings.max_tokens_default,
        interrupted=asking.missing > 0,
        role=role,
        git=_git(settings.github.event),
        shard=_shard(settings),
        catalog_hash=None if divided is None else catalog_hash(map(entry_of, divided)),
        adaptations=asking.adaptations,
        throttled=asking.throttled,
        sandbox=confined,
        host=this_host(),
    )


def _git(event: Event) -> Git:
    return Git(event.repository, event.sha, event.ref, event.run_url)


def write_artifact(artifact: Artifact, path: Path, redactor: Redactor, checks: RowChecks | None = None) -> str | None:
    """None, or why the artifact is not on disk; the report can still be printed."""
    try:
        write(artifact, path, redactor, checks)
    except OSError as error:
        return f"{path.name}: the artifact could not be written: {error.strerror or error}"
    except ArtifactError as error:
        return f"{path.name}: the artifact could not be written, since it breaks its own schema: {error}"
    return None
