"""The plain values of the room: Test, Example, and where each was written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from llm_testbench.answer.model import Answer
from llm_testbench.errors import Place
from llm_testbench.evaluators.score import Evaluator
from llm_testbench.json_value import JSON, JSONObject, digest


@dataclass(frozen=True)
class Example:
    """An answer with the score that the test's check must give it."""

    answer: Answer
    score: float
    place: Place


@dataclass(frozen=True)
class GroundTruth:
    """A program that computes the expected value and prints it; `language`: one of sandbox.languages.LANGUAGES."""

    program: str
    language: str
    place: Place


@dataclass(frozen=True)
class Test:
    """One request with one check and a stable id; everything rendered, nothing left to fill in."""

    __test__ = False  # pytest must not collect it

    id: str
    category: str
    subcategory: str
    description: str
    tags: tuple[str, ...]
    models: tuple[str, ...] | None  # names; None: every model
    messages: tuple[JSONObject, ...]
    tools: tuple[JSONObject, ...]
    parameters: JSONObject  # the suite's own request keys, merged into the body
    max_tokens: int | None
    rev: int
    must_pass: bool
    quarantine: bool
    check: JSON  # as written: what evaluators.registry.build takes
    evaluator: Evaluator
    check_hash: str
    check_place: Place  # where `evaluate` was written
    ground_truth: GroundTruth | None
    examples: tuple[Example, ...]
    suite_file: str  # relative path with forward slashes, or builtin:NAME
    place: Place

    def is_for(self, model: str) -> bool:
        """Whether the model of this name is asked."""
        return self.models is None or model in self.models

    @cached_property
    def request_hash(self) -> str:
        """SHA-256 of what the suite itself asks for; no model, seed, stream or config default (design 5.4)."""
        return digest(
            {
                "messages": list(self.messages),
                "tools": list(self.tools),
                "parameters": self.parameters,
                "max_tokens": self.max_tokens,
            }
        )
