"""Chunks of a stream, or one whole body, to a Completion: pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from llm_testbench.answer.model import Completion, ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.failures import error_text, failure_of_error, one_line
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.sse import Event
from llm_testbench.gateway.text import Parts, clean, label
from llm_testbench.gateway.tool_calls import ToolCallFragments
from llm_testbench.gateway.usage import UsageReports

_REFUSALS = frozenset({"content_filter", "refusal"})
_LABELS = ("id", "model", "system_fingerprint")
_DECODER = json.JSONDecoder()
_CHUNK_KEYS = frozenset({"choices", "id", "object", "model", "usage", "created"})


class _Choice:
    """One entry of `choices`, over all chunks."""

    def __init__(self) -> None:
        self.parts = Parts()
        self.calls = ToolCallFragments()
        self.finish: str | None = None


class Assembly:
    """Collects what a server sends until it is done or says that it failed.

    `done`: the server said that nothing more comes; `finished`: a finish_reason came, so the answer is whole
    though usage may follow; `started`: some part of the answer came.
    """

    def __init__(self, status: int = 200) -> None:
        self.done = False
        self.finished = False
        self.started = False
        self._status = status
        self._failure: Failure | None = None
        self._choices: dict[int, _Choice] = {}
        self._usage = UsageReports()
        self._labels: dict[str, str] = {}
        self._chunks = 0

    def event(self, event: Event) -> None:
        """One event of a stream."""
        data = event.data.strip()
        if "\n" not in data:
            self._payload(event, data)
            return
        for payload in _payloads(data):
            self._payload(event, payload)

    def _payload(self, event: Event, data: str) -> None:
        if self.done:
            return
        if data == "[DONE]":
            self.done = True
            return
        try:
            # Half the time of json.loads, which looks for white space that is not there.
            chunk, end = _DECODER.raw_decode(data)
        except (ValueError, RecursionError):
            self._not_json(event, data)
            return
        if end != len(data):
            self._not_json(event, data)
            return
        if event.kind == "error" and not (isinstance(chunk, dict) and chunk.get("error")):
            chunk = {"error": chunk}
        self.chunk(chunk)

    def chunk(self, chunk: object) -> None:
        """One chunk, or a whole completion with `message` in place of `delta`."""
        if not isinstance(chunk, dict):
            text = f"a chunk that is no JSON object: {error_text(chunk)}"
            self._fail(Failure(Outcome.PROTOCOL, one_line(text), self._status))
            return
        if chunk.get("error") or chunk.get("object") == "error":
            self._fail(failure_of_error(chunk, self._status))
            return
        choices = chunk.get("choices")
        if choices is None and _CHUNK_KEYS.isdisjoint(chunk):
            return
        self._chunks += 1
        if len(self._labels) < len(_LABELS):
            self._label(chunk)
        usage = chunk.get("usage")
        if usage:
            self._usage.add(usage)
        if isinstance(choices, list):
            for choice in choices:
                if isinstance(choice, dict):
                    self._choice(choice)

    def result(self) -> Completion | Failure:
        """The completion, or why there is none."""
        if self._failure is not None:
            return self._failure
        if not self._choices:
            what = "no choices" if self._chunks else "nothing in it"
            return Failure(Outcome.EMPTY_STREAM, f"HTTP {self._status} with {what}", self._status)
        if not self.finished and not self.done:
            size = sum(len(text) for choice in self._choices.values() for text in choice.parts.text)
            text = f"the stream ended after {size} characters, without finish_reason or [DONE]"
            return Failure(Outcome.NETWORK, text, self._status)
        return self._completion()

    def _label(self, chunk: Mapping[str, object]) -> None:
        for key in _LABELS:
            said = chunk.get(key)
            if said and key not in self._labels and (name := label(said)) is not None:
                self._labels[key] = name

    def _choice(self, choice: Mapping[str, object]) -> None:
        if choice.get("error"):
            self._fail(failure_of_error(choice, self._status))
            return
        delta = choice.get("delta")
        whole = not isinstance(delta, dict)
        said = choice.get("message") if whole else delta
        text = choice.get("text")  # servers that answer in the form of the older completions API
        finish = choice.get("finish_reason")
        if not isinstance(said, dict) and not isinstance(text, str) and not finish:
            return
        index = choice.get("index")
        key = index if isinstance(index, int) else 0
        kept = self._choices.get(key)
        if kept is None:
            kept = self._choices[key] = _Choice()
        if isinstance(said, dict):
            self._said(kept, said, whole=whole)
        elif isinstance(text, str):
            kept.parts.add_content(text)
        self.started = self.started or bool(kept.parts) or bool(kept.calls)
        if isinstance(finish, str) and finish:
            if finish == "error":
                self._fail(failure_of_error({"error": error_text(said) or "finish_reason is error"}, self._status))
                return
            kept.finish = clean(finish[:100])
            self.finished = True

    @staticmethod
    def _said(kept: _Choice, said: Mapping[str, object], *, whole: bool) -> None:
        kept.parts.add_content(said.get("content"))
        if len(said) > 1 or "content" not in said:  # most deltas hold a piece of text and nothing else
            kept.parts.add_reasoning(said)
            kept.parts.add_refusal(said.get("refusal"))
        calls = said.get("tool_calls")
        if calls:
            kept.calls.add(calls, whole=whole)
        legacy = said.get("function_call")
        if isinstance(legacy, dict):
            kept.calls.add([{"index": 0, "function": legacy}])

    def _completion(self) -> Completion:
        # One choice was asked for: a server that puts text in one and the call in another means one answer.
        choices = [self._choices[key] for key in sorted(self._choices)]
        text = next((choice.parts.text for choice in choices if choice.parts.text), [])
        refusal = next((choice.parts.refusal for choice in choices if choice.parts.refusal), [])
        reasoning = next((choice.parts.reasoning for choice in choices if choice.parts.reasoning), [])
        calls: tuple[ToolCall, ...] = next((choice.calls.calls() for choice in choices if choice.calls), ())
        finish = next((choice.finish for choice in choices if choice.finish), None)
        return Completion(
            text=clean("".join(text or refusal)),
            reasoning=clean("".join(reasoning)),
            tool_calls=calls,
            finish_reason=finish,
            refused=bool(refusal) or finish in _REFUSALS,
            usage=self._usage.usage(),
            served_model=self._labels.get("model"),
            fingerprint=self._labels.get("system_fingerprint"),
            response_id=self._labels.get("id"),
        )

    def _not_json(self, event: Event, data: str) -> None:
        # An event that the end of the stream cut, or rubbish after the answer was whole, takes nothing from it.
        if event.complete and not self.finished:
            if event.kind == "error":
                self._fail(failure_of_error({"error": data}, self._status))
            else:
                self._fail(Failure(Outcome.PROTOCOL, one_line(f"an event that is no JSON: {data!r}"), self._status))

    def _fail(self, failure: Failure) -> None:
        self._failure = self._failure or failure
        self.done = True


def _payloads(data: str) -> Iterator[str]:
    """The JSON texts of one event: one over all its lines, or one a line where blank lines were forgotten."""
    lines = data.split("\n")
    if all(_is_whole(line) for line in lines):
        yield from (line.strip() for line in lines)
    else:
        yield data


def _is_whole(line: str) -> bool:
    line = line.strip()
    return line == "[DONE]" or (line.startswith("{") and line.endswith("}"))
