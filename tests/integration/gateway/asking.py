"""How the tests of this folder ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from llm_testbench.gateway.client import Gateway as Client
from llm_testbench.gateway.model import ChatRequest, ModelOptions
from llm_testbench.gateway.surroundings import Surroundings

KEY = "sk-canary-0123456789"
QUESTION = ChatRequest(({"role": "user", "content": "2 + 2?"},))


def model(url: str, **options: Any) -> ModelOptions:
    """A model that gives up soon and is asked once, unless `options` say otherwise."""
    defaults: dict[str, Any] = {"api_key": KEY, "request_timeout": 10.0, "idle_timeout": 10.0, "max_retries": 0}
    return ModelOptions("model-a", "model-a", url, **{**defaults, **options})


class Pauses(list[float]):
    """A sleep that only notes how long."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@contextmanager
def client(
    concurrency: int = 4, *, verify: bool | str = True, proxies: Mapping[str, str] | None = None, **edges: Any
) -> Iterator[Client]:
    """A client that the environment of the test run does not reach."""
    surroundings = Surroundings(proxies or {}, verify)
    with Client(concurrency, surroundings=lambda endpoint: surroundings, **edges) as asking:
        yield asking
