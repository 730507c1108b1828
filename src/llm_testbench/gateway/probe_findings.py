"""What the answers to a probe mean: pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from llm_testbench.answer import finish
from llm_testbench.answer.model import Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.answer.printed_call import printed_call
from llm_testbench.gateway.model import ModelOptions, Reply
from llm_testbench.gateway.probe_model import PLAIN_TOKENS, TOOL, TOOL_TOKENS, Finding, Sent
from llm_testbench.gateway.retry import is_throttled
from llm_testbench.json_value import JSON

CALL_AS_TEXT = "the call comes back as text"
_FORMS = {"named": "by name", "required": "required"}


@dataclass(frozen=True)
class Trace:
    """Where each question ended: the last request and what came of it.

    `refused`: by request key (`tool_choice named`: by form, too), the server's words. `doubted`: words of a refusal of
    limit, temperature and seed that did not tell which. `apart`: words of a refusal of stream and tools in one request,
    while each alone is taken. `replies`: all of them.
    """

    plain: tuple[Sent, Reply]
    streamed: tuple[Sent, Reply]
    tooled: tuple[Sent, Reply]
    refused: Mapping[str, str]
    doubted: str
    apart: str
    replies: tuple[Reply, ...]


def findings_of(model: ModelOptions, trace: Trace) -> tuple[Finding, ...]:
    """One line a thing, in the order in which a reader would ask."""
    return tuple(_findings(model, trace))


def keys_of(model: ModelOptions, trace: Trace) -> dict[str, JSON]:
    """The keys that the model's entry needs beyond what it has, so that nothing refused is sent."""
    plain, (streamed, _), (tooled, answer) = trace.plain[0], trace.streamed, trace.tooled
    keys: dict[str, JSON] = {}
    if model.max_tokens is not None:
        if not plain.limit_keys:
            keys["max_tokens"] = None
        elif plain.limit_keys[0] != model.max_tokens_key:
            keys["max_tokens_key"] = plain.limit_keys[0]
    if plain.temperature is None and "temperature" not in model.omitted:  # a test may set one
        keys["temperature"] = None
    if plain.seed is None and model.seed is not None:
        keys["seed"] = None
    if not streamed.stream and model.stream:
        keys["stream"] = False
    if streamed.stream and not streamed.stream_options and "stream_options" not in model.omitted:
        keys["stream_options"] = False
    if tooled.choice == "required" and answer.completion is not None and not model.tool_choice_required:
        keys["tool_choice"] = "required"
    return keys


def _findings(model: ModelOptions, trace: Trace) -> Iterator[Finding]:
    _, reply = trace.plain
    if reply.completion is not None:
        yield _answers(reply.completion, reply)
        yield from _served(model, reply.completion, reply)
    yield _limit(trace)
    yield _taken("temperature", trace)
    yield _taken("seed", trace)
    yield from _stream(trace)
    yield from _tools(trace)
    quirks = sorted({quirk for reply in trace.replies for quirk in reply.quirks})
    if quirks:
        yield Finding("odd, and understood", "note", ", ".join(quirks))


def _answers(completion: Completion, reply: Reply) -> Finding:
    seen = f"in {reply.latency_ms:.0f} ms"
    if completion.usage.completion_tokens is None:
        seen += ", without a count of tokens"
    if not completion.text and finish.is_length(completion.finish_reason):
        seen += f"; all {PLAIN_TOKENS} tokens went to reasoning"
    return Finding("answers", "yes", seen)


def _served(model: ModelOptions, completion: Completion, reply: Reply) -> Iterator[Finding]:
    if reply.failure is not None:
        yield Finding("fallback", "note", "another model answered", reply.failure.message)
    if completion.served_model and completion.served_model != model.id:
        yield Finding("calls itself", "note", "unlike the id that was asked for", completion.served_model)


