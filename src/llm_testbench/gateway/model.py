"""The plain values of the room: which model is asked how, for what, and what came back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from llm_testbench.answer.model import Completion
from llm_testbench.answer.outcome import Outcome
from llm_testbench.json_value import JSONObject

LaneKey: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True)
class ModelOptions:
    """How one model is asked: every default already resolved. Times in seconds."""

    name: str
    id: str
    endpoint: str  # base URL that ends before /chat/completions, without credentials
    api_key: str | None = field(default=None, repr=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    extra_body: JSONObject = field(default_factory=dict)
    connect_timeout: float = 10.0
    request_timeout: float = 300.0  # hard ceiling of one try
    idle_timeout: float = 300.0  # longest silence in a stream
    stream: bool = False
    max_retries: int = 2
    retry_timeouts: bool = True
    max_tokens: int | None = 4096  # a floor: a test may only raise it; None sends none
    max_tokens_key: str = "max_tokens"
    token_limit: int | None = None  # more is asked for by nobody, a test's own limit included
    temperature: float | None = 0.0  # None sends none
    seed: int | None = None  # attempt i sends seed + i
    omitted: frozenset[str] = frozenset()  # request keys that are not sent, though the suite sets them
    tool_choice_required: bool = False  # a tool chosen by name is sent as the only tool, with `required`
    concurrency: int | None = None  # None: only the global limit

    @property
    def lane_key(self) -> LaneKey:
        """What is learned of a server is kept by: one name stands for two when both sides of a comparison are asked."""
        return self.name, self.endpoint, self.id


@dataclass(frozen=True)
class ChatRequest:
    """What one test asks, the same for every model."""

    messages: tuple[JSONObject, ...]
    tools: tuple[JSONObject, ...] = ()
    parameters: JSONObject = field(default_factory=dict)
    max_tokens: int | None = None


@dataclass(frozen=True)
class Try:
    """One HTTP request. `wait_ms`: the pause before it. `reason`: why it failed, one short line: untrusted."""

    status: int | None
    outcome: Outcome
    wait_ms: float
    latency_ms: float
    reason: str = ""


@dataclass(frozen=True)
class Failure:
    """Why an attempt has no completion. `message` is one line and may quote the server: untrusted.

    `parameter`: which one the server says it rejects (`error.param`), where it says so: untrusted.
    `lasting`: it would be the same for every request to this model, such as a wrong key or a spent daily quota.
    """

    outcome: Outcome
    message: str
    status: int | None = None
    parameter: str | None = None
    lasting: bool = False


@dataclass(frozen=True)
class Reply:
    """What came of one attempt: a completion, or a failure; both where another model answered than the one asked.

    `latency_ms`: of the successful try; of all tries and waits together on failure.
    """

    completion: Completion | None
    failure: Failure | None
    tries: tuple[Try, ...]
    latency_ms: float
    ttft_ms: float | None = None
    copy: Literal["header"] | None = None  # a cache says that it answered
    quirks: tuple[str, ...] = ()  # what was odd about the answer's form, by name


@dataclass(frozen=True)
class Again:
    """An attempt that is to be asked once more, by calling `ask`, when `wait` seconds have passed.

    `throttled`: the server has too much to do (429, 529), so that fewer requests at a time would serve better.
    `failed`: how the attempt ends when it is not asked once more, with the tries made so far.
    """

    wait: float
    throttled: bool
    ask: Callable[[], Step] = field(repr=False)
    failed: Reply | None = None


Step: TypeAlias = Reply | Again
"""What comes of asking once: the end of the attempt, or when to go on."""
