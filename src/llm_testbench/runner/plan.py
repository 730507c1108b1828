"""Which attempts a run makes, in which order, and what they will cost at most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from llm_testbench.artifact.model import Row
from llm_testbench.errors import InputError
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.gateway.wire import token_limit
from llm_testbench.json_value import JSON, canonical
from llm_testbench.runner.attempt import request_of
from llm_testbench.runner.job import Job, key_of
from llm_testbench.suite.model import Test

ASSUMED_SECONDS = 5.0  # a request whose latency nobody has measured
CHARACTERS_PER_TOKEN = 4  # English text in today's tokenizers; code and other scripts need more tokens


def plan(
    models: Sequence[ModelOptions],
    tests: Sequence[Test],
    repeat: int,
    against: Mapping[str, ModelOptions] = MappingProxyType({}),
) -> tuple[Job, ...]:
    """All tests' attempt 0, then attempt 1, …; the models take turns at each test.

    So an interrupted run has measured every test about equally often, and drift of a server over
    time falls on all tests alike. A test that names models is asked of these only.

    `against`: by model name, how its other side is asked, under that same name. Each attempt of both is made at the
    same time, and neither side is always the first.
    """
    return tuple(
        job
        for attempt in range(repeat)
        for number, test in enumerate(tests)
        for model in models
        if test.is_for(model.name)
        for job in _sides(Job(model, test, attempt), against.get(model.name), swapped=(attempt + number) % 2 == 1)
    )


def _sides(job: Job, other: ModelOptions | None, *, swapped: bool) -> tuple[Job, ...]:
    if other is None:
        return (job,)
    beside = replace(job, model=other, side="baseline")
    return (beside, job) if swapped else (job, beside)


def require_at_most(jobs: Sequence[Job], max_requests: int) -> None:
    """InputError when more requests are planned than `max_requests` allows."""
    if len(jobs) > max_requests:
        raise InputError(
            f"{len(jobs)} requests are planned, max_requests allows {max_requests}: "
            "select fewer tests or models, lower repeat, or raise max_requests"
        )


def require_tokens_at_most(jobs: Sequence[Job], max_planned_tokens: int | None) -> None:
    """InputError when prompts and the most that answers may have are more tokens, or an answer has no limit."""
    if max_planned_tokens is None or not jobs:
        return
    needed = estimate(jobs, 1)
    if needed.completion_tokens is None:
        raise InputError("max_planned_tokens is set, and a model is asked without a token limit: give it max_tokens")
    planned = needed.prompt_tokens + needed.completion_tokens
    if planned > max_planned_tokens:
        raise InputError(
            f"{planned} tokens are planned (prompts about {needed.prompt_tokens}, answers at most"
            f" {needed.completion_tokens}), max_planned_tokens allows {max_planned_tokens}: select fewer tests or"
            " models, shorten prompts, lower max_tokens, or raise max_planned_tokens"
        )


def remaining(jobs: Iterable[Job], rows: Iterable[Row]) -> tuple[Job, ...]:
    """The jobs that no row answers yet, in the same order."""
    answered = set(map(key_of, rows))
    return tuple(job for job in jobs if job.key not in answered)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a list of jobs needs, without retries.

    `prompt_tokens` is a guess (characters ÷ 4). `completion_tokens` is a ceiling, None when a model
    is asked without a token limit. `seconds` counts `measured` requests by latencies known from an
    earlier run, and the others by `assumed_seconds` each.
    """

    requests: int
    prompt_tokens: int
    completion_tokens: int | None
    seconds: float
    measured: int
    assumed_seconds: float


def estimate(
    jobs: Sequence[Job],
    concurrency: int,
    known: Mapping[tuple[str, str], float] | None = None,
    assumed_seconds: float = ASSUMED_SECONDS,
) -> Estimate:
    """What the jobs need. `known`: seconds per request by (model name, test id), see `latencies`."""
    known = known or {}
    cells = [(job.model.name, job.test.id) for job in jobs]
    seconds = [known.get(cell, assumed_seconds) for cell in cells]
    ceilings = [token_limit(job.model, request_of(job.test)) for job in jobs]
    prompts = {id(job.test): _prompt_tokens(job.test) for job in jobs}
    return Estimate(
        requests=len(jobs),
        prompt_tokens=sum(prompts[id(job.test)] for job in jobs),
        completion_tokens=None if None in ceilings else sum(limit for limit in ceilings if limit is not None),
        seconds=_makespan(jobs, seconds, concurrency),
        measured=sum(cell in known for cell in cells),
        assumed_seconds=assumed_seconds,
    )


def latencies(rows: Iterable[Row]) -> dict[tuple[str, str], float]:
    """Median seconds per request by (model name, test id), from the calls of an earlier run that succeeded.

    Those of its other side tell nothing: that may be another server.
    """
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row.error is None and row.latency_ms > 0 and row.side == "current":
            found.setdefault((row.model, row.test_id), []).append(row.latency_ms / 1000)
    return {cell: sorted(values)[len(values) // 2] for cell, values in found.items()}


def _makespan(jobs: Sequence[Job], seconds: Sequence[float], concurrency: int) -> float:
    """The longest of three things that no schedule can beat: all slots busy, one capped model, one request."""
    by_model: dict[str, float] = {}
    limits: dict[str, int] = {}
    for job, needed in zip(jobs, seconds, strict=True):
        by_model[job.model.name] = by_model.get(job.model.name, 0.0) + needed
        limits[job.model.name] = min(job.model.concurrency or concurrency, concurrency)
    slowest = max((total / limits[name] for name, total in by_model.items()), default=0.0)
    return max(sum(seconds) / concurrency, slowest, max(seconds, default=0.0))


def _prompt_tokens(test: Test) -> int:
    characters = sum(_characters(message) for message in test.messages) + sum(len(canonical(t)) for t in test.tools)
    # A schema for the answer is read by the model, and paid for, like the prompt.
    characters += len(canonical(test.parameters)) if test.parameters else 0
    return -(-characters // CHARACTERS_PER_TOKEN)


def _characters(message: Mapping[str, JSON]) -> int:
    content = message.get("content")
    calls = message.get("tool_calls")
    return _text_length(content) + (len(canonical(calls)) if calls else 0)


def _text_length(content: JSON) -> int:
    """Of a string or of content parts; an image is not priced by the length of its data URL."""
    if isinstance(content, str):
        return len(content)
    if isinstance(content, Mapping):
        return _text_length(content.get("text"))
    if isinstance(content, Sequence):
        return sum(_text_length(part) for part in content)
    return 0
