"""The calls of a run: the planned ones, those that follow from their answers, and what happens beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from shutil import get_terminal_size
from typing import Protocol, TextIO, TypeAlias

from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact, Row, Throttled
from llm_testbench.artifact.rows import row_key
from llm_testbench.artifact.validate import RowChecks
from llm_testbench.commands.edges import Edges
from llm_testbench.gateway.client import Gateway
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.gateway.surroundings import Surroundings, from_environment
from llm_testbench.redaction import Redactor
from llm_testbench.runner.crew import Ask
from llm_testbench.runner.give_up import GiveUp
from llm_testbench.runner.interrupt import Stop
from llm_testbench.runner.job import Job, JobKey, key_of
from llm_testbench.runner.journal import Journal
from llm_testbench.runner.plan import remaining
from llm_testbench.runner.progress import Count, Progress
from llm_testbench.runner.run import Ended, run
from llm_testbench.runner.traffic import Traffic
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.settings.embedded import embedded
from llm_testbench.settings.model import Settings
from llm_testbench.untrusted import Untrusted

More: TypeAlias = Callable[[Artifact], Sequence[Job]]
"""From the run so far, as its artifact would be, to the jobs that it makes necessary; none of them: done."""


class Watch(Protocol):
    """Who wants to know how far a run is; called in the main thread, and must not keep it waiting."""

    def see(self, count: Count, /) -> None:
        """Before the first call, with each answer, and about once a second."""

    def interrupted(self) -> None:
        """The run stops at a signal."""


class Unwatched:
    """Nobody does."""

    def see(self, count: Count, /) -> None:
        """Nothing."""

    def interrupted(self) -> None:
        """Nothing."""


UNWATCHED = Unwatched()


@dataclass(frozen=True)
class Reachable:
    """Models that can be asked. `address`: how one is asked now; `abandon` cuts off the calls in flight.

    `adaptations`: what is sent to one otherwise than asked for.
    """

    ask: Ask
    address: Callable[[ModelOptions], ModelOptions]
    abandon: Callable[[], None]
    adaptations: Callable[[ModelOptions], tuple[str, ...]]


@contextmanager
def reachable(settings: Settings) -> Iterator[Reachable]:
    """Keeps connections, and the embedded model where one is wanted, inside the `with`."""
    with (
        serving(settings) as address,
        Gateway(settings.run.concurrency, surroundings=surroundings(settings)) as gateway,
    ):
        yield Reachable(gateway.start, address, gateway.abort, gateway.adaptations)


class Asking:
    """One run's calls, with its journal, progress, validation and limits. `rows`: of this run and of an earlier one."""

    def __init__(
        self,
        settings: Settings,
        jobs: Sequence[Job],
        models: Reachable,
        workshop: Workshop,
        *,
        journal: Journal | None,
        stop: Stop,
        edges: Edges,
        watch: Watch = UNWATCHED,
    ) -> None:
        self.jobs = jobs
        self.checks = RowChecks()
        self.give_up = GiveUp.watching(jobs)
        self.ended: Ended = "done"
        self._settings = settings
        self._models = models
        self._workshop = workshop
        self._journal = journal
        self._stop = stop
        self._edges = edges
        self._watch = watch
        self._traffic = Traffic(edges.clock())
        self._redactor = Redactor(settings.secrets)  # one server may repeat what only another one was sent
        self._warned = False
        known = {key_of(row): row for row in journal.reused} if journal is not None else {}
        self.rows: list[Row] = [known[job.key] for job in jobs if job.key in known]
        # What was asked again in the earlier run; it counts only where this run wants the same.
        self._spare = {key: row for key, row in known.items() if row.phase == "confirm"}
        self._requests: dict[JobKey, str] = {}
        self._until: float | None = None
        self._progress = Progress(
            len(jobs),
            stream=edges.stderr,
            clock=edges.clock,
            columns=_columns(edges.stderr),
            quiet=settings.quiet,
            reused=len(self.rows),
        )

    @property
    def missing(self) -> int:
        """How many planned attempts have no row."""
        return len(self.jobs) - sum(row.phase == "main" for row in self.rows)

    @property
    def throttled(self) -> dict[str, Throttled]:
        """By model name, how servers held back those that they did."""
        found = {model.name: self._traffic.throttled(self._models.address(model)) for model in self._settings.models}
        return {name: throttled for name, throttled in found.items() if throttled is not None}

    @property
    def adaptations(self) -> dict[str, tuple[str, ...]]:
        """By model name, what was sent otherwise than asked for, where something was."""
        models = self._settings.models
        found = {model.name: self._models.adaptations(self._models.address(model)) for model in models}
        return {name: adapted for name, adapted in found.items() if adapted}

    def ask_planned(self, meanwhile: Callable[[], object]) -> None:
        """Asks what is missing of the planned attempts; `meanwhile` is called when the first calls are under way."""

        def on_started() -> None:
            self.checks.prepare()
            meanwhile()

        longest = self._settings.run.max_duration
        self._until = None if longest is None else self._edges.clock() + longest
        self._watch.see(self._progress.count)
        self._ask(remaining(self.jobs, self.rows), on_started)
        self._progress.finish()

    def ask_further(self, more: More, so_far: Callable[[], Artifact]) -> bool:
        """Asks in rounds what `more` wants to know; whether there are rows beyond the planned ones now.

        Nothing where the planned attempts are not whole. No round goes beyond `max_duration` and `max_requests`.
        """
        while self._may_go_on():
            room = self._settings.run.max_requests - len(self.rows)
            wanted = remaining(more(so_far()), self.rows)[: max(room, 0)]
            if not wanted or not self._in_time():
                break
            known = [row for job in wanted if (row := self._known(job)) is not None]
            self.rows += known
            self._progress.expect(len(wanted), reused=len(known))
            unknown = remaining(wanted, known)
            if unknown:
                self._progress.note(f"asking again: {'1 attempt' if len(unknown) == 1 else f'{len(unknown)} attempts'}")
                self._ask(unknown)
        further = len(self.rows) > len(self.jobs)
        if further:
            self._progress.finish()
        return further

    def _may_go_on(self) -> bool:
        return self.ended == "done" and self.give_up.reason is None

    def _in_time(self) -> bool:
        return self._until is None or self._edges.clock() < self._until

    def _known(self, job: Job) -> Row | None:
        """The earlier run's answer to the same request; a baseline's stored one may have been another then."""
        row = self._spare.get(job.key)
        if row is None or self._journal is None or self._journal.requests[row_key(row)] != job.test.request_hash:
            return None
        return row

    def _ask(self, jobs: Sequence[Job], on_started: Callable[[], None] | None = None) -> None:
        options = self._settings.run
        if self._until is not None:
            options = replace(options, max_duration=self._until - self._edges.clock())
        self._requests.update((job.key, job.test.request_hash) for job in jobs if job.phase == "confirm")
        self.ended = run(
            [replace(job, model=self._models.address(job.model)) for job in jobs],
            ask=self._models.ask,
            options=options,
            on_row=self._on_row,
            stop=self._stop,
            clock=self._edges.clock,
            abandon=self._models.abandon,
            on_started=on_started,
            on_tick=self._on_tick,
            on_stopping=self._on_stopping,
            on_news=lambda line: self._progress.note(self._redactor.text(line)),
            traffic=self._traffic,
            workshop=self._workshop,
        ).ended

    def _on_row(self, row: Row) -> None:
        if self._journal is not None:
            self._journal.append(row, self._requests.get(key_of(row), ""))
            if self._journal.trouble is not None and not self._warned:
                self._warned = True
                self._progress.note(f"warning: {Untrusted(self._journal.trouble).log_line()}; the run goes on")
        with suppress(ArtifactError):  # writing the artifact will say so, when all that was asked is safe
            self.checks.check(row)
        self.rows.append(row)
        self._progress.row(row)
        self._watch.see(self._progress.count)
        # With the last attempt there is nothing left to stop, and the run was not interrupted.
        if row.phase == "main" and self.give_up.see(row) and self.missing:
            self._stop.stop()

    def _on_tick(self) -> None:
        self._progress.tick()
        self._watch.see(self._progress.count)

    def _on_stopping(self, why: Ended, in_flight: int) -> None:
        if self.give_up.reason is not None:
            return
        if why == "interrupted":
            self._watch.interrupted()
        what = "max_duration is reached" if why == "max_duration" else "interrupted"
        calls = "1 call" if in_flight == 1 else f"{in_flight} calls"
        self._progress.note(f"{what}: no further calls; {calls} in flight may finish (a second signal ends them)")


@contextmanager
def serving(settings: Settings) -> Iterator[Callable[[ModelOptions], ModelOptions]]:
    """How a model is asked now: the embedded one, which runs inside the `with` where it is wanted, has an address."""
    if not settings.local:
        yield lambda model: model
        return
    # Imported late: only this needs processes and sockets of its own.
    from llm_testbench.local.server import EmbeddedGateway  # noqa: PLC0415

    with EmbeddedGateway.start() as gateway:
        yield lambda model: embedded(model, gateway.endpoint, gateway.model_id, gateway.parallel)


def surroundings(settings: Settings) -> Callable[[str], Surroundings]:
    """Proxies and certificates of the environment; the settings' own authorities instead, where they name some."""
    bundle = settings.ca_bundle
    if bundle is None:
        return from_environment
    return lambda endpoint: from_environment(endpoint, str(bundle))


def _columns(stream: TextIO) -> Callable[[], int] | None:
    if not stream.isatty():
        return None
    return lambda: get_terminal_size().columns
