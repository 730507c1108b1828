"""Asking the models: from settings and tests to an artifact on disk, with its journal on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from shutil import get_terminal_size
from typing import Literal, TextIO, TypeAlias

from llm_testbench import __version__
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.build import RunFacts, build, this_host
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact, Git, Row
from llm_testbench.artifact.redact import redacted
from llm_testbench.artifact.validate import RowChecks
from llm_testbench.artifact.write import check_writable, write
from llm_testbench.commands.edges import Edges
from llm_testbench.errors import InputError, Place
from llm_testbench.gateway.client import Gateway
from llm_testbench.gateway.surroundings import Surroundings, from_environment
from llm_testbench.github.event import Event
from llm_testbench.json_value import JSON, digest
from llm_testbench.redaction import Redactor
from llm_testbench.runner.give_up import GiveUp
from llm_testbench.runner.interrupt import Stop, install
from llm_testbench.runner.job import Job
from llm_testbench.runner.journal import Journal, run_key
from llm_testbench.runner.plan import plan, remaining, require_at_most
from llm_testbench.runner.progress import Progress
from llm_testbench.runner.run import Ended, RunResult, run
from llm_testbench.settings.embedded import with_embedded
from llm_testbench.settings.model import Settings
from llm_testbench.suite.model import Test

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
    """Every attempt that the settings ask for; InputError when there is none, or there are too many."""
    jobs = plan(settings.models, tests, settings.repeat)
    if not jobs:
        raise InputError("no test selected: the selected tests are for other models than those of this run")
    require_at_most(jobs, settings.run.max_requests)
    return jobs


def measure(
    settings: Settings,
    tests: Sequence[Test],
    path: Path | None,
    role: Role,
    edges: Edges,
    *,
    meanwhile: Callable[[], object] = lambda: None,
) -> Measured:
    """Asks every planned attempt and writes the artifact to `path` (None: nowhere). Tells its progress on stderr.

    `meanwhile` is called while the first answers are awaited: for what is needed at the end only.

    Raises InputError before the first call when nothing can be asked or `path` cannot be written.
    """
    jobs = planned_jobs(settings, tests)
    redactor = Redactor(settings.secrets)
    with _journal(settings, tests, path, redactor, edges) as journal:
        planned = {(job.model.name, job.test.id, job.attempt) for job in jobs}
        known = journal.reused if journal is not None else ()
        reused = tuple(row for row in known if (row.model, row.test_id, row.attempt) in planned)
        started = edges.now()
        watch = _Watch(settings, jobs, reused, journal=journal, edges=edges, meanwhile=meanwhile)
        # To the end: the SIGTERM that follows a cancelled job's SIGINT must not cut the writing short.
        with install(watch.stop, edges.environ):
            result = watch.run()
            cut_short = len(watch.rows) < len(jobs)
            facts = _facts(settings, role, started, edges, interrupted=cut_short)
            artifact = build(facts, tests, watch.rows, settings.models)
            unsaved = None if path is None else write_artifact(artifact, path, redactor, watch.checks)
        answered = sum(row.error is None for row in artifact.results)
        if journal is not None and unsaved is None and answered in (0, len(jobs)):
            journal.remove()
        elif journal is not None and journal.trouble is None and cut_short:
            edges.say(f"{len(watch.rows)} of {len(jobs)} attempts are saved; --resume asks only the rest")
    return Measured(
        # Before anything is cut to fit a report: half of a secret would not be recognised.
        redacted(artifact, redactor),
        interrupted=result.ended == "interrupted" and watch.give_up.reason is None,
        gave_up=None if watch.give_up.reason is None else watch.give_up.reason + _advice(settings, watch.rows),
        unsaved=unsaved,
    )


class _Watch:
    """What happens beside the calls of a run: journal, progress, validation, and knowing when to give up."""

    def __init__(
        self,
        settings: Settings,
        jobs: Sequence[Job],
        reused: tuple[Row, ...],
        *,
        journal: Journal | None,
        edges: Edges,
        meanwhile: Callable[[], object],
    ) -> None:
        self.stop = Stop()
        self.checks = RowChecks()
        self.give_up = GiveUp.watching(job.model.name for job in jobs)
        self.rows: list[Row] = list(reused)
        self._settings = settings
        self._jobs = jobs
        self._journal = journal
        self._edges = edges
        self._meanwhile = meanwhile
        self._warned = False
        self._progress = Progress(
            len(jobs),
            stream=edges.stderr,
            clock=edges.clock,
            columns=_columns(edges.stderr),
            quiet=settings.quiet,
            reused=len(reused),
        )

    def run(self) -> RunResult:
        """Starts the embedded model if one is wanted, and asks what is missing."""
        with (
            _serving(self._settings) as settings,
            Gateway(settings.run.concurrency, surroundings=_surroundings(settings)) as gateway,
        ):
            result = run(
                _addressed(remaining(self._jobs, self.rows), settings),
                ask=gateway.ask,
                options=settings.run,
                on_row=self._on_row,
                stop=self.stop,
                clock=self._edges.clock,
                abandon=gateway.abort,
                on_started=self._on_started,
                on_tick=self._progress.tick,
                on_stopping=self._on_stopping,
            )
        self._progress.finish()
        return result

    def _on_started(self) -> None:
        self.checks.prepare()
        self._meanwhile()

    def _on_row(self, row: Row) -> None:
        if self._journal is not None:
            self._journal.append(row)
            if self._journal.trouble is not None and not self._warned:
                self._warned = True
                self._progress.note(f"warning: {self._journal.trouble}; the run goes on")
        with suppress(ArtifactError):  # writing the artifact will say so, when all that was asked is safe
            self.checks.check(row)
        self.rows.append(row)
        self._progress.row(row)
        # With the last attempt there is nothing left to stop, and the run was not interrupted.
        if self.give_up.see(row) and len(self.rows) < len(self._jobs):
            self.stop.stop()

    def _on_stopping(self, why: Ended, in_flight: int) -> None:
        if self.give_up.reason is not None:
            return
        what = "max_duration is reached" if why == "max_duration" else "interrupted"
        calls = "1 call" if in_flight == 1 else f"{in_flight} calls"
        self._progress.note(f"{what}: no further calls; {calls} in flight may finish (a second signal ends them)")


@contextmanager
def _serving(settings: Settings) -> Iterator[Settings]:
    """The settings with the address of the embedded gateway, which runs inside the `with` where a model needs it."""
    if not settings.local:
        yield settings
        return
    # Imported late: only this needs processes and sockets of its own.
    from llm_testbench.local.server import EmbeddedGateway  # noqa: PLC0415

    with EmbeddedGateway.start() as gateway:
        yield with_embedded(settings, gateway.endpoint, gateway.model_id, gateway.parallel)


def _addressed(jobs: Sequence[Job], settings: Settings) -> tuple[Job, ...]:
    """The jobs with the models as they are asked now."""
    models = {model.name: model for model in settings.models}
    return tuple(replace(job, model=models[job.model.name]) for job in jobs)


def _surroundings(settings: Settings) -> Callable[[str], Surroundings]:
    """Proxies and certificates of the environment; the settings' own authorities instead, where they name some."""
    bundle = settings.ca_bundle
    if bundle is None:
        return from_environment
    return lambda endpoint: replace(from_environment(endpoint), verify=str(bundle))


