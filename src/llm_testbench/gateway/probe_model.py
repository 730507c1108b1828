"""What a probe sends, and what it learns: plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from llm_testbench.gateway.model import ChatRequest, Failure, ModelOptions
from llm_testbench.json_value import JSON, JSONObject

TOOL = "report_word"
PROMPT = "Say yes."
TOOL_PROMPT = "Report the word yes."
PLAIN_TOKENS = 64
TOOL_TOKENS = 400  # a model that reasons does so before it calls

State: TypeAlias = Literal["yes", "no", "unknown", "note"]
Choice: TypeAlias = Literal["named", "required", "free"]

_TOOL: JSONObject = {
    "type": "function",
    "function": {
        "name": TOOL,
        "description": "Reports one word.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
    },
}


@dataclass(frozen=True)
class Finding:
    """One thing about an endpoint. `seen`: our own words; `said`: the server's, untrusted."""

    what: str
    state: State
    seen: str
    said: str = ""


@dataclass(frozen=True)
class Probed:
    """One model. `failure`: why it cannot be asked. `keys`: what its entry needs beyond what it has.

    `calls`: chat requests that were sent. `answered`: the server speaks HTTP, so that it may list its models.
    """

    model: ModelOptions
    findings: tuple[Finding, ...]
    failure: Failure | None
    keys: JSONObject = field(default_factory=dict)
    calls: int = 0
    answered: bool = True


@dataclass(frozen=True)
class Sent:
    """The optional parts of one request. `limit_keys`: the first is sent, the others are still to be tried.

    `choice`: how the tool is asked for; None: no tools.
    """

    limit_keys: tuple[str, ...] = ()
    temperature: float | None = None
    seed: int | None = None
    stream: bool = False
    stream_options: bool = True
    choice: Choice | None = None

    def parts(self) -> Iterator[str]:
        """The request keys that could be given up."""
        if self.limit_keys:
            yield self.limit_keys[0]
        if self.temperature is not None:
            yield "temperature"
        if self.seed is not None:
            yield "seed"
        if self.stream:
            if self.stream_options:
                yield "stream_options"
            yield "stream"
        if self.choice is not None:
            if self.choice != "free":
                yield "tool_choice"
            yield "tools"

    def without(self, key: str) -> Sent:
        """The next best request when this key is refused: another key or form in its place, else without it."""
        match key:
            case "temperature":
                return replace(self, temperature=None)
            case "seed":
                return replace(self, seed=None)
            case "stream_options":
                return replace(self, stream_options=False)
            case "stream":
                return replace(self, stream=False, stream_options=True)
            case "tool_choice":
                return replace(self, choice="required" if self.choice == "named" else "free")
            case "tools":
                return replace(self, choice=None)
            case _:
                return replace(self, limit_keys=self.limit_keys[1:])

    def model(self, model: ModelOptions) -> ModelOptions:
        """The model asked in exactly this way, whatever its entry says."""
        limit = PLAIN_TOKENS if self.choice is None else TOOL_TOKENS
        return replace(
            model,
            max_tokens=limit if self.limit_keys else None,
            max_tokens_key=self.limit_keys[0] if self.limit_keys else model.max_tokens_key,
            token_limit=None,
            temperature=self.temperature,
            seed=self.seed,
            stream=self.stream,
            omitted=frozenset() if self.stream_options else frozenset({"stream_options"}),
            tool_choice_required=False,
        )

    def request(self) -> ChatRequest:
        """One short question, or the request to call the tool."""
        if self.choice is None:
            return ChatRequest(({"role": "user", "content": PROMPT},))
        forms: dict[Choice, JSON] = {
            "named": {"type": "function", "function": {"name": TOOL}},
            "required": "required",
        }
        parameters: JSONObject = {"tool_choice": forms[self.choice]} if self.choice in forms else {}
        return ChatRequest(({"role": "user", "content": TOOL_PROMPT},), (_TOOL,), parameters)
