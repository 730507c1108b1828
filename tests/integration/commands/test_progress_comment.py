"""The comment while its run goes on: said at the start, kept up to date, replaced by the report, never left behind."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from tests.integration.commands.bench import Bench
from tests.integration.commands.job import PULL, Job, job

from llm_testbench.commands import gate
from llm_testbench.commands.progress_comment import (
    INTERRUPTED,
    INTERVAL,
    LONGEST,
    PATIENCE,
    UNREPORTED,
    Pen,
    ProgressComment,
    interval,
)
from llm_testbench.errors import InputError
from llm_testbench.github.api import GitHubError
from llm_testbench.github.comment import marker
from llm_testbench.github.event import Event
from llm_testbench.report import markdown
from llm_testbench.runner.progress import Count

ON = {"LLMTB_COMMENT_PROGRESS": "true"}
ENDED = "## No verdict: the run ended early"
STARTED = "## In progress: 0 of 4 attempts"


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        yield made


def first_lines(step: Job) -> list[str]:
    """What the only comment has said, oldest first."""
    (comment,) = step.github.comments[PULL]
    said = [edit.body or "" for edit in reversed(comment.edits)] or [comment.body]
    return [body.partition("-->\n\n")[2].partition("\n")[0] for body in said]


def after_the_first_progress(step: Job, act: Callable[[], object]) -> None:
    """Acts in the middle of the measuring, when the comment says that it goes on."""
    answer, once = step.world.server.answer, threading.Lock()

    def acting(body: dict[str, Any]) -> Any:
        if once.acquire(blocking=False):
            limit = time.monotonic() + 5
            while not any("In progress" in one for one in step.comments) and time.monotonic() < limit:
                time.sleep(0.005)
            act()
        return answer(body)

    step.world.server.answer = acting


def standing(step: Job, run: int = 9) -> None:
    step.github.add_comment(PULL, f"{marker('default', Event(run_id=run, run_attempt=1))}\n\n## Before")


def test_progress_is_said_at_the_start_and_replaced_by_the_report(step: Job) -> None:
    after_the_first_progress(step, lambda: None)
    done = step.gate(**ON)

    assert done.code == 0
    started, *_, report = first_lines(step)
    assert started == STARTED
    assert report.startswith("## No baseline")
    first, last = step.github.comments[PULL][0].edits[-1].body or "", step.comments[0]
    assert f"/actions/runs/{step.run_id}" in first
    # A report is not written over by progress that comes late.
    assert (" progress -->" in first, " progress -->" in last) == (True, False)
    assert "::warning" not in done.err


def test_the_report_waits_for_progress_that_is_being_written(step: Job) -> None:
    step.github.delay = lambda request: (0.5 if request.method == "POST" and "/comments" in request.path else 0.0, 0.0)
    step.gate(**ON)
    written = [one.method for one in step.github.requests if one.method in ("POST", "PATCH") and "/comm" in one.path]
    assert written == ["POST", "PATCH"]
    assert [one.method for one in step.github.requests if one.method == "DELETE"] == []


def test_it_can_be_asked_for_in_the_config_file(step: Job) -> None:
    step.world.write("llm-testbench.yaml", "gate:\n  comment_progress: true\n")
    after_the_first_progress(step, lambda: None)
    step.gate()
    assert first_lines(step)[0] == STARTED


@pytest.mark.parametrize("inputs", [{}, {**ON, "INPUT_COMMENT": "never"}, {"INPUT_COMMENT_PROGRESS": "true"}])
def test_without_being_asked_for_nothing_is_said_before_the_report(step: Job, inputs: dict[str, str]) -> None:
    step.gate(**inputs)
    assert [one.method for one in step.github.requests if "/comments" in one.path and one.method != "GET"] == (
        [] if "INPUT_COMMENT" in inputs else ["POST"]
    )


@pytest.mark.parametrize("when", ["changes", "failure"])
def test_where_comments_are_made_only_for_a_reason_progress_is_none(step: Job, when: str) -> None:
    step.gate(**ON, INPUT_COMMENT=when)
    assert step.comments == []


@pytest.mark.parametrize("when", ["changes", "failure"])
def test_a_comment_that_stands_says_that_it_is_being_renewed(step: Job, when: str) -> None:
    standing(step)
    after_the_first_progress(step, lambda: None)
    step.gate(**ON, INPUT_COMMENT=when)
    before, started, *_, report = first_lines(step)
    assert (before, started) == ("## Before", STARTED)
    assert report.startswith("## No baseline")


def test_what_a_newer_run_has_said_stays(step: Job) -> None:
    standing(step, run=999)
    step.gate(**ON)
    assert first_lines(step) == ["## Before"]


@pytest.mark.parametrize("payload", ["push", "merge_group", "schedule"])
def test_without_a_pull_request_there_is_nowhere_to_say_it(step: Job, payload: str) -> None:
    done = step.gate(payload, **ON)
    assert step.comments == []
    assert "progress" not in done.err


@pytest.mark.parametrize(
    ("error", "code", "why"),
    [
        (InputError("is no number: @mona"), 2, "`is no number: @mona`"),
        (RuntimeError("[x](http://evil)"), 3, "`internal error: RuntimeError: [x](http://evil)`"),
        (OSError(28, "No space left on device"), 3, "No space left on device"),
        (KeyboardInterrupt(), 130, f"`{INTERRUPTED}`"),
    ],
)
def test_a_run_that_ends_with_an_error_says_so(
    step: Job, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, why: str
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(gate, "compare", fails)
    after_the_first_progress(step, lambda: None)

    done = step.gate(**ON)

    assert done.code == code
    assert first_lines(step)[-1] == ENDED
    assert why in step.comments[0]
    assert f"The log: {step.github.url}/octo/shop/actions/runs/{step.run_id}" in step.comments[0]


def test_an_error_shows_no_secret(step: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError(f"the token is {step.github.token}")

    monkeypatch.setattr(gate, "compare", fails)
    after_the_first_progress(step, lambda: None)
    step.gate(**ON)
    assert first_lines(step)[-1] == ENDED
    assert step.github.token not in step.comments[0]


def test_a_signal_is_told_while_calls_are_still_in_flight(step: Job) -> None:
    seen: list[str] = []

    def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)
        limit = time.monotonic() + 5
        while ENDED not in step.comments[0] and time.monotonic() < limit:
            time.sleep(0.005)
        seen.extend(step.comments)

    after_the_first_progress(step, interrupt)
    done = step.gate(**ON)

    assert done.code == 130
    assert ENDED in seen[0]
    assert f"`{INTERRUPTED}`" in seen[0]
    assert first_lines(step)[-1] == ENDED


def test_a_report_that_cannot_be_written_leaves_no_progress_behind(step: Job) -> None:
    after_the_first_progress(
        step, lambda: step.github.fail("PATCH", "/comments/", 422, body={"message": "body is too long"})
    )
    done = step.gate(**ON)

    assert done.code == 0
    assert first_lines(step)[-1] == ENDED
    assert UNREPORTED in step.comments[0]
    assert [line for line in done.err.splitlines() if line.startswith("::warning")] == [
        line for line in done.err.splitlines() if "the comment was not written" in line
    ]


@pytest.mark.parametrize("status", [403, 502, 0])
def test_trouble_is_one_warning_and_changes_nothing_else(step: Job, status: int) -> None:
    step.github.fail("GET", "/comments$", status, times=99)
    done = step.gate(**ON)

    assert done.code == 0
    assert step.outputs["verdict"] == "no_baseline"
    told = [line for line in done.err.splitlines() if "the progress of the run was not written" in line]
    assert len(told) == 1
    assert told[0].startswith("::warning")
    assert step.comments == []


# --- The clock is injected from here on


@dataclass
class Time:
    now: float = 0.0

    def clock(self) -> float:
        return self.now

    def moment(self) -> datetime:
        return datetime(2026, 11, 3, 12, tzinfo=UTC)


@dataclass
class Paper:
    """What a pen writes on."""

    said: list[str] = field(default_factory=list)
    action: Any = "updated"
    trouble: Exception | None = None
    begun: threading.Event = field(default_factory=threading.Event)
    may_go: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.may_go.set()

    def write(self, text: str) -> Any:
        self.begun.set()
        self.may_go.wait(5)
        self.said.append(text.partition("\n")[0])
        if self.trouble is not None:
            raise self.trouble
        return self.action


def watching(paper: Paper, time: Time, pen: Pen | None = None) -> tuple[ProgressComment, Pen]:
    pen = pen or Pen(paper.write)
    return ProgressComment(pen, markdown.render, run_url="", clock=time.clock, now=time.moment), pen


def test_a_live_run_writes_every_half_minute_at_most_and_a_long_one_less_often() -> None:
    paper, time = Paper(), Time()
    progress, pen = watching(paper, time)
    for second in range(3 * 3600):
        time.now = float(second)
        progress.see(Count(20_000, second, elapsed=float(second)))
        assert pen.finish(5)

    at = [int(line.split()[3]) for line in paper.said]
    gaps = [later - earlier for earlier, later in pairwise(at)]
    assert at[0] == 0
    assert min(gaps) == INTERVAL
    assert max(gaps) == LONGEST
    assert len([one for one in at if one < 3600]) < 60


@pytest.mark.parametrize(("elapsed", "seconds"), [(0, 30), (600, 30), (1200, 60), (6000, 300), (90_000, 300)])
def test_the_time_between_two_writes(elapsed: float, seconds: float) -> None:
    assert interval(elapsed) == seconds


def test_a_github_that_hangs_delays_neither_answers_nor_the_end() -> None:
    paper, time, waited = Paper(), Time(), list[float]()
    paper.may_go.clear()

    def wait(idle: threading.Event, seconds: float) -> bool:
        waited.append(seconds)
        return idle.wait(5 if paper.may_go.is_set() else 0)

    progress, pen = watching(paper, time, Pen(paper.write, wait))
    progress.see(Count(1000))
    assert paper.begun.wait(5)
    for second in range(1000):
        time.now = float(second)
        progress.see(Count(1000, second, elapsed=float(second)))
    assert waited == []
    progress.stop()
    trouble = progress.end(UNREPORTED)
    assert trouble == f"GitHub did not answer within {PATIENCE:g}s"
    assert sum(waited) <= 2 * PATIENCE <= 6
    paper.may_go.set()
    assert pen.finish(PATIENCE)
    # What was given up by then is not written when GitHub comes back.
    assert paper.said == ["## In progress: 0 of 1000 attempts"]


@pytest.mark.parametrize(
    ("trouble", "ends"),
    [
        (GitHubError("HTTP 403", 403), []),
        (GitHubError("HTTP 502", 502), [ENDED]),
        (GitHubError("the connection was lost"), [ENDED]),
    ],
)
def test_after_trouble_it_is_quiet_but_for_the_end_of_what_may_stand(trouble: GitHubError, ends: list[str]) -> None:
    paper, time = Paper(trouble=trouble), Time()
    progress, pen = watching(paper, time)
    for second in range(0, 200, 40):
        time.now = float(second)
        progress.see(Count(10, 1, elapsed=float(second)))
        assert pen.finish(5)

    assert paper.said == ["## In progress: 1 of 10 attempts"]
    assert progress.end("why") == str(trouble)
    assert paper.said[1:] == ends


@pytest.mark.parametrize("action", ["kept", "none"])
def test_where_another_run_has_the_word_or_no_comment_is_wanted_it_is_quiet(action: str) -> None:
    paper, time = Paper(action=action), Time()
    progress, pen = watching(paper, time)
    for second in (0, 40, 80):
        time.now = float(second)
        progress.see(Count(10, 1, elapsed=float(second)))
        assert pen.finish(5)
    progress.interrupted()
    assert progress.end("why") is None
    assert paper.said == ["## In progress: 1 of 10 attempts"]


def test_the_end_is_said_once_and_nothing_after_it() -> None:
    paper, time = Paper(), Time()
    progress, pen = watching(paper, time)
    progress.see(Count(10, 1))
    assert pen.finish(5)
    progress.interrupted()
    assert pen.finish(5)
    time.now = 100.0
    progress.see(Count(10, 2))
    assert progress.end("another reason") is None
    assert paper.said == ["## In progress: 1 of 10 attempts", ENDED]


def test_a_report_needs_no_word_about_its_end() -> None:
    paper, time = Paper(), Time()
    progress, pen = watching(paper, time)
    progress.see(Count(10, 1))
    progress.stop()
    progress.replaced = True
    assert progress.end(UNREPORTED) is None
    assert pen.finish(5)
    assert paper.said == ["## In progress: 1 of 10 attempts"]