def _columns(stream: TextIO) -> Callable[[], int] | None:
    if not stream.isatty():
        return None
    return lambda: get_terminal_size().columns


@contextmanager
def _journal(
    settings: Settings, tests: Sequence[Test], path: Path | None, redactor: Redactor, edges: Edges
) -> Iterator[Journal | None]:
    """The open journal beside `path`; InputError when nothing could be written there."""
    if path is None:
        yield None
        return
    check_replaceable(path)
    journal = Journal.open(path, run_key(_described(settings), tests), resume=settings.resume, redactor=redactor)
    if journal.moved_aside is not None:
        edges.say(f"note: an unfinished run's journal was moved to {journal.moved_aside}")
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
        "models": [
            {
                "name": model.name,
                "id": model.id,
                "endpoint": model.endpoint,
                "body": model.extra_body,
                "headers": digest(dict(model.extra_headers)),
                "max_tokens": model.max_tokens,
                "max_tokens_key": model.max_tokens_key,
                "temperature": model.temperature,
                "seed": model.seed,
                "stream": model.stream,
            }
            for model in settings.models
        ],
    }


def _advice(settings: Settings, rows: Sequence[Row]) -> str:
    """What is most often behind it when nobody answers."""
    if any(row.outcome is Outcome.AUTH for row in rows) and not any(model.api_key for model in settings.models):
        return "; no key is set: put it into LLMTB_API_KEY or OPENAI_API_KEY"
    lost = any(one.status == 404 for row in rows for one in row.tries)
    if lost and not all(model.endpoint.endswith("/v1") for model in settings.models):
        return "; is the endpoint complete? Most end in /v1"
    return ""


def _facts(settings: Settings, role: Role, started: datetime, edges: Edges, *, interrupted: bool) -> RunFacts:
    return RunFacts(
        version=__version__,
        started_at=started,
        finished_at=edges.now(),
        endpoint=settings.endpoint or settings.models[0].endpoint,
        repeat=settings.repeat,
        seed=settings.seed,
        temperature=settings.temperature,
        max_tokens_default=settings.max_tokens_default,
        interrupted=interrupted,
        role=role,
        git=_git(settings.github.event),
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
