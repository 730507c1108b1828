"""A request for a chat completion as it came in, as far as an answer depends on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from llm_testbench.json_value import JSON, JSONObject, canonical, digest, parse

_LIMITS = ("max_completion_tokens", "max_tokens")


class BadQuestionError(ValueError):
    """The body asks for no chat completion; `str()` says why. `parameter`: the field that is wrong."""

    def __init__(self, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


@dataclass(frozen=True)
class Question:
    """`key`: the same for equal messages and tools. Everything in it is foreign."""

    model: str
    key: str
    body: JSONObject = field(repr=False)

    @property
    def streams(self) -> bool:
        """Whether a stream was asked for."""
        return self.body.get("stream") is True

    @property
    def wants_usage(self) -> bool:
        """Whether a stream is to end with the number of tokens."""
        options = self.body.get("stream_options")
        return isinstance(options, Mapping) and options.get("include_usage") is True

    @property
    def seed(self) -> int | None:
        """The seed, where one was sent."""
        return _integer(self.body.get("seed"))

    @property
    def limit(self) -> int | None:
        """How many tokens the answer may have."""
        return next((limit for key in _LIMITS if (limit := _integer(self.body.get(key))) is not None), None)

    @property
    def characters(self) -> int:
        """The length of the prompt."""
        return len(canonical(self.body.get("messages")))


def key_of(messages: JSON, tools: JSON) -> str:
    """What the same question is known by, whatever the model and the parameters are."""
    return digest([messages, tools or []])


def read_question(raw: bytes) -> Question:
    """BadQuestionError when the bytes ask for no chat completion."""
    try:
        body = parse(raw)
    except ValueError as error:  # also what is no UTF-8
        raise BadQuestionError(f"the body is not JSON: {error}") from None
    if not isinstance(body, Mapping):
        raise BadQuestionError("the body is not a JSON object")
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise BadQuestionError("model is missing: expected the name of a model", "model")
    messages = body.get("messages")
    if not _is_list(messages) or not messages:
        raise BadQuestionError("messages is missing: expected a list of messages", "messages")
    tools = body.get("tools")
    if tools is not None and not _is_list(tools):
        raise BadQuestionError("tools is no list", "tools")
    return Question(model, key_of(messages, tools), body)


def _is_list(value: JSON) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _integer(value: JSON) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
