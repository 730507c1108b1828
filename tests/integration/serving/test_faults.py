"""Every fault by name, asked for by the real client: what design 5.5 calls it, in both forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.integration.serving.desks import CALLS, QUESTION, TEXT, TOOL, Fixed, ask, serving
from tests.quirks.corpus import corpus

from llm_testbench.answer.classify import classify, offered
from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.gateway.model import ChatRequest
from llm_testbench.json_value import JSONObject
from llm_testbench.local.serving.effects import EFFECTS
from llm_testbench.local.serving.fault_table import FAULTS, NAMES, Fault
from llm_testbench.local.serving.options import FaultRate

WITH_TOOLS = Completion("", tool_calls=CALLS)
ON_CALLS = frozenset(NAMES[46:55]) | {"stop-with-tool-calls", "two-choices"}
PARAMETERS: Mapping[str, dict[str, Any]] = {
    "tool-choice-rejected": {"tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
    "parallel-tool-calls-rejected": {"parallel_tool_calls": False},
    "response-format-rejected": {"response_format": {"type": "json_object"}},
}


@dataclass(frozen=True)
class Expected:
    """`statuses`: of each try. `text`, `quirks`: None where they are those of an answer without a fault."""

    outcome: str = "answered"
    statuses: tuple[int | None, ...] = (200,)
    text: str | None = None
    quirks: tuple[str, ...] | None = ()
    whole: bool = True  # the calls are those that were made


FINE = Expected()
SEEN = Expected(quirks=None)  # the answer is whole, and the fault is noted by its name
LOST = Expected("network", (200, 200, 200))
NOTHING = Expected("empty_stream", (200, 200, 200))
BROKEN = Expected("server", (200, 200, 200))
PAGE = Expected("protocol")
ADAPTED = Expected(statuses=(400, 200))
REFUSED = Expected("rejected", (400,))

OUTCOMES: Mapping[str, tuple[Expected, Expected]] = {
    # fault: (asked for a whole answer, asked for a stream)
    "sse-comments": (FINE, FINE),
    "keep-alive-as-data": (FINE, FINE),
    "empty-data": (FINE, FINE),
    "no-space-after-data": (FINE, FINE),
    "crlf": (FINE, FINE),
    "no-final-blank-line": (FINE, FINE),
    "split-character": (FINE, FINE),
    "bom": (FINE, FINE),
    "several-data-lines": (FINE, FINE),
    "stream-flag-ignored": (SEEN, SEEN),
    "html-page": (PAGE, PAGE),
    "proxy-cut": (Expected("server", (524,)), Expected("server", (524, 524, 524))),
    "no-done": (FINE, FINE),
    "open-after-done": (FINE, SEEN),
    "no-finish-reason": (SEEN, LOST),
    "chunked-cut": (LOST, LOST),
    "wrong-content-encoding": (SEEN, SEEN),
    "connection-reset": (Expected("network", (None, None, None)),) * 2,
    "endless-event": (PAGE, PAGE),
    "error-in-200": (BROKEN, BROKEN),
    "error-in-choice": (BROKEN, BROKEN),
    "warming-up": (NOTHING, NOTHING),
    "error-mid-stream": (FINE, BROKEN),
    "empty-body": (NOTHING, NOTHING),
    "error-as-string": (Expected("server", (500, 500, 500)),) * 2,
    "overloaded": (Expected("server", (529,) * 8),) * 2,
    "retry-after": (Expected("rate_limited", (429,) * 11),) * 2,
    "daily-quota": (Expected("rate_limited", (429,)),) * 2,
    "stacked-retries": (SEEN, SEEN),
    "permanent-4xx": (Expected("protocol", (404,)),) * 2,
    "context-overflow": (Expected("context_length", (400,)),) * 2,
    "content-filter": (Expected("refused", (400,), text=""),) * 2,
    "usage-only-chunk": (FINE, FINE),
    "prompt-filter-chunk": (FINE, FINE),
    "usage-on-every-chunk": (FINE, FINE),
    "empty-finish-reason": (FINE, FINE),
    "unknown-finish-reason": (SEEN, SEEN),
    "stop-with-tool-calls": (SEEN, SEEN),
    "text-with-finish-reason": (FINE, FINE),
    "missing-labels": (FINE, FINE),
    "two-choices": (SEEN, SEEN),
    "content-parts": (SEEN, SEEN),
    "reasoning-fields": (FINE, FINE),
    "think-tags": (SEEN, SEEN),
    "budget-exhausted": (Expected(statuses=(200, 200)),) * 2,
    "reasoning-in-front": (FINE, FINE),
    "index-always-zero": (FINE, SEEN),
    "index-missing": (FINE, SEEN),
    "empty-id-on-continuation": (FINE, FINE),
    "any-order": (FINE, FINE),
    "repeated-name": (FINE, SEEN),
    "arguments-as-object": (SEEN, SEEN),
    "empty-arguments-first": (FINE, SEEN),
    "text-after-arguments": (replace(SEEN, whole=False),) * 2,
    "tool-call-in-text": (Expected("tool_call_in_text", whole=False),) * 2,
    "tool-choice-rejected": (ADAPTED, ADAPTED),
    "max-tokens-rejected": (ADAPTED, ADAPTED),
    "temperature-rejected": (ADAPTED, ADAPTED),
    "seed-rejected": (ADAPTED, ADAPTED),
    "stream-options-rejected": (FINE, ADAPTED),
    "parallel-tool-calls-rejected": (REFUSED, REFUSED),
    "response-format-rejected": (REFUSED, REFUSED),
    "nondeterministic": (FINE, FINE),
    "fallback-model": (replace(SEEN, outcome="substituted"),) * 2,
    "cached-repeats": (FINE, FINE),
}


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.number:02}-{fault.name}")
def test_a_fault_comes_to_what_it_has_to(fault: Fault, stream: bool) -> None:
    expected = OUTCOMES[fault.name][stream]
    said = WITH_TOOLS if fault.name in ON_CALLS else TEXT
    tools: tuple[JSONObject, ...] = (TOOL,) if fault.name in {*ON_CALLS, *PARAMETERS} else ()
    request = ChatRequest(QUESTION.messages, tools, PARAMETERS.get(fault.name, {}))

    with serving(Fixed(said), [FaultRate(fault.name)]) as server:
        asked = ask(server.endpoint, request, stream=stream, seed=7)

    reply = asked.reply
    completion = reply.completion
    if reply.failure is not None:
        outcome = reply.failure.outcome.value
    else:
        assert completion is not None
        outcome = classify(completion, normalise(completion), offered(list(tools))).value
    seen = Expected(outcome, tuple(asked.tries))
    if completion is not None:
        text = normalise(completion).text
        names = tuple(quirk for quirk in reply.quirks if quirk != fault.name)
        seen = replace(seen, text=text, whole=[call.arguments for call in completion.tool_calls] == _arguments(said))
        noted = fault.name in reply.quirks
        assert names == ()
        assert noted == (expected.quirks is None), reply.quirks
    assert seen == replace(expected, quirks=(), text=_text(expected, completion, said))


def _arguments(said: Completion) -> list[Any]:
    return [call.arguments for call in said.tool_calls]


def _text(expected: Expected, completion: Completion | None, said: Completion) -> str | None:
    if completion is None or expected.text is not None:
        return expected.text
    return normalise(completion).text if expected.outcome == "tool_call_in_text" else said.text


def test_every_way_to_say_how_long_to_wait_is_understood() -> None:
    with serving(Fixed(), [FaultRate("retry-after")]) as server:
        # Each attempt is refused eleven times, so that the next one meets the next way first.
        pauses = [ask(server.endpoint).pauses[0] for _ in range(5)]
    assert pauses == [0.5, 1.0, 0.5, 1.0, 1.0]


def test_the_budget_is_enough_when_it_is_four_times_as_large() -> None:
    with serving(Fixed(), [FaultRate("budget-exhausted")]) as server:
        asked = ask(server.endpoint, max_tokens=4096)
        small = ask(server.endpoint, max_tokens=256)
    assert asked.reply.completion is not None
    assert asked.reply.completion.text == TEXT.text
    assert small.reply.completion is not None
    assert small.reply.completion.text == ""
    assert small.reply.completion.usage.reasoning_tokens == 1024


def test_the_table_the_effects_and_the_corpus_have_the_same_faults() -> None:
    assert [(fault.number, fault.name, fault.threads) for fault in FAULTS] == [
        (quirk.number, quirk.name, quirk.threads) for quirk in corpus()
    ]
    assert set(EFFECTS) == set(OUTCOMES) == set(NAMES)
