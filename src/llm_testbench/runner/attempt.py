"""From a reply to a row: normalise, classify, score, and keep what the artifact may hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from llm_testbench.answer.classify import classify, offered
from llm_testbench.answer.model import Answer, Completion, ToolCall
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.outcome import SKIPPED, Outcome
from llm_testbench.artifact.model import MOST_QUIRKS, MOST_TRIES, QUIRK_CAP, TEXT_CAP, TRY_REASON_CAP, Row
from llm_testbench.artifact.scoring import cap, scored, short
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.evaluators.running import runs_code
from llm_testbench.evaluators.score import Score
from llm_testbench.gateway.model import ChatRequest, Failure, Reply, Try
from llm_testbench.runner.job import Job, StorePolicy
from llm_testbench.sandbox.programs import CLOSED, Workshop
from llm_testbench.suite.model import Test
from llm_testbench.untrusted import shortened


def request_of(test: Test) -> ChatRequest:
    """What the test asks of any model."""
    return ChatRequest(test.messages, test.tools, test.parameters, test.max_tokens)


def row_of(job: Job, reply: Reply, store: StorePolicy, workshop: Workshop = CLOSED) -> Row:
    """The row of one attempt.

    A failed call and a crashed evaluator are error rows: score 0, not passed, and `error` says why. So is an answer
    that comes with a failure: another model gave it.
    `store` decides whether the answer is kept: `all`, `failed` (whatever did not pass) or `none`. `workshop`: where
    checks run programs.
    """
    return _row(job, reply, store, lambda answer: evaluate(job.test.evaluator, answer, workshop))


NOT_CHECKED = Crash("the run ended before this answer was checked; `llmtest rescore` does it where answers are stored")


def unchecked(job: Job, reply: Reply, store: StorePolicy) -> Row:
    """The row of an answer that is there, and that no time was left to check: an error, which keeps the answer."""
    return _row(job, reply, store, lambda _: NOT_CHECKED)


def waits_for_programs(job: Job, reply: Reply) -> bool:
    """Whether scoring the answer takes as long as a program."""
    return reply.completion is not None and reply.failure is None and runs_code(job.test.evaluator)


def _row(job: Job, reply: Reply, store: StorePolicy, check: Callable[[Answer], Score | Crash]) -> Row:
    if reply.completion is None:
        failure = reply.failure or Failure(Outcome.PROTOCOL, "the gateway gave neither an answer nor an error")
        return _failed(_bare(job, reply, failure.outcome), failure)
    completion = reply.completion
    if reply.failure is not None:
        row = _failed(_measured(_bare(job, reply, reply.failure.outcome), completion), reply.failure)
        return row if store == "none" else _with_answer(row, completion)
    answer = normalise(completion)
    row = _measured(_bare(job, reply, classify(completion, answer, offered(job.test.tools))), completion)
    row = replace(scored(row, check(answer)), truncated=answer.truncated)
    if store == "none" or (store == "failed" and row.passed):
        return row
    return _with_answer(row, completion)


def crashed(job: Job, error: BaseException) -> Row:
    """The row of an attempt whose call raised, which the gateway promises not to do."""
    # The type alone: the text of a foreign exception may quote headers, and so the key.
    failure = Failure(Outcome.PROTOCOL, f"the call ended in an unexpected {type(error).__name__}")
    return row_of(job, Reply(None, failure, (), 0.0), "none")


def _bare(job: Job, reply: Reply, outcome: Outcome) -> Row:
    return Row(
        model=job.model.name,
        test_id=job.test.id,
        category=job.test.category,
        subcategory=job.test.subcategory,
        attempt=job.attempt,
        outcome=outcome,
        phase=job.phase,
        side=job.side,
        copy=reply.copy,
        latency_ms=reply.latency_ms,
        ttft_ms=reply.ttft_ms,
        tries=_kept(reply.tries),
        quirks=tuple(quirk[:QUIRK_CAP] for quirk in reply.quirks[:MOST_QUIRKS]),
    )


def _kept(tries: tuple[Try, ...]) -> tuple[Try, ...]:
    """How it began and how it ended, with short reasons."""
    if len(tries) > MOST_TRIES:
        tries = (*tries[: MOST_TRIES - 1], tries[-1])
    return tuple(
        one if len(one.reason) <= TRY_REASON_CAP else replace(one, reason=shortened(one.reason, TRY_REASON_CAP))
        for one in tries
    )


def _failed(row: Row, failure: Failure) -> Row:
    message = short(failure.message)
    if failure.outcome in SKIPPED:
        return replace(row, skipped=True, reason=message)
    return replace(row, error=message)


def _measured(row: Row, completion: Completion) -> Row:
    usage = completion.usage
    both = usage.prompt_tokens is not None and usage.completion_tokens is not None
    return replace(
        row,
        finish_reason=completion.finish_reason,
        fingerprint=completion.fingerprint,
        served_model=completion.served_model,
        response_id=completion.response_id,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        cached_tokens=usage.cached_tokens,
        tokens=(usage.prompt_tokens or 0) + (usage.completion_tokens or 0) if both else None,
    )


def _with_answer(row: Row, completion: Completion) -> Row:
    """As it came, not normalised: a better normaliser can then score it again."""
    text, text_cut = cap(completion.text, TEXT_CAP)
    reasoning, reasoning_cut = cap(completion.reasoning, TEXT_CAP)
    calls, calls_cut = _cap_calls(completion.tool_calls)
    return replace(
        row,
        response_text=text,
        reasoning_text=reasoning or None,
        tool_calls=calls,
        response_capped=text_cut or reasoning_cut or calls_cut,
    )


def _cap_calls(calls: tuple[ToolCall, ...]) -> tuple[tuple[ToolCall, ...], bool]:
    """The leading calls whose names and arguments together stay within TEXT_CAP: a call cut inside is no call."""
    left = TEXT_CAP
    for index, call in enumerate(calls):
        left -= len((call.id + call.name + call.arguments_text).encode("utf-8", "surrogatepass"))
        if left < 0:
            return calls[:index], True
    return calls, False
