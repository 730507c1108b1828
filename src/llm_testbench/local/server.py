"""Starts the embedded model's server, waits until it is healthy, and always reaps it."""

from __future__ import annotations

import http.client
import os
import re
import time
from collections.abc import Mapping
from importlib.util import find_spec
from types import TracebackType
from typing import Self

from llm_testbench.errors import InconclusiveError
from llm_testbench.local.child import ServerOptions
from llm_testbench.local.process import ChildProcess
from llm_testbench.local.weights import MODEL_ID, FindSpec, require

_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d{1,5})\n")
_HEALTH_POLL_SECONDS = 0.02
_LOG_CHARACTERS = 300


class EmbeddedGateway:
    """A running llama.cpp server with SmolLM2-135M-Instruct, on a loopback port of its own.

    A context manager: `with EmbeddedGateway.start() as gateway: …`. The server dies with this
    process, even when that is killed; a Ctrl-C at the terminal does not reach it, so that calls
    in flight can finish.
    """

    def __init__(self, child: ChildProcess, port: int, parallel: int) -> None:
        self._child = child
        self.parallel = parallel
        self.endpoint = f"http://127.0.0.1:{port}/v1"
        self.model_id = MODEL_ID

    @classmethod
    def start(
        cls,
        *,
        parallel: int = 2,
        context: int = 2048,
        threads: int | None = None,
        deadline: float = 60.0,
        grace: float = 3.0,
        environ: Mapping[str, str] = os.environ,
        find: FindSpec = find_spec,
        program: tuple[str, ...] = ("-m", "llm_testbench.local.child"),
    ) -> Self:
        """Starts it and waits until it answers, `deadline` seconds at most.

        `parallel` requests are computed at once, each with `context` tokens of prompt and answer;
        `threads`: None takes half of the cores that this process may use, since the engine's threads
        wait for each other at every layer and one that shares its core holds up all. `grace`: seconds that stopping
        waits after each step before it takes the next.

        Raises InputError when a package is missing, InconclusiveError when the server does not come up.
        """
        options = ServerOptions(
            weights=str(require(find)),
            model_id=MODEL_ID,
            parallel=parallel,
            context=context,
            threads=threads or max(1, len(os.sched_getaffinity(0)) // 2),
        )
        child = ChildProcess((*program, options.to_argument()), environ, grace)
        try:
            return cls(child, _wait_until_healthy(child, time.monotonic() + deadline), parallel)
        except BaseException:
            child.stop()
            raise

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._child.pid

    def stop(self) -> None:
        """Ends the server, by force if it must be; returns when it is gone. Idempotent."""
        self._child.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


def _wait_until_healthy(child: ChildProcess, until: float) -> int:
    """The port, once /health answers 200."""
    address = _ADDRESS.fullmatch(child.first_line(until))
    if address is not None:
        port = int(address.group(1))
        while not child.ended and time.monotonic() < until:
            if _is_healthy(port, until):
                return port
            time.sleep(_HEALTH_POLL_SECONDS)
    raise InconclusiveError(f"the embedded model's server {child.last_words(_LOG_CHARACTERS)}")


def _is_healthy(port: int, until: float) -> bool:
    # http.client and not requests: a proxy named in the environment must not stand between.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=max(until - time.monotonic(), 0.1))
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
