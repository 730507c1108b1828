"""The comment on a pull request while its run goes on (`gate.comment_progress`).

All writing happens in a thread of its own: however long GitHub takes, asking goes on, and the end of the run waits a
few seconds at most. What is written gives way to the report of the same run, and to whatever a newer run says.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Literal, TypeAlias

from llm_testbench.commands.connection import connect
from llm_testbench.commands.output import Output
from llm_testbench.errors import CommandError
from llm_testbench.github import comment
from llm_testbench.github.api import GitHubError
from llm_testbench.report import markdown
from llm_testbench.report.document import Document
from llm_testbench.report.views.progress import no_verdict_report, progress_report
from llm_testbench.runner.progress import Count
from llm_testbench.settings.model import Settings

INTERVAL = 30.0  # seconds between two writes, each of which takes six requests of 1,000 in an hour
SLOWER = 20  # a longer run writes each twentieth of its time,
LONGEST = 300.0  # though often enough for progress.STALE_MINUTES
PATIENCE = 3.0  # seconds that the end of a run waits for a write
TOTAL_WAIT = 10.0  # seconds of a write's pauses: the next one says the same

INTERRUPTED = "the run was interrupted"
UNREPORTED = "the report could not be written here"

Write: TypeAlias = Callable[[str], Literal["created", "updated", "kept", "none"]]
"""Makes the comment say this; GitHubError."""
Wait: TypeAlias = Callable[[threading.Event, float], bool]


class Pen:
    """Writes in a thread of its own; of the texts that wait, the latest. `trouble`: the first one, or None.

    `standing`: what it wrote may stand there. `silent`: more of the same is not wanted, after a trouble, where a newer
    run has the word, and where no comment is to be made.
    """

    def __init__(self, write: Write, wait: Wait = threading.Event.wait) -> None:
        self._write = write
        self._wait = wait
        self._lock = threading.Lock()
        self._next: str | None = None
        self._idle = threading.Event()
        self._idle.set()
        self.trouble: str | None = None
        self.standing = False
        self.silent = False

    @property
    def busy(self) -> bool:
        """A text is being written."""
        return not self._idle.is_set()

    def put(self, text: str) -> None:
        """Returns at once."""
        with self._lock:
            self._next = text
            if self._idle.is_set():
                self._idle.clear()
                # A daemon: the process does not wait for a GitHub that hangs.
                threading.Thread(target=self._run, name="progress comment", daemon=True).start()

    def finish(self, seconds: float) -> bool:
        """Waits for what is being written; False when it is not done by then: what waits is dropped."""
        if self._wait(self._idle, seconds):
            return True
        with self._lock:
            self._next = None
        return False

    def _run(self) -> None:
        while True:
            with self._lock:
                text, self._next = self._next, None
                if text is None:
                    self._idle.set()
                    return
            try:
                action = self._write(text)
            except (GitHubError, ValueError) as error:
                self._fail(error)
            else:
                self.standing = action in ("created", "updated")
                self.silent = self.silent or not self.standing

    def _fail(self, error: Exception) -> None:
        refused = isinstance(error, GitHubError) and error.status is not None and error.status < 500
        self.standing = self.standing or not refused  # without an answer it may have been written
        self.silent = True
        self.trouble = self.trouble or str(error)


class ProgressComment:
    """Sees how far a run is and says it, now and then. Without a pen it does nothing.

    `replaced`: the report stands in its place, or a newer run's words.
    """

    def __init__(
        self,
        pen: Pen | None,
        shown: Callable[[Document], str],
        *,
        run_url: str,
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self.replaced = False
        self._pen = pen
        self._shown = shown
        self._run_url = run_url
        self._clock = clock
        self._now = now
        self._due: float | None = None
        self._stopped = pen is None
        self._why: str | None = None

    def see(self, count: Count) -> None:
        """Where the run is; the first time it is said at once."""
        if self._pen is None or self._stopped or self._pen.silent or self._pen.busy:
            return
        moment = self._clock()
        if self._due is None or moment >= self._due:
            self._due = moment + interval(count.elapsed)
            self._pen.put(self._shown(progress_report(count, self._now(), self._run_url)))

    def interrupted(self) -> None:
        """There will be no verdict. This is said now: who cancels a job leaves it few seconds."""
        self._give_up(INTERRUPTED)

    def stop(self) -> None:
        """The report comes: nothing is said any more."""
        self._stopped = True
        if self._pen is not None:
            self._pen.finish(PATIENCE)

    def end(self, why: str) -> str | None:
        """Says that the run ended without a verdict, where progress was said and no report has come; the trouble."""
        if self._pen is None:
            return None
        if not self.replaced:
            self._give_up(why)
            if not self._pen.finish(PATIENCE):
                return self._pen.trouble or f"GitHub did not answer within {PATIENCE:g}s"
        return self._pen.trouble

    def _give_up(self, why: str) -> None:
        self._stopped = True
        if self._pen is None or self._why is not None or not (self._pen.standing or self._pen.busy):
            return
        self._why = why
        self._pen.put(self._shown(no_verdict_report(why, self._now(), self._run_url)))


def interval(elapsed: float) -> float:
    """Seconds to the next write, `elapsed` seconds after the first answers were asked for."""
    return min(max(INTERVAL, elapsed / SLOWER), LONGEST)


@contextmanager
def progress_comment(settings: Settings, output: Output) -> Iterator[ProgressComment]:
    """Keeps the comment up to date inside the `with`. However that ends, the comment does not stay "in progress"."""
    edges = output.edges
    progress = ProgressComment(
        _pen(settings, output),
        lambda document: output.keys.text(markdown.render(document)),
        run_url=settings.github.event.run_url,
        clock=edges.clock,
        now=edges.now,
    )
    why = UNREPORTED
    try:
        yield progress
    except BaseException as error:
        why = _why(error)
        raise
    finally:
        trouble = progress.end(output.redactor.text(why))
        if trouble is not None:
            output.warn(f"the progress of the run was not written to the pull request: {trouble}")


def _why(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, CommandError):
        return str(error)
    return f"internal error: {type(error).__name__}: {error}"


def _pen(settings: Settings, output: Output) -> Pen | None:
    """None where no progress is wanted, or no comment can be made, which is told when the report is to be written."""
    github = settings.github
    if not github.comment_progress or github.comment == "never" or github.event.pull_request is None:
        return None
    # A connection of its own: it belongs to the thread, and its pauses must not use up the report's.
    connection = connect(settings, output.edges, total_wait=TOTAL_WAIT)
    client = connection.github
    if client is None:
        return None
    create = github.comment == "always"
    return Pen(lambda text: comment.upsert(client, github.comment_key, text, create=create, final=False).action)
