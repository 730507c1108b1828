"""Sheets for blind solvers: what a model would see of each test and nothing else; and the marks of what they answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from llm_testbench.answer.model import Completion, ToolCall
from llm_testbench.answer.normalise import normalise
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.json_value import JSONObject
from llm_testbench.sandbox.programs import Workshop, side_by_side
from llm_testbench.suite.model import Test


@dataclass(frozen=True)
class Mark:
    """What an answer of a solver earned; `value` is None where it could not be scored here."""

    solver: str
    test: Test
    value: float | None
    reason: str
    answer: str

    @property
    def passed(self) -> bool:
        """Whether the answer agrees with what the test expects."""
        return self.value is not None and self.value >= 0.99


def sheet(tests: Iterable[Test]) -> str:
    """Markdown: ids, messages and tools, the messages of a test in their order."""
    parts = []
    for test in tests:
        parts.append(f"# {test.id}\n")
        if test.tools:
            parts.append(f"Tools that may be called:\n\n```json\n{_pretty(list(test.tools))}\n```\n")
        for message in test.messages:
            role, content = message["role"], message["content"]
            shown = content if isinstance(content, str) else _pretty(content)
            if calls := message.get("tool_calls"):
                shown += f"\n[tool calls: {json.dumps(calls, ensure_ascii=False)}]"
            parts.append(f"<<<{role}>>>\n{shown}\n<<<end>>>\n")
    return "\n".join(parts)


def marks(tests: Sequence[Test], answers: Path, workshop: Workshop) -> list[Mark]:
    """Of each test, in their order; a test without an answer gets 0. The solver is named by the file.

    `answers`: lines of JSON, `{id, response, tool_calls: [{name, arguments}]}`, the last for an id counting.
    """
    given = {str(entry["id"]): entry for entry in _entries(answers)}
    return side_by_side(lambda test: _mark(test, given.get(test.id), answers.stem, workshop), tests, workshop)


def _mark(test: Test, entry: JSONObject | None, solver: str, workshop: Workshop) -> Mark:
    if entry is None:
        return Mark(solver, test, 0.0, "no answer", "")
    response, calls = entry.get("response") or "", entry.get("tool_calls") or []
    assert isinstance(response, str)
    assert isinstance(calls, list)
    answer = normalise(Completion(text=response, tool_calls=tuple(map(_call, calls))))
    shown = " ".join((response, *(json.dumps(call, ensure_ascii=False) for call in calls)))
    score = evaluate(test.evaluator, answer, workshop)
    if isinstance(score, Crash):
        return Mark(solver, test, None, score.message, shown)
    return Mark(solver, test, None if score.skipped else score.value, score.reason, shown)


def _call(call: JSONObject) -> ToolCall:
    arguments = call.get("arguments") or {}
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    assert isinstance(arguments, Mapping)
    return ToolCall(str(call["name"]), arguments, json.dumps(arguments, ensure_ascii=False))


def _entries(answers: Path) -> Iterator[JSONObject]:
    for number, line in enumerate(answers.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise SystemExit(f"{answers}:{number}: no JSON: {error}") from None


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
