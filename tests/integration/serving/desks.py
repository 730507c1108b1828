"""Servers for the tests of this folder, and what the real client makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from llm_testbench.answer.model import Completion, ToolCall
from llm_testbench.gateway.client import Gateway
from llm_testbench.gateway.model import ChatRequest, ModelOptions, Reply
from llm_testbench.gateway.surroundings import Surroundings
from llm_testbench.json_value import JSONObject
from llm_testbench.local.serving.answers import Answer, Answers, Said
from llm_testbench.local.serving.desk import Desk
from llm_testbench.local.serving.options import FaultRate
from llm_testbench.local.serving.question import Question
from llm_testbench.local.serving.server import Serving

NOW = 1_767_225_600.0  # 2026-01-01
QUESTION = ChatRequest(({"role": "user", "content": "Which city?"},))
TOOL: JSONObject = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
CALLS = tuple(
    ToolCall("get_weather", {"city": city}, f'{{"city": "{city}"}}', call_id)
    for city, call_id in (("Zürich", "call_a"), ("Rome", "call_b"))
)
TEXT = Completion("Zürich 🙂 is a city.", finish_reason="stop")


@dataclass
class Fixed:
    """Says the same to everybody."""

    said: Completion = TEXT
    asked: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        return ("model-a",)

    def answer(self, question: Question) -> Answer:
        self.asked += 1
        return Said(self.said, "city")


@contextmanager
def serving(answers: Answers, faults: Sequence[FaultRate] = (), seed: int = 0, **options: Any) -> Iterator[Serving]:
    desk = Desk(answers, faults, options.pop("latency", 0.0), seed, lambda: NOW)
    with Serving(desk, **options) as started:
        yield started


@dataclass
class Asked:
    """One attempt, and the pauses that it asked for."""

    reply: Reply
    pauses: list[float]

    @property
    def tries(self) -> list[int | None]:
        return [one.status for one in self.reply.tries]


def ask(endpoint: str, request: ChatRequest = QUESTION, **options: Any) -> Asked:
    """One attempt by the real client, which waits for nothing."""
    pauses: list[float] = []
    direct = Surroundings({}, True)
    with Gateway(
        2, sleep=pauses.append, wall_clock=lambda: NOW, chance=lambda: 0.5, surroundings=lambda endpoint: direct
    ) as gateway:
        model = ModelOptions("model-a", "model-a", endpoint, **{"api_key": "any", **options})
        return Asked(gateway.ask(model, request, 0), pauses)
