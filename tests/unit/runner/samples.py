"""Small values that the runner's tests share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer, Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row
from llm_testbench.errors import Place
from llm_testbench.evaluators.score import Evaluator, Score
from llm_testbench.gateway.model import ChatRequest, Failure, ModelOptions, Reply
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.runner.job import Job
from llm_testbench.suite.model import Test


@dataclass(frozen=True)
class Says:
    """Scores 1 when the answer holds the text."""

    name: ClassVar[str] = "says"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "holds a text"
    schema: ClassVar[JSONObject] = {"type": "string"}
    wanted: str

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        return cls(str(parameters))

    def evaluate(self, answer: Answer) -> Score:
        found = self.wanted in answer.text
        return Score(float(found), f"expected {self.wanted!r}, " + ("found" if found else "not found"))


@dataclass(frozen=True)
class Fixed:
    """Gives one score, or raises."""

    name: ClassVar[str] = "fixed"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "gives one score"
    schema: ClassVar[JSONObject] = {}
    result: Score | BaseException

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        raise NotImplementedError

    def evaluate(self, answer: Answer) -> Score:
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


@dataclass(frozen=True)
class Noting:
    """Does something, then passes."""

    name: ClassVar[str] = "noting"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "does something"
    schema: ClassVar[JSONObject] = {}
    act: Callable[[], object]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        raise NotImplementedError

    def evaluate(self, answer: Answer) -> Score:
        self.act()
        return Score(1.0, "noted")


def model(name: str = "chat", **options: object) -> ModelOptions:
    values: dict[str, object] = {"name": name, "id": f"org/{name}", "endpoint": "http://127.0.0.1:1/v1", **options}
    return ModelOptions(**values)  # type: ignore[arg-type] # the tests name any of the fields


def a_test(name: str = "greet", evaluator: Evaluator | None = None, **fields: object) -> Test:
    values: dict[str, object] = {
        "id": name,
        "category": "talk",
        "subcategory": "short",
        "description": "",
        "tags": (),
        "models": None,
        "messages": ({"role": "user", "content": "Say hello."},),
        "tools": (),
        "parameters": {},
        "max_tokens": None,
        "rev": 1,
        "must_pass": False,
        "quarantine": False,
        "check": {"says": "hello"},
        "evaluator": evaluator or Says("hello"),
        "check_hash": "c" * 64,
        "check_place": Place("evals/talk.yaml", 6, 5),
        "ground_truth": None,
        "examples": (),
        "suite_file": "evals/talk.yaml",
        "place": Place("evals/talk.yaml", 3, 5),
        **fields,
    }
    return Test(**values)  # type: ignore[arg-type] # the tests name any of the fields


def a_job(attempt: int = 0, **fields: object) -> Job:
    values: dict[str, object] = {"model": model(), "test": a_test(), "attempt": attempt, **fields}
    return Job(**values)  # type: ignore[arg-type] # the tests name any of the fields


def a_row(attempt: int = 0, **fields: object) -> Row:
    values: dict[str, object] = {
        "model": "chat",
        "test_id": "greet",
        "category": "talk",
        "subcategory": "short",
        "attempt": attempt,
        "outcome": Outcome.ANSWERED,
        "score": 1.0,
        "passed": True,
        "response_text": "hello",
        "latency_ms": 12.5,
        **fields,
    }
    return Row(**values)  # type: ignore[arg-type] # the tests name any of the fields


def says(text: str = "hello", **fields: object) -> Reply:
    return Reply(Completion(text, finish_reason="stop", **fields), None, (), 12.5)  # type: ignore[arg-type] # as above


def fails(outcome: Outcome = Outcome.TIMEOUT, message: str = "no answer within 300 s") -> Reply:
    return Reply(None, Failure(outcome, message), (), 300_000.0)


def ask_hello(_model: ModelOptions, _request: ChatRequest, _attempt: int) -> Reply:
    return says()
