"""The schedule with servers that exist in simulated time only: nothing sleeps, nothing is random."""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.unit.runner.samples import says

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Again, Failure, Reply, Step
from llm_testbench.runner.job import Job
from llm_testbench.runner.schedule import Schedule, Turn
from llm_testbench.runner.traffic import Traffic

FIRST_PAUSE = 0.25  # seconds; doubles, as the gateway's
WAIT_BUDGET = 120.0
MOST_EVENTS = 300_000

Answers = tuple[float, Step | Outcome | float | None]
"""After how many seconds there is: a step; a failed try; a 429 with this Retry-After (None: without)."""

Server = Callable[[float, int], Answers]
"""From the time and how many requests it works on (this one not among them) to what becomes of the request."""


def limited(capacity: int, latency: float = 0.2, wait: float | None = None, reject: float = 0.002) -> Server:
    """Answers `capacity` at a time in `latency` seconds, and rejects what comes beyond, after `reject` seconds."""
    return lambda _now, busy: (latency, says()) if busy < capacity else (reject, wait)


def steady(latency: float) -> Server:
    return limited(10**9, latency)


def refusing(_now: float, _busy: int) -> Answers:
    return 0.001, Outcome.NETWORK


def hanging(timeout: float) -> Server:
    return lambda _now, _busy: (timeout, Outcome.TIMEOUT)


def down_between(start: float, end: float, server: Server) -> Server:
    return lambda now, busy: refusing(now, busy) if start <= now < end else server(now, busy)


def rated(number: int, seconds: float, latency: float = 0.2) -> Server:
    """Answers `number` requests in each window of `seconds`, and tells the others to wait for the next one."""
    used = Counter[int]()

    def answer(now: float, _busy: int) -> Answers:
        window = int(now // seconds)
        used[window] += 1
        return (latency, says()) if used[window] <= number else (0.002, (window + 1) * seconds - now)

    return answer


@dataclass
class Run:
    """What came of a simulated run. `ended`: by model name, when its last attempt was at its end."""

    replies: dict[tuple[str, str, int], Reply] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    peak: Counter[str] = field(default_factory=Counter)
    rejections: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    news: list[str] = field(default_factory=list)
    took: float = 0.0


@dataclass
class _Attempt:
    tries: int = 0
    failures: int = 0
    waited: float = 0.0


def simulate(
    jobs: Sequence[Job],
    concurrency: int,
    servers: dict[str, Server],
    *,
    max_retries: int = 2,
    traffic: Traffic | None = None,
    start_at: float = 0.0,
) -> Run:
    """Runs the jobs as the crew does, with no thread. `servers`: by model name."""
    traffic = traffic or Traffic(start_at)
    schedule, run, now = Schedule(jobs, concurrency, traffic), Run(), start_at
    busy, flying = Counter[str](), Counter[str]()
    events = list[tuple[float, int, Turn, Answers]]()
    attempts = defaultdict[int, _Attempt](_Attempt)
    order = 0

    def end(job: Job, reply: Reply) -> None:
        key = (job.model.name, job.test.id, job.attempt)
        assert key not in run.replies, "an attempt ended twice"
        run.replies[key] = reply
        run.ended[job.model.name] = now
        (run.answered if reply.failure is None else run.failed)[job.model.name] += 1

    def step_of(position: int, said: Step | Outcome | float | None) -> Step:
        attempt = attempts[position]
        attempt.tries += 1
        if isinstance(said, Reply | Again):
            return said
        throttled = not isinstance(said, Outcome)
        outcome = Outcome.RATE_LIMITED if throttled else said
        assert isinstance(outcome, Outcome)
        failure = Reply(None, Failure(outcome, f"the server said {outcome}", 429 if throttled else None), (), 1.0)
        if not throttled:
            attempt.failures += 1
            if attempt.failures > max_retries:
                return failure
        grown = FIRST_PAUSE * 2.0 ** min(attempt.tries - 1, 16)
        wait = said if isinstance(said, float) else min(grown, 30.0)
        attempt.waited += wait
        if attempt.waited > WAIT_BUDGET:
            return failure
        return Again(wait, throttled, _never, failure)

    for _ in range(MOST_EVENTS):
        while (turn := schedule.start(now)) is not None:
            name = turn.job.model.name
            flying[name] += 1
            run.requests[name] += 1
            run.peak[name] = max(run.peak[name], flying[name])
            run.peak["all"] = max(run.peak["all"], flying.total())
            answers = servers[name](now, busy[name])
            busy[name] += isinstance(answers[1], Reply)
            order += 1
            heapq.heappush(events, (now + answers[0], order, turn, answers))
        while (refused := schedule.refuse()) is not None:
            end(refused.job, refused.reply)
        if not events and not schedule.waiting:
            run.took = now - start_at
            while (line := traffic.news()) is not None:
                run.news.append(line)
            return run
        moment = schedule.next(now)
        assert moment > now, "it may start, and did not"
        if events and events[0][0] <= moment:
            now, _, turn, answers = heapq.heappop(events)
            name = turn.job.model.name
            flying[name] -= 1
            busy[name] -= isinstance(answers[1], Reply)
            step = step_of(turn.position, answers[1])
            if isinstance(step, Again) and step.throttled:
                run.rejections[name].append(now)
            schedule.took(turn, step, now)
            if not isinstance(step, Again):
                end(turn.job, step)
        else:
            assert moment < math.inf, "attempts wait, and nothing will ever wake them"
            now = moment
    raise AssertionError("the run does not come to an end")


def _never() -> Step:
    raise AssertionError("the simulation asks no gateway")