def _limit(trace: Trace) -> Finding:
    sent = trace.plain[0]
    refused = [key for key in trace.refused if key not in _OTHERS and not key.startswith("tool_choice")]
    said = next((trace.refused[key] for key in refused), "")
    if sent.limit_keys:
        instead = f"; {', '.join(refused)} is refused" if refused else ""
        return Finding("token limit", "yes", f"as {sent.limit_keys[0]}{instead}", said)
    if trace.doubted:
        return _untold("token limit", trace)
    return Finding("token limit", "no", f"refused as {', '.join(refused)}: none is sent", said)


_OTHERS = frozenset({"temperature", "seed", "stream", "stream_options", "tools"})


def _taken(key: str, trace: Trace) -> Finding:
    value = getattr(trace.plain[0], key)
    if value is not None:
        return Finding(key, "yes", f"{value:g} is taken")
    if key in trace.refused:
        said = trace.refused[key]
        only = "; it takes only its default" if "default" in said.lower() else ""
        return Finding(key, "no", f"refused{only}", said)
    return _untold(key, trace)


def _untold(what: str, trace: Trace) -> Finding:
    return Finding(what, "unknown", "token limit, temperature or seed is refused: not told which", trace.doubted)


def _stream(trace: Trace) -> Iterator[Finding]:
    sent, reply = trace.streamed
    if not sent.stream:
        yield Finding("stream", "no", "refused", trace.refused.get("stream", ""))
        return
    if reply.completion is None:
        yield _failed("stream", reply)
        return
    streams = reply.ttft_ms is not None
    yield Finding("stream", "yes" if streams else "no", "" if streams else "the answer comes in one piece all the same")
    counted = reply.completion.usage.completion_tokens is not None
    if not sent.stream_options:
        counts = ", and tokens are counted without it" if counted else ", so tokens of streams are not counted"
        yield Finding("stream_options", "no", f"refused{counts}", trace.refused.get("stream_options", ""))
    else:
        seen = "the stream counts its tokens" if counted else "taken, but the stream does not count its tokens"
        yield Finding("stream_options", "yes" if counted else "no", seen)


def _tools(trace: Trace) -> Iterator[Finding]:
    sent, reply = trace.tooled
    if sent.choice is None:
        yield Finding("tools", "no", "refused", trace.refused.get("tools", ""))
        return
    if reply.completion is None:
        yield _failed("tools", reply)
        return
    called = _called(reply.completion)
    yield called
    if trace.apart:
        yield Finding("tools in a stream", "no", "refused, though each alone is taken", trace.apart)
    refused = [form for form in _FORMS if f"tool_choice {form}" in trace.refused]
    said = trace.refused.get(f"tool_choice {refused[0]}", "") if refused else ""
    if sent.choice == "free":
        yield Finding("tool_choice", "no", "refused: no test can force a call", said)
    else:
        instead = "; the name of a tool is refused" if refused else ""
        ignored = " is taken, and not heeded" if called.state == "no" else ""
        yield Finding("tool_choice", "no" if ignored else "yes", f"{_FORMS[sent.choice]}{ignored}{instead}", said)


def _called(completion: Completion) -> Finding:
    calls = completion.tool_calls
    if calls:
        broken = any(call.arguments is None for call in calls)
        return Finding("tools", "yes", "a call comes back" + (", its arguments are no JSON object" if broken else ""))
    if printed_call(completion.text, [TOOL]) is not None:
        return Finding("tools", "no", CALL_AS_TEXT, completion.text)
    if finish.is_length(completion.finish_reason):
        return Finding("tools", "unknown", f"no call within {TOOL_TOKENS} tokens")
    return Finding("tools", "no", "taken, but no call comes back", completion.text)


def _failed(what: str, reply: Reply) -> Finding:
    failure = reply.failure
    # Of the moment, or of the caller, and not of the feature.
    if failure is None or is_throttled(failure) or failure.outcome is Outcome.AUTH:
        return Finding(what, "unknown", "could not be learned", failure.message if failure is not None else "")
    return Finding(what, "no", "fails", failure.message)
