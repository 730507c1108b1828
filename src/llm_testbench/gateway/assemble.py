"""Chunks of a stream, or one whole body, to a Completion: pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from llm_testbench.answer import finish
from llm_testbench.answer.model import Completion, ToolCall
from llm_testbench.answer.normalise import holds_reasoning
from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.failures import error_text, failure_of_error, names_content_filter, one_line
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.sse import Event
from llm_testbench.gateway.text import Parts, clean, label
from llm_testbench.gateway.tool_calls import ToolCallFragments, TooManyCallsError
from llm_testbench.gateway.usage import UsageReports
from llm_testbench.untrusted import ELLIPSIS

MOST_CHOICES = 8  # one was asked for

_QUOTED = 200  # characters of an answer that broke off, and of words beside it
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
        self._filtered = False  # an error said that a content filter stepped in
        self._aside = ""  # what the first event said that was no chunk

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
        if chunk is None:
            return
        if not isinstance(chunk, dict):
            text = f"a chunk that is no JSON object: {error_text(chunk)}"
            self._fail(Failure(Outcome.PROTOCOL, one_line(text), self._status))
            return
        if chunk.get("error") or chunk.get("object") == "error":
            self._error(chunk)
            if not self._filtered:
                return
        choices = chunk.get("choices")
        if choices is None and _CHUNK_KEYS.isdisjoint(chunk):
            self._aside = self._aside or error_text(chunk)
            return
        self._chunks += 1
        if len(self._labels) < len(_LABELS):
            self._label(chunk)
        usage = chunk.get("usage")
        if usage:
            self._usage.add(usage)
        if isinstance(choices, list):
            try:
                for place, choice in enumerate(choices):
                    if isinstance(choice, dict):
                        self._choice(choice, place)
            except TooManyCallsError as error:
                self._fail(Failure(Outcome.PROTOCOL, f"HTTP {self._status} with {error}: refused", self._status))

    def result(self) -> Completion | Failure:
        """The completion, or why there is none."""
        if self._failure is not None:
            return replace(self._failure, message=self._failure.message + self._so_far())
        if self._filtered:
            return self._completion()
        if not self._choices:
            what = "no choices" if self._chunks else "nothing in it"
            aside = f": {self._aside}" if self._aside else ""
            return Failure(Outcome.EMPTY_STREAM, one_line(f"HTTP {self._status} with {what}{aside}"), self._status)
        if not self.finished and not self.done:
            text = f"the stream ended without finish_reason or [DONE]{self._so_far()}"
            return Failure(Outcome.NETWORK, text, self._status)
        return self._completion()

    def _so_far(self) -> str:
        """How much had come when it broke off, and its end."""
        text = clean("".join(piece for choice in self._choices.values() for piece in choice.parts.text))
        if not text:
            return ""
        # The mark tells the redaction that half of a secret may stand behind it.
        end = text if len(text) <= _QUOTED else ELLIPSIS + text[1 - _QUOTED :]
        return one_line(f", after {len(text)} characters: {end!r}")

    def _label(self, chunk: Mapping[str, object]) -> None:
        for key in _LABELS:
            said = chunk.get(key)
            if said and key not in self._labels and (name := label(said)) is not None:
                self._labels[key] = name

    def _choice(self, choice: Mapping[str, object], place: int) -> None:
        if choice.get("error"):
            self._error(choice)
            if not self._filtered:
                return
        delta = choice.get("delta")
        # Some servers send both, of which one is empty.
        whole = not isinstance(delta, dict) or (not delta and isinstance(choice.get("message"), dict))
        said = choice.get("message") if whole else delta
        text = choice.get("text")  # servers that answer in the form of the older completions API
        reason = choice.get("finish_reason")
        if not isinstance(said, dict) and not isinstance(text, str) and not reason:
            return
        index = choice.get("index")
        key = index if isinstance(index, int) else place
        kept = self._choices.get(key)
        if kept is None:
            if len(self._choices) >= MOST_CHOICES:
                text = f"HTTP {self._status} with more than {MOST_CHOICES} choices where one was asked for: refused"
                self._fail(Failure(Outcome.PROTOCOL, text, self._status))
                return
            kept = self._choices[key] = _Choice()
        if isinstance(said, dict):
            if whole and (kept.parts or kept.calls):
                self._said_again(kept, said)
            else:
                self._said(kept, said, whole=whole)
        elif isinstance(text, str):
            kept.parts.add_content(text)
        self.started = self.started or bool(kept.parts) or bool(kept.calls)
        if isinstance(reason, str) and reason:
            if finish.is_failure(reason):
                words = f"finish_reason is {reason}"
                self._fail(failure_of_error({"error": words}, self._status))
                return
            kept.finish = label(reason, 100)
            self._usage.add(choice.get("usage"))  # Moonshot's place for it
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
            return  # some servers repeat the call in the older field
        legacy = said.get("function_call")
        if isinstance(legacy, dict):
            kept.calls.add([{"index": 0, "function": legacy}], whole=whole)

    def _said_again(self, kept: _Choice, said: Mapping[str, object]) -> None:
        """A whole message after pieces of it, or after an earlier state of it: it takes their place."""
        again = _Choice()
        self._said(again, said, whole=True)
        if again.parts:
            kept.parts = again.parts
        if again.calls:
            kept.calls = again.calls

    def _error(self, holder: Mapping[str, object]) -> None:
        # The filter is an answer of the system under test: a refusal, with the text that came.
        if names_content_filter(holder):
            self._filtered = self.done = True
        else:
            self._fail(failure_of_error(holder, self._status))

    def _completion(self) -> Completion:
        # One choice was asked for: a server that puts text in one and the call in another means one answer.
        choices = [self._choices[key] for key in sorted(self._choices)]
        text = next((choice.parts.text for choice in choices if choice.parts.text), [])
        refusal = next((choice.parts.refusal for choice in choices if choice.parts.refusal), [])
        reasoning = next((choice.parts.reasoning for choice in choices if choice.parts.reasoning), [])
        calling = next((choice for choice in choices if choice.calls), None)
        calls = calling.calls.calls() if calling is not None else ()
        reason = next((choice.finish for choice in [calling, *choices] if choice is not None and choice.finish), None)
        if self._filtered:
            reason = "content_filter"
        whole = clean("".join(text or refusal))
        return Completion(
            text=whole,
            reasoning=clean("".join(reasoning)),
            tool_calls=calls,
            finish_reason=reason,
            refused=bool(refusal) or finish.is_filtered(reason),
            usage=self._usage.usage(),
            served_model=self._labels.get("model"),
            fingerprint=self._labels.get("system_fingerprint"),
            response_id=self._labels.get("id"),
            quirks=self._quirks(choices, whole, calls, reason),
        )

    @staticmethod
    def _quirks(choices: list[_Choice], text: str, calls: tuple[ToolCall, ...], reason: str | None) -> tuple[str, ...]:
        """Where a strict reader of OpenAI's format would have read something else, or nothing."""
        found = set().union(*(choice.calls.quirks for choice in choices))
        if len(choices) > 1:
            found.add("two-choices")
        if any(choice.parts.listed for choice in choices):
            found.add("content-parts")
        if holds_reasoning(text):
            found.add("think-tags")
        if reason is None:
            found.add("no-finish-reason")
        elif reason == "stop" and calls:
            found.add("stop-with-tool-calls")
        elif reason not in finish.DOCUMENTED:
            found.add("unknown-finish-reason")
        return tuple(sorted(found))

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
    lines = [line for line in data.split("\n") if line and not line.isspace()]
    if all(_is_whole(line) for line in lines):
        yield from (line.strip() for line in lines)
    else:
        yield data


def _is_whole(line: str) -> bool:
    line = line.strip()
    return line == "[DONE]" or (line.startswith("{") and line.endswith("}"))
